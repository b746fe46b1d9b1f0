"""Six sample scenes made by code: a poked plant, a falling soft toy, a flag in the wind, a cabinet that opens, a chair
that is pushed over, and flowers in a vase in the wind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy

from . import cabinet, chair, flag, plant, toy, vase
from .studio import View, add_studio

__all__ = ["SAMPLES", "Sample", "add_sample"]


@dataclass(frozen=True)
class Sample:
    """A sample: its label, its maker, the length of its clip at 24 fps, and its studio."""

    label: str
    build: Callable[[bpy.types.Context], bpy.types.Object]
    frames: int
    view: View


SAMPLES: dict[str, Sample] = {
    "PLANT": Sample(
        "Potted Plant",
        plant.build,
        72,
        View(eye=(0.75, -1.75, 0.72), target=(0.03, 0.0, 0.28), lens=88.0, backdrop=(0.90, 0.85, 0.75)),
    ),
    "TOY": Sample(
        "Soft Toy",
        toy.build,
        72,
        View(eye=(0.62, -2.25, 0.66), target=(-0.10, 0.0, 0.275), lens=92.0, backdrop=(0.80, 0.86, 0.76)),
    ),
    "FLAG": Sample(
        "Flag",
        flag.build,
        72,
        View(eye=(-1.5, -3.2, 0.95), target=(0.44, 0.05, 1.13), lens=86.0, backdrop=(0.66, 0.80, 0.90)),
    ),
    "CABINET": Sample(
        "Bedside Cabinet",
        cabinet.build,
        72,
        View(eye=(1.40, -2.85, 1.25), target=(0.06, -0.08, 0.39), lens=82.0, backdrop=(0.90, 0.80, 0.76)),
    ),
    "CHAIR": Sample(
        "Chair",
        chair.build,
        72,
        View(eye=(2.6, -2.5, 1.25), target=(0.05, 0.25, 0.40), lens=74.0, backdrop=(0.88, 0.86, 0.80)),
    ),
    "VASE": Sample(
        "Flowers in a Vase",
        vase.build,
        72,
        View(eye=(0.45, -1.80, 0.62), target=(0.03, 0.0, 0.262), lens=84.0, backdrop=(0.82, 0.84, 0.90)),
    ),
}


def add_sample(context: bpy.types.Context, kind: str) -> bpy.types.Object:
    """Adds the sample `kind` to the scene, with a studio around it where the scene has no camera yet."""
    sample = SAMPLES[kind]
    made = sample.build(context)
    if context.scene.camera is None:
        add_studio(context, sample.view)
    context.scene.neurok.frame_start = 1
    context.scene.neurok.frame_count = sample.frames
    return made
