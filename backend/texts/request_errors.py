"""Errors of the worker process and of extensions."""

from __future__ import annotations

__all__ = ["ERRORS"]

CORRECT_EXTENSION = "Correct its path or the file, and start the backend again."
ONE_VERSION = "Use an add-on and a backend of one version."

ERRORS = {
    "bad_extension.missing": ("The extension '{path}' is not there.", CORRECT_EXTENSION),
    "bad_extension.no_python": ("The extension '{path}' is no Python file.", CORRECT_EXTENSION),
    "bad_extension.fails": ("The extension '{file}' does not run ({kind}: {reason}).", CORRECT_EXTENSION),
    "bad_request.parts": ("A '{request}' request does not say what the parts are.", ONE_VERSION),
    "bad_request.part_of_vertices": (
        "A '{request}' request does not say which vertices belong to which part.",
        ONE_VERSION,
    ),
    "bad_request.pointmap": ("A 'pointmap' request has nothing that fits under '{key}'.", ONE_VERSION),
    "bad_request.labels": ("A '{request}' request has names that cannot be read.", ONE_VERSION),
    "bad_request.pieces": ("A '{request}' request says nothing of pieces that could be read.", ONE_VERSION),
    "bad_request.density": ("A '{request}' request has no density.", ONE_VERSION),
    "bad_request.no_number": ("A request has no number.", "Give it a whole 'id'."),
    "bad_request.unknown": ("The request '{request}' is unknown to this backend.", ONE_VERSION),
    "bad_request.no_target": ("A cancel request names no job.", "Give the number of the job as 'target'."),
    "bad_request.text": ("A '{request}' request has no text under '{key}'.", ONE_VERSION),
    "bad_request.array": ("A '{request}' request has no {dtype} array '{key}' with rows of three.", ONE_VERSION),
    "bad_request.slots": ("The array 'slots' of a '{request}' request is not a row of int32.", ONE_VERSION),
    "bad_request.drags": (
        "A '{request}' request does not say of each target which vertex is dragged how.",
        ONE_VERSION,
    ),
    "bad_request.pull": ("A '{request}' request has neither null nor an object under 'pull'.", ONE_VERSION),
    "bad_request.steps": ("A '{request}' request has no whole number from 1 to {most} under 'parts'.", ONE_VERSION),
    "bad_request.values": (
        "A '{request}' request has no float32 array 'values' with a row for each shape.",
        ONE_VERSION,
    ),
    "bad_request.goals": ("A '{request}' request has no list of goals.", ONE_VERSION),
    "bad_request.goal": ("A goal of a '{request}' request has no part, no turns or no weight.", ONE_VERSION),
    "bad_request.goal_array": ("A '{request}' request has no float32 array '{key}' that fits its goals.", ONE_VERSION),
    "bad_request.rows": ("A '{request}' request has no 1 to {most} rows of targets.", ONE_VERSION),
    "bad_request.draws": ("A '{request}' request has no whole numbers under 'count' and 'seed'.", ONE_VERSION),
    "bad_request.objects": ("A '{request}' request has no list of 1 to {most} objects.", ONE_VERSION),
    "bad_request.shared": ("A '{request}' request has no object under 'shared'.", ONE_VERSION),
    "bad_request.object": ("A '{request}' request has an object that is none.", ONE_VERSION),
    "bad_request.conditions": ("A '{request}' request has no object under 'conditions'.", ONE_VERSION),
    "bad_request.buffer": ("A '{request}' request has no array '{key}'.", ONE_VERSION),
    "bad_stream.broken": ("The requests to the backend broke off or were damaged.", "Start the backend again."),
    "engine_missing.part": (
        "The backend's Python lacks a part that it needs ({reason}).",
        "Run the backend setup in the add-on's preferences.",
    ),
    "internal.unexpected": ("The backend met an unexpected {kind}.", "The details are in {log}."),
    "not_live.step": ("No object is live in this backend.", "Begin live again."),
    "out_of_memory.job": (
        "The backend ran out of memory.",
        "Close other programs, use fewer frames or simplify the mesh (Decimate modifier).",
    ),
    "protocol_mismatch.client": (
        "The backend speaks protocol {own}, the client {given}.",
        "Install the add-on and the backend from the same release.",
    ),
    "unknown_mesh.key": ("The backend does not know this mesh.", "Send the mesh again."),
}
