"""The provider "auto": rigid, elastic, learned or articulated, by what can be measured on the object without truth.

What is too small to bend is rigid. The learned provider is taken where it can be trusted, else the object is elastic.
Joints that simulation and network find in the mesh are taken instead where their evidence says that they are nearer.
They are sought only where they could win if nothing spoke against them, and cost little: in meshes of few loose parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..errors import UserError
from ..geometry.mesh import Mesh
from ..joint_search.parts import pieces_of
from ..kinematics.jointed import Jointed
from ..texts import Text
from .detect import KnownJoints, known_joints
from .joint_evidence import JointEvidence, best_joint_confidence, joint_confidence, joint_evidence
from .moving_parts import moving_parts
from .recognition import Recognition, recognise_or_not

__all__ = ["JOINTED", "TRUSTED", "Chosen", "chosen_provider", "evidence_of", "why_not_sought"]

TRUSTED = 0.5  # confidence from which the learned provider is taken
JOINTED = 0.5  # confidence from which found joints are taken instead of what else would be
MOST_PIECES = 40  # loose parts among which joints are sought: each takes a twentieth of a second
MOST_TRIANGLES = 200_000  # of the mesh: larger ones take seconds

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Chosen:
    """`jointed` where the provider is "articulated"; `reasons` say in sentences why it is this one."""

    provider: str
    recognition: Recognition
    reasons: tuple[Text, ...]
    jointed: Jointed | None = None


def chosen_provider(mesh: Mesh, can_bend: bool, progress: Progress) -> Chosen:
    """`can_bend`: whether there is enough of it for the elastic provider."""
    if not can_bend:
        return Chosen("rigid", Recognition(), reasons=(Text("reason.too_little"),))
    recognition = recognise_or_not(mesh, progress)
    if recognition.shape is None or recognition.confidence is None:
        return Chosen("elastic", recognition, reasons=(Text("reason.nothing_learned"),))
    jointed, told = None, ()
    if best_joint_confidence(recognition.confidence) >= JOINTED:
        jointed, sure, told = _sought(mesh, recognition, progress)
        recognition = replace(recognition, joint_confidence=sure)
    if jointed is not None:
        why = Text("reason.joints_surer")
        return Chosen("articulated", replace(recognition, shape=None), reasons=(why,), jointed=jointed)
    if recognition.confidence >= TRUSTED:
        return Chosen("learned", recognition, reasons=(Text("reason.learned"), *told))
    why = Text("reason.learned_unfit")
    return Chosen("elastic", replace(recognition, shape=None), reasons=(why, *told))


def why_not_sought(mesh: Mesh) -> Text | None:
    """Why joints are not worth looking for; None where they are."""
    if len(mesh.triangles) > MOST_TRIANGLES:
        return Text("reason.many_faces")
    pieces = int(pieces_of(mesh.vertices, mesh.triangles).max()) + 1
    if pieces == 1:
        return Text("reason.one_piece")
    return Text("reason.many_parts") if pieces > MOST_PIECES else None


def evidence_of(
    known: KnownJoints, jointed: Jointed | None, mesh: Mesh, recognition: Recognition
) -> JointEvidence | None:
    """None where there is nothing to weigh: none moves, or simulation alone has chosen."""
    if jointed is None or known.engine is None or recognition.shape is None or recognition.confidence is None:
        return None
    return joint_evidence(known.found, jointed, mesh, recognition.shape, recognition.confidence)


def _sought(
    mesh: Mesh, recognition: Recognition, progress: Progress
) -> tuple[Jointed | None, float | None, tuple[Text, ...]]:
    """The joints if they are to be taken, how sure they are, and a word on those that are not there."""
    told = why_not_sought(mesh)
    if told is not None:
        return None, None, (told,)
    try:
        known = known_joints(mesh, progress=progress)
    except UserError:
        return None, None, (_outcome(None),)
    jointed = moving_parts(known.found, mesh)
    evidence = evidence_of(known, jointed, mesh, recognition)
    if evidence is None:
        return None, None, (_outcome(None),)
    sure = joint_confidence(evidence)
    if sure >= JOINTED:
        return jointed, sure, ()
    return None, sure, (_outcome(sure),)


def _outcome(confidence: float | None) -> Text:
    """A word on joints that are not taken."""
    return Text("reason.no_joints") if confidence is None else Text("reason.joints_less_sure")
