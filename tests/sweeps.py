"""Long sweeps: tests with many parameters, a sample of which every run tries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

__all__ = ["sweep"]


def sweep(values: Iterable[Any], sample: int) -> list[Any]:
    """The values as parameters of a test; all but the first `sample` of them are for `build.py test --long`.

    A tuple has the values of several parameters, as in `pytest.mark.parametrize`.
    """
    every = [value if isinstance(value, tuple) else (value,) for value in values]
    long = [pytest.param(*value, marks=pytest.mark.long) for value in every[sample:]]
    return [*(pytest.param(*value) for value in every[:sample]), *long]
