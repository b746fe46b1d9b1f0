"""The formula of pointmaps against Blender's own camera, and their depth against Cycles."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from backend.pointmap.camera_file import read_camera
from tests.blender.cameras import KINDS, add_camera, blender_pixels, pixel_errors, set_render

PIXEL = 0.01  # what is promised; measured is far less
DEPTH = 1e-4  # m
NOWHERE = 1e9  # Cycles' depth of nothing is 10^10


@pytest.fixture
def objects(scene):
    """Things of several sizes, turned, one in front of the other, and a floor that goes on behind the camera."""
    bpy.ops.mesh.primitive_monkey_add(location=(0.0, 0.0, 0.3), rotation=(0.2, 0.1, 0.7))
    bpy.ops.mesh.primitive_torus_add(location=(1.5, -1.0, 0.2), rotation=(0.9, 0.3, 0.0), minor_segments=24)
    bpy.ops.mesh.primitive_cube_add(location=(-1.6, 1.0, 0.0), rotation=(0.0, 0.4, 0.3), scale=(0.5, 0.9, 1.4))
    bpy.ops.mesh.primitive_plane_add(size=20.0, location=(0.0, 0.0, -1.0))
    made = list(scene.objects)
    for obj in made:
        obj.select_set(True)
    return made


def camera_of(scene):
    """The scene's camera as the backend reads it."""
    from neurok_blender.scene.visible_surface import camera_kind, camera_numbers

    size = [scene.render.resolution_x, scene.render.resolution_y]
    given = {"resolution": size, "resolution_percentage": scene.render.resolution_percentage}
    return read_camera({**camera_kind(scene), **camera_numbers(bpy.context), **given}).at(0)


def by_matrix(scene, camera, width: int, height: int, points: np.ndarray) -> np.ndarray:
    """(u, v), Float[N,2], by the projection matrix that Blender draws with."""
    aspect = {"scale_x": scene.render.pixel_aspect_x, "scale_y": scene.render.pixel_aspect_y}
    graph = bpy.context.evaluated_depsgraph_get()
    matrix = camera.calc_matrix_camera(graph, x=width, y=height, **aspect) @ camera.matrix_world.inverted()
    there = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ np.array(matrix).T
    there = there[:, :2] / there[:, 3:]
    return np.stack([(1.0 + there[:, 0]) / 2.0 * width, (1.0 - there[:, 1]) / 2.0 * height], axis=1)


@pytest.mark.parametrize("kind", KINDS)
def test_points_are_seen_where_blender_sees_them(scene, kind: str) -> None:
    """Points all over the view and beyond it, by two ways of Blender: its Python and its projection matrix."""
    settings, render = KINDS[kind]
    set_render(scene, **render)
    camera, ours = add_camera(scene, **settings), camera_of(scene)
    points = np.random.default_rng(1).uniform(-3.0, 3.0, (500, 3))
    seen = ours.to_camera(points)
    expected = blender_pixels(scene, camera, points)
    errors = np.abs(ours.project(seen) - expected[:, :2])
    assert errors.max() < 0.1 * PIXEL
    assert np.abs(seen[:, 2] - expected[:, 2]).max() < 1e-5
    assert np.abs(ours.project(seen) - by_matrix(scene, camera, ours.width, ours.height, points)).max() < 0.1 * PIXEL


