"""Kinematic structure from the network output: grouping of handles to bodies and bones, and the tree of their joints.

Handles that carry each other are one body, which has one joint at most. So an object of rigid bodies has as many
numbers as its joints have freedoms, and its bodies are exactly rigid. Handles of what bends are put together to bones,
see `bones`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.special import expit

from ...kinematics.base import Array
from .bones import ONE_BONE, TOUCHING, attached_to_bones, attachment_cost, bones_of, branches, root_of, turns_from
from .joint_alternatives import alike, screw_of, union_of
from .rotation_averaging import Averaged

__all__ = ["MOVES", "Link", "Structure", "structure_of"]

MOVES = -0.6  # mean logit from which on a body has a joint: a joint too many does less harm than one too few
LEAST_MOVING = 0.1
ONE_BODY = 0.5  # mean probability of carrying each other, from which on handles are one body
APART = 1.0  # normalised units, half the longest side: what is farther from all else has no joint
SMALLER = 0.7  # diagonal of a part that is fixed to a larger one, over that of the other


@dataclass(frozen=True)
class Link:
    """How one node hangs on others: by a joint of one screw where no `parent` is named, else by turns about a pivot."""

    node: int
    parent: int | None
    springs: bool  # of what bends: it comes back
    moved: NDArray[np.bool_]  # Bool[N], the node and all that it takes along


@dataclass(frozen=True)
class Structure:
    """N nodes, the first G rigid bodies, the others bones; what hangs on them, from what stands still outwards."""

    nodes: tuple[NDArray[np.int64], ...]  # the handles of each
    bodies: int  # G
    links: tuple[Link, ...]

    def carried(self, link: Link) -> NDArray[np.int64]:
        """The handles of all bodies that it moves."""
        return np.concatenate([self.nodes[body] for body in np.flatnonzero(link.moved[: self.bodies])])


def _carried(averaged: Averaged) -> Array:
    """How likely each handle (row) is moved by the joint of each other (column), given that this one moves at all.

    Of two halves either may be what stands still: then nothing is likely to move, but it is clear what would.
    """
    return np.minimum(expit(averaged.carries) / np.maximum(expit(averaged.moves), LEAST_MOVING), 1.0)


def _grouped(averaged: Averaged, firm: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The body of each firm handle, numbers from 0; -1 for those that bend."""
    given = _carried(averaged)
    mutual = np.minimum(given, given.T)
    one_part = (averaged.homes[:, None] == averaged.homes) & (averaged.stiff > 0.0)
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


def _joined(averaged: Averaged, group: NDArray[np.int64], extents: Array, gaps: Array) -> NDArray[np.int64]:
    """Groups that would move alike are one where a small one touches a large one: a handle goes with its drawer."""
    while True:
        count = int(group.max(initial=-1)) + 1
        members = [np.flatnonzero(group == number) for number in range(count)]
        moving = [number for number in range(count) if averaged.moves[members[number]].mean() > MOVES]
        screws = {number: screw_of(averaged, members[number], union_of(extents[members[number]])) for number in moving}
        for one, other in combinations(moving, 2):
            mine, its = members[one], members[other]
            box = union_of(extents[np.concatenate([mine, its])])
            sides = [np.linalg.norm(np.diff(union_of(extents[each]), axis=0)) for each in (mine, its)]
            # Of two drawers each slides by itself, however alike.
            if gaps[np.ix_(mine, its)].min() > TOUCHING or min(sides) > SMALLER * max(sides):
                continue
            if alike(screws[one], screws[other], box):
                group = np.where(group == other, one, group)
                group = np.where(group > other, group - 1, group)
                break
        else:
            return group


def _alone(member: NDArray[np.bool_], gaps: Array) -> NDArray[np.bool_]:
    """Which groups, Bool[G,H], are far from all else there is: no joint reaches so far."""
    nearest = np.array([gaps[np.ix_(own, ~own)].min(initial=np.inf) for own in member])
    return np.isfinite(nearest) & (nearest > APART)


def _moved(link: Link) -> int:
    """To put what moves most others first."""
    return -int(link.moved.sum())


