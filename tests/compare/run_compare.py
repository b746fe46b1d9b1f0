"""`python build.py compare`: the same two scenes in this project's solver and in others, figures into docs.

`python -m tests.compare.run_compare PYTHON`, PYTHON being the interpreter that has the other solvers. Every run that
the document speaks of is made here, one after the other; nothing is kept from the time before.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.compare import our_side
from tests.compare.drop import compare_drop
from tests.compare.report import written
from tests.compare.scenes import Block
from tests.compare.swing import compare_swing

__all__ = ["Codes", "main"]

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT, FIGURES = ROOT / "docs/comparison.md", ROOT / "docs/comparison.json"


@dataclass(frozen=True)
class Codes:
    """Runs a block in either code; `folder` for files in between."""

    python: Path
    folder: Path

    def _child(self, module: str, block: Block, **request: Any) -> dict[str, Any]:
        file, result = self.folder / "request.json", self.folder / "result.npz"
        file.write_text(json.dumps({"block": asdict(block), **request}))
        command = [str(self.python), "-m", f"tests.compare.{module}", str(file), str(result)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{module} failed on {request}: {done.stderr.strip()}")
        with np.load(result) as arrays:
            return {name: arrays[name] if arrays[name].ndim else arrays[name].item() for name in arrays}

    def versions(self) -> dict[str, str]:
        """What the other interpreter has installed."""
        command = [str(self.python), "-m", "pip", "list", "--format=json", "--disable-pip-version-check"]
        listed = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        return {package["name"]: package["version"] for package in listed}

    def newton(self, block: Block, cross: int, solver: str, substeps: int, **options: Any) -> dict[str, Any]:
        """See `newton_side.run`; adds the time Float[T] of the samples."""
        begin = time.perf_counter()
        result = self._child("newton_side", block, cross=cross, solver=solver, substeps=substeps, **options)
        print(f"  newton {solver}, {cross} across, {result['steps_per_second']} steps/s {options}: ", end="")
        print(f"{time.perf_counter() - begin:.0f} s", flush=True)
        return {"time": np.arange(block.frames) / block.fps, **result}

    def elements(self, block: Block, cross: int) -> dict[str, Any]:
        """See `fem_side.held_bar`."""
        return self._child("fem_side", block, cross=cross)

    def ours(self, block: Block, cross: int, **conditions: Any) -> dict[str, Any]:
        """See `our_side.run`."""
        begin = time.perf_counter()
        result = our_side.run(block, cross, self.folder, **conditions)
        shown = {name: value for name, value in conditions.items() if name != "held"}
        print(f"  ours, {cross} across {shown}: {time.perf_counter() - begin:.0f} s", flush=True)
        return result


def main(python: Path) -> None:
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        codes = Codes(python, Path(folder))
        print("a bar that is held at one end and swings", flush=True)
        figures: dict[str, Any] = {"versions": codes.versions(), "swing": compare_swing(codes)}
        print("a cube that is dropped", flush=True)
        figures["drop"] = compare_drop(codes)
    DOCUMENT.parent.mkdir(exist_ok=True)
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    DOCUMENT.write_text(written(figures))
    print(f"{DOCUMENT.relative_to(ROOT)} and {FIGURES.name} written in {time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