def test_a_size_that_is_rounded_is_that_of_the_picture(scene) -> None:
    """633.27 x 356.73 pixels are rendered as 633 x 356."""
    set_render(scene, resolution_x=1919, resolution_y=1081, resolution_percentage=33)
    camera, ours = add_camera(scene, shift_x=0.1), camera_of(scene)
    points = np.random.default_rng(1).uniform(-3.0, 3.0, (500, 3))
    assert (ours.width, ours.height) == (633, 356)
    expected = by_matrix(scene, camera, 633, 356, points)
    assert np.abs(ours.project(ours.to_camera(points)) - expected).max() < 0.1 * PIXEL


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "a quarter"])
def test_points_of_a_pointmap_go_back_to_their_pixels(objects, scene, kind: str, tmp_path) -> None:
    settings, render = KINDS[kind]
    set_render(scene, **render)
    camera = add_camera(scene, **settings)
    size = {"height": scene.render.resolution_y, "width": scene.render.resolution_x}
    path = str(tmp_path / "pointmap.npz")
    assert bpy.ops.neurok.pointmap(filepath=path, frame_count=1, **size) == {"FINISHED"}
    with np.load(path) as found:
        assert found["mask"].mean() > 0.2
        errors = pixel_errors(scene, camera, found, 0, 3000)
    assert errors.max() < PIXEL


def rendered_depth(scene, folder) -> np.ndarray:
    """Cycles' depth, Float[H,W], by one ray through nearly the centre of each pixel."""
    import OpenEXR

    scene.render.engine = "CYCLES"
    scene.cycles.samples = 1
    scene.cycles.use_denoising = False
    scene.cycles.filter_width = 0.01
    scene.cycles.pixel_filter_type = "BOX"
    scene.view_layers[0].use_pass_z = True
    images = scene.render.image_settings
    images.file_format = "OPEN_EXR_MULTILAYER"
    images.color_depth, images.exr_codec = "32", "ZIP"
    scene.render.filepath = str(folder / "cycles.exr")
    scene.render.use_file_extension = False
    bpy.ops.render.render(write_still=True)
    channels = OpenEXR.File(scene.render.filepath, separate_channels=True).channels()
    (name,) = (name for name in channels if name.endswith("Depth.Z"))
    return np.asarray(channels[name].pixels, dtype=np.float64)


def even(depth: np.ndarray, objects_seen: np.ndarray) -> np.ndarray:
    """Where a pixel and the eight around it show one object, and depth changes by less than 0.1 m a pixel, Bool[H,W].

    At outlines the one ray that Cycles sends, a two-thousandth of a pixel beside the centre, may meet something else.
    """
    found = np.zeros(depth.shape, dtype=bool)
    middle, objects_middle = depth[1:-1, 1:-1], objects_seen[1:-1, 1:-1]
    inner = objects_middle > 0
    height, width = depth.shape
    for down in range(3):
        for right in range(3):
            around = (slice(down, height - 2 + down), slice(right, width - 2 + right))
            inner &= (objects_seen[around] == objects_middle) & (np.abs(depth[around] - middle) < 0.1)
    found[1:-1, 1:-1] = inner
    return found


@pytest.mark.parametrize("kind", ["plain", "shifted, upright", "broad pixels", "orthographic, shifted"])
def test_depth_is_that_of_cycles(objects, scene, kind: str, tmp_path) -> None:
    settings, render = KINDS[kind]
    set_render(scene, **render)
    add_camera(scene, **settings)
    size = {"height": scene.render.resolution_y, "width": scene.render.resolution_x}
    path = str(tmp_path / "pointmap.npz")
    assert bpy.ops.neurok.pointmap(filepath=path, frame_count=1, **size) == {"FINISHED"}
    with np.load(path) as found:
        depth, objects_seen = found["depth"][0].astype(np.float64), found["objects"][0]
    theirs = rendered_depth(scene, tmp_path)
    seen = objects_seen > 0
    assert np.count_nonzero(seen != (theirs < NOWHERE)) <= 1  # of 345,600
    inner = even(depth, objects_seen)
    errors = np.abs(depth - theirs)
    assert inner.sum() > 0.93 * seen.sum()
    # A few triangles that are seen from their edge are smaller than a pixel, and steeper than those around them.
    assert np.count_nonzero(errors[inner] >= DEPTH) <= 10 and errors[inner].max() < 10.0 * DEPTH
    assert np.percentile(errors[inner], 99.9) < DEPTH
    assert (errors[seen] < DEPTH).mean() > 0.999  # outlines and all
