"""Pointmaps of what is selected, as an artist gets them."""

import os
from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.blender.cameras import add_camera, pixel_errors, set_render
from tests.blender.helpers import add_ball, add_rigid_ball, stored

SMALL = {"height": 60, "width": 90}


@pytest.fixture
def stage(scene):
    set_render(scene)
    return add_camera(scene, location=(0.0, -9.0, 1.0))


def select(*objects) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)


def pointmap(folder: Path, frame_count: int = 1, **options) -> dict[str, np.ndarray]:
    path = folder / "pointmap.npz"
    done = bpy.ops.neurok.pointmap(filepath=str(path), frame_count=frame_count, **{**SMALL, **options})
    assert done == {"FINISHED"}
    with np.load(path, allow_pickle=False) as found:
        return dict(found)


def refusal(**options) -> str:
    with pytest.raises(RuntimeError) as refused:
        bpy.ops.neurok.pointmap(**{**SMALL, "frame_count": 1, **options})
    return str(refused.value)


def add_moving(name: str, axis: int, **transform) -> bpy.types.Object:
    """A ball that goes 3 m along an axis within five frames."""
    ball = add_ball(name, **transform)
    ball.keyframe_insert("location", frame=1)
    ball.location[axis] += 3.0
    ball.keyframe_insert("location", frame=5)
    return ball


def test_several_objects_move_and_are_told_apart(stage, scene, tmp_path):
    """The frames are those of the timeline; what is not selected is not there, and hides nothing."""
    far, near = add_moving("B far", 0, location=(-1.5, 2.0, 2.5)), add_moving("A near", 2, location=(0.0, -2.0, -1.5))
    add_ball("Wall", location=(0.0, -4.0, 0.0), scale=(2.0, 0.1, 2.0))
    select(far, near)
    scene.frame_set(3)
    found = pointmap(tmp_path, 5, frame_start=1)
    assert found["names"].tolist() == ["A near", "B far"] and found["frames"].tolist() == [1, 2, 3, 4, 5]
    assert scene.frame_current == 3
    rows, columns = np.mgrid[:60, :90]
    up = [rows[seen == 1].mean() for seen in found["objects"]]
    along = [columns[seen == 2].mean() for seen in found["objects"]]
    assert np.all(np.diff(up) < -2.0) and np.all(np.diff(along) > 2.0)
    for number, distance in ((1, 7.0), (2, 11.0)):
        assert abs(found["depth"][found["objects"] == number].min() - distance) < 1.5
    assert np.array_equal(found["mask"], found["objects"] > 0)


def test_points_go_back_to_their_pixels_while_camera_and_lens_move(stage, scene, tmp_path):
    ball = add_moving("Ball", 2, location=(0.0, 0.0, -1.5))
    stage.keyframe_insert("location", frame=1)
    stage.data.keyframe_insert("lens", frame=1)
    stage.location, stage.data.lens = (3.0, -6.0, 0.0), 35.0
    stage.keyframe_insert("location", frame=5)
    stage.data.keyframe_insert("lens", frame=5)
    select(ball)
    set_render(scene, resolution_x=90, resolution_y=60)
    found = pointmap(tmp_path, 5, frame_start=1)
    assert np.ptp(found["intrinsics"][:, 0, 0]) > 10.0 and np.ptp(found["extrinsics"][:, 0, 3]) > 0.5
    for frame in range(5):
        scene.frame_set(1 + frame)
        assert pixel_errors(scene, stage, found, frame, 2000).max() < 0.01


def test_a_simulated_take_is_drawn_before_and_after_it_is_baked(stage, scene, tmp_path):
    ball = add_rigid_ball(location=(0.0, 0.0, 2.0))
    scene.neurok.frame_count = 8
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    select(ball)
    shown = stored(ball.data).copy()
    taken = pointmap(tmp_path, 8, frame_start=1)
    assert np.array_equal(stored(ball.data), shown)
    heights = [np.nonzero(mask)[0].mean() for mask in taken["mask"]]
    assert np.all(np.diff(heights) > 0.0)  # it falls
    assert bpy.ops.neurok.bake() == {"FINISHED"}
    baked = pointmap(tmp_path, 8, frame_start=1)
    assert np.abs(baked["points"] - taken["points"])[taken["mask"] & baked["mask"] == 1].max() < 1e-3
    assert (baked["mask"] != taken["mask"]).mean() < 1e-3


def test_faces_may_come_and_go(stage, scene, tmp_path):
    """A modifier that builds the ball face by face."""
    ball = add_ball()
    build = ball.modifiers.new("Build", "BUILD")
    build.frame_start, build.frame_duration = 1.0, 5.0
    select(ball)
    covered = pointmap(tmp_path, 5, frame_start=2)["mask"].mean(axis=(1, 2))
    assert np.all(np.diff(covered) >= 0.0) and 0.0 < covered[0] < 0.8 * covered[-1]


