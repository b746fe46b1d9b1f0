"""Whether the network knows how a mesh moves: its state space, how far that can be trusted, and what to use then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from .device import asked_device
from .errors import UserError
from .geometry.mesh import Mesh
from .kinematics.confidence import confidence_of, consistency
from .kinematics.learned_shape import LearnedShape, learned_shape
from .learned_engine import WEIGHTS, learned_engine

__all__ = ["Recognition", "recognise", "recognise_or_not"]

TRUSTED = 0.5  # confidence from which "auto" takes the learned provider
SAMPLINGS = (0, 1)  # seeds of the encoding that is used and of the one that it is compared with


@dataclass(frozen=True)
class Recognition:
    """`shape` is None where it is not to be used; `confidence` and `engine` None where nothing was asked."""

    shape: LearnedShape | None = None
    confidence: float | None = None
    engine: str | None = None  # "onnx" or "torch", by which the network was computed
    device: str | None = None  # and where: one of `device.DEVICES`
    warnings: tuple[str, ...] = ()


def recognise(mesh: Mesh, progress: Callable[[str, int, int], None]) -> Recognition:
    """Raises UserError where there is no network to ask, or no motion that it knows of."""
    progress("encoding", 0, 2)
    from .encoding.encode import encodings, engine_in_use

    asked, warnings = asked_device(), ()
    try:
        engine = engine_in_use()
        spaces = encodings(mesh.vertices, mesh.triangles, mesh.slots, seeds=SAMPLINGS)
    except UserError as problem:
        if asked in (None, "cpu") or problem.code not in ("no_device", "device_failed"):
            raise
        warnings = (f"{problem.message} The processor did its work.",)
        asked, engine = "cpu", engine_in_use("cpu")
        spaces = encodings(mesh.vertices, mesh.triangles, mesh.slots, seeds=SAMPLINGS, device="cpu")
    shape, other = (learned_shape(space, mesh.vertices, mesh.triangles) for space in spaces)
    progress("encoding", 1, 2)
    confidence = confidence_of(consistency(shape, other, mesh.vertices, mesh.triangles))
    if confidence == 0.0:
        raise UserError(
            "not_recognised",
            "The network does not see how this mesh would move.",
            "Choose the provider elastic or rigid.",
        )
    return Recognition(shape, confidence, engine, asked or "cpu", warnings=warnings)


def recognise_or_not(mesh: Mesh, progress: Callable[[str, int, int], None]) -> Recognition:
    """For the provider "auto": what cannot be asked or trusted is left, with a word where that is news."""
    if not WEIGHTS.exists():
        return Recognition()  # nothing was trained: there is no network to miss
    try:
        found = recognise(mesh, progress)
    except UserError as problem:
        if problem.code == "not_recognised":
            return Recognition(confidence=0.0, engine=learned_engine(), device=asked_device() or "cpu")
        return Recognition(warnings=(f"{problem.message} The elastic provider stands in for it.",))
    return found if found.confidence >= TRUSTED else replace(found, shape=None)
