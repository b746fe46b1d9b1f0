"""What networks know of how a mesh moves: a state space and how far it can be trusted, or parts and their joints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import UserError
from ..geometry.mesh import Mesh
from ..kinematics.confidence import confidence_of, consistency
from ..kinematics.jointed import Jointed
from ..kinematics.learned_shape import LearnedShape, learned_shape
from ..learned.infer.device import requested_device
from ..learned.infer.engine_choice import WEIGHTS, learned_engine
from ..texts import Text
from .detect import detect_joints
from .joint_proposals import proposed_joints
from .joint_verdict import judged, surest
from .moving_parts import moving_parts

__all__ = ["Recognition", "recognise", "recognise_joints", "recognise_or_not"]

SAMPLINGS = (0, 1)  # seeds of the encoding that is used and of the one that it is compared with


@dataclass(frozen=True)
class Recognition:
    """`shape` is None where it is not to be used; `confidence` and `engine` None where nothing was asked."""

    shape: LearnedShape | None = None
    confidence: float | None = None
    engine: str | None = None  # "onnx" or "torch", by which a network was computed
    device: str | None = None  # and where: one of `device.DEVICES`
    warnings: tuple[Text, ...] = ()


def recognise(mesh: Mesh, progress: Callable[[str, int, int], None]) -> Recognition:
    """Raises UserError where there is no network to ask, or no motion that it knows of."""
    progress("encoding", 0, 2)
    from ..learned.infer.encode import encodings, engine_in_use

    asked, warnings = requested_device(), ()
    try:
        engine = engine_in_use()
        spaces = encodings(mesh.vertices, mesh.triangles, mesh.slots, seeds=SAMPLINGS)
    except UserError as problem:
        if asked in (None, "cpu") or problem.code not in ("no_device", "device_failed"):
            raise
        warnings = (Text("device.processor", problem=problem.text),)
        asked, engine = "cpu", engine_in_use("cpu")
        spaces = encodings(mesh.vertices, mesh.triangles, mesh.slots, seeds=SAMPLINGS, device="cpu")
    shape, other = (learned_shape(space, mesh.vertices, mesh.triangles) for space in spaces)
    progress("encoding", 1, 2)
    measures = consistency(shape, other, mesh.vertices, mesh.triangles)
    shape = judged(mesh, shape, other, measures, proposed_joints(mesh, shape.space.frame))
    # Where the one network sees no motion the other may see joints.
    confidence = confidence_of(measures) or surest(shape)
    if confidence == 0.0:
        raise UserError("not_recognised.mesh")
    return Recognition(shape, confidence, engine, asked or "cpu", warnings=warnings)


def recognise_joints(mesh: Mesh, progress: Callable[[str, int, int], None]) -> tuple[Jointed, Recognition]:
    """The parts of a mesh and their joints, for the provider "articulated". Raises UserError where nothing moves."""
    known = detect_joints(mesh, progress=progress)
    jointed = moving_parts(known.found, mesh)
    if jointed is None:
        raise UserError("no_joints.found")
    return jointed, Recognition(engine=known.engine, device=known.engine and "cpu", warnings=known.warnings)


def recognise_or_not(mesh: Mesh, progress: Callable[[str, int, int], None]) -> Recognition:
    """For the provider "auto": what cannot be asked is left, with a word where that is news."""
    if not WEIGHTS.exists():
        return Recognition()  # nothing was trained: there is no network to miss
    try:
        return recognise(mesh, progress)
    except UserError as problem:
        if problem.code == "not_recognised":
            return Recognition(confidence=0.0, engine=learned_engine(), device=requested_device() or "cpu")
        return Recognition(warnings=(Text("network.elastic_instead", problem=problem.text),))
