# Woven matter: light, so that wind carries it, and the air around it soon stops what it does.
import bpy

settings = bpy.context.active_object.neurok

settings.density = 250.0
settings.stiffness_hz = 1.5
settings.settle_seconds = 0.7
