"""The part of docs/comparison.md about the bar that swings."""

from __future__ import annotations

from typing import Any

from tests.compare.tables import block_text, percent, table, thousandth

__all__ = ["swing_section"]

DIFFERENCES = """Differences of ours in per cent, row by row as above: of the figures, against the finest mesh and
against the limit; of the paths, root mean square, as a share of how far Newton's tip or centre drops."""
PATHS = {
    "tip_path_first_period": "tip, first period",
    "tip_path_whole": "tip, 2 s",
    "tip_path_whole_at_equal_period": "tip, 2 s, equal periods",
    "centre_path_first_period": "centre, first period",
}


def _rows(figures: dict[str, Any]) -> list[str]:
    names = ("period", "sag", "lowest")

    def measured(row: dict[str, Any]) -> list[str]:
        shown = [f"{row['steps_per_second']:.0f}", *(thousandth(row[name]) for name in names)]
        return [*shown, f"{row['decay']:.3f}", f"{row['solve_seconds']:.1f}"]

    columns = ["steps/s", "period ms", "sag mm", "lowest mm", "decay 1/s", "solve s"]
    lines = table(
        ["Newton", "cubes across", "vertices", *columns],
        ([row["solver"], str(row["across"]), f"{row['vertices']:,}", *measured(row)] for row in figures["newton"]),
    )
    limit = figures["newton_limit"]
    orders = ", ".join(f"{limit[f'{name}_order']:.1f}" for name in names)
    lines += [
        f"Carried on to cubes of size zero (*the limit*; semi-implicit, observed orders {orders}): "
        f"period {thousandth(limit['period'])} ms, sag {thousandth(limit['sag'])} mm, "
        f"lowest {thousandth(limit['lowest'])} mm.",
        "",
    ]
    lines += table(
        ["ours: handles asked", "got", "squares across", "frames/s", *columns],
        (
            [str(row["asked"]), str(row["handles"]), str(row["across"]), f"{row['fps']:.0f}", *measured(row)]
            for row in figures["ours"]
        ),
    )
    lines += [DIFFERENCES, ""]
    lines += table(
        ["handles", *(f"{name}{what}" for name in names for what in ("", ": limit")), *PATHS.values()],
        (
            [str(row["handles"])]
            + [percent(away[f"{name}{what}_percent"]) for name in names for what in ("", "_limit")]
            + [f"{away[f'{path}_percent']:.1f}" for path in PATHS]
            for row, away in zip(figures["ours"], figures["differences"], strict=True)
        ),
    )
    return lines


def _checks(figures: dict[str, Any]) -> list[str]:
    damped = figures["damped"]
    names = ("period", "sag", "lowest")
    lines = [
        "Lightly damped: 5 % of a swing are left after 2 s (in Newton by a force -2 x 1.5/s x mass x velocity):",
        "",
    ]
    lines += table(
        ["", "period ms", "sag mm", "lowest mm", "decay 1/s"],
        [
            [name, *(thousandth(row[key]) for key in names), f"{row['decay']:.3f}"]
            for name, row in (("Newton, 8 across", damped["newton"]), ("ours", damped["ours"]))
        ]
        + [["difference, %", *(percent(damped["differences"][f"{key}_percent"]) for key in (*names, "decay"))]],
    )
    elements, slight = figures["elements"][-1], figures["slight"]
    coarse = figures["elements"][-2]["periods"][0]
    lines += [
        "Swings so small that the formulas hold (ours in a tenth of the gravity; the elements' period changes by "
        f"{percent(100.0 * (elements['periods'][0] / coarse - 1.0))} % from the mesh before to this one):",
        "",
    ]
    lines += table(
        ["", "period ms", "ours differs by, %"],
        (
            [name, thousandth(period), percent(100.0 * (slight["period"] / period - 1.0))]
            for name, period in (
                (f"quadratic elements, {elements['unknowns']:,} unknowns", elements["periods"][0]),
                ("beam formula of Euler and Bernoulli", figures["euler_bernoulli"]["period"]),
                ("the same with shear and turning sections", figures["timoshenko"]["period"]),
                (f"ours, {slight['handles']} handles", slight["period"]),
            )
        ),
    )
    return lines


def _space_of_shapes(figures: dict[str, Any]) -> str:
    """What the number of handles does to the period, and what that says."""
    rows = {row["asked"]: row for row in reversed(figures["ours"])}  # the first of each number of handles
    counts = [count for count in rows if count != "auto"]
    least, most = rows[min(counts)], rows[max(counts)]
    right = figures["elements"][-1]["periods"][0]
    text = (
        f"- From {least['handles']} to {most['handles']} handles our period goes from {thousandth(least['period'])} "
        f"to {thousandth(most['period'])} ms; {thousandth(right)} ms are right for small swings. More shapes can only "
        "make a body softer, and with an exact energy it comes down to the right value from the stiff side. "
    )
    if most["period"] > 1.01 * right:
        return text + (
            f"Ours goes past it by {percent(100.0 * (most['period'] / right - 1.0))} %, an error of the energy, "
            "which is summed over chosen points, and not of the shapes."
        )
    return text + "Ours does so, to within the error of its energy."


def _judgement(figures: dict[str, Any]) -> list[str]:
    def apart(value: float, other: float) -> str:
        return f"{percent(100.0 * (value / other - 1.0))} %"

    limit, right = figures["newton_limit"]["period"], figures["elements"][-1]["periods"][0]
    coarsest, _, finest, half = figures["newton"][:4]
    fast, slow = figures["newton"][5], figures["newton"][4]
    usual, frames, steps, coarser, finer = (row for row in figures["ours"] if row["asked"] == figures["usual"])
    own = usual["period"]
    return [
        "**Which is off?**",
        "",
        f"- Newton with cubes of size zero is {apart(limit, right)} from the quadratic elements, which know nothing of "
        f"it: that well the true period is known. Its finest mesh is {apart(finest['period'], limit)} from its limit "
        f"(linear tetrahedra bend too stiffly); half the step changes {apart(half['period'], coarsest['period'])}.",
        f"- Ours with {usual['handles']} handles changes its period by {apart(frames['period'], own)} at 24 frames a "
        f"second, by {apart(steps['period'], own)} with 16 steps a frame, and by {apart(coarser['period'], own)} and "
        f"{apart(finer['period'], own)} with 4 and 16 squares across instead of 8.",
        _space_of_shapes(figures),
        f"- VBD takes energy from an undamped bar: {slow['decay']:.2f}/s at {slow['steps_per_second']:.0f} steps/s, "
        f"{fast['decay']:.2f}/s at {fast['steps_per_second']:.0f}; its period is "
        f"{apart(slow['period'], coarsest['period'])} and {apart(fast['period'], coarsest['period'])} from the "
        f"semi-implicit one on the same mesh. Ours: {usual['decay']:.3f}/s at {usual['steps_per_second']:.0f} steps/s.",
        "",
    ]


def swing_section(figures: dict[str, Any]) -> list[str]:
    """Lines of Markdown."""
    head = ["## A bar that swings", "", f"{block_text(figures)}; held at one end face, straight, and let go.", ""]
    return [*head, *_rows(figures), *_checks(figures), *_judgement(figures)]
