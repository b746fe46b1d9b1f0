"""Names of prims."""

from __future__ import annotations

__all__ = ["prim_name"]


def prim_name(name: str, used: set[str]) -> str:
    """A name as USD allows it, not among `used`, to which it is added."""
    from pxr import Sdf, Tf

    name = f"_{name}" if name[:1].isdigit() else name
    base = name if Sdf.Path.IsValidIdentifier(name) else Tf.MakeValidIdentifier(name)
    result, number = base, 2
    while result in used:
        result, number = f"{base}_{number}", number + 1
    used.add(result)
    return result
