"""A heap of rigid boxes, some of which are drawn into each other: nothing is thrown out, and few iterations do."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from backend import engine
from backend.data.shapes import box

SIZE, COUNT, FPS = 0.3, 12, 24


def test_boxes_that_start_in_each_other_fall_into_a_heap_and_are_not_thrown_out():
    random, meshes = np.random.default_rng(0), []
    for number in range(COUNT):
        layer, place = divmod(number, 4)
        centre = np.array([(place % 2) * 0.4 - 0.2, (place // 2) * 0.4 - 0.2, 0.3 + 0.45 * layer])
        vertices, faces = box(np.full(3, -0.5 * SIZE), np.full(3, 0.5 * SIZE))
        turn = Rotation.random(random_state=random.integers(1 << 30))
        meshes.append((turn.apply(vertices) + centre + random.uniform(-0.05, 0.05, 3), faces))
    shared = {"frames": 49, "fps": FPS, "anchor": "none", "ground": {}}
    take = engine.prepare([engine.analyze(*mesh, "rigid") for mesh in meshes], [shared] * COUNT)
    places = np.array([[each.q[:3] for each in frame] for frame in take.frames(lambda: False)])
    speeds = np.linalg.norm(np.diff(places, axis=0), axis=2) * FPS
    highest = max(mesh[0][:, 2].max() for mesh in meshes)
    assert speeds.max() < np.sqrt(2.0 * 9.81 * highest)
    assert speeds[-6:].max() < 0.5 * SIZE
    report = take.report()
    assert report["rough_steps"] == 0 and report["newton_iterations"] < 20 * report["contact_steps"]
