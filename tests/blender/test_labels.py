"""Names of objects and materials: what the backend is told of them, and what it makes of them."""

import bpy
import numpy as np

from tests.blender.helpers import add_ball


def test_names_and_shaders_are_told(scene):
    from neurok_blender.scene.labels import labels_of
    from neurok_blender.scene.materials import material

    ball = add_ball()
    ball.name = "Bowl"
    assert labels_of(ball) == {"object": "Bowl", "slots": []}
    ball.data.materials.append(material("Green Glass", (0.1, 0.5, 0.2), 0.25))
    ball.data.materials.append(None)
    glass, nothing = labels_of(ball)["slots"]
    assert nothing == {"name": "", "shader": {}}
    assert glass["name"] == "Green Glass" and glass["shader"]["roughness"] == 0.25
    assert set(glass["shader"]) == {"metallic", "roughness", "transmission", "alpha"}
    np.testing.assert_allclose(glass["colour"], (0.1, 0.5, 0.2), atol=1e-6)


def test_another_name_is_another_analysis(scene):
    from neurok_blender.scene.materials import material
    from neurok_blender.scene.mesh_io import look_at

    ball = add_ball()
    ball.data.materials.append(material("Oak", (0.5, 0.4, 0.2)))
    before = look_at(bpy.context, ball).key("auto")
    assert look_at(bpy.context, ball).key("auto") == before
    ball.data.materials[0].name = "Rubber"
    assert look_at(bpy.context, ball).key("auto") != before


def test_a_ball_of_glass_is_rigid(scene):
    from neurok_blender import api
    from neurok_blender.scene.materials import material

    ball = add_ball()
    ball.data.materials.append(material("Glass", (0.8, 0.9, 0.9)))
    summary = api.analyse(ball)
    assert summary["provider"] == "rigid" and summary["pieces"][0]["material"] == "glass"
