"""Text tables of the results."""

from __future__ import annotations

from typing import Any

from .ik import MODES

__all__ = [
    "ablate_table",
    "false_joints_table",
    "ik_table",
    "joints_table",
    "plausible_table",
    "reconstruct_table",
    "robots_table",
    "transfer_table",
]

_FIGURES = {"cd_l1": "CD-L1", "cd_l1_sum": "sum", "cd_l2": "CD-L2", "point_error": "point"}
_MODES = {"full": "full target", "sparse": "twelve points"}


def ik_table(found: dict[str, Any]) -> str:
    """Rows of all objects, then CD-L1 of each category."""
    lines = [f"{found['objects']} objects, longest side 2", *_errors(found["rows"])]
    for row, size in found["sizes"].items():
        lines.append(
            f"{row}: {size['coordinates_median']:g} coordinates q (median), {_beyond(size, 'coordinates')};"
            f" 99 % of the energy in {size['active_median']:g}, {_beyond(size, 'active')}"
        )
    lines += [f"{row}: at rest for want of joints: {', '.join(names)}" for row, names in found["failed"].items()]
    rows = list(found["rows"])
    titles = [f"{row} {mode}" for row in rows for mode in MODES]
    width = max(len(category) for category in found["categories"])
    lines += ["", f"{'CD-L1 by category':{width}}  " + "  ".join(titles)]
    for category, group in found["categories"].items():
        cells = (_cell(group["rows"].get(row), mode, len(f"{row} {mode}")) for row in rows for mode in MODES)
        lines.append(f"{category:{width}}  " + "  ".join(cells))
    if "auto" in found:
        right, cost = found["auto"]["right"], found["auto"]["cd_l1"]
        lines += [
            "",
            f"learned below elastic, twelve points: {found['auto']['learned_is_better']:.0%} of objects",
            f"auto picks the better one: {right['as_shipped']:.0%} of objects; {right['calibrated_on_others']:.0%} if"
            " calibrated on the others",
            f"CD-L1 of what auto picks: {cost['as_shipped']:.4f}; of the better one always: {cost['best']:.4f}",
        ]
    return "\n".join(lines + [f"drawn: {path}" for path in found.get("pictures", ())])


def _beyond(size: dict[str, float], name: str) -> str:
    spare = size.get(f"{name}_beyond_freedom_median")
    return "true freedom unknown" if spare is None else f"{spare:+g} beyond the true freedom"


def _errors(rows: dict[str, dict[str, dict[str, float]]]) -> list[str]:
    width = max(len(row) for row in rows)
    block = 9 * len(_FIGURES)
    lines = [" " * width + "".join(f"{_MODES[mode]:>{block + 2}}" for mode in MODES)]
    titles = "".join(f"{title:>9}" for title in _FIGURES.values())
    lines.append(" " * width + ("  " + titles) * len(MODES))
    for row, modes in rows.items():
        cells = ("  " + "".join(f"{modes[mode][figure]:9.5f}" for figure in _FIGURES) for mode in MODES)
        lines.append(f"{row:{width}}" + "".join(cells))
    return lines


def _cell(modes: dict[str, dict[str, float]] | None, mode: str, width: int) -> str:
    return "-".rjust(width) if modes is None else f"{modes[mode]['cd_l1']:.4f}".rjust(width)


def robots_table(found: dict[str, Any]) -> str:
    """The worst of all objects for each row, then every object."""
    lines = [f"{found['objects']} objects"]
    for row, figures in found["rows"].items():
        lines.append(f"{row:10} " + "  ".join(f"{name} {_short(value)}" for name, value in figures.items()))
    for name, rows in found["each"].items():
        lines += ["", f"{name}: {rows['links']} links, {rows['joints']} joints"]
        for row, figures in rows.items():
            if isinstance(figures, dict):
                cells = "  ".join(f"{title} {_short(value)}" for title, value in figures.items())
                lines.append(f"  {row:10} {cells}")
    return "\n".join(lines)


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def transfer_table(found: dict[str, Any]) -> str:
    """The rows of each group."""
    lines = []
    for group, figures in found["groups"].items():
        lines += [f"{group}: {figures['objects']} objects ({', '.join(figures['categories'])})"]
        lines += [*_errors(figures["rows"]), ""]
    return "\n".join(lines).rstrip()


def plausible_table(found: dict[str, Any]) -> str:
    """Means over objects."""
    lines = [
        f"{'row':10} {'objects':>7} {'edges < 10 %':>12} {'stretch 95 %':>12} {'new crossings':>13} {'torn':>8}"
        f" {'widest tear':>11}"
    ]
    for row, figures in found["rows"].items():
        lines.append(
            f"{row:10} {figures['objects']:7} {figures['within_stretch']:12.2%} {figures['stretch']['0.95']:12.4f}"
            f" {figures['new_crossings']:13.4f} {figures['torn']:8.3%} {figures['widest_tear']:11.4f}"
        )
    return "\n".join(lines)


def reconstruct_table(found: dict[str, Any]) -> str:
    """Medians over objects."""
    lines = [f"{'row':14} {'objects':>7} {'missed/motion':>13} {'mean':>8} {'within 5 %':>10} {'k - freedom':>11}"]
    for row, figures in found["rows"].items():
        spare = figures.get("active_beyond_freedom_median")
        lines.append(
            f"{row:14} {figures['objects']:7} {figures['ratio_median']:13.4f} {figures['ratio_mean']:8.4f}"
            f" {figures['share_within_5_percent']:10.0%} {'-' if spare is None else format(spare, '+.1f'):>11}"
        )
    return "\n".join(lines)


