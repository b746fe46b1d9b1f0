"""Typical sizes of things by the words that name them."""

from __future__ import annotations

import pytest

from backend.materials.typical_sizes import typical_sizes


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("Armchair_02", [(1.2,)]),
        ("office chair", [(1.1,)]),  # two words that are one
        ("KitchenStuhl", [(0.9,)]),
        ("drum of the washer", [(0.8,), (0.8,)]),
        ("GlassTable", [(1.0, 1.4)]),  # of glass
        ("Object", []),
    ],
)
def test_words_tell_sizes(name: str, sizes: list[tuple[float, ...]]) -> None:
    assert typical_sizes(name) == sizes
