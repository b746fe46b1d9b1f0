"""Sparse Cholesky factors of symmetric matrices of 6 x 6 blocks, one row of blocks a body, in compiled code."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from ...kinematics.base import Array

__all__ = ["Pattern", "factor", "pattern_of", "solve"]


class Pattern(NamedTuple):
    """Which blocks of the factor of n bodies are not zero.

    position Int[n]: of each body in the order of elimination. start Int[n+1] and rows Int[b]: positions below the
    diagonal of each column. where Int[n,n]: the number of the block at two positions (row >= column), -1: zero. count:
    how many blocks there are.
    """

    position: np.ndarray
    start: np.ndarray
    rows: np.ndarray
    where: np.ndarray
    count: int


@njit(cache=True, nogil=True)
def _sort(values: np.ndarray, begin: int, end: int) -> None:
    """Sorts values[begin:end] in place, by insertion."""
    for place in range(begin + 1, end):
        value, before = values[place], place - 1
        while before >= begin and values[before] > value:
            values[before + 1] = values[before]
            before -= 1
        values[before + 1] = value


@njit(cache=True, nogil=True)
def pattern_of(count: int, one: np.ndarray, other: np.ndarray) -> Pattern:
    """For `count` bodies and pairs of them (negative: none) that are coupled; least degree first."""
    linked = np.zeros((count, count), dtype=np.bool_)
    for row in range(len(one)):
        if one[row] >= 0 and other[row] >= 0:
            linked[one[row], other[row]] = linked[other[row], one[row]] = True
    degree = np.zeros(count, dtype=np.int64)
    for body in range(count):
        for other_body in range(count):
            degree[body] += linked[body, other_body]
    position, order = np.full(count, -1), np.empty(count, dtype=np.int64)
    start, below = np.zeros(count + 1, dtype=np.int64), np.empty(count * count, dtype=np.int64)
    end = 0
    for step in range(count):
        best = -1
        for body in range(count):
            if position[body] < 0 and (best < 0 or degree[body] < degree[best]):
                best = body
        position[best], order[step], begin = step, best, end
        for body in range(count):
            if position[body] < 0 and linked[best, body]:
                below[end] = body
                end += 1
        for row in range(begin, end):
            degree[below[row]] -= 1
            for column in range(row):
                if column >= begin and not linked[below[row], below[column]]:
                    linked[below[row], below[column]] = linked[below[column], below[row]] = True
                    degree[below[row]] += 1
                    degree[below[column]] += 1
        start[step + 1] = end
    where, blocks = np.full((count, count), -1), count
    rows = np.empty(end, dtype=np.int64)
    for step in range(count):
        where[step, step] = step
        for place in range(start[step], start[step + 1]):
            rows[place] = position[below[place]]
        _sort(rows, start[step], start[step + 1])
        for place in range(start[step], start[step + 1]):
            where[rows[place], step] = blocks
            blocks += 1
    return Pattern(position, start, rows, where, blocks)


@njit(cache=True, nogil=True)
def factor(pattern: Pattern, blocks: Array) -> bool:
    """Replaces a matrix by its factor, blocks Float[b,6,6] (of those on the diagonal the lower half).

    False where it is not positive definite.
    """
    for column in range(len(pattern.position)):
        own = blocks[column]
        for j in range(6):
            for i in range(j, 6):
                total = own[i, j]
                for k in range(j):
                    total -= own[i, k] * own[j, k]
                if i == j:
                    if not total > 0.0:
                        return False
                    own[j, j] = math.sqrt(total)
                else:
                    own[i, j] = total / own[j, j]
        begin, end = pattern.start[column], pattern.start[column + 1]
        for place in range(begin, end):
            below = blocks[pattern.where[pattern.rows[place], column]]
            for i in range(6):
                for j in range(6):
                    total = below[i, j]
                    for k in range(j):
                        total -= below[i, k] * own[j, k]
                    below[i, j] = total / own[j, j]
        for place in range(begin, end):
            left = blocks[pattern.where[pattern.rows[place], column]]
            for earlier in range(begin, place + 1):
                right = blocks[pattern.where[pattern.rows[earlier], column]]
                target = blocks[pattern.where[pattern.rows[place], pattern.rows[earlier]]]
                for i in range(6):
                    for j in range(6):
                        total = 0.0
                        for k in range(6):
                            total += left[i, k] * right[j, k]
                        target[i, j] -= total
    return True


@njit(cache=True, nogil=True)
def solve(pattern: Pattern, blocks: Array, right: Array) -> Array:
    """x Float[n,6] with matrix x = -right Float[n,6], by the factor."""
    count = len(pattern.position)
    x = np.empty((count, 6))
    for body in range(count):
        for i in range(6):
            x[pattern.position[body], i] = -right[body, i]
    for column in range(count):
        own = blocks[column]
        for i in range(6):
            for k in range(i):
                x[column, i] -= own[i, k] * x[column, k]
            x[column, i] /= own[i, i]
        for place in range(pattern.start[column], pattern.start[column + 1]):
            row = pattern.rows[place]
            below = blocks[pattern.where[row, column]]
            for i in range(6):
                for k in range(6):
                    x[row, i] -= below[i, k] * x[column, k]
    for column in range(count - 1, -1, -1):
        own = blocks[column]
        for place in range(pattern.start[column], pattern.start[column + 1]):
            row = pattern.rows[place]
            below = blocks[pattern.where[row, column]]
            for i in range(6):
                for k in range(6):
                    x[column, k] -= below[i, k] * x[row, i]
        for i in range(5, -1, -1):
            for k in range(i + 1, 6):
                x[column, i] -= own[k, i] * x[column, k]
            x[column, i] /= own[i, i]
    result = np.empty((count, 6))
    for body in range(count):
        for i in range(6):
            result[body, i] = x[pattern.position[body], i]
    return result
