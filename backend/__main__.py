"""`python -m backend`: the main jobs without Blender. Problems are one sentence with a remedy and exit code 2."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from .errors import UserError

__all__ = ["COMMANDS", "main"]

# The solver's matrices are small: a second BLAS thread only makes them wait for each other (ten times slower on a busy
# machine), and one thread adds up in one order, so the same command gives the same bytes. Read when NumPy is imported.
for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"


@dataclass(frozen=True)
class Command:
    """One command: the module with its `add_options(parser)` and its `run(options)`, which returns a text to print.

    `kept` says what is left of the work after Ctrl-C.
    """

    module: str
    help: str
    kept: str = "nothing was written"

    @property
    def installed(self) -> bool:
        """Whether the module is here: the add-on has no rooms for training and measuring."""
        return Path(__file__).parent.joinpath(*self.module.split(".")).with_suffix(".py").is_file()

    def load(self) -> Any:
        """The module; imported only when its command is used, for it may be large."""
        return import_module(f".{self.module}", __package__)


COMMANDS = {
    "simulate": Command("cli.simulate_command", "simulate a mesh or a scene and write the moving result"),
    "analyze": Command("cli.analyze_command", "say what was found in a mesh"),
    "convert": Command("cli.convert_command", "write a jointed object as a robot for other programs"),
    "bench": Command("bench.bench_command", "measure the speed of this machine"),
    "batch": Command(
        "batch.batch_command",
        "make the takes of a file of jobs, several at a time",
        "what is finished is kept, and the same command goes on",
    ),
    "pointmap": Command("pointmap.pointmap_command", "draw where in camera space each pixel of a take lies"),
    "evaluate": Command("evaluate.evaluate_command", "measure the shapes against real objects"),
    "train": Command(
        "learned.train.train_command",
        "train the learned state space or the network of joints, from its checkpoint on",
    ),
    "data": Command("data.data_command", "make data for training and for measuring"),
    "export": Command("learned.train.export_command", "make the graphs that ONNX Runtime computes the network by"),
    "check": Command(
        "learned.infer.check_command", "compute the network by PyTorch and hold the numbers against exact ones"
    ),
    "fit-joints": Command(
        "learned.train.fit_joints_command", "fit the scores by which joints of a static mesh are chosen"
    ),
    "worker": Command("worker.worker_command", "serve the add-on on standard input and output"),
}


def _parser(chosen: str | None) -> argparse.ArgumentParser:
    """All commands with their help, and the options of the one that is used."""
    parser = argparse.ArgumentParser(prog="python -m backend", description="Make any mesh move.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, command in COMMANDS.items():
        if command.installed:
            own = commands.add_parser(name, help=command.help)
            if name == chosen:
                command.load().add_options(own)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    chosen = next((word for word in words if not word.startswith("-")), None)
    if chosen in COMMANDS and not COMMANDS[chosen].installed:
        print(
            f"'{chosen}' is not in the add-on's zip. Run it in a copy of the repository, with the Python of .venv.",
            file=sys.stderr,
        )
        return 2
    options = _parser(chosen).parse_args(words)
    command = COMMANDS[options.command]
    if options.command == "worker":
        return command.load().run(options)  # its client reads the last line of a traceback
    try:
        print(command.load().run(options))
    except UserError as problem:
        print(problem, file=sys.stderr)
        return 2
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.startswith("backend"):
            raise
        print(
            f"This Python does not have the package {missing.name}. "
            "Run 'python build.py setup' and use the Python of .venv.",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        print(f"Stopped; {command.kept}.", file=sys.stderr)
        return 130
    except MemoryError:
        print("There is not enough memory for this job. Use fewer frames or a lighter mesh.", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
