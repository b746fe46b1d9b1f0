"""Choice of the provider for "auto": rigid, elastic or learned, by what can be measured on the mesh without truth.

A mesh too small to bend is rigid. The learned provider is taken where some joint that it tells is likely one, without
those that are not, or where nothing but bends is told and its confidence is high enough; else the elastic one. Joints
that the search finds are never chosen by themselves: on objects whose joints are known no measure showed where they are
the better bet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..geometry.mesh import Mesh
from ..texts import Text
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


def chosen_provider(mesh: Mesh, can_bend: bool, progress: Progress) -> Chosen:
    """`can_bend`: whether there is enough of it for the elastic provider."""
    if not can_bend:
        return Chosen("rigid", Recognition(), reasons=(Text("reason.too_little"),))
    recognition = recognise_or_not(mesh, progress)
    if recognition.shape is None or recognition.confidence is None:
        return Chosen("elastic", recognition, reasons=(Text("reason.nothing_learned"),))
    shape = with_likely_joints(mesh, recognition.shape)
    confidence = recognition.confidence
    if shape is not None and shape.sure is not None and len(shape.joint_latents):
        # What is told is joints: as sure as these are one with another.
        confidence = float(shape.sure[shape.joint_latents].mean())
    if shape is not None and confidence >= TRUSTED:
        return Chosen("learned", replace(recognition, shape=shape, confidence=confidence), (Text("reason.learned"),))
    reason = Text("reason.no_joints") if shape is None else Text("reason.learned_unfit")
    return Chosen("elastic", replace(recognition, shape=None), reasons=(reason,))
