"""Several links that reach for targets, what cannot be reached, and shapes of it as the worker asks for them."""

import numpy as np
import pytest

from backend import engine
from backend.errors import UserError
from backend.kinematics.jointed import Jointed
from backend.robots.multi_target_ik import Goal, MultiTargetSolver
from tests.backend.robots.objects import arm, gripper


def solver_of(turns: bool = False):
    _, jointed = arm()
    tree = jointed.with_base(True).tree
    link = int(tree.reaches.sum(axis=1).argmax())
    return tree, link, MultiTargetSolver(tree, [Goal(link, None, turns)])


def test_a_place_alone_is_met_without_a_turn() -> None:
    tree, _, solver = solver_of(turns=False)
    low, high = tree.limits
    random = np.random.default_rng(0)
    for _ in range(20):
        target = solver.poses(np.clip(random.uniform(-1.0, 1.0, len(low)), low, high))
        target[0, :3, :3] = np.eye(3)  # counts for nothing
        found = solver.solve(target, np.zeros(len(low)))
        assert found.reached and found.position_errors[0] < 1e-5


def test_what_cannot_be_reached_ends_nearest() -> None:
    """Far outside, the straight arm points at the target: no pose of thousands is nearer."""
    tree, _, solver = solver_of(turns=False)
    low, high = tree.limits
    low, high = np.maximum(low, -np.pi), np.minimum(high, np.pi)
    random = np.random.default_rng(1)
    many = solver.poses(low + (high - low) * random.random((20_000, len(low))))[:, 0, :3, 3]
    middle = many.mean(axis=0)
    size = np.linalg.norm(many - middle, axis=1).max()
    for _ in range(5):
        target = np.eye(4)[None].copy()
        away = random.normal(size=3)
        target[0, :3, 3] = middle + 2.0 * size * away / np.linalg.norm(away)
        found = solver.solve(target, np.zeros(len(low)))
        assert not found.reached
        assert found.position_errors[0] < np.linalg.norm(many - target[0, :3, 3], axis=1).min() + 1e-3 * size
        q, (low_end, high_end) = found.q, tree.limits
        assert (q >= low_end).all() and (q <= high_end).all()


def test_two_links_have_a_target_each_and_weights_decide() -> None:
    """Targets that exclude each other are missed the less the more they weigh."""
    _, jointed = arm()
    tree = jointed.with_base(True).tree
    last = int(tree.reaches.sum(axis=1).argmax())
    before = tree.parent(last)
    missed = []
    for weight in (1.0, 100.0):
        goals = [Goal(last, None, False, weight), Goal(before, None, False, 1.0)]
        solver = MultiTargetSolver(tree, goals)
        targets = solver.poses(np.zeros(len(tree.coordinates)))
        targets[0, :3, 3] += [0.3, 0.2, -0.3]
        found = solver.solve(targets, np.zeros(len(tree.coordinates)))
        assert found.position_errors.shape == (2,)
        missed.append(found.position_errors[0])
    assert missed[1] < 0.6 * missed[0]


def posing_of(jointed: Jointed, mesh):
    analysis = engine.analyze(mesh.vertices, mesh.triangles, "articulated", joints=jointed)
    return engine.begin_pose(analysis, {"anchor": "auto"})


def test_shapes_follow_rows_of_targets() -> None:
    mesh, jointed = arm()
    posing = posing_of(jointed.with_base(True), mesh)
    tree = jointed.tree
    link = int(tree.reaches.sum(axis=1).argmax())
    solver = MultiTargetSolver(tree, [Goal(link, np.eye(4))])
    way = np.linspace(0.0, 0.4, 12)[:, None] * np.ones(len(tree.coordinates))
    found = posing.reach([Goal(link, np.eye(4))], solver.poses(way), way[0], search=True)
    assert found.values.shape == way.shape and found.handles.shape == (12, len(tree.parts), 3, 4)
    assert found.ways.max() < 1e-5 and found.turns.max() < 1e-4
    assert np.abs(np.diff(found.values, axis=0)).max() < 0.2  # each from the one before


def test_a_target_that_is_moved_a_little_costs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """About twenty steps of Levenberg and Marquardt, reached or not: a mouse is followed."""
    steps = []
    stepped = MultiTargetSolver._stepped
    monkeypatch.setattr(MultiTargetSolver, "_stepped", lambda *numbers: steps.append(1) or stepped(*numbers))
    mesh, jointed = arm()
    posing = posing_of(jointed.with_base(True), mesh)
    link = int(jointed.tree.reaches.sum(axis=1).argmax())
    goals = [Goal(link, np.eye(4), turns=False)]
    q = np.full(len(jointed.tree.coordinates), 0.1)
    target = MultiTargetSolver(jointed.tree, goals).poses(q)
    for outwards in (0.002, 0.1):
        counts = []
        for _ in range(40):
            target[0, :3, 3] += outwards
            steps.clear()
            q = posing.reach(goals, target[None], q, search=False).values[0]
            counts.append(len(steps))
        assert np.median(counts) < 30 and max(counts) < 100


def test_refusals() -> None:
    mesh, jointed = gripper()
    posing = posing_of(jointed.with_base(True), mesh)
    count = len(jointed.tree.coordinates)
    target, root = np.eye(4)[None, None], jointed.tree.roots[0]
    with pytest.raises(UserError, match="No joint moves the link"):
        posing.reach([Goal(root, np.eye(4))], target, np.zeros(count), False)
    with pytest.raises(UserError, match="a part that there is not"):
        posing.reach([Goal(99, np.eye(4))], target, np.zeros(count), False)
    with pytest.raises(UserError, match="do not fit an object"):
        posing.reach([Goal(1, np.eye(4))], target, np.zeros(count + 1), False)
    rigid = engine.begin_pose(engine.analyze(mesh.vertices, mesh.triangles, "rigid"), {})
    with pytest.raises(UserError, match="Only an object with joints"):
        rigid.reach([Goal(0, np.eye(4))], target, np.zeros(0), False)
