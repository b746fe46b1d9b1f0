"""Writing a file so that it appears complete or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..errors import UserError

__all__ = ["replacing"]


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A stream to a temporary neighbour of `path` that takes its place at the end, and is removed on failure."""
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(temporary, "wb") as stream:
            yield stream
        os.replace(temporary, path)
    except OSError as problem:
        temporary.unlink(missing_ok=True)
        reason = problem.strerror or str(problem)
        raise UserError(
            "cannot_write",
            f"The file {path} cannot be written: {reason}.",
            "Choose a folder that exists, that you may write to and that has room.",
        ) from problem
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
