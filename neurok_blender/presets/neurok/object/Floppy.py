# Wet noodles: gives way far and swings slowly.
import bpy

settings = bpy.context.active_object.neurok

settings.density = 900.0
settings.stiffness_hz = 0.8
settings.settle_seconds = 3.5
