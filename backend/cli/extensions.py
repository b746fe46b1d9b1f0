"""Extensions of the command line: files that bring providers of one's own."""

from __future__ import annotations

import sys

from ..extending import load_extensions

__all__ = ["report_extensions"]

_reported: set[str] = set()


def report_extensions() -> None:
    """Loads them; those that cannot be used are told on stderr, once, and nothing else ends."""
    for problem in load_extensions():
        if problem.message not in _reported:
            _reported.add(problem.message)
            print(f"Note: {problem.message} {problem.remedy}", file=sys.stderr)
