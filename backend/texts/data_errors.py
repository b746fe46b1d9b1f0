"""Errors about training data."""

from __future__ import annotations

__all__ = ["ERRORS"]

CORRECT = "Correct the file, or leave this object out of the folder."

ERRORS = {
    "bad_count.takes": ("A pool of {count} takes is none.", "Ask for at least one take."),
    "bad_data.unreadable": ("The file {path} cannot be read as JSON.", CORRECT),
    "bad_data.not_object": ("The file {path} is not a JSON object.", CORRECT),
    "bad_data.not_npz": ("The file {path} is not a complete .npz file.", CORRECT),
    "bad_data.no_arrays": ("The file {path} has no arrays verts and faces.", CORRECT),
    "bad_data.bones": ("The bones in {path} do not fit its verts.", CORRECT),
    "bad_data.shape": ("Its verts have the shape {shape}, not (T, V, 3).", CORRECT),
    "bad_data.not_finite": ("It has coordinates that are not finite numbers.", CORRECT),
    "bad_data.up": ("It says that '{up}' is up.", "Write Y or Z."),
    "bad_joints.data_names": ("Two of its parts have the same name.", CORRECT),
    "bad_joints.data_empty": ("Its joints.json has no {key}.", CORRECT),
    "bad_joints.data_key": ("One of its {rows} has no '{key}'.", CORRECT),
    "bad_joints.data_part": ("A joint has the unknown part '{part}'.", CORRECT),
    "bad_joints.data_parents": ("The part '{part}' hangs on more than one joint.", CORRECT),
    "bad_joints.data_fixed": ("It has no joint that can move.", CORRECT),
    "bad_joints.data_type": ("Joints of the type '{type}' are not known.", "Use one of {known}."),
    "bad_joints.data_limits": ("The limits {lower:g} and {upper:g} of a joint are the wrong way round.", CORRECT),
    "bad_joints.data_axis": ("The axis of a joint has no direction.", CORRECT),
    "bad_joints.data_numbers": ("The '{key}' of a joint is not {count} numbers.", CORRECT),
    "bad_joints.data_not_finite": ("The '{key}' of a joint is not finite.", CORRECT),
    "cannot_write.data_folder": ("The folder {folder} cannot be made.", "Choose a folder that you may write to."),
    "no_data.materials_needed": (
        "The network of materials is trained on named parts, and none were given.",
        "Give the folder that has materials/named_parts.json with --data.",
    ),
    "no_data.no_materials": ("There is no {name} in {folder}.", "Give the folder that it lies in, or one above it."),
    "no_data.no_folder": ("There is no folder {folder}.", "Give the folder with the objects."),
    "no_data.no_objects": (
        "The folder {folder} has no objects.",
        "Give a folder with joints.json or .npz files in it.",
    ),
    "no_limits.prismatic": ("A prismatic joint has no limits.", "Give its lower and upper limit."),
    "no_take.meshes": ("None of {attempts} meshes for the take {take} could be simulated.", "Choose another seed."),
    "research_only.folder": (
        "Everything in {folder} may be used for measuring only, not for training.",
        "Train on the folder with permissive licences.",
    ),
}
