"""One of several processes of `python -m backend train`: leaves the network it ends with. Started by torchrun."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import torch

from backend.__main__ import main
from backend.learned.train import training


def train_and_keep(folder: Path) -> int:
    """Runs the command; writes the weights that this very process ends with to FOLDER/rank<N>.pt."""
    runs = []

    class Kept(training._Run):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            runs.append(self)

    training._Run = Kept
    code = main(["train", "--config", "tiny", "-o", str(folder)])
    torch.save(runs[0].model.state_dict(), folder / f"rank{os.environ['RANK']}.pt")
    return code


if __name__ == "__main__":
    sys.exit(train_and_keep(Path(sys.argv[1])))
