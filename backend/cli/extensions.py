"""What a command says of extensions that cannot be used."""

from __future__ import annotations

import sys

from ..extending import load_extensions

__all__ = ["report_extensions"]


def report_extensions() -> None:
    """Loads the extensions. A note on stderr names each that cannot be used; the command goes on without it."""
    for problem in load_extensions():
        print(f"Note: {problem.message} {problem.remedy}", file=sys.stderr)
