"""Cloth: lengths, pins and the rest."""

from __future__ import annotations

import numpy as np
import pytest

from backend.data.sheets import grid_places, refined, sheet_on

ROWS, COLUMNS = 13, 13


def hung():
    down, along = grid_places(ROWS, COLUMNS)
    flat = np.stack([along, 0.0 * along, -down], axis=1)
    pinned = np.arange(ROWS * COLUMNS) < COLUMNS
    return flat, sheet_on(flat, ROWS, COLUMNS, pinned)


def straight_lengths(places):
    grid = places.reshape(-1, ROWS, COLUMNS, 3)
    return [np.linalg.norm(np.diff(grid, axis=axis), axis=-1) for axis in (1, 2)]


def test_the_rest_stays():
    flat, sheet = hung()
    np.testing.assert_allclose(sheet.drawn_back(flat[None])[0], flat, atol=1e-12)


def test_lengths_come_back_and_pins_stay():
    flat, sheet = hung()
    wanted = flat.copy()
    wanted[:, 1] = -0.8 * flat[:, 2]  # blown out far, 28 % too long
    drawn = sheet.drawn_back(wanted[None])
    before = np.abs(straight_lengths(wanted[None])[0] / straight_lengths(flat[None])[0] - 1.0)
    after = np.abs(straight_lengths(drawn)[0] / straight_lengths(flat[None])[0] - 1.0)
    assert before.mean() > 0.25 and after.mean() < 0.08
    pinned = np.arange(COLUMNS)
    np.testing.assert_allclose(drawn[0, pinned], flat[pinned], atol=0.005)
    assert drawn[0, -1, 1] > 0.4  # it did move


def test_more_rounds_keep_lengths_better():
    flat, sheet = hung()
    wanted = flat + np.stack([0.0 * flat[:, 0], 0.4 * np.sin(5.0 * flat[:, 0]) * -flat[:, 2], 0.0 * flat[:, 0]], axis=1)
    error = [
        np.abs(straight_lengths(sheet.drawn_back(wanted[None], rounds))[1] * (COLUMNS - 1) - 1.0).mean()
        for rounds in (2, 10, 60)
    ]
    assert error[0] > error[1] > error[2]


def test_refined_grids_go_through_their_vertices_and_are_smooth():
    down, along = grid_places(ROWS, COLUMNS)
    places = np.stack([along, down, 0.1 * np.sin(6.0 * along)], axis=1)[None]
    fine = refined(places, ROWS, COLUMNS, 2).reshape(2 * ROWS - 1, 2 * COLUMNS - 1, 3)
    np.testing.assert_allclose(fine[::2, ::2].reshape(-1, 3), places[0], atol=1e-12)
    assert np.abs(fine[..., 2] - 0.1 * np.sin(6.0 * fine[..., 0])).max() < 0.002


def test_straight_grids_stay_straight_to_the_border():
    down, along = grid_places(5, 4)
    flat = np.stack([along, down, along + down], axis=1)
    fine = refined(flat[None], 5, 4, 2).reshape(9, 7, 3)
    assert fine[..., 2] == pytest.approx(fine[..., 0] + fine[..., 1], abs=1e-12)
    np.testing.assert_allclose(fine[:, :, 0], np.broadcast_to(np.linspace(0, 1, 7), (9, 7)), atol=1e-12)
