"""Panels drawn without a window: what stands in them, and how high it stands, in rows of a button's height."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import bpy

__all__ = ["BUTTON", "PANELS", "Layout", "drawn_panel", "sidebar_places"]

# Pixels at interface scale 1, as measured in windows of Blender 4.3 and 5.2 (`tests/gui/run.py boxes`).
BUTTON, GAP, BOX = 20.0, 3.0, 8.0  # a button, between those of a column, frame of a box
PANEL_GAP = 5.0  # between what stands in a panel itself
HEADER, FOOT, CLOSED = 35.0, 10.0, 30.0  # above and below the contents of a panel; all of a closed one
LIST_FRAME = 24.0  # of a list, with its grip
WIDTH = 280
PANELS = ("object", "joints", "conditions", "simulate", "pose", "bake", "backend")


class Button:
    """Takes the properties of an operator that are set on its button."""

    def __init__(self, kind: bpy.types.Struct, text: str, icon: str) -> None:
        object.__setattr__(self, "_known", set(kind.properties.keys()))
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "icon", icon)

    def __setattr__(self, name: str, value: Any) -> None:
        assert name in self._known, name
        object.__setattr__(self, name, value)


@dataclass
class Leaf:
    """One button, label, bar or list; `inside` are the rows of a list."""

    kind: str
    name: str
    height: float = BUTTON
    button: Button | None = None
    inside: list[Layout] = field(default_factory=list)


class Layout:
    """Stands in for `bpy.types.UILayout`: `across` its items stand beside each other."""

    def __init__(self, across: bool = False, align: bool = False, frame: float = 0.0, gap: float = GAP) -> None:
        self.across, self.frame, self.gap = across, frame, 0.0 if align else gap
        self.items: list[Layout | Leaf] = []
        self.scale_y = 1.0

    # --- what panels call ---

    def row(self, align: bool = False, **_options: Any) -> Layout:
        return self._below(Layout(True, align))

    def column(self, align: bool = False, **_options: Any) -> Layout:
        return self._below(Layout(False, align))

    def split(self, **_options: Any) -> Layout:
        return self._below(Layout(True))

    def box(self) -> Layout:
        return self._below(Layout(frame=BOX))

    def label(self, text: str = "", **_options: Any) -> None:
        self._leaf("label", text)

    def prop(self, data: bpy.types.bpy_struct, name: str, **_options: Any) -> None:
        item = data.bl_rna.properties[name]
        count = item.array_length if getattr(item, "is_array", False) and not self.across else 1
        self._leaf("prop", name, BUTTON * count)

    def prop_search(self, data: bpy.types.bpy_struct, name: str, *_where: Any, **_options: Any) -> None:
        self.prop(data, name)

    def operator(self, idname: str, text: str = "", icon: str = "NONE", **_options: Any) -> Button:
        module, name = idname.split(".")
        button = Button(getattr(getattr(bpy.ops, module), name).get_rna_type(), text, icon)
        self._leaf("operator", str(idname), button=button)
        return button

    def operator_menu_enum(self, idname: str, _property: str, **_options: Any) -> Button:
        return self.operator(idname)

    def menu(self, idname: str, **_options: Any) -> None:
        self._leaf("menu", str(idname))

    def popover(self, panel: str, **_options: Any) -> None:
        self._leaf("popover", str(panel))

    def progress(self, text: str = "", **_options: Any) -> None:
        self._leaf("progress", text)

    def separator(self, **_options: Any) -> None:
        pass

    def template_list(
        self, idname: str, _number: str, data: Any, items: str, chosen: Any, active: str, rows: int = 5, **_options: Any
    ) -> None:
        kind, drawn = getattr(bpy.types, idname), []
        for index, item in enumerate(getattr(data, items)):
            drawn.append(Layout(True))
            kind.draw_item(None, fake_context(), drawn[-1], data, item, 0, chosen, active, index)
        self._leaf("list", str(idname), rows * BUTTON + LIST_FRAME, inside=drawn)

    # --- where it all stands ---

    def _below(self, layout: Layout) -> Layout:
        self.items.append(layout)
        return layout

    def _leaf(self, *values: Any, **more: Any) -> None:
        self.items.append(Leaf(*values, **more))

    def height(self, scale: float = 1.0) -> float:
        heights = [_height(item, scale * self.scale_y) for item in self.items]
        if not heights:
            return 0.0
        gaps = 0.0 if self.across else self.gap * (len(heights) - 1)
        return (max(heights) if self.across else sum(heights) + gaps) + self.frame

    def places(self, top: float = 0.0, scale: float = 1.0) -> Iterator[tuple[float, str, str]]:
        """(pixels from the top, kind, name) of everything in it."""
        top += self.frame / 2.0
        for item in self.items:
            if isinstance(item, Layout):
                yield from item.places(top, scale * self.scale_y)
            else:
                yield round(top, 3), item.kind, item.name
            if not self.across:
                top += _height(item, scale * self.scale_y) + self.gap

    def everything(self) -> list[tuple[str, str, Button | None]]:
        """(kind, name, button) of everything in it, and in its lists."""
        found = []
        for item in self.items:
            if isinstance(item, Leaf):
                found.append((item.kind, item.name, item.button))
            for inside in [item] if isinstance(item, Layout) else item.inside:
                found += inside.everything()
        return found


def _height(item: Layout | Leaf, scale: float) -> float:
    return item.height(scale) if isinstance(item, Layout) else item.height * scale


def fake_context() -> SimpleNamespace:
    """The context of a sidebar, with what else the panels look at."""
    now = bpy.context
    return SimpleNamespace(
        active_object=now.active_object,
        scene=now.scene,
        selected_objects=list(now.selected_objects),
        collection=now.collection,
        window_manager=now.window_manager,
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)),
        region=SimpleNamespace(width=WIDTH),
        mode=now.mode,
    )


def drawn_panel(name: str) -> Layout | None:
    """What the panel of the file `panels/NAME_panel.py`, or `panels/NAME.py`, draws; None where it is not there."""
    from neurok_blender import panels

    module = getattr(panels, f"{name}_panel", None) or getattr(panels, name)
    kind = module.CLASSES[-1]
    if not getattr(kind, "poll", lambda _context: True)(fake_context()):
        return None
    methods = {key: value for each in reversed(kind.__mro__[:-1]) for key, value in vars(each).items()}
    methods = {key: value for key, value in methods.items() if callable(value) and not key.startswith("bl_")}
    panel = type("Drawn", (), {key: value for key, value in methods.items() if not key.startswith("__")})()
    panel.layout = Layout(gap=PANEL_GAP)
    panel.draw(fake_context())
    return panel.layout


def sidebar_places() -> tuple[list[tuple[float, str, str]], float]:
    """Places of all buttons, lists and bars of the open panels, one below the other, and how high they are together."""
    top, found = 0.0, []
    for name in PANELS:
        if name == "backend":
            top += CLOSED
            continue
        if (layout := drawn_panel(name)) is None:
            continue
        top += HEADER
        found += [place for place in layout.places(top) if place[1] != "label"]
        top += layout.height() + FOOT
    return found, top
