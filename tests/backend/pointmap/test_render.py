"""What is drawn is what a ray through each pixel's centre meets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from backend.bench.pointmap_rate import arm
from backend.pointmap import rasterise
from backend.pointmap.rasterise import NOTHING, nearest
from backend.pointmap.render import Surface, render
from tests.backend.pointmap.scenes import looking, rays, slow_depth, surface

FLOOR = surface([[-40, -40, 0], [40, -40, 0], [40, 40, 0], [-40, 40, 0]], [[0, 1, 2], [0, 2, 3]])


def triangle_soup(seed: int, count: int = 60) -> Surface:
    """Triangles of all sizes and directions, which cross each other, some behind the camera."""
    draw_number = np.random.default_rng(seed)
    middle = draw_number.uniform(-2.0, 2.0, (count, 1, 3))
    size = draw_number.uniform(0.05, 2.0, (count, 1, 1))
    corners = middle + size * draw_number.normal(size=(count, 3, 3))
    return surface(corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"orthographic": True, "ortho_scale": 5.0},
        {"lens": 18.0, "shift_x": 0.2, "shift_y": -0.1},
        {"clip_start": 2.5, "clip_end": 5.0},
        {"pixel_aspect_x": 2.0, "sensor_fit": "VERTICAL"},
        {"orthographic": True, "clip_start": 3.0, "clip_end": 4.5},
    ],
    ids=["perspective", "orthographic", "wide and shifted", "clipped", "broad pixels", "orthographic, clipped"],
)
def test_every_pixel_shows_what_its_ray_meets_first(seed: int, settings: dict) -> None:
    camera, soup = looking((1.0, -4.0, 0.5), (0.0, 0.0, 0.0), **settings), triangle_soup(seed)
    picture = render(soup, camera)
    expected, _ = slow_depth(soup, camera)
    # Two ways to compute may disagree where a ray goes through an edge within rounding; none does here.
    assert np.array_equal(picture.mask == 1, expected > 0.0)
    assert 0.2 < picture.mask.mean() <= 1.0
    assert np.abs(picture.depth - expected).max() < 1e-5


def test_points_lie_on_the_lines_of_sight_and_on_their_triangles() -> None:
    camera, soup = looking((1.0, -4.0, 0.5), (0.0, 0.0, 0.0)), triangle_soup(7)
    picture = render(soup, camera)
    _, which = slow_depth(soup, camera)
    seen = picture.mask.ravel() == 1
    points = picture.points.reshape(-1, 3)[seen].astype(np.float64)
    _, ways = rays(camera)
    assert np.abs(points - points[:, 2:] * ways[seen]).max() < 1e-6
    corners = camera.to_camera(soup.vertices)[soup.triangles[which.ravel()[seen]]]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    assert np.abs(np.einsum("px,px->p", points - corners[:, 0], normal)).max() < 1e-6


def test_a_floor_under_the_camera_is_cut_at_the_clip_and_nowhere_else() -> None:
    """Half of its vertices are behind the camera; z of a plane has a closed form."""
    camera = looking((0.0, 0.0, 1.0), (0.0, 1.0, 0.6), lens=20.0, clip_start=1.3)
    picture = render(FLOOR, camera)
    _, ways = rays(camera)
    normal = camera.extrinsics[:3, :3] @ [0.0, 0.0, 1.0]
    below = camera.to_camera(np.zeros((1, 3)))[0]
    z = (normal @ below) / (ways @ normal)
    places = (z[:, None] * ways - camera.extrinsics[:3, 3]) @ camera.extrinsics[:3, :3]
    expected = np.where((z >= 1.3) & (np.abs(places[:, :2]).max(axis=1) <= 40.0), z, 0.0).reshape(60, 90)
    assert 0.0 < picture.mask[30:].mean() < 1.0  # the clip takes a part of the floor away
    assert np.array_equal(picture.mask == 1, expected > 0.0)
    assert np.abs(picture.depth / np.maximum(expected, 1.0) - expected / np.maximum(expected, 1.0)).max() < 1e-6


@pytest.mark.parametrize("number", range(6))
def test_neighbours_leave_no_pixel_out_and_share_none(number: int) -> None:
    """Corners of a grid, shaken and partly on pixels' centres: its triangles cover its pixels once each."""
    draw_number = np.random.default_rng(number)
    x, y = np.meshgrid(np.linspace(0.0, 30.0, 8), np.linspace(0.0, 30.0, 8))
    grid = np.stack([x, y], axis=-1)
    grid[1:-1, 1:-1] += draw_number.uniform(-1.4, 1.4, (6, 6, 2))
    if number % 2:
        grid = np.floor(grid) + 0.5 * (grid < 30.0)  # through the centres themselves
    grid[:, 0, 0] = grid[0, :, 1] = 0.0
    index = np.arange(64).reshape(8, 8)
    a, b, c, d = (each.ravel() for each in (index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]))
    corners = grid.reshape(-1, 2)[np.concatenate([np.stack([a, b, c], 1), np.stack([a, d, c], 1)])]
    times = sum((nearest(each[None], np.ones((1, 3)), 0.0, 30, 30) != NOTHING).astype(int) for each in corners)
    assert (times == 1).all()


