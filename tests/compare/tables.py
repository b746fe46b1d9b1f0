"""Markdown tables and how figures are shown in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["block_text", "percent", "table", "thousandth"]


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    head = list(head)
    return ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)] + [""]


def thousandth(value: float) -> str:
    """Metres as millimetres, seconds as milliseconds."""
    return f"{1e3 * value:.1f}"


def percent(value: float) -> str:
    return f"{value:+.1f}"


def block_text(figures: dict[str, Any]) -> str:
    block = figures["block"]
    size = " x ".join(f"{length:g}" for length in block["size"])
    return (
        f"{size} m, Young's modulus {block['young'] / 1e6:g} MPa, Poisson's ratio {block['poisson']:g}, "
        f"{block['density']:g} kg/m³"
    )