def _socket(
    body: int, nodes: Sequence[NDArray[np.int64]], carries: NDArray[np.bool_], averaged: Averaged, gaps: Array
) -> int:
    """What a body with a ball joint turns on: of what it does not take along, and what moves it if anything does."""
    able = np.flatnonzero(~carries[body])
    movers = able[carries[able, body]]
    able = movers if len(movers) else able
    return int(able[np.argmin([attachment_cost(nodes[body], nodes[other], averaged.turning, gaps) for other in able])])


def _with_bones(
    averaged: Averaged,
    nodes: Sequence[NDArray[np.int64]],
    moving: NDArray[np.bool_],
    carries: NDArray[np.bool_],
    gaps: Array,
) -> list[Link]:
    """The links of something that bends; its rigid groups, the first nodes, have a joint where they are `moving`."""
    groups = len(moving)
    carries = carries & moving[:, None]
    root = root_of(nodes, carries.any(axis=0))
    unturned = turns_from(averaged.turning, nodes[:groups], nodes[root]) < ONE_BONE
    still = {root, *np.flatnonzero(unturned & ~moving & ~carries.any(axis=0)).tolist()}
    moving = moving & ~attached_to_bones(nodes, sorted(still), moving, averaged.turning, gaps)
    carries &= moving[:, None]
    links = []
    for body in np.flatnonzero(moving).tolist():
        moved = np.zeros(len(nodes), dtype=bool)
        moved[:groups] = carries[body]
        links.append(Link(body, None, False, moved))
    links.sort(key=_moved)
    rooted = sorted(still.union(np.flatnonzero(carries.any(axis=0)).tolist()))
    for branch in branches(nodes, rooted, averaged.turning, gaps):
        for link in links:
            link.moved[branch.child] = link.moved[branch.parent]
        links.append(Link(branch.child, branch.parent, True, np.arange(len(nodes)) == branch.child))
    return links


def structure_of(averaged: Averaged, extents: Array, gaps: Array) -> Structure:
    """`extents` Float[H,2,3]: corners of what each handle stands for; `gaps` Float[H,H]: how far these are apart."""
    count = len(averaged.moves)
    same_part = (averaged.homes[:, None] == averaged.homes) & (averaged.stiff > 0.0)
    together = same_part | np.eye(count, dtype=bool)
    firm = together @ averaged.firm / together.sum(axis=1) > 0.0
    group = _joined(averaged, _grouped(averaged, firm), extents, gaps)
    groups = int(group.max(initial=-1)) + 1
    member = group == np.arange(groups)[:, None]  # (G, H)
    moves = np.array([averaged.moves[own].mean() for own in member])
    moving = (moves > MOVES) & ~_alone(member, gaps)
    given = _carried(averaged)  # and how likely the joint of a group (row) moves another group
    below = np.array([[given[np.ix_(mine, its)].mean() for mine in member] for its in member]).reshape(groups, groups)
    carries = (below > 0.5) & (below > below.T) & moving[:, None]
    hangs = carries.any(axis=0)
    # Something stands still, and nothing carries it.
    if moving.all() and (groups > 1 or not firm.all()) and firm.mean() > 0.5:
        still = int(np.where(hangs, np.inf, moves).argmin())
        moving[still], carries[still] = False, False
    carries[np.arange(groups), np.arange(groups)] = moving
    balls = moving & ~carries.all(axis=1)  # what takes all along turns on nothing
    balls &= np.array([averaged.balls[own].mean() > 0.0 for own in member], dtype=bool)
    soft = np.flatnonzero(~firm)
    if len(soft):
        nodes = [*(np.flatnonzero(own) for own in member), *bones_of(soft, averaged.turning, gaps)]
        links = _with_bones(averaged, nodes, moving & ~balls, carries, gaps)
    else:
        nodes = [np.flatnonzero(own) for own in member]
        links = [
            Link(body, _socket(body, nodes, carries, averaged, gaps) if balls[body] else None, False, carries[body])
            for body in np.flatnonzero(moving).tolist()
        ]
        links.sort(key=_moved)
    return Structure(tuple(nodes), groups, tuple(links))
