"""docs/comparison.md from the figures of one run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["written"]

SWING_DIFFERENCES = """Differences in per cent, row by row as above: of the figures, against the finest mesh and
against the limit; of the paths, root mean square, as a share of how far Newton's tip or centre drops."""
DROP_DIFFERENCES = """Differences from the finest mesh in per cent: heights as shares of the fall, times and speeds of
themselves, the path up to the next apex (root mean square) as a share of the fall."""


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    head = list(head)
    return ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)] + [""]


def _mm(metres: float) -> str:
    return f"{1e3 * metres:.1f}"


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.1f}"


def _percent(value: float) -> str:
    return f"{value:+.1f}"


def _swing(figures: dict[str, Any]) -> list[str]:
    limit = figures["newton_limit"]
    lines = _table(
        ["Newton", "cubes across", "vertices", "steps/s", "period ms", "sag mm", "lowest mm", "decay 1/s", "solve s"],
        (
            [
                row["solver"],
                str(row["across"]),
                f"{row['vertices']:,}",
                f"{row['steps_per_second']:.0f}",
                _ms(row["period"]),
                _mm(row["sag"]),
                _mm(row["lowest"]),
                f"{row['decay']:.3f}",
                f"{row['solve_seconds']:.1f}",
            ]
            for row in figures["newton"]
        ),
    )
    names = ("period", "sag", "lowest")
    orders = ", ".join(f"{limit[f'{name}_order']:.1f}" for name in names)
    lines += [
        f"Carried on to a mesh without end (the three semi-implicit rows from coarse to fine; orders {orders}): period "
        f"{_ms(limit['period'])} ms, sag {_mm(limit['sag'])} mm, lowest {_mm(limit['lowest'])} mm.",
        "",
    ]
    lines += _table(
        [
            "ours: handles asked",
            "got",
            "cubes across",
            "frames/s",
            "steps/s",
            "period ms",
            "sag mm",
            "lowest mm",
            "decay 1/s",
            "solve s",
        ],
        (
            [
                str(row["asked"]),
                str(row["handles"]),
                str(row["across"]),
                f"{row['fps']:.0f}",
                f"{row['steps_per_second']:.0f}",
                _ms(row["period"]),
                _mm(row["sag"]),
                _mm(row["lowest"]),
                f"{row['decay']:.3f}",
                f"{row['solve_seconds']:.2f}",
            ]
            for row in figures["ours"]
        ),
    )
    lines += [SWING_DIFFERENCES, ""]
    lines += _table(
        [
            "handles",
            "period",
            "limit",
            "sag",
            "limit",
            "lowest",
            "limit",
            "tip, first period",
            "tip, 2 s",
            "tip, 2 s, equal periods",
            "centre, first period",
        ],
        (
            [
                str(row["handles"]),
                *(_percent(away[f"{name}{what}_percent"]) for name in names for what in ("", "_limit")),
                f"{away['tip_path_first_period_percent']:.1f}",
                f"{away['tip_path_whole_percent']:.1f}",
                f"{away['tip_path_whole_at_equal_period_percent']:.1f}",
                f"{away['centre_path_first_period_percent']:.1f}",
            ]
            for row, away in zip(figures["ours"], figures["differences"], strict=True)
        ),
    )
    damped = figures["damped"]
    away = damped["differences"]
    lines += _table(
        ["lightly damped", "period ms", "decay 1/s", "sag mm", "lowest mm"],
        [
            [name, _ms(row["period"]), f"{row['decay']:.3f}", _mm(row["sag"]), _mm(row["lowest"])]
            for name, row in (("Newton, 8 across", damped["newton"]), ("ours", damped["ours"]))
        ]
        + [["difference, %", *(_percent(away[f"{name}_percent"]) for name in ("period", "decay", "sag", "lowest"))]],
    )
    elements, bernoulli, timoshenko = figures["elements"][-1], figures["euler_bernoulli"], figures["timoshenko"]
    slight = figures["slight"]
    lines += _table(
        ["small swing", "period ms", "ours differs by %"],
        (
            [name, _ms(period), _percent(100.0 * (slight["period"] / period - 1.0))]
            for name, period in (
                (f"quadratic elements, {elements['unknowns']:,} unknowns", elements["periods"][0]),
                ("Euler and Bernoulli", bernoulli["period"]),
                ("with shear and turning sections (Timoshenko, first order)", timoshenko["period"]),
                ("ours in a tenth of the gravity", slight["period"]),
            )
        ),
    )
    return lines


def _drop(figures: dict[str, Any]) -> list[str]:
    limit = figures["newton_limit"]
    names = ("deepest", "deepest_time", "apex", "apex_time")
    lines = _table(
        [
            "Newton, cubes across",
            "vertices",
            "steps/s",
            "lowest centre mm",
            "at ms",
            "next apex mm",
            "at ms",
            "speed back",
            "sinks in mm",
        ],
        (
            [
                str(row["across"]),
                f"{row['vertices']:,}",
                f"{row['steps_per_second']:.0f}",
                *(_mm(row[name]) for name in names),
                f"{row['rebound']:.3f}",
                _mm(row["sinks_in"]),
            ]
            for row in figures["newton"]
        ),
    )
    lines += [
        f"Carried on to a mesh without end: lowest centre {_mm(limit['deepest'])} mm, "
        f"next apex {_mm(limit['apex'])} mm, speed back {limit['rebound']:.3f}.",
        "",
    ]
    lines += _table(
        [
            "ours: handles asked",
            "got",
            "frames/s",
            "restitution",
            "steps/s",
            "lowest centre mm",
            "at ms",
            "next apex mm",
            "at ms",
            "speed back",
            "sinks in mm",
        ],
        (
            [
                str(row["asked"]),
                str(row["handles"]),
                f"{row['fps']:.0f}",
                f"{row['restitution']:g}",
                f"{row['steps_per_second']:.0f}",
                *(_mm(row[name]) for name in names),
                f"{row['rebound']:.3f}",
                _mm(row["sinks_in"]),
            ]
            for row in figures["ours"]
        ),
    )
    lines += [DROP_DIFFERENCES, ""]
    lines += _table(
        ["handles", "restitution", "lowest centre", "its time", "next apex", "its time", "speed back", "path"],
        (
            [
                str(row["handles"]),
                f"{row['restitution']:g}",
                *(_percent(away[f"{name}_percent"]) for name in (*names, "rebound")),
                f"{away['centre_path_percent']:.1f}",
            ]
            for row, away in zip(figures["ours"], figures["differences"], strict=True)
        ),
    )
    return lines


def written(figures: dict[str, Any]) -> str:
    """The document as Markdown."""
    return "\n".join(["# The same scenes in another solver", "", *_swing(figures["swing"]), *_drop(figures["drop"])])
