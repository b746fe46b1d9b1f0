"""From what the network says of each handle to bodies and joints: shares become decisions.

Handles that carry each other are one body, which has one joint at most, by the kind and the place that its handles
together find likeliest. So an object of rigid bodies has as many numbers as joints, and its bodies are exactly rigid.
Handles of what bends are put together to bones, see `bones`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.special import expit

from ..kinematics.base import Array
from ..kinematics.state_space import Choice
from .bones import ONE_BONE, bones_of, branches, hanging, joint_axes, root_of, turns_from
from .decoders import KINDS, PLACES, REST_OF_DIRECTION, REST_OF_PLACE
from .views import Told

__all__ = ["Assembly", "assembled"]

MOVES = -0.6  # mean logit from which on a body has a joint: a joint too many does less harm than one too few
LEAST_MOVING = 0.1
ONE_BODY = 0.5  # mean probability of carrying each other, from which on handles are one body
ALONG = np.cos(np.radians(8.0))  # an axis so near to one of the frame is meant to lie along it
PURE = 0.15  # of a screw: as little sliding beside turning, or turning beside sliding, is not meant
SHARP = 3.0  # power of the weights of rigid bodies among each other
TOUCHING = 0.03  # normalised units between parts that may be fixed to each other
SMALLER = 0.7  # diagonal of a part that is fixed to a larger one, over that of the other
ALIKE = 0.97  # correlation of two motions that are one
DOUBT = 3.0  # nats, below which another way to move is a choice
WAYS = 5  # at most, of one joint
LEAST_SCALE = 0.3  # of the prior's deviation, over the RMS of a joint's values


@dataclass(frozen=True)
class Assembly:
    """Twists (1 + B + S, J + A, 6) of what stands still, B bodies and S bones, by J joints and A axes of bones."""

    twists: Array
    prior_mean: Array
    prior_scale: Array
    handle: NDArray[np.int64]  # Int[H]: the handle here of each of the network's
    bodies: int  # B
    choices: tuple[Choice, ...]
    bends: NDArray[np.bool_]  # Bool[J+A], which columns are of bones

    def weights(self, told: NDArray[np.float32], stiff: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Weights Float[Q,1+B+S] of points from those of the network, Float[Q,H].

        A point of a `stiff` part, Bool[Q], belongs to one body, where it belongs to bodies at all.
        """
        weights = told @ np.eye(len(self.twists), dtype=np.float32)[self.handle]
        rigid = weights[:, : 1 + self.bodies]
        whole = rigid.sum(axis=1, keepdims=True)
        sharp = rigid**SHARP
        single = np.eye(rigid.shape[1], dtype=np.float32)[rigid.argmax(axis=1)]
        share = np.where(stiff[:, None], single, sharp / np.maximum(sharp.sum(axis=1, keepdims=True), 1e-30))
        weights[:, : 1 + self.bodies] = whole * share
        alone = stiff & (whole[:, 0] > 0.5)
        weights[alone] = 0.0
        weights[alone, : 1 + self.bodies] = single[alone]
        return weights


def _carried(told: Told) -> Array:
    """How likely each handle (row) is moved by the joint of each other (column), given that this one moves at all.

    Of two halves either may be what stands still: then nothing is likely to move, but it is clear what would.
    """
    return np.minimum(expit(told.carries) / np.maximum(expit(told.moves), LEAST_MOVING), 1.0)


