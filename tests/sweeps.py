"""Long sweeps: tests with many parameters, a sample of which every run tries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

__all__ = ["sweep"]


def sweep(values: Iterable[Any], sample: int) -> list[Any]:
    """The values as parameters of a test; all but the first `sample` of them are for `build.py test --long`."""
    return [
        value if number < sample else pytest.param(value, marks=pytest.mark.long) for number, value in enumerate(values)
    ]
