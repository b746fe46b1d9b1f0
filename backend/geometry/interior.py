"""Interior nodes of closed parts on a body-centred lattice, and the volume that each node stands for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from .occupancy import Intervals
from .poisson_disk import separated
from .ragged_arrays import expand

__all__ = ["COLUMNS_PER_CELL", "interior_lattice", "share_volume"]

# Columns per side of a lattice cell: a multiple of two, so that centres have columns too; four sample
# volumes well.
COLUMNS_PER_CELL = 4

# Interior nodes keep this many spacings away from the surface, which has nodes of its own.
_CLEARANCE = 0.5

# Where the columns see a volume this far off, walls are too thin for them and the area decides.
_TRUSTED_DEVIATION = 0.3

# No node is lighter than this part of the mean of its part: weightless points would move without reason.
_LEAST_SHARE = 0.05


def interior_lattice(
    intervals: Intervals,
    surface_points: NDArray[np.float64],
    surface_part: NDArray[np.int64],
    spacing: float,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Positions Float[n,3] and parts Int[n] of a body-centred lattice inside the parts, off their surface.

    surface_points Float[M,3], surface_part Int[M]: points spread over the surface of the parts.
    """
    cell = COLUMNS_PER_CELL * intervals.step
    half = COLUMNS_PER_CELL // 2
    rest_x, rest_y = intervals.column_x % COLUMNS_PER_CELL, intervals.column_y % COLUMNS_PER_CELL
    positions, parts = [], []
    for rest, shift in ((0, 0.0), (half, 0.5 * cell)):
        rows = np.flatnonzero((rest_x == rest) & (rest_y == rest))
        lowest = np.ceil((intervals.low[rows] - shift) / cell).astype(np.int64)
        highest = np.floor((intervals.high[rows] - shift) / cell).astype(np.int64)
        owner, number = expand(np.maximum(highest - lowest + 1, 0))
        row = rows[owner]
        height = (lowest[owner] + number) * cell + shift
        places = [intervals.column_x[row] * intervals.step, intervals.column_y[row] * intervals.step, height]
        positions.append(np.stack(places, axis=1))
        parts.append(intervals.part[row])
    position, part = np.concatenate(positions), np.concatenate(parts)
    if len(position) == 0:
        return position, part
    tree = cKDTree(separated(surface_points, surface_part))
    distance = tree.query(separated(position, part), distance_upper_bound=_CLEARANCE * spacing)[0]
    position, part = position[np.isinf(distance)], part[np.isinf(distance)]
    order = np.lexsort((position[:, 2], position[:, 1], position[:, 0], part))
    return position[order], part[order]


def share_volume(
    intervals: Intervals,
    position: NDArray[np.float64],
    part: NDArray[np.int64],
    surface_area: NDArray[np.float64],
    part_volume: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Volume Float[n], centroid Float[n,3] and spread Float[n,3,3] of what each node of closed parts stands for.

    The volumes of a part sum to `part_volume` Float[parts]; the centroid of a surface node lies a little inside; the
    spread is the mean square distance from it, by axes.
    surface_area Float[n]: the surface each node owns (zero inside), which decides where walls are thin.
    """
    length = intervals.high - intervals.low
    owner, number = expand(np.maximum(np.ceil(length / intervals.step), 1).astype(np.int64))
    pieces = np.bincount(owner, minlength=len(length))[owner]
    height = intervals.low[owner] + (number + 0.5) * length[owner] / pieces
    samples = np.stack(
        [intervals.column_x[owner] * intervals.step, intervals.column_y[owner] * intervals.step, height], 1
    )
    weight = intervals.step**2 * length[owner] / pieces
    seen = np.bincount(intervals.part[owner], weight, minlength=len(part_volume))
    trusted = np.abs(seen - part_volume) <= _TRUSTED_DEVIATION * part_volume

    count, centroid = np.zeros(len(position)), position.copy()
    moment = np.zeros((len(position), 3, 3))
    known = trusted[intervals.part[owner]]
    if known.any():
        places = separated(samples[known], intervals.part[owner][known])
        nearest = cKDTree(separated(position, part)).query(places)[1]
        count = np.bincount(nearest, weight[known], minlength=len(position))
        held = np.flatnonzero(count)
        for axis in range(3):
            sums = np.bincount(nearest, weight[known] * samples[known, axis], minlength=len(position))
            centroid[held, axis] = sums[held] / count[held]
        away = samples[known] - centroid[nearest]
        for row, column in zip(*np.triu_indices(3), strict=True):
            square = away[:, row] * away[:, column]
            if row == column:  # each sample stands for a box
                side = intervals.step if row < 2 else (length[owner] / pieces)[known]
                square = square + side**2 / 12.0
            moment[:, row, column] = np.bincount(nearest, weight[known] * square, minlength=len(position))
            moment[:, column, row] = moment[:, row, column]
    share = np.where(trusted[part], count, surface_area)
    nodes = np.bincount(part, minlength=len(part_volume))
    mean = np.bincount(part, share, minlength=len(part_volume)) / np.maximum(nodes, 1)
    share = np.maximum(share, _LEAST_SHARE * mean[part])
    total = np.bincount(part, share, minlength=len(part_volume))
    volume = share * (part_volume[part] / total[part])
    # Where no sample tells the shape of a cell it counts as a cube.
    cube = (volume ** (2.0 / 3.0) / 12.0)[:, None, None] * np.eye(3)
    sampled = (count > 0.0)[:, None, None]
    return volume, centroid, np.where(sampled, moment / np.maximum(count, 1e-300)[:, None, None], cube)