def _grouped(told: Told, firm: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The body of each firm handle, numbers from 0; -1 for those that bend."""
    given = _carried(told)
    mutual = np.minimum(given, given.T)
    one_part = (told.homes[:, None] == told.homes) & (told.stiff > 0.0)
    mutual = np.where(one_part, 1.0, mutual)
    group = np.full(len(firm), -1)
    some = np.flatnonzero(firm)
    if len(some) == 1:
        group[some] = 0
    elif len(some):
        apart = 1.0 - mutual[np.ix_(some, some)]
        np.fill_diagonal(apart, 0.0)
        tree = linkage(squareform(apart, checks=False), "average")
        group[some] = fcluster(tree, 1.0 - ONE_BODY, "distance") - 1
    return group


def _joined(told: Told, group: NDArray[np.int64], extents: Array, gaps: Array) -> NDArray[np.int64]:
    """Groups that would move alike are one where a small one touches a large one: a handle goes with its drawer."""
    while True:
        count = int(group.max(initial=-1)) + 1
        members = [np.flatnonzero(group == number) for number in range(count)]
        moving = [number for number in range(count) if told.moves[members[number]].mean() > MOVES]
        screws = {number: _screw(told, members[number], _union(extents[members[number]])) for number in moving}
        for one, other in combinations(moving, 2):
            mine, its = members[one], members[other]
            box = _union(extents[np.concatenate([mine, its])])
            sides = [np.linalg.norm(np.diff(_union(extents[each]), axis=0)) for each in (mine, its)]
            # Of two drawers each slides by itself, however alike.
            if gaps[np.ix_(mine, its)].min() > TOUCHING or min(sides) > SMALLER * max(sides):
                continue
            if _alike(screws[one], screws[other], box):
                group = np.where(group == other, one, group)
                group = np.where(group > other, group - 1, group)
                break
        else:
            return group


def _union(boxes: Array) -> Array:
    """The box Float[2,3] around boxes Float[n,2,3]."""
    return np.stack([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])


def _alike(one: Array, other: Array, box: Array) -> bool:
    """Whether two screws move the corners of a box the same way, one or the other way round, by whatever amount."""
    pick = np.indices((2, 2, 2)).reshape(3, -1).T
    corners = box[pick, np.arange(3)]
    first, second = (np.cross(screw[:3], corners) + screw[3:] for screw in (one, other))
    size = np.sqrt((first**2).sum() * (second**2).sum())
    return abs((first * second).sum()) > ALIKE * max(size, 1e-12)


@dataclass(frozen=True)
class _Way:
    """A kind of joint and where its axis is in the box of what it carries."""

    kind: int
    bins: tuple[int, int, int]  # of PLACES
    nats: float  # how much less likely than the likeliest


def _ways(told: Told, own: NDArray[np.int64]) -> list[_Way]:
    """How the body with the handles `own` may move, the likeliest first; which way round an axis looks is no choice."""
    kinds, places = told.kinds[own].mean(axis=0), told.places[own].mean(axis=0)
    found = []
    for kind in (2 * pair + int(kinds[2 * pair + 1] > kinds[2 * pair]) for pair in range(len(kinds) // 2)):
        along = kind // 2 % 3
        less = places.max(axis=1, keepdims=True) - places
        best = places.argmax(axis=1)
        free = [[best[axis]] if kind >= 6 or axis == along else range(len(PLACES)) for axis in range(3)]
        for bins in product(*free):
            nats = kinds.max() - kinds[kind] + less[np.arange(3), bins].sum()
            found.append(_Way(kind, tuple(int(each) for each in bins), float(nats)))
    found.sort(key=lambda way: way.nats)
    return [way for way in found if way.nats < DOUBT][:WAYS]


def _middle_velocity(screw: Array, box: Array) -> Array:
    """How a screw moves the middle of a box, Float[3]."""
    return np.cross(screw[:3], box.mean(axis=0)) + screw[3:]


def _screw(told: Told, own: NDArray[np.int64], box: Array, way: _Way | None = None) -> Array:
    """The screw Float[6] of the handles `own` of one body, for the box Float[2,3] of what it carries."""
    way = way or _ways(told, own)[0]
    direction = KINDS[way.kind].numpy() + REST_OF_DIRECTION * told.direction[own].mean(axis=0)
    halves = direction.reshape(2, 3)
    main = halves[int(way.kind >= 6)]
    length = float(np.linalg.norm(main))
    if np.abs(main).max() > ALONG * length:
        main[:] = length * np.eye(3)[np.abs(main).argmax()] * np.sign(main[np.abs(main).argmax()])
    other = halves[int(way.kind < 6)]
    if np.linalg.norm(other) < PURE * length:
        other[:] = 0.0
    turn, slide = halves * np.exp(told.size[own].mean())
    middle, half = box.mean(axis=0), 0.5 * (box[1] - box[0])
    place = PLACES.numpy()[list(way.bins)] + REST_OF_PLACE * told.place[own].mean(axis=0)
    return np.concatenate([turn, np.cross(middle + half * place, turn) + half.max() * slide])


def assembled(told: Told, extents: Array, gaps: Array) -> Assembly:
    """`extents` Float[H,2,3]: corners of what each handle stands for; `gaps` Float[H,H]: how far these are apart."""
    count = len(told.moves)
    same_part = (told.homes[:, None] == told.homes) & (told.stiff > 0.0)
    together = same_part | np.eye(count, dtype=bool)
    firm = together @ told.firm / together.sum(axis=1) > 0.0
    group = _joined(told, _grouped(told, firm), extents, gaps)
    groups = int(group.max(initial=-1)) + 1
    member = group == np.arange(groups)[:, None]  # (G, H)
    moves = np.array([told.moves[own].mean() for own in member])
    moving = moves > MOVES
    given = _carried(told)  # and how likely the joint of a group (row) moves another group
    below = np.array([[given[np.ix_(mine, its)].mean() for mine in member] for its in member]).reshape(groups, groups)
    carries = (below > 0.5) & (below > below.T) & moving[:, None]
    hangs = carries.any(axis=0)
    # Something stands still, and nothing carries it.
    if moving.all() and (groups > 1 or not firm.all()) and firm.mean() > 0.5:
        still = int(np.where(hangs, np.inf, moves).argmin())
        moving[still], carries[still] = False, False
    carries[np.arange(groups), np.arange(groups)] = moving

    soft = np.flatnonzero(~firm)
    nodes = [*(np.flatnonzero(own) for own in member), *(bones_of(soft, told.turning, gaps) if len(soft) else ())]
    rooted = list(range(groups))
    if len(soft):
        root = root_of(nodes, carries.any(axis=0))
        hung = hanging(nodes, root, moving, told.turning, gaps)
        moving &= ~hung
        carries &= moving[:, None]
        still = turns_from(told.turning, nodes[:groups], nodes[root]) < ONE_BONE
        rooted = [root, *(number for number in np.flatnonzero(carries.any(axis=0) | still & ~moving) if number != root)]
    tree = branches(nodes, rooted, told.turning, gaps)
    joints = np.flatnonzero(moving)
    joints = joints[np.argsort(-carries[joints].sum(axis=1), kind="stable")]
    # Which nodes (column) each joint, then each branch of the tree (row), moves.
    moved = np.zeros((len(joints) + len(tree), len(nodes)), dtype=bool)
    moved[: len(joints), :groups] = carries[joints]
    for number, branch in enumerate(tree):
        moved[:, branch.child] = moved[:, branch.parent]
        moved[len(joints) + number, branch.child] = True

    columns, scales, means, bends, choices = [], [], [], [False] * len(joints), []
    for row, joint in enumerate(joints):
        own, box = nodes[joint], _union(extents[carries[joint][np.maximum(group, 0)] & firm])
        first, *others = _ways(told, own)
        likeliest = _screw(told, own, box, first)
        columns.append(moved[row, :, None] * likeliest)
        means.append(float(np.clip(told.means[own].mean(), 0.0, 0.95)))
        scales.append(max(np.sqrt(1.0 - means[-1] ** 2), LEAST_SCALE))
        for way in others:
            screw = _screw(told, own, box, way)
            if _middle_velocity(likeliest, box) @ _middle_velocity(screw, box) < 0.0:
                screw = _screw(told, own, box, replace(way, kind=way.kind ^ 1))  # it opens to the same side
            choices.append(Choice(row, moved[row, :, None] * screw, way.nats))
    for row, branch in zip(moved[len(joints) :], tree, strict=True):
        axes, deviations = joint_axes(nodes[branch.parent], nodes[branch.child], told.turning, told.pivots, gaps)
        columns += [row[:, None] * axis for axis in axes]
        means += [0.0] * len(axes)
        scales += deviations.tolist()
        bends += [True] * len(axes)
    if not columns:  # nothing moves
        columns, means, scales, bends = [np.zeros((len(nodes), 6))], [0.0], [1.0], [False]

    # What no column moves stands still; bones without axes go with what they hang on, and eyes with the head.
    twists = np.stack(columns, axis=1)
    rests = ~twists.any(axis=(1, 2))
    bodies, bones = np.flatnonzero(~rests[:groups]), groups + np.flatnonzero(~rests[groups:])
    order = np.concatenate([bodies, bones])
    place = np.zeros(len(nodes), dtype=np.int64)
    place[order] = 1 + np.arange(len(order))
    handle = np.zeros(count, dtype=np.int64)
    for number, own in enumerate(nodes):
        handle[own] = place[number]

    def placed(column: Array) -> Array:
        return np.concatenate([np.zeros((1, *column.shape[1:])), column[order]])

    return Assembly(
        placed(twists),
        np.array(means),
        np.array(scales),
        handle,
        len(bodies),
        tuple(replace(choice, twists=placed(choice.twists)) for choice in choices),
        np.array(bends),
    )