def test_curves_instances_and_modifiers_are_drawn_as_they_look(stage, scene, tmp_path):
    bpy.ops.curve.primitive_bezier_circle_add(location=(-2.0, 0.0, 0.0), rotation=(1.57, 0.0, 0.0))
    ring = bpy.context.active_object
    ring.name, ring.data.bevel_depth = "A ring", 0.2
    source = add_ball("Source", location=(0.0, 0.0, 50.0))
    collection = bpy.data.collections.new("Part")
    collection.objects.link(source)
    scene.collection.objects.unlink(source)
    empty = bpy.data.objects.new("B empty", None)
    empty.instance_type, empty.instance_collection, empty.location = "COLLECTION", collection, (0.0, 0.0, -50.0)
    scene.collection.objects.link(empty)
    row = add_ball("C row", location=(2.0, 0.0, 0.0), scale=(0.4, 0.4, 0.4))
    row.modifiers.new("Array", "ARRAY").count = 2
    bpy.context.view_layer.update()
    select(ring, empty, row)
    found = pointmap(tmp_path)
    assert found["names"].tolist() == ["A ring", "B empty", "C row"]
    assert set(np.unique(found["objects"])) == {0, 1, 2, 3}
    columns = {number: np.nonzero(found["objects"][0] == number)[1] for number in (1, 2, 3)}
    assert columns[1].mean() < columns[2].mean() < columns[3].mean()
    assert np.ptp(columns[3]) > 1.3 * np.ptp(np.nonzero(found["objects"][0] == 3)[0])  # two side by side


def test_colors_are_those_of_materials_and_of_painted_meshes(stage, scene, tmp_path):
    painted, dressed, plain = (add_ball(name, location=(x, 0, 0)) for name, x in (("A", -2.5), ("B", 0.0), ("C", 2.5)))
    attribute = painted.data.color_attributes.new("Color", "FLOAT_COLOR", "CORNER")
    for corner in attribute.data:
        corner.color = (0.0, 0.8, 0.0, 1.0)
    for slot, color in enumerate(((0.9, 0.0, 0.0, 1.0), (0.0, 0.0, 0.9, 1.0))):
        material = bpy.data.materials.new(f"Material {slot}")
        material.use_nodes = True
        material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = color
        dressed.data.materials.append(material)
    for face in dressed.data.polygons:
        face.material_index = int(face.center.z > 0.0)
    select(painted, dressed, plain)
    found = pointmap(tmp_path)
    rgb, objects = found["rgb"][0].astype(int), found["objects"][0]
    assert rgb[objects == 1, 1].min() > 100 and rgb[objects == 1][:, [0, 2]].max() == 0
    upper, lower = (part[objects[half] == 2] for half in (slice(0, 20), slice(40, 60)) for part in [rgb[half]])
    assert upper.size == 0 or upper[:, 2].min() > 100
    assert (
        (rgb[objects == 2][:, 1] == 0).all() and {0} < set(rgb[objects == 2][:, 0]) and lower[:, 2].max(initial=0) == 0
    )
    grey = rgb[objects == 3]
    assert np.ptp(grey, axis=1).max() == 0 and len(np.unique(grey)) > 3  # shaded
    assert rgb[objects == 0].max() == 0


def test_blenders_compositor_has_the_layers_of_the_pictures(stage, scene, tmp_path):
    ball = add_moving("Ball", 2, location=(0.0, 0.0, -1.5))
    select(ball)
    found = pointmap(tmp_path, 2, frame_start=3, exr=True)
    names = sorted(path.name for path in (tmp_path / "pointmap_exr").iterdir())
    assert names == ["pointmap_0003.exr", "pointmap_0004.exr"]
    layers = layers_in_compositor(scene, tmp_path / "pointmap_exr" / names[1], tmp_path)
    assert np.abs(np.stack([layers["position"][:, :, axis] for axis in range(3)], -1) - found["points"][1]).max() == 0.0
    assert np.array_equal(layers["depth"][:, :, 0], found["depth"][1])
    assert np.array_equal(layers["object"][:, :, 0], found["objects"][1])


def layers_in_compositor(scene, path: Path, folder: Path) -> dict[str, np.ndarray]:
    """What comes out of an Image node, Float[H,W,3] each."""
    if not hasattr(scene, "node_tree"):
        pytest.skip("from Blender 5.0 on the compositor is set up in another way")
    OpenEXR = pytest.importorskip("OpenEXR")
    scene.use_nodes = True
    nodes, links = scene.node_tree.nodes, scene.node_tree.links
    nodes.clear()
    image, result = nodes.new("CompositorNodeImage"), nodes.new("CompositorNodeComposite")
    image.image = bpy.data.images.load(str(path))
    set_render(scene, resolution_x=90, resolution_y=60, filepath=str(folder / "composed.exr"))
    scene.render.engine, scene.cycles.samples = "CYCLES", 1
    scene.render.image_settings.file_format, scene.render.image_settings.color_depth = "OPEN_EXR", "32"
    layers = {}
    for name in ("position", "depth", "object"):
        links.new(image.outputs[name], result.inputs[0])
        bpy.ops.render.render(write_still=True)
        channels = OpenEXR.File(scene.render.filepath, separate_channels=True).channels()
        layers[name] = np.stack([channels[color].pixels for color in "RGB"], axis=-1)
    return layers


