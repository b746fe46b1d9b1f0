"""Robots as .urdf files that tests make: arms of any number of joints with all that such files say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

__all__ = ["ArmShape", "write_arm"]

LENGTH = 0.3  # m, of one link


@dataclass(frozen=True)
class ArmShape:
    """Axes of the joints from the base up, "x", "y", "z" each; `slides` are the numbers of those that slide."""

    axes: str = "zyyzyz"
    slides: Sequence[int] = ()
    gripper: bool = True
    limits: tuple[float, float] = (-2.5, 2.5)


def write_arm(path: Path, shape: ArmShape = ArmShape(), seed: int = 1) -> Path:
    """Links of boxes and cylinders on a pedestal that is bolted to the world; two fingers, one follows the other."""
    random = np.random.default_rng(seed)
    lines = ['<robot name="arm">', '<material name="orange"><color rgba="1.0 0.4 0.1 1.0"/></material>']
    lines += ['<link name="world"/>', _link("pedestal", '<cylinder radius="0.12" length="0.1"/>', 0.0, random)]
    lines.append(_joint("anchor", "fixed", "world", "pedestal", "0 0 0.05"))
    parent, height = "pedestal", 0.05
    for number, axis in enumerate(shape.axes, 1):
        name, slides = f"link{number}", number - 1 in shape.slides
        lines.append(_link(name, f'<box size="0.08 0.1 {LENGTH * 0.9}"/>', LENGTH / 2, random))
        kind, (lower, upper) = ("prismatic", (-0.05, 0.25)) if slides else ("revolute", shape.limits)
        unit = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}[axis]
        more = f'<limit lower="{lower}" upper="{upper}" effort="{87 + number}" velocity="{2.175 + 0.1 * number}"/>'
        more += f'<dynamics damping="{0.1 * number}" friction="{0.02 * number}"/>'
        lines.append(_joint(f"joint{number}", kind, parent, name, f"0 0 {height}", f'<axis xyz="{unit}"/>{more}'))
        parent, height = name, LENGTH
    if shape.gripper:
        limit = '<limit lower="0" upper="0.04" effort="20" velocity="0.2"/>'
        for side, sign, more in (("left", 1, ""), ("right", -1, '<mimic joint="left_slide" multiplier="1.0"/>')):
            lines.append(_link(f"{side}_finger", '<box size="0.02 0.02 0.08"/>', 0.04, random))
            axis = f'<axis xyz="0 {sign} 0"/>'
            place = f"0 {0.012 * sign} {LENGTH}"
            lines.append(_joint(f"{side}_slide", "prismatic", parent, f"{side}_finger", place, f"{axis}{limit}{more}"))
    path.write_text("\n".join([*lines, "</robot>"]))
    return path


def _link(name: str, geometry: str, middle: float, random: np.random.Generator) -> str:
    """A link with an inertia that no box of one density has."""
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
    spread = turn @ np.diag(random.uniform(0.003, 0.01, 3)) @ turn.T
    mass, centre = random.uniform(0.5, 4.0), random.uniform(-0.02, 0.02, 3) + np.array([0.0, 0.0, middle])
    inertia = mass * (np.trace(spread) * np.eye(3) - spread)
    names = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    six = " ".join(f'{key}="{float(inertia[place])!r}"' for key, place in names.items())
    return (
        f'<link name="{name}"><inertial><origin xyz="{" ".join(map(str, centre))}"/><mass value="{mass}"/>'
        f"<inertia {six}/></inertial>"
        f'<visual><origin xyz="0 0 {middle}"/><geometry>{geometry}</geometry><material name="orange"/></visual></link>'
    )


def _joint(name: str, kind: str, parent: str, child: str, place: str, more: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{place}"/>{more}</joint>'
    )
