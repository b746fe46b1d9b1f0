# In water: slow, since water goes along with it, and so thick that it hardly swings past its shape.
import bpy

settings = bpy.context.active_object.neurok

settings.density = 1000.0
settings.stiffness_hz = 0.6
settings.settle_seconds = 1.6