def test_the_menu_asks_for_the_file_and_takes_npz(stage, tmp_path):
    ball = add_ball()
    select(ball)
    options = {"filepath": str(tmp_path / "other.npz"), "frame_count": 2, **SMALL}
    assert bpy.ops.neurok.pointmap_export(**options) == {"FINISHED"}
    with np.load(tmp_path / "other.npz") as found:
        assert found["points"].shape == (2, 60, 90, 3)
    assert [
        operator for operator in (bpy.types.TOPBAR_MT_file_export.draw._draw_funcs) if "neurok" in operator.__module__
    ]


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("selection", "Nothing is selected."),
        ("camera", "The scene has no camera."),
        ("panorama", "panoramic"),
        ("folder", "There is no folder"),
        ("unsaved", "has not been saved yet"),
        ("surface", "have no surface"),
        ("hidden", "have no surface"),
        ("type", "changes its type"),
        ("name", "is written as .npz"),
    ],
)
def test_what_cannot_be_drawn_is_refused(stage, scene, broken, words, tmp_path):
    from neurok_blender.session.state import session

    ball = add_ball()
    select(ball)
    scene.frame_set(4)
    options = {"filepath": str(tmp_path / "pointmap.npz"), "frame_count": 2, "frame_start": 1}
    match broken:
        case "selection":
            select()
        case "camera":
            scene.camera = None
        case "panorama":
            stage.data.type = "PANO"
        case "folder":
            options["filepath"] = str(tmp_path / "nowhere" / "pointmap.npz")
        case "unsaved":
            options["filepath"] = ""
        case "surface":
            bpy.ops.object.empty_add()
            select(bpy.context.active_object)
        case "hidden":
            ball.hide_render = ball.hide_viewport = True
            ball.select_set(True)
        case "type":
            other = add_camera(scene, type="ORTHO")
            for frame, camera in ((1, stage), (2, other)):
                scene.timeline_markers.new(f"{frame}", frame=frame).camera = camera
        case "name":
            options["filepath"] = str(tmp_path / "pointmap.exr")
    if broken == "hidden":
        words = "Nothing is selected." if not bpy.context.selected_objects else words
    assert words in refusal(**options)
    assert session.pointmap is None and scene.frame_current == 4 and os.listdir(tmp_path) == []
    assert session.notice.bad


def test_in_slices_it_can_be_stopped_at_any_point(stage, scene, tmp_path):
    """As the window does it: a tick at a time, with Esc while the scene is read and while the worker draws."""
    from neurok_blender.session.pointmap_job import Pointmap, PointmapOptions
    from neurok_blender.session.simulation import Outcome
    from neurok_blender.session.state import session
    from tests.blender.helpers import wait_until

    ball = add_moving("Ball", 2, location=(0.0, 0.0, -1.5))
    select(ball)
    scene.frame_set(2)
    options = PointmapOptions(str(tmp_path / "pointmap.npz"), 1, 40, 480, 720)
    early = Pointmap(bpy.context, options)
    for _tick in range(3):
        assert early.tick().outcome is Outcome.RUNNING
    assert early.is_reading and early.progress.done == 3 and session.is_busy
    with pytest.raises(RuntimeError, match="is being made"):
        bpy.ops.neurok.simulate()
    early.cancel()
    assert early.progress.outcome is Outcome.CANCELLED and scene.frame_current == 2 and not session.is_busy

    late = Pointmap(bpy.context, options)
    assert wait_until(lambda: late.tick().done > 2 and not late.is_reading, 60.0)
    assert scene.frame_current == 2
    late.cancel()
    assert wait_until(lambda: late.tick().outcome is Outcome.CANCELLED, 5.0)
    assert session.pointmap is None and wait_until(lambda: os.listdir(tmp_path) == [], 2.0)

    whole = Pointmap(bpy.context, PointmapOptions(str(tmp_path / "pointmap.npz"), 1, 3, 60, 90))
    assert wait_until(lambda: whole.tick().outcome is not Outcome.RUNNING, 60.0)
    assert whole.progress.outcome is Outcome.DONE
    assert os.listdir(tmp_path) == ["pointmap.npz"]


def test_another_file_ends_it(stage, scene, tmp_path):
    from neurok_blender.session.pointmap_job import Pointmap, PointmapOptions
    from neurok_blender.session.simulation import Outcome
    from neurok_blender.session.state import session

    select(add_ball())
    running = Pointmap(bpy.context, PointmapOptions(str(tmp_path / "pointmap.npz"), 1, 40, 60, 90))
    running.tick()
    bpy.ops.wm.read_homefile(use_empty=True)
    assert running.progress.outcome is Outcome.CANCELLED and session.pointmap is None
