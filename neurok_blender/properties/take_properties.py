"""Properties of a take in the list of an object."""

from bpy.props import FloatProperty, IntProperty, StringProperty
from bpy.types import PropertyGroup

__all__ = ["CLASSES", "NEUROK_PG_take"]


class NEUROK_PG_take(PropertyGroup):
    """One take: what was simulated, recorded or posed. Its motion is in memory, or in a file beside the .blend."""

    name: StringProperty(name="Name", description="What the take is called")
    uid: StringProperty(name="Identifier", description="The same for as long as the take exists", options={"HIDDEN"})
    file: StringProperty(
        name="File",
        description="The file of the take in the folder of takes beside the .blend; empty: it was not saved yet",
        options={"HIDDEN"},
    )
    frame_start: IntProperty(name="Start", description="Frame of the timeline at which the take begins")
    frame_count: IntProperty(name="Frames", description="How many frames the take has")
    date: StringProperty(name="Date", description="When the take was made, as YYYY-MM-DD HH:MM")
    megabytes: FloatProperty(name="Size (MB)", description="Memory that the motion takes")


CLASSES = (NEUROK_PG_take,)
