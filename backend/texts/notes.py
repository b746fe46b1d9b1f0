"""Warnings, reasons and notes."""

from __future__ import annotations

__all__ = ["NOTES"]

NOTES = {
    "contact.inside": "Something starts {depth:.3g} m inside the ground or another object; it will not go deeper.",
    "contact.approximate": "The motion at {time:.2f} s is approximate: even in its finest steps it was hard to solve.",
    "slider.joint": "Joint {number}",
    "slider.bend": "Bend {number}",
    "slider.mode": "Mode {number}",
    "material.by_material": "The name of its material, {name}, says so.",
    "material.by_group": "The name of its vertex group, {name}, says so.",
    "material.by_object": "The name of the object, {name}, says so.",
    "material.by_look": "Its shape, its look and where it is make this likely.",
    "mesh.joined_pieces": "{count} separate pieces were joined where they come nearest; the widest gap is {gap:.3g} m.",
    "material.given": "It was given.",
    "mesh.loose_vertices": "{count} loose vertices without faces follow the nearest material.",
    "object.nothing_acts": "Nothing acts on the object: add a poke, a velocity or wind, or free it from its anchor.",
    "pointmap.motion_ends": "The motion has {frames} frames; from there on it stays at the last one.",
    "pointmap.camera_ends": "The camera has {frames} frames; from there on it stays at the last one.",
    "pointmap.sees_nothing": "The camera sees nothing of the objects.",
    "poke.far": "Poke {number} is {distance:.3g} m away from the object; its nearest point is pushed.",
    "poke.late": "Poke {number} starts at frame {frame}, after the last frame.",
    "poke.held": "Poke {number} is on a held part and moves nothing.",
    "pose.unmet": "The pose is met to {error:.3g} m only: this object cannot take that shape.",
    "reason.too_little": "It is rigid: there is too little of it to bend.",
    "reason.nothing_learned": "It is elastic: nothing that was learned says how it moves.",
    "reason.learned": "It moves as was learned of things like it.",
    "reason.no_joints": "It is elastic: no likely joint was found.",
    "reason.learned_unfit": "It is elastic: what was learned of things like it does not fit it.",
    "reason.nothing_bends": "It is rigid: nothing that it is made of is seen to bend.",
    "reason.some_bends": "It bends where what it is made of does.",
    "robot.no_followers": "USD has no joints that follow others: {joints} move by themselves.",
    "support.given": "It was given.",
    "support.hung_by_name": "The name {name} says that it hangs.",
    "support.lies": "Sheets lie on the floor.",
    "support.rooted_by_name": "The name {name} says that it is fixed to the ground.",
    "support.rolls": "It is not so tall that something should hold it.",
    "support.sheet_hangs": "An upright sheet hangs.",
    "support.stands": "It stands by itself on a floor that slopes by up to {degrees:.0f} degrees.",
    "support.topples": "It would topple if nothing held its base.",
}
