"""Errors about networks, their weights, devices and training."""

from __future__ import annotations

__all__ = ["ERRORS"]

ERRORS = {
    "bad_checkpoint.unreadable": (
        "The checkpoint '{path}' cannot be used ({kind}).",
        "Name another folder, or delete it to begin anew.",
    ),
    "bad_count.objects": ("{count} objects are none.", "Ask for at least one."),
    "bad_device.unknown": ("The device '{device}' is not known.", "Set NEUROK_DEVICE to one of: {known}."),
    "bad_option.duration": ("--{option} {value} is no duration.", "Give a number above zero."),
    "bad_option.state_space_only": (
        "--{option} is for the state space alone.",
        "Leave it out to train the network of joints.",
    ),
    "bad_weights.joint_scores": (
        "The scores of joints in '{file}' cannot be read.",
        "Install the add-on again, or put the file back from the repository.",
    ),
    "bad_weights.unreadable": (
        "The weights '{file}' cannot be read ({kind}).",
        "Name a model.safetensors that 'python -m backend train' left.",
    ),
    "device_failed.memory": (
        "The graphics card has not enough memory for this mesh ({device}).",
        "Close other programs that use the graphics card, or set up the GPU backend for the device CPU.",
    ),
    "device_failed.other": (
        "The graphics card failed ({device}: {reason}).",
        "Close other programs that use the graphics card, or set up the GPU backend for the device CPU.",
    ),
    "no_data.simulated_shapes": ("The folder {folder} has no simulated shapes.", "Let training make them first."),
    "no_device.torch": (
        "PyTorch does not compute on {device} here ({reason}).",
        "Update the driver of the graphics card, or set up the GPU backend for another device.",
    ),
    "no_engine.onnx": (
        "ONNX Runtime does not start on this system ({reason}).",
        "On Windows, install Microsoft's Visual C++ Redistributable.",
    ),
    "no_engine.missing": (
        "The network needs ONNX Runtime or PyTorch, which this Python does not have.",
        "Install the extension's zip for this system again (from its source, run 'python build.py setup').",
    ),
    "no_screws.ablation": (
        "The weights '{file}' are of an ablation and give no state space.",
        "Name weights of the decoder 'screws' without a deformation encoder.",
    ),
    "no_weights.file": (
        "There are no weights '{path}'.",
        "Name a model.safetensors that 'python -m backend train' left.",
    ),
    "not_recognised.mesh": (
        "The network does not see how this mesh would move.",
        "Choose the provider elastic or rigid.",
    ),
    "other_sizes.weights": (
        "The weights '{file}' are of a network with other sizes.",
        "Name the configuration they were trained with, or begin without --start.",
    ),
    "wrong_numbers.device": (
        "PyTorch computes wrong numbers on {device}: they are off by {error:.2g} %.",
        "Update the driver of the graphics card, or set up the GPU backend for another device.",
    ),
}
