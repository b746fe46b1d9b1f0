"""The mathematics of bakes against independent computations: fewest shapes, bones, transforms."""

import bpy
import numpy as np
import pytest

from tests.blender.helpers import shown
from tests.blender.test_bake import simulated
from tests.blender.test_bake_kinds import farthest, rigid


def random_take(seed: int, vertices: int = 300, handles: int = 4, frames: int = 40, plain=False, thickness=1.0):
    """A smooth motion of random handles; `plain` weights are not negative and add up to 1."""
    from neurok_blender.job.motion import Shape
    from neurok_blender.scene.bakes.take_numbers import TakeNumbers
    from neurok_blender.scene.decode import Decoder

    rng = np.random.default_rng(seed)
    rest = rng.uniform(-1.0, 1.0, (vertices, 3)).astype(np.float32)
    rest[:, 2] *= thickness
    weights = np.exp(-4.0 * ((rest[:, None, 0] - np.linspace(-1, 1, handles)) ** 2))
    weights /= weights.sum(axis=1, keepdims=True)
    if not plain:
        weights = np.column_stack([np.ones(vertices), weights[:, 1:] - weights.mean(axis=0)[1:]])
    weights = weights.astype(np.float32)
    time = np.linspace(0.0, 1.0, frames)[:, None, None, None]
    shake = (
        rng.normal(size=(handles, 3, 4)) * 0.2 * np.sin(2.0 * np.pi * (1 + np.arange(handles))[:, None, None] * time)
    )
    identity = np.zeros((handles, 3, 4))
    identity[slice(None) if plain else 0, :, :3] = np.eye(3)
    made = (identity + shake).astype(np.float32)
    to_object = np.linalg.inv(np.array([[2.0, 0, 0, 1], [0, 0, -2.0, 3], [0, 2.0, 0, 0], [0, 0, 0, 1]]))
    decoder = Decoder(weights, rest, to_object)
    take = TakeNumbers(decoder, [Shape(each) for each in made], decoder(Shape(identity)))
    list(take.prepare())
    return take, np.array([decoder(Shape(each)) for each in made])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("percent", [1.0, 0.05])
def test_no_fewer_shapes_would_do(addon, seed, percent):
    """Against the singular value decomposition of the whole matrix of displacements, tried for each number."""
    from neurok_blender.scene.bakes.compress import Compression
    from neurok_blender.scene.bakes.take_numbers import object_size

    take, shapes = random_take(seed)
    allowed = 0.01 * percent * object_size(take.drawn)
    compression = Compression(take, allowed)
    list(compression.steps())
    displacement = (shapes - take.drawn).reshape(len(shapes), -1).astype(np.float64)
    u, s, vt = np.linalg.svd(displacement, full_matrices=False)
    errors = []
    for count in range(len(s) + 1):
        left = (displacement - (u[:, :count] * s[:count]) @ vt[:count]).reshape(shapes.shape)
        errors.append(np.linalg.norm(left, axis=2).max())
    fewest = next(count for count, error in enumerate(errors) if error <= allowed * 1.001)
    assert compression.count == fewest
    assert compression.error == pytest.approx(errors[compression.count], rel=0.02, abs=2e-6)
    made = np.array([take.decoder.blend(shape.reshape(-1, 4, 3).transpose(0, 2, 1)) for shape in compression.shapes])
    again = take.drawn + np.einsum("tk,kvi->tvi", compression.values, made)
    assert np.linalg.norm(again - shapes, axis=2).max() <= allowed * 1.001
    assert compression.values.min() >= 0.0 and compression.values.max() <= 1.0
    assert len(compression.shapes) - fewest in (0, 1)


def test_a_motion_that_only_some_vertices_show_is_kept(addon):
    """One vertex of 20,000, which no sample sees, has a handle of its own."""
    from neurok_blender.job.motion import Shape
    from neurok_blender.scene.bakes.compress import Compression
    from neurok_blender.scene.bakes.take_numbers import TakeNumbers
    from neurok_blender.scene.decode import Decoder

    rng = np.random.default_rng(0)
    rest = rng.uniform(-1.0, 1.0, (20_000, 3)).astype(np.float32)
    weights = np.zeros((20_000, 2), np.float32)
    weights[:, 0] = 1.0
    weights[777] = 0.0, 1.0
    handles = np.zeros((10, 2, 3, 4), np.float32)
    handles[:, :, :, :3] = np.eye(3)
    handles[:, 0, 2, 3] = np.linspace(0.0, 1.0, 10)
    handles[:, 1, 0, 3] = np.linspace(0.0, 1.0, 10) ** 2
    decoder = Decoder(weights, rest, np.eye(4))
    take = TakeNumbers(decoder, [Shape(each) for each in handles], rest)
    assert 777 not in take.sample(1024)
    list(take.prepare())
    compression = Compression(take, 1e-3)
    list(compression.steps())
    made = np.array([decoder.blend(shape.reshape(-1, 4, 3).transpose(0, 2, 1)) for shape in compression.shapes])
    again = rest + np.einsum("tk,kvi->tvi", compression.values, made)
    expected = np.array([decoder(Shape(each)) for each in handles])
    assert np.linalg.norm(again - expected, axis=2).max() <= 1.001e-3
    assert compression.count == 2


