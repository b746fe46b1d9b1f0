"""Properties of pieces: what somebody says of one, and the rows of the list that shows them all.

What is said is kept on the object, by the name of the piece. The rows come from the analysis and are kept by the window
manager, which neither undo nor files know of: an analysis changes nothing of the artist's.
"""

from __future__ import annotations

from bpy.props import BoolProperty, CollectionProperty, EnumProperty, IntProperty, StringProperty
from bpy.types import PropertyGroup

from .listeners import piece_changed, piece_view_changed

__all__ = ["BEHAVIOURS", "CLASSES", "NEUROK_PG_piece", "NEUROK_PG_piece_row", "NEUROK_PG_window"]

# Identifier, name, tooltip, icon, number: the number is what the .blend keeps, so it never changes.
BEHAVIOURS = (
    ("AUTO", "Automatic", "As its material behaves", "VIEWZOOM", 0),
    ("RIGID", "Rigid", "It keeps its shape", "RIGID_BODY", 1),
    ("SOFT", "Soft", "It bends and comes back to its shape", "MOD_SOFT", 2),
    ("SHEET", "Sheet", "It drapes: cloth, paper, foil", "MOD_CLOTH", 3),
)


class NEUROK_PG_piece(PropertyGroup):
    """What somebody says of a piece of the object."""

    name: StringProperty(name="Name", description="Of the piece", update=piece_changed)
    number: IntProperty(
        name="Number",
        description="What its faces have in the attribute of pieces; 0: the piece was found by the analysis",
        default=0,
        min=0,
        options={"HIDDEN"},
    )
    material: StringProperty(
        name="Material",
        description="What the backend calls the physical material; empty: as the analysis finds it",
        options={"HIDDEN"},
        update=piece_changed,
    )
    behaviour: EnumProperty(
        name="Behavior", description="How the piece behaves", items=BEHAVIOURS, update=piece_changed
    )


class NEUROK_PG_piece_row(PropertyGroup):
    """A row of the list of pieces: its name is that of the piece."""


class NEUROK_PG_window(PropertyGroup):
    """What the panels show at the moment."""

    pieces: CollectionProperty(name="Pieces", description="The pieces of the object", type=NEUROK_PG_piece_row)
    active_piece: IntProperty(name="Active Piece", description="The piece that is chosen in the list", default=0, min=0)
    show_pieces: BoolProperty(
        name="Show Pieces",
        description="Color the pieces of the object in the 3D view",
        default=False,
        update=piece_view_changed,
    )


CLASSES = (NEUROK_PG_piece, NEUROK_PG_piece_row, NEUROK_PG_window)
