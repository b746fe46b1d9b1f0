"""`python -m backend worker`: the add-on's child process."""

from __future__ import annotations

import argparse

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """`worker` has none."""


def run(_options: argparse.Namespace) -> int:
    """Serves standard input and output until the end; the exit code."""
    from .server import main

    return main()
