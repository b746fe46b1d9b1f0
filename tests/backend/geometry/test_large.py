"""Large meshes: time and memory stay in proportion."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.backend.geometry.clouds import sampled
from tests.backend.geometry.shapes import Arrays, joined, sheet, soup, torus

ROOT = Path(__file__).resolve().parents[3]


SMALL_AND_LARGE = {
    "one part": (torus(250, 200), torus(500, 400)),
    "two parts": (joined(torus(250, 100), sheet(150, 150, 3, 3)), joined(torus(500, 200), sheet(300, 300, 3, 3))),
    "thousands of parts": (soup(1000, 0.02), soup(4000, 0.02)),
}


def quickest(arrays: Arrays) -> float:
    """Seconds of the processor, the shorter of two attempts."""
    seconds = []
    for _ in range(2):
        start = time.process_time()
        sampled(arrays)
        seconds.append(time.process_time() - start)
    return min(seconds)


@pytest.mark.parametrize(("small", "large"), SMALL_AND_LARGE.values(), ids=SMALL_AND_LARGE)
def test_time_is_in_proportion(small: Arrays, large: Arrays) -> None:
    """Four times the vertices take about four times as long, and not sixteen times."""
    assert len(large[0]) == pytest.approx(4 * len(small[0]), rel=0.02)
    assert quickest(large) < 8.0 * quickest(small)


def test_thousands_of_parts() -> None:
    _, cloud = sampled(soup(4000, 0.02))
    assert cloud.part_count == 4000
    assert len(cloud.position) < 8000


@pytest.mark.long
def test_two_million_vertices() -> None:
    """In a process of its own, to see its peak memory."""
    script = (
        "import resource\n"
        "from backend.geometry import sample_material, validate_mesh\n"
        "from tests.backend.geometry.shapes import torus\n"
        "mesh = validate_mesh(*torus(2000, 1000))\n"
        "cloud = sample_material(mesh)\n"
        "assert len(cloud.vertex_node) == 2_000_000\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, cloud.volume.sum())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    gigabytes, volume = (float(word) for word in done.stdout.split())
    assert volume == pytest.approx(2 * np.pi**2 * 0.35**2, rel=1e-3)
    assert gigabytes < 4.0
