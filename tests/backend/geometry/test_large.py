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


@pytest.mark.parametrize(
    ("arrays", "seconds"),
    [(torus(200, 50), 1.5), (torus(500, 400), 5.0), (joined(torus(500, 200), sheet(300, 300, 3, 3)), 5.0)],
    ids=["10k", "200k", "190k in two parts"],
)
def test_time(arrays: Arrays, seconds: float) -> None:
    """Bounds are several times what a quiet machine needs, for a busy one; processor time, not waiting."""
    start = time.process_time()
    sampled(arrays)
    assert time.process_time() - start < seconds


def test_thousands_of_parts() -> None:
    start = time.process_time()
    _, cloud = sampled(soup(4000, 0.02))
    assert cloud.part_count == 4000
    assert len(cloud.position) < 8000
    assert time.process_time() - start < 15.0


def test_two_million_vertices() -> None:
    """In a process of its own, to see its peak memory."""
    script = (
        "import resource, time\n"
        "from backend.geometry import sample_material, validate_mesh\n"
        "from tests.backend.geometry.shapes import torus\n"
        "mesh = validate_mesh(*torus(2000, 1000))\n"
        "start = time.process_time()\n"
        "cloud = sample_material(mesh)\n"
        "seconds = time.process_time() - start\n"
        "assert len(cloud.vertex_node) == 2_000_000\n"
        "print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, cloud.volume.sum())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    seconds, gigabytes, volume = (float(word) for word in done.stdout.split())
    assert volume == pytest.approx(2 * np.pi**2 * 0.35**2, rel=1e-3)
    assert gigabytes < 4.0
    assert seconds < 40.0, f"took {seconds:.1f} s; 8 s on a quiet machine"
