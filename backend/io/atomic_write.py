"""Atomic writes: a file appears complete or not at all."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..errors import UserError

__all__ = ["atomic_path", "atomic_write", "remove_partial_files"]


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """A temporary neighbour of `path`, with its extension, that takes its place at the end; removed on failure."""
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part{path.suffix}")
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as problem:
        temporary.unlink(missing_ok=True)
        reason = problem.strerror or str(problem)
        raise UserError("cannot_write.file", path=path, reason=reason) from problem
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def atomic_write(path: str | Path) -> Iterator[BinaryIO]:
    """The same as a stream to write to."""
    with atomic_path(path) as temporary, open(temporary, "wb") as stream:
        yield stream


def remove_partial_files(path: Path) -> None:
    """Removes the partial files that killed processes left; no process may be writing the file now."""
    for part in path.parent.glob(f".{glob.escape(path.name)}.*.part*"):
        part.unlink(missing_ok=True)
