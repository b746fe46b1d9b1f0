"""The part of docs/comparison.md about the cube that is dropped."""

from __future__ import annotations

from typing import Any

from tests.compare.scenes import GRAVITY
from tests.compare.tables import block_text, percent, table, thousandth

__all__ = ["drop_section"]

DIFFERENCES = """Differences of ours from the finest mesh in per cent: heights as shares of the fall, times and
speeds of themselves, the path up to the next apex (root mean square) as a share of the fall."""


def _rows(figures: dict[str, Any]) -> list[str]:
    names = ("deepest", "deepest_time", "apex", "apex_time")

    def measured(row: dict[str, Any]) -> list[str]:
        shown = [f"{row['steps_per_second']:.0f}", *(thousandth(row[name]) for name in names)]
        return [*shown, f"{row['rebound']:.3f}", thousandth(row["sinks_in"])]

    columns = ["steps/s", "lowest centre mm", "at ms", "next apex mm", "at ms", "speed back", "sinks in mm"]
    lines = table(
        ["Newton, cubes across", "vertices", *columns],
        ([str(row["across"]), f"{row['vertices']:,}", *measured(row)] for row in figures["newton"]),
    )
    limit = figures["newton_limit"]
    lines += [
        f"Carried on to cubes of size zero: lowest centre {thousandth(limit['deepest'])} mm, next apex "
        f"{thousandth(limit['apex'])} mm, speed back {limit['rebound']:.3f}.",
        "",
    ]
    lines += table(
        ["ours: handles asked", "got", "frames/s", "restitution", *columns, "energy left %"],
        (
            [
                str(row["asked"]),
                str(row["handles"]),
                f"{row['fps']:.0f}",
                f"{row['restitution']:g}",
                *measured(row),
                f"{row['energy_left_percent']:.0f}",
            ]
            for row in figures["ours"]
        ),
    )
    lines += [DIFFERENCES, ""]
    lines += table(
        ["handles", "restitution", "lowest centre", "its time", "next apex", "its time", "speed back", "path"],
        (
            [str(row["handles"]), f"{row['restitution']:g}"]
            + [percent(away[f"{name}_percent"]) for name in (*names, "rebound")]
            + [f"{away['centre_path_percent']:.1f}"]
            for row, away in zip(figures["ours"], figures["differences"], strict=True)
        ),
    )
    return lines


def _judgement(figures: dict[str, Any]) -> list[str]:
    def kept(row: dict[str, Any]) -> str:
        return f"{row['rebound']:.3f} of the speed and {row['energy_left_percent']:.0f} % of the energy"

    usual, frames, steps, dull = (row for row in figures["ours"] if row["asked"] == figures["usual"])
    coarsest, _, finest, half = figures["newton"]
    speeds = ", ".join(f"{row['rebound']:.3f}" for row in figures["newton"][:3])
    uneven = figures["centroid_and_centre_of_mass_apart"]
    return [
        "**Which is off?**",
        "",
        "- Nothing dissipates in Newton's solver: what the centre does not get back rings on in the cube. Speed back "
        f"from the coarse to the fine mesh: {speeds}; half the step changes it by "
        f"{percent(100.0 * (half['rebound'] / coarsest['rebound'] - 1.0))} % on the coarse one. Its floor is a spring, "
        f"into which the finest mesh sinks by {thousandth(finest['sinks_in'])} mm; ours lets nothing through.",
        f"- Ours with {usual['handles']} handles keeps {kept(usual)}; with 16 steps a frame {kept(steps)}; at 24 "
        f"frames a second {kept(frames)}. Energy that is gone was taken by the steps in contact, which dissipate; "
        "the rest of the difference is in how the cube rings.",
        f"- With `restitution` 0.2 instead of 1 ours keeps {kept(dull)}.",
        f"- The centre of the volume is never more than {thousandth(uneven)} mm from the centre of mass in Newton, "
        f"{100.0 * uneven / figures['block']['lift']:.1f} % of the fall.",
        "",
    ]


def drop_section(figures: dict[str, Any]) -> list[str]:
    """Lines of Markdown."""
    lift = figures["block"]["lift"]
    fall = f"falls flat from {lift:g} m on a floor without friction, which it meets with"
    scene = f"{block_text(figures)}; {fall} {(2.0 * GRAVITY * lift) ** 0.5:.1f} m/s; undamped."
    return ["## A cube that is dropped", "", scene, "", *_rows(figures), *_judgement(figures)]
