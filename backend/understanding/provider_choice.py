"""Choice of the provider for "auto": rigid, elastic or learned, by what can be measured on the mesh without truth.

A mesh too small to bend is rigid. The learned provider is taken where some joint that it tells is likely one, without
those that are not, or where nothing but bends is told and its confidence is high enough. Else materials decide where
they are known: what nothing bends of is rigid, what all bends of is elastic, and all else is composed of rigid and soft
pieces. Joints that the search finds are never chosen by themselves: on objects whose joints are known no measure showed
where they are the better bet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..geometry.mesh import Mesh
from ..texts import Text
from .composition import Composition
from .joint_verdict import with_likely_joints
from .recognition import Recognition, recognise_or_not

__all__ = ["TRUSTED", "Chosen", "chosen_provider"]

TRUSTED = 0.5  # confidence from which the learned provider is taken

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Chosen:
    """The provider, what the network recognised, and `reasons`: sentences that say why it is this provider."""

    provider: str
    recognition: Recognition
    reasons: tuple[Text, ...]


def chosen_provider(mesh: Mesh, can_bend: bool, progress: Progress, composition: Callable[[], Composition]) -> Chosen:
    """`can_bend`: whether there is enough of it for the elastic provider; `composition` finds what it is made of."""
    if not can_bend:
        return Chosen("rigid", Recognition(), reasons=(Text("reason.too_little"),))
    recognition = recognise_or_not(mesh, progress)
    known = recognition.shape is not None and recognition.confidence is not None
    likely = _with_likely_joints(mesh, recognition) if known else recognition
    if likely.shape is not None and likely.confidence is not None and likely.confidence >= TRUSTED:
        return Chosen("learned", likely, (Text("reason.learned"),))
    unused, made = replace(recognition, shape=None), composition()
    if made.decides:
        reason = Text("reason.nothing_bends") if made.provider == "rigid" else Text("reason.some_bends")
        return Chosen(made.provider, unused, (reason,))
    if not known:
        return Chosen("elastic", unused, (Text("reason.nothing_learned"),))
    reason = Text("reason.no_joints") if likely.shape is None else Text("reason.learned_unfit")
    return Chosen("elastic", unused, (reason,))


def _with_likely_joints(mesh: Mesh, recognition: Recognition) -> Recognition:
    """What was recognised without unlikely joints; its shape is None where none is left."""
    assert recognition.shape is not None
    shape, confidence = with_likely_joints(mesh, recognition.shape), recognition.confidence
    if shape is not None and shape.sure is not None and len(shape.joint_latents):
        # What is told is joints: as sure as these are one with another.
        confidence = float(shape.sure[shape.joint_latents].mean())
    return replace(recognition, shape=shape, confidence=confidence)
