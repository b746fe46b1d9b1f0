"""The tab "NeuROK" in the sidebar of the 3D view, top to bottom in the order of the work. Drawing never works."""

from . import (
    backend_panel,
    bake_panel,
    conditions_panel,
    joints_panel,
    object_panel,
    pieces_list,
    pose_panel,
    simulate_panel,
    takes_popover,
)

__all__ = ["CLASSES"]

CLASSES = tuple(
    item
    for module in (
        pieces_list,
        object_panel,
        joints_panel,
        conditions_panel,
        simulate_panel,
        pose_panel,
        takes_popover,
        bake_panel,
        backend_panel,
    )
    for item in module.CLASSES
)