def ablate_table(found: dict[str, Any]) -> str:
    """Errors and costs of each run, then what the reduction costs."""
    objects = found["objects"]
    lines = [
        f"{found['seconds'] / 60.0:.1f} minutes each; {objects['procedural']} procedural objects never seen,"
        f" {objects['real']} real",
        "CD-L1 (longest side 2) where all latents are fitted to the full target, and to twelve points; missed: RMS over"
        " the motion's,",
        "by the fit to the full target and by the deformation encoder",
        "",
        f"{'':23}{'procedural':>36}{'real':>36}{'ms, torch':>18}{'ms, closed form':>26}",
        f"{'run':16}{'steps':>7}" + f"{'full':>10}{'twelve':>8}{'missed':>9}{'encoded':>9}" * 2 + _COSTS,
    ]
    for name, row in found["rows"].items():
        cells = [f"{name:16}{row.get('steps', '-'):>7}"]
        for data in ("procedural", "real"):
            full, sparse, encoded = (row[data].get(mode) for mode in ("full", "sparse", "encoded"))
            missed = "-" if encoded is None else f"{encoded['ratio']:.4f}"
            cells.append(f"{full['cd_l1']:10.4f}{sparse['cd_l1']:8.4f}{full['ratio']:9.4f}{missed:>9}")
        lines.append("".join(cells) + _cost_cells(row.get("cost")))
    if "reduction" in found:
        rows, count = found["reduction"]["rows"], found["reduction"]["coordinates"]
        lines += ["", "screws on the real objects, with the reduction (learned, in q) and without it (latents, in z):"]
        lines += [f"coordinates, median: {count['learned']:g} and {count['latents']:g}", *_errors(rows)]
    return "\n".join(lines)


_COSTS = f"{'decode':>10}{'J':>8}{'decode':>8}{'J':>8}{'J handles':>10}"  # of 12,000 points


def _cost_cells(cost: dict[str, Any] | None) -> str:
    """Decoding and derivatives in torch, then in closed form."""
    if cost is None:
        return ""
    cells = [f"{cost['torch']['decode']:10.2f}", f"{cost['torch']['jacobian']:8.1f}"]
    closed = cost["numpy"]
    for name, width in (("decode", 8), ("jacobian", 8), ("handle_jacobian", 10)):
        cells.append("-".rjust(width) if closed is None else f"{closed[name]:{width}.2f}")
    return "".join(cells)


_JOINT_FIGURES = {
    "axis_error": ("axis, deg", 10, "10.2f"),
    "centre_error": ("centre", 8, "8.3f"),
    "precision": ("precision", 10, "10.2f"),
    "recall": ("recall", 8, "8.2f"),
    "range_right": ("range", 7, "7.2f"),
    "parts": ("parts", 7, "7d"),
    "seconds": ("seconds", 9, "9.2f"),
}


def joints_table(found: dict[str, Any]) -> str:
    """All objects, then each category; for each row its figures. What could not be read is named at the end."""
    width = max(map(len, [*found["categories"], "all objects"]))
    head = "".join(f"{title:>{size}}" for title, size, _ in _JOINT_FIGURES.values())
    lines = [f"{found['objects']} objects"]
    if "part_iou" in found:
        lines[0] += f", part IoU {found['part_iou']:.3f}, {found['matched']:.0%} of the true parts found"
    for row in found["rows"]:
        lines += ["", f"{row:{width}}{head}"]
        for name, group in [("all objects", found), *found["categories"].items()]:
            if row in group["rows"]:
                lines.append(f"{name:{width}}{_joint_cells(group['rows'][row])}")
    lines += [f"left out: {name}: {problem}" for name, problem in found["unreadable"].items()]
    return "\n".join(lines)


def _joint_cells(figures: dict[str, Any]) -> str:
    cells = ((figures[name], size, kind) for name, (_, size, kind) in _JOINT_FIGURES.items())
    return "".join("-".rjust(size) if value is None else format(value, kind) for value, size, kind in cells)


def false_joints_table(found: dict[str, Any]) -> str:
    """Each group of objects, what confidence is worth, and the things without joints that were given some."""
    lines = [f"{found['objects']} objects"]
    for name, group in found["groups"].items():
        lines.append("")
        if group["still"]:
            share = f"{group['false_in_a_hundred']:.1f} in a hundred"
            lines.append(f"{name}: {group['still_with_joints']} of {group['still']} still things get joints, {share}")
        if group["jointed"]:
            lines.append(f"{name}: {group['jointed_without']} of {group['jointed']} jointed things get none")
        if group["other"]:
            lines.append(
                f"{name}: {group['other_with_joints']} of {group['other']} with limbs, creases or chains get some"
            )
        if group["recall"] is not None:
            figures = ("recall", "recall_by_object", "precision", "precision_with_still")
            cells = (f"{title.replace('_', ' ')} {_fraction(group[title])}" for title in figures)
            lines.append(f"{name}: joints: " + ", ".join(cells))
    for title, rows in found["calibration"].items():
        lines += ["", f"{title:8}{'told':>12}{'claims':>8}{'mean':>8}{'right':>8}"]
        for row in rows:
            told = f"{row['from']:.2f}-{row['to']:.2f}"
            lines.append(f"{'':8}{told:>12}{row['claims']:8d}{row['told']:8.2f}{row['right']:8.2f}")
    wrong = [each["name"] for each in found["per_object"] if each["kind"] == "still" and each["sure"]]
    missed = [each["name"] for each in found["per_object"] if each["kind"] == "jointed" and not each["sure"]]
    lines += [
        "",
        f"joints on still things: {', '.join(wrong) or 'none'}",
        f"none on jointed ones: {', '.join(missed) or 'none'}",
    ]
    return "\n".join(lines)


def _fraction(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
