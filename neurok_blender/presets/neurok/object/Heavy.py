# Rubbery matter of iron's density: sqrt(1100 / 7800) times as quick, and it swings for long.
import bpy

settings = bpy.context.active_object.neurok

settings.density = 7800.0
settings.stiffness_hz = 1.1
settings.settle_seconds = 8.0
