# Hard plastic or wood: hardly gives way, and is still at once.
import bpy

settings = bpy.context.active_object.neurok

settings.density = 1200.0
settings.stiffness_hz = 9.0
settings.settle_seconds = 0.6
