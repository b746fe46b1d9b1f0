"""Texts about other texts, their argument `problem`, and names of things inside of sentences."""

from __future__ import annotations

__all__ = ["ERRORS", "NOTES"]

SAME_REMEDY = "{problem.remedy}"

ERRORS = {
    "within.shipped_network": ("{problem}", "Install the add-on anew, or choose the provider elastic."),
    "within.object": ("The object '{name}' cannot be used: {problem:lower}", SAME_REMEDY),
    "within.numbered_object": ("The object {number} cannot be used: {problem:lower}", SAME_REMEDY),
    "within.data_object": ("The object {name} cannot be used: {problem:lower}", SAME_REMEDY),
    "within.condition": ("The condition '{where}' cannot be used: {problem:lower}", SAME_REMEDY),
    "within.mesh": ("The mesh '{file}' cannot be used: {problem:lower}", SAME_REMEDY),
    "within.robot": ("The robot {file} cannot be used: {problem:lower}", SAME_REMEDY),
}
NOTES = {
    "device.processor": "{problem} The processor did its work.",
    "joint.named": "The joint '{name}'",
    "joint.of_part": "The joint of part {part}",
    "value.array": "an array of shape {shape}",
    "network.elastic_instead": "{problem} The elastic provider stands in for it.",
    "network.simulation_alone": "{problem} Simulation alone has chosen the joints.",
}