def test_what_does_not_fit_at_once_is_drawn_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    camera, soup = looking((1.0, -4.0, 0.5), (0.0, 0.0, 0.0)), triangle_soup(2)
    whole = render(soup, camera)
    monkeypatch.setattr(rasterise, "_MOST_FRAGMENTS", 50)
    parts = render(soup, camera)
    assert np.array_equal(whole.points, parts.points)


def test_of_two_at_one_place_the_first_is_seen() -> None:
    twice = Surface(
        FLOOR.vertices, np.concatenate([FLOOR.triangles] * 2), np.ones((4, 3)), np.array([1, 1, 2, 2], dtype=int)
    )
    picture = render(twice, looking((0.0, -3.0, 5.0), (0.0, 0.0, 0.0)))
    assert set(np.unique(picture.objects)) <= {0, 1} and picture.mask.mean() == 1.0


def test_both_sides_are_seen_alike() -> None:
    camera = looking((1.0, -4.0, 2.0), (0.0, 0.0, 0.0))
    turned = replace(FLOOR, triangles=FLOOR.triangles[:, ::-1])
    one, other = render(FLOOR, camera), render(turned, camera)
    assert np.allclose(one.points, other.points, atol=1e-5) and np.allclose(one.colors, other.colors)
    assert one.colors.max() > 0.1


def test_needles_and_points_do_no_harm() -> None:
    """Triangles without area, also seen from their edge."""
    vertices = [[0, 0, 0], [1, 0, 0], [0.5, 0, 0], [0, 0, 1], [1, 0, 1e-9], [0.3, 0.0, 0.2]]
    thin = surface(vertices, [[0, 1, 2], [0, 0, 0], [0, 1, 4], [5, 5, 1], [0, 3, 1]])
    for eye in ((0.2, -3.0, 0.1), (3.0, 0.0, 0.4), (3.0, 1e-12, 0.4)):
        picture = render(thin, looking(eye, (0.2, 0.0, 0.2)))
        seen = picture.points[picture.mask == 1]
        assert np.isfinite(picture.points).all()
        assert ((seen[:, 2] > 1.0) & (seen[:, 2] < 4.0)).all()


def test_the_picture_of_nothing_is_empty() -> None:
    behind = surface([[0, -9, 0], [1, -9, 0], [0, -9, 1]], [[0, 1, 2]])
    for each in (behind, surface(np.empty((0, 3)), np.empty((0, 3), dtype=int))):
        picture = render(each, looking((0.0, -4.0, 0.0), (0.0, 0.0, 0.0)))
        assert not picture.mask.any() and not picture.points.any() and not picture.colors.any()


def test_a_robots_arm_hides_itself_as_rays_say() -> None:
    """The arm of the bench, in one of its poses."""
    arm_surface = arm(40, 49).surface(11)
    camera = looking((0.5, -3.0, 0.8), (0.0, 0.0, 0.8), lens=60.0)
    picture = render(arm_surface, camera)
    expected, which = slow_depth(arm_surface, camera)
    assert np.array_equal(picture.mask == 1, expected > 0.0)
    assert np.abs(picture.depth - expected).max() < 1e-5
    objects = np.where(which >= 0, arm_surface.objects[which], 0)
    assert np.array_equal(picture.objects, objects) and len(np.unique(objects)) > 6
