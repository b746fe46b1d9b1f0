"""The network of joints: shapes of what it tells, order of parts, one batch learnt by heart, and both engines alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from backend.data.families.jointed_families import JOINTED
from backend.data.shapes import box, joined
from backend.learned.infer.joint_network.candidate_arrays import CandidateArrays, measured
from backend.learned.infer.joint_network.joint_model import JointNetwork, JointPrediction
from backend.learned.infer.joint_network.joint_prediction import averaged_prediction, load_joint_engine
from backend.learned.infer.joint_network.part_cloud import EVEN, PartCloud, part_cloud
from backend.learned.train.checkpoint import save_model
from backend.learned.train.joint_network.draws import drawn_candidates
from backend.learned.train.joint_network.joint_batches import Batch, batch_of, training_shape
from backend.learned.train.joint_network.joint_losses import Truth, goodness, losses
from backend.learned.train.joint_network.joint_training_config import JOINT_CONFIGS
from backend.learned.train.joint_network.objects import LabelledShape, opened_mesh, still_mesh, true_shape

TINY = JOINT_CONFIGS["joints/tiny"]


def shape_of(name: str, seed: int) -> LabelledShape:
    return true_shape(still_mesh(JOINTED[name].make(np.random.default_rng(seed))))


def of_equal_parts(count: int) -> list[LabelledShape]:
    """Shapes of three parts."""
    found, seed = [], 0
    while len(found) < count:
        names = ("door", "stapler", "cabinet", "bottle", "lidded_box", "drawer_cabinet")
        shape = shape_of(names[seed % len(names)], seed)
        found += [shape] if len(shape.cloud) == 3 else []
        seed += 1
    return found


def batch(count: int = 4, augment: bool = True) -> Batch:
    rng = np.random.default_rng(0)
    return batch_of([training_shape(shape, rng) for shape in of_equal_parts(count)], TINY.model, 8, rng, augment)


@pytest.fixture
def network() -> JointNetwork:
    torch.manual_seed(0)
    return JointNetwork(TINY.model)


def terms(network: JointNetwork, given: Batch) -> dict[str, torch.Tensor]:
    return losses(network(*given.inputs), given.truth, *given.inputs[8:11])


def test_it_tells_something_of_every_part_and_every_candidate(network: JointNetwork) -> None:
    told = network(*batch().inputs)
    many = TINY.model.hypotheses
    assert told.kinds.shape == (4, 3, 4) and told.scores.shape == (4, 3, 8) and told.parents.shape == (4, 3, 3)
    assert told.axes.shape == told.pivots.shape == (4, 3, many, 3) and told.ranges.shape == (4, 3, many, 2)
    assert told.confidence.shape == (4, 3, many)
    assert torch.allclose(told.axes.norm(dim=-1), torch.ones(4, 3, many), atol=1e-2)
    assert all(getattr(told, name).isfinite().all() for name in JointPrediction.names())


def test_one_batch_is_learnt_by_heart(network: JointNetwork) -> None:
    given = batch(augment=False)
    optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3)
    before = {name: float(value.detach()) for name, value in terms(network, given).items()}
    for _ in range(150):
        optimizer.zero_grad()
        sum(terms(network, given).values()).backward()
        optimizer.step()
    after = {name: float(value.detach()) for name, value in terms(network, given).items()}
    assert after["kinds"] < 0.1 * before["kinds"] and after["parents"] < 0.1 * before["parents"]
    assert after["hypotheses"] < 0.3 * before["hypotheses"]
    told = network(*given.inputs)
    good = goodness(*given.inputs[8:11], given.truth)
    lists = good.amax(-1) > 0.5
    best = good.gather(-1, told.scores.masked_fill(given.inputs[8] == 0, -99.0).argmax(-1, keepdim=True))[..., 0]
    assert lists.any() and (best[lists] > 0.9 * good.amax(-1)[lists]).float().mean() > 0.9


def test_the_order_of_parts_and_of_candidates_makes_no_difference(network: JointNetwork, tmp_path: Path) -> None:
    path = saved(network, tmp_path)
    mesh = still_mesh(JOINTED["cabinet"].make(np.random.default_rng(5)))
    count = len(mesh.parent)
    cloud = part_cloud(mesh.vertices, mesh.triangles, mesh.part)
    rng = np.random.default_rng(2)
    given = drawn_candidates(cloud, true_shape(mesh).joints, rng)
    order = rng.permutation(count)  # the new number of each part
    other = part_cloud(mesh.vertices, mesh.triangles, order[mesh.part])
    mixed = rng.permutation(len(given))
    shuffled = replace(given.take(mixed), part=order[given.part[mixed]])
    engine = load_joint_engine(path)
    one, two = averaged_prediction(cloud, given, engine), averaged_prediction(other, shuffled, engine)
    assert np.allclose(one.kinds, two.kinds[order], atol=1e-4)
    assert np.allclose(one.parents, two.parents[np.ix_(order, order)], atol=1e-4)
    assert np.allclose(one.scores[mixed], two.scores, atol=1e-4)
    assert np.allclose(one.pivots, two.pivots[order], atol=1e-4)


def test_the_same_shape_is_judged_the_same_twice_and_whichever_way_it_stands(
    network: JointNetwork, tmp_path: Path
) -> None:
    """A quarter turn puts the views in another order, and the mean of all is the same."""
    engine = load_joint_engine(saved(network, tmp_path))
    shape = shape_of("refrigerator", 4)
    given = drawn_candidates(shape.cloud, shape.joints, np.random.default_rng(0))
    one, again = averaged_prediction(shape.cloud, given, engine), averaged_prediction(shape.cloud, given, engine)
    assert all(np.array_equal(getattr(one, name), getattr(again, name)) for name in vars(one))
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    turned = replace(given, axis=given.axis @ quarter.T, pivot=given.pivot @ quarter.T * 3.0)
    other = averaged_prediction(shape.cloud.mapped(quarter, factor=3.0), turned, engine)
    assert np.allclose(one.kinds, other.kinds, atol=1e-4) and np.allclose(one.scores, other.scores, atol=1e-4)


def test_measures_know_no_sign_of_an_axis_and_no_place_along_it() -> None:
    shape = shape_of("fan", 1)
    given = drawn_candidates(shape.cloud, shape.joints, np.random.default_rng(0))
    along = replace(given, axis=-given.axis, pivot=given.pivot + 0.3 * given.axis)
    assert np.allclose(measured(shape.cloud, given), measured(shape.cloud, along), atol=1e-6)


def saved(network: JointNetwork, folder: Path) -> Path:
    path = folder / "joints.safetensors"
    save_model(path, network.config, network.state_dict(), {})
    return path


def test_both_engines_tell_the_same(network: JointNetwork, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    from backend.learned.train.joint_network.joint_graph_export import export_joint_graph

    path = saved(network, tmp_path)
    shape = true_shape_of_seed(1)
    given = drawn_candidates(shape.cloud, shape.joints, np.random.default_rng(0))
    plain = averaged_prediction(shape.cloud, given, load_joint_engine(path))
    export_joint_graph(path)
    engine = load_joint_engine(path)
    assert engine.engine == "onnx"
    graph = averaged_prediction(shape.cloud, given, engine)
    for name in ("kinds", "scores", "parents", "proposal_odds", "pivots", "ranges"):
        assert np.allclose(getattr(plain, name), getattr(graph, name), atol=1e-4), name


def true_shape_of_seed(seed: int) -> LabelledShape:
    rng = np.random.default_rng(seed)
    mesh = opened_mesh(JOINTED["oven"].make(rng), rng)
    assert mesh is not None
    return true_shape(mesh)


def averaged_output(axis: list[float], pivot: list[float], ends: tuple[float, float], kind: int) -> JointPrediction:
    """One part and one hypothesis, sure of its kind."""
    sure = torch.full((1, 1, 1, 4), -20.0)
    sure[..., kind] = 0.0
    return JointPrediction(
        kinds=sure[:, :, 0],
        scores=torch.zeros(1, 1, 2),
        parents=torch.zeros(1, 1, 1),
        hypothesis_kinds=sure,
        axes=torch.tensor(axis).reshape(1, 1, 1, 3),
        pivots=torch.tensor(pivot).reshape(1, 1, 1, 3),
        ranges=torch.tensor(ends).reshape(1, 1, 1, 2),
        confidence=torch.zeros(1, 1, 1),
    )


def two_hinges() -> Truth:
    """A door that may hang on its left at x = -1 or on its right at x = 1, both upright."""
    return Truth(
        kind=torch.tensor([[[1, 1]]]),
        axis=torch.tensor([0.0, 0.0, 1.0]).expand(1, 1, 2, 3),
        pivot=torch.tensor([[[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]]]),
        range=torch.tensor([[[[0.0, 0.5], [-0.5, 0.0]]]]),
        valid=torch.ones(1, 1, 2, dtype=torch.bool),
        parent=torch.zeros(1, 1, dtype=torch.int64),
    )


def hypotheses_loss(told: JointPrediction) -> float:
    nothing = torch.zeros(1, 1, 2, dtype=torch.int64)
    return float(losses(told, two_hinges(), nothing, torch.zeros(1, 1, 2, 3), torch.zeros(1, 1, 2, 3))["hypotheses"])


@pytest.mark.parametrize(
    ("axis", "pivot", "ends"),
    [
        ([0.0, 0.0, 1.0], [-1.0, 0.0, 0.7], (0.0, 0.5)),  # the left one; no matter how high
        ([0.0, 0.0, 1.0], [1.0, 0.0, -0.2], (-0.5, 0.0)),  # the right one
        ([0.0, 0.0, -1.0], [1.0, 0.0, 0.0], (0.0, 0.5)),  # with its axis upside down
    ],
)
def test_a_hypothesis_is_held_against_the_nearest_valid_joint(
    axis: list[float], pivot: list[float], ends: tuple[float, float]
) -> None:
    right = hypotheses_loss(averaged_output(axis, pivot, ends, 1))
    assert right < 0.06  # what is left is the rounding of roots at nothing
    between = hypotheses_loss(averaged_output([0.0, 0.0, 1.0], [0.0, 0.0, 0.0], (0.0, 0.5), 1))
    assert between > right + 2.0  # the mean of two hinges is no hinge
    assert hypotheses_loss(averaged_output([1.0, 0.0, 0.0], pivot, ends, 1)) > right + 1.0
    assert hypotheses_loss(averaged_output(axis, pivot, ends, 2)) > right + 5.0
    assert hypotheses_loss(averaged_output(axis, pivot, (0.0, 0.0), 1)) > right + 0.05


def test_goodness_falls_with_angle_and_distance_and_kind() -> None:
    kind = torch.tensor([[[1, 1, 1, 3, 2]]])
    axis = torch.tensor([0.0, 0.0, 1.0]).repeat(1, 1, 5, 1)
    axis[0, 0, 1] = torch.tensor([0.0, 0.0995, 0.995])
    pivot = torch.tensor([-1.0, 0.0, 0.4]).repeat(1, 1, 5, 1)
    pivot[0, 0, 2, 1] = 0.1
    good = goodness(kind, axis, pivot, two_hinges())[0, 0]
    assert good[0] == pytest.approx(1.0, abs=0.01)
    assert 0.4 < good[1] < 0.6 and 0.2 < good[2] < 0.4 and 0.6 < good[3] < 0.7 and good[4] < 1e-6


def test_candidates_of_every_kind_are_learnt_from() -> None:
    shape = shape_of("oven", 0)
    lesson = training_shape(shape, np.random.default_rng(0))
    assert set(lesson.candidates.kind.tolist()) == {1, 2, 3}
    moving = np.unique(shape.joints.part)
    for part in moving:
        assert lesson.good[lesson.candidates.part == part].max() > 0.99
    assert (lesson.good < 0.05).mean() > 0.4


def test_a_shape_of_one_part_is_read_too(network: JointNetwork, tmp_path: Path) -> None:
    mesh = still_mesh(JOINTED["door"].make(np.random.default_rng(1)))
    cloud: PartCloud = part_cloud(mesh.vertices, mesh.triangles, np.zeros_like(mesh.part))
    none = np.zeros(0, dtype=np.int64)
    given = CandidateArrays(none, none, np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros(0))
    told = averaged_prediction(cloud, given, load_joint_engine(saved(network, tmp_path)))
    assert told.kinds.shape == (1, 4) and np.isfinite(told.pivots).all()


def test_a_thin_bar_on_a_door_is_seen() -> None:
    """It has a thirtieth of the area, and three times as many of the points that stand for the box."""
    door, bar = box((0, -0.02, 0), (1, 0, 1)), box((0.1, -0.08, 0.93), (0.9, -0.06, 0.95))
    vertices, triangles = joined(door, bar)
    cloud = part_cloud(vertices, triangles, np.zeros(len(triangles), dtype=np.int64))
    on_bar = cloud.points[0, :, 1] < -0.05
    assert on_bar[:EVEN].mean() < 0.05
    assert on_bar[EVEN:].mean() > 0.08
