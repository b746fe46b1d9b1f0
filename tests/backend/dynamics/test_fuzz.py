"""Two thousand random takes of random meshes, eighty in a short run: each ends in frames or in one sentence.

A warning of NumPy is a failure as well: it would mean that something was computed that nobody thought of.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from backend import engine
from backend.errors import UserError
from tests.backend.geometry.shapes import Arrays
from tests.backend.random_scenes import conditions, made_of, random_mesh
from tests.backend.takes import decode
from tests.sweeps import sweep

MESHES, TAKES = 100, 20
SHORT = 4  # meshes of a short run
ELASTIC_EVERY = 8  # what bends takes most of the time: an eighth of the meshes may, of many kinds

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


def _check_sentence(problem: UserError) -> None:
    assert problem.code and problem.code == problem.code.lower()
    for text in (problem.message, problem.remedy):
        assert text[0].isupper() or text[0] in "'\"" or text[0].isdigit(), text
        assert text.endswith("."), text
        assert "\n" not in text and len(text) < 300, text
        assert "Traceback" not in text and "Error" not in text, text


def _check_take(mesh: Arrays, take: engine.Take, wanted: dict[str, Any]) -> None:
    """Shapes, order and finiteness of everything a take gives out."""
    frames = [each[0] for each in take.frames(lambda: False)]
    body = take.members[0].body
    handles = body.weights.shape[1]
    assert [frame.index for frame in frames] == list(range(1, wanted["frames"] + 1))
    assert body.weights.shape == (len(mesh[0]), handles)
    assert np.isfinite(body.weights).all()
    for frame in frames:
        assert frame.handles.shape == (handles, 3, 4)
        assert frame.q.shape == (body.kinematics.dof,)
        assert frame.energy.shape == (3,)
        assert np.isfinite(frame.handles).all() and np.isfinite(frame.q).all() and np.isfinite(frame.energy).all()
    assert np.isfinite(decode(body.weights, np.array([frame.handles for frame in frames]), mesh[0])).all()
    report = take.report()
    assert report["frames"] == wanted["frames"]
    assert all(str(text).endswith(".") for text in report["warnings"])


def check(mesh: Arrays, analysis: engine.Analysis, wanted: dict[str, Any]) -> None:
    try:
        _check_take(mesh, engine.prepare([analysis], [wanted]), wanted)
    except UserError as problem:
        _check_sentence(problem)


@pytest.mark.parametrize("number", sweep(range(MESHES), SHORT))
def test_random_takes_end_in_frames_or_in_a_sentence(number: int) -> None:
    mesh = random_mesh(number)
    analyses: dict[str, engine.Analysis] = {}
    try:
        analyses["rigid"] = engine.analyze(*mesh, "rigid")
        if number % ELASTIC_EVERY == 1:
            analyses["elastic"] = engine.analyze(*mesh, "elastic")
    except UserError as problem:
        _check_sentence(problem)
        if not analyses:
            return

    material = made_of(mesh, number)

    # Each mesh its own takes, and the same ones at every run.
    @seed(number)
    @settings(
        max_examples=TAKES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.sampled_from(sorted(analyses)), conditions(mesh))
    def takes(provider: str, wanted: dict[str, Any]) -> None:
        check(mesh, analyses[provider], {**material, **wanted})

    takes()
