"""Where tests and the demo keep what Numba compiles: a folder for each version of the kernels.

Numba itself compiles a kernel again only when its own file has changed, not when one that it calls has.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from .common import BUILD, ROOT

__all__ = ["compiled_directory"]


def compiled_directory() -> Path:
    digest = hashlib.sha256()
    for path in sorted((ROOT / "backend").rglob("*.py")):
        source = path.read_bytes()
        if b"njit" in source:
            digest.update(source)
    return BUILD / "compiled" / digest.hexdigest()[:12]
