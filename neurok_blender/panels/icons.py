"""Icons of the add-on's own. Drawing one needs its number: `icon_value("poke")`."""

import bpy.utils.previews

from ..setup.paths import PACKAGE_DIRECTORY

__all__ = ["attach", "detach", "icon_value"]

# Blender keeps small icons at 32 pixels, whatever the file has.
FILE_END = "_32.png"

_previews: bpy.utils.previews.ImagePreviewCollection | None = None


def attach() -> None:
    """Registers the pictures; Blender reads each when it is first drawn."""
    global _previews
    _previews = bpy.utils.previews.new()
    for path in sorted((PACKAGE_DIRECTORY / "icons").glob(f"*{FILE_END}")):
        _previews.load(path.name.removesuffix(FILE_END), str(path), "IMAGE")


def detach() -> None:
    global _previews
    if _previews is not None:
        bpy.utils.previews.remove(_previews)
        _previews = None


def icon_value(name: str) -> int:
    """The `icon_value` of an icon; 0, which draws nothing, where there is none of that name."""
    return _previews[name].icon_id if _previews is not None and name in _previews else 0
