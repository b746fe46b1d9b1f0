# A rubber toy: springs back and wobbles for a while.
import bpy

settings = bpy.context.active_object.neurok

settings.density = 1100.0
settings.stiffness_hz = 3.0
settings.settle_seconds = 2.5
