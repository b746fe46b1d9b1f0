"""Whether the network knows how a mesh moves: its state space, how far that can be trusted, and what to use then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .errors import UserError
from .geometry.mesh import Mesh
from .kinematics.confidence import confidence_of, consistency
from .kinematics.learned_shape import LearnedShape, learned_shape

__all__ = ["Recognition", "recognise", "recognise_or_not"]

WEIGHTS = Path(__file__).resolve().parent / "weights" / "state_space.safetensors"
TRUSTED = 0.5  # confidence from which "auto" takes the learned provider
SAMPLINGS = (0, 1)  # seeds of the encoding that is used and of the one that it is compared with


@dataclass(frozen=True)
class Recognition:
    """`shape` is None where it is not to be used; `confidence` None where nothing was asked."""

    shape: LearnedShape | None = None
    confidence: float | None = None
    warnings: tuple[str, ...] = ()


def recognise(mesh: Mesh, progress: Callable[[str, int, int], None]) -> Recognition:
    """Raises UserError where there is no network to ask, or no motion that it knows of."""
    progress("encoding", 0, 2)
    try:
        from .model.encode import encodings
    except ModuleNotFoundError as missing:
        if missing.name not in ("torch", "safetensors"):
            raise
        raise UserError(
            "no_torch",
            "The learned provider needs PyTorch, which this Python does not have.",
            "Run 'python build.py setup', or choose the provider elastic.",
        ) from None
    spaces = encodings(mesh.vertices, mesh.triangles, mesh.slots, seeds=SAMPLINGS)
    shape, other = (learned_shape(space, mesh.vertices, mesh.triangles) for space in spaces)
    progress("encoding", 1, 2)
    confidence = confidence_of(consistency(shape, other, mesh.vertices, mesh.triangles))
    if confidence == 0.0:
        raise UserError(
            "not_recognised",
            "The network does not see how this mesh would move.",
            "Choose the provider elastic or rigid.",
        )
    return Recognition(shape, confidence)


def recognise_or_not(mesh: Mesh, progress: Callable[[str, int, int], None]) -> Recognition:
    """For the provider "auto": what cannot be asked or trusted is left, with a word where that is news."""
    if not WEIGHTS.exists():
        return Recognition()  # nothing was trained: there is no network to miss
    try:
        found = recognise(mesh, progress)
    except UserError as problem:
        if problem.code == "not_recognised":
            return Recognition(confidence=0.0)
        return Recognition(warnings=(f"{problem.message} The elastic provider stands in for it.",))
    return found if found.confidence >= TRUSTED else Recognition(confidence=found.confidence)