def test_handles_that_are_bones_already_stay_what_they_are(addon):
    from neurok_blender.scene.bakes.skin_fit import SkinFit

    take, _shapes = random_take(5, plain=True)
    exact, limited = SkinFit(take, 4), SkinFit(take, 1)
    for fit in (exact, limited):
        list(fit.steps())
    assert exact.is_plain and exact.error < 1e-5 and exact.weights.shape[1] == 4
    assert ((limited.weights > 0.0).sum(axis=1) == 1).all() and limited.error > 0.01


@pytest.mark.parametrize("seed", range(3))
def test_bones_for_modes_of_both_signs_are_told_how_far_they_are_off(addon, seed):
    """The error is that of the bones and weights that come out, computed here vertex by vertex."""
    from neurok_blender.scene.bakes.skin_fit import SkinFit

    take, shapes = random_take(seed)
    fit = SkinFit(take, 4)
    list(fit.steps())
    assert not fit.is_plain
    assert fit.weights.min() >= 0.0 and np.abs(fit.weights.sum(axis=1) - 1.0).max() < 1e-5
    assert ((fit.weights > 0.0).sum(axis=1) <= 4).all()
    made = np.einsum("vj,va,tjab->tvb", fit.weights, take.decoder.rest, fit.bones, optimize=True)
    error = np.linalg.norm(made + take.decoder.offset - shapes, axis=2).max()
    assert fit.error == pytest.approx(error, rel=1e-3, abs=1e-5)
    one = np.linalg.lstsq(take.decoder.rest, shapes.transpose(1, 0, 2).reshape(len(take.drawn), -1), rcond=None)[0]
    alone = (take.decoder.rest @ one).reshape(len(take.drawn), -1, 3).transpose(1, 0, 2)
    assert error < 0.35 * np.linalg.norm(alone - shapes, axis=2).max()  # of what one bone would leave


@pytest.mark.parametrize("seed", range(3))
def test_bones_of_a_sheet_are_not_turned_inside_out(addon, seed):
    """Nothing holds the third direction of a flat patch, and not every program can show a bone that mirrors."""
    from neurok_blender.scene.bakes.skin_fit import SkinFit

    take, _shapes = random_take(seed, thickness=1e-4)
    fit = SkinFit(take, 4)
    list(fit.steps())
    assert (np.linalg.det(fit.bones[:, :, :3]) / np.linalg.det(take.decoder.linear)).min() > 0.0


def rotation_of(quaternions):
    w, x, y, z = quaternions.T
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)]
    rows += [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)]
    rows += [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
    return np.stack(rows, axis=-1).reshape(-1, 3, 3)


def test_two_bones_do_any_affine_motion_without_jumps(addon):
    from neurok_blender.scene.bakes.affine import is_one_bone, two_bones

    rng = np.random.default_rng(0)
    linear = np.eye(3) + np.cumsum(rng.normal(size=(200, 3, 3)) * 0.01, axis=0)
    assert not is_one_bone(linear, 1e-3)
    (_place, turn, size), (_still, back, ones) = two_bones(linear, np.zeros((200, 3)))
    assert np.abs(rotation_of(turn) * size[:, None, :] @ rotation_of(back) - linear).max() < 1e-12
    assert (ones == 1.0).all() and (np.einsum("ti,ti->t", turn[1:], turn[:-1]) > 0.0).all()


def test_an_elastic_motion_becomes_bones_as_near_as_is_told(scene):
    ball, shapes = simulated(scene)
    assert bpy.ops.neurok.bake(kind="ARMATURE") == {"FINISHED"}
    entry = ball.neurok.bakes[0]
    assert 0.0 < entry.error < 0.02 * 2.0
    assert farthest(scene, ball, shapes) == pytest.approx(entry.error, rel=0.02, abs=1e-5)
    scene.frame_set(1)
    ball.modifiers[0].show_viewport = False
    drawn = shown(ball)
    assert np.abs(drawn - shapes).max() > 2.0 * entry.error


def test_a_rigid_handle_is_one_bone(scene):
    ball, _shapes = rigid()
    bpy.ops.neurok.bake(kind="ARMATURE")
    assert len(ball.neurok.bakes[0].armature.data.bones) == 1 and len(ball.vertex_groups) == 1
    assert ball.parent == ball.neurok.bakes[0].armature
    action = ball.neurok.bakes[0].action
    if hasattr(action, "slots"):
        assert [slot.target_id_type for slot in action.slots] == ["OBJECT"]
        bpy.ops.neurok.bake(kind="COMPRESSED", place="APPEND")
        assert sorted(slot.target_id_type for slot in action.slots) == ["KEY", "OBJECT"]
        assert len(bpy.data.actions) == 1


def test_sizes_are_known_before(scene):
    from neurok_blender.scene.bakes.sizes import BakeSizes
    from neurok_blender.session.state import session

    for make, wanted in ((lambda: simulated(scene), "COMPRESSED"), (rigid, "ARMATURE")):
        ball, _shapes = make()
        sizes = BakeSizes()
        take = session.take_of(ball)
        first = sizes.wanted(take, 1, 2.0, 4)
        assert first is None
        while sizes.is_working:
            sizes.tick(0.0)
        found = sizes.wanted(take, 1, 2.0, 4)
        vertices = len(ball.data.vertices)
        assert found.shape_keys == found.cache == pytest.approx(12 * vertices * 12e-6)
        bpy.ops.neurok.bake(kind="COMPRESSED", tolerance=2.0)
        assert found.compressed == pytest.approx(ball.neurok.bakes[0].megabytes)
        assert found.suggestion == wanted
