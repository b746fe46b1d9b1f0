"""Valid prim names, and display names, of USD."""

from __future__ import annotations

__all__ = ["display_name", "prim_name"]


def display_name(name: str) -> str:
    """A name as a string of USD can hold it: halves of letters and zeros come from damaged files."""
    return name.encode("utf-8", "replace").decode().replace("\0", "") or "Nameless"


def prim_name(name: str, used: set[str]) -> str:
    """A name as USD allows it, not among `used`, to which it is added."""
    from pxr import Sdf, Tf

    name = display_name(name)
    name = f"_{name}" if name[:1].isdigit() else name
    base = name if Sdf.Path.IsValidIdentifier(name) else Tf.MakeValidIdentifier(name)
    result, number = base, 2
    while result in used:
        result, number = f"{base}_{number}", number + 1
    used.add(result)
    return result
