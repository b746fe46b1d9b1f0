"""Size guess: the network of materials, names and units weigh against each other."""

from __future__ import annotations

import numpy as np
import pytest

from backend.understanding.size_guess import likely_size


def _size(network: float, name: str = "", drawn: float | None = None, spread: float = 0.12) -> float:
    found = likely_size(float(np.log10(network)), spread, name, drawn)
    assert found is not None
    return found


def test_the_network_alone_is_believed() -> None:
    assert _size(0.4) == pytest.approx(0.4, rel=0.1)
    assert likely_size(0.0, 1.0, "", None) is None  # it does not know


@pytest.mark.parametrize("unit", [1.0, 100.0, 1000.0, 1.0 / 0.0254])
def test_a_fox_drawn_in_any_unit_is_a_fox(unit: float) -> None:
    assert _size(1.3, "Fox", 0.72 * unit) == pytest.approx(0.72, rel=0.2)


def test_names_say_more_than_shapes() -> None:
    assert 0.1 < _size(0.35, "teacup") < 0.2
    assert 1.3 < _size(0.6, "Wohnzimmersofa") < 2.1


def test_what_is_drawn_to_no_scale_is_not_believed() -> None:
    assert _size(0.9, "chair", 4.7) == pytest.approx(0.9, rel=0.15)
