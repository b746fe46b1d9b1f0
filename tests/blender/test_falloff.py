"""How far force fields reach, held against what Blender's own particles feel."""

import bpy
import numpy as np
import pytest
from mathutils import Euler, Vector

FIELDS = {
    "everywhere alike": {},
    "sphere": {"falloff_power": 1.5},
    "from a distance on": {"falloff_power": 2.0, "use_min_distance": True, "distance_min": 0.8},
    "near the field": {"falloff_power": 2.0, "use_min_distance": True, "distance_min": 9.0},
    "up to a distance": {"use_max_distance": True, "distance_max": 1.2},
    "in front": {"z_direction": "POSITIVE"},
    "behind": {"z_direction": "NEGATIVE", "falloff_power": 1.0},
    "tube": {"falloff_type": "TUBE", "falloff_power": 1.0, "radial_falloff": 2.0},
    "narrow tube": {"falloff_type": "TUBE", "use_radial_max": True, "radial_max": 0.5},
    "cone": {"falloff_type": "CONE", "falloff_power": 0.5, "radial_falloff": 0.3},
    "wide cone": {"falloff_type": "CONE", "use_radial_max": True, "radial_max": 60.0},
}


@pytest.fixture
def particle(scene):
    """Gives the velocity (m/s) that a particle at a place takes within a frame, in all fields of the scene."""
    scene.gravity = (0.0, 0.0, 0.0)
    scene.frame_set(1)
    bpy.ops.mesh.primitive_plane_add(size=1e-4)
    emitter = bpy.context.active_object
    emitter.modifiers.new("Particles", "PARTICLE_SYSTEM")
    settings = emitter.particle_systems[0].settings
    settings.count, settings.frame_start, settings.frame_end, settings.lifetime = 1, 1, 1, 100
    settings.normal_factor, settings.physics_type, settings.mass = 0.0, "NEWTON", 1.0
    settings.brownian_factor = settings.drag_factor = settings.damping = 0.0

    def velocity(place):
        emitter.location = place
        emitter.particle_systems[0].seed += 1  # nothing is kept from before
        scene.frame_set(1)
        scene.frame_set(2)
        system = emitter.evaluated_get(bpy.context.evaluated_depsgraph_get()).particle_systems[0]
        return np.array(system.particles[0].velocity)

    return velocity


@pytest.mark.parametrize("shape", ["PLANE", "POINT"])
@pytest.mark.parametrize("name", FIELDS)
def test_a_field_reaches_as_far_as_blenders_own_particles_feel_it(scene, particle, name, shape):
    from neurok_blender.scene.falloff import falloff_factor

    bpy.ops.object.effector_add(type="WIND", location=(0.3, -0.2, 0.1), rotation=Euler((0.4, 0.3, 0.2)))
    wind = bpy.context.active_object
    wind.field.shape, wind.field.strength, wind.field.flow, wind.field.noise = shape, 5.0, 0.0, 0.0
    places = [(0.2, 0.1, 1.0), (-0.9, 0.4, 1.3), (0.5, 0.2, -0.7), (2.0, 1.0, 1.6)]
    full = [particle(place) for place in places]
    assert min(np.linalg.norm(each) for each in full) > 0.01
    for key, value in FIELDS[name].items():
        setattr(wind.field, key, value)
    shares = [falloff_factor(wind.field, wind.matrix_world, Vector(place)) for place in places]
    for place, free, share in zip(places, full, shares, strict=True):
        assert particle(place) == pytest.approx(share * free, abs=1e-3 * np.linalg.norm(free))
    assert (min(shares) < 0.95) == (name not in ("everywhere alike", "near the field"))
