"""The analysis of a mesh: its kinematics provider, and the bodies made of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from ..bodies.body import Body
from ..dynamics.conditions import Conditions, checked_vertices
from ..dynamics.energies import Energy
from ..dynamics.piece_conditions import PieceOverride
from ..errors import UserError
from ..geometry.labels import Labels
from ..geometry.material import MaterialCloud
from ..geometry.mesh import Mesh, validate_mesh
from ..kinematics.jointed import Jointed
from ..kinematics.joints_json import jointed_mesh
from ..kinematics.rig import Rig
from ..texts import Text
from .composition import Composition, bends, understand
from .material_conditions import with_materials
from .provider_choice import chosen_provider
from .providers.articulated import Articulated
from .providers.composed import Composed
from .providers.elastic import Elastic
from .providers.own_solver import OwnSolver
from .providers.provider import AnalysisInput, Progress, Provider
from .providers.registry import AUTOMATIC, BY_PIECES, provider_named, understands
from .providers.rig import Rigged
from .providers.rigid import Rigid
from .providers.sheet import Sheet

__all__ = ["Analysis", "Progress", "analyze", "silent", "suited_analysis"]


def silent(stage: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


@dataclass
class Analysis:
    """What was found in a mesh. Bodies for the anchors in use are kept, so that a second take starts at once.

    `energies` of one's own act besides what the conditions say; see `extending`.
    """

    model: Provider
    seconds: float
    reasons: tuple[Text, ...] = ()  # why "auto" has chosen this provider
    energies: Callable[[Body], Sequence[Energy]] | None = None
    name: str = ""  # of the object, where it has one
    automatic: bool = False  # nobody has said how it moves
    rig: Rig | None = None  # that of its file, whether it moves by it or not
    understood: Callable[[], Composition] | None = None  # finds the composition
    sized: dict[float, Analysis] = field(default_factory=dict)  # the same at the last size (m) that was asked for
    _bodies: dict[Hashable, Body] = field(default_factory=dict)

    @property
    def mesh(self) -> Mesh:
        return self.model.mesh

    @property
    def cloud(self) -> MaterialCloud:
        return self.model.cloud

    @property
    def provider(self) -> str:
        """Its name."""
        return self.model.name

    @cached_property
    def composition(self) -> Composition:
        """Its pieces, what they are made of, and what it stands on."""
        return understand(self.mesh, self.name) if self.understood is None else self.understood()

    @property
    def piece(self) -> np.ndarray:
        """int32 (F,): which of the pieces of the summary each triangle is of."""
        return self.composition.cut.piece.astype(np.int32)

    def made_of(self, conditions: Conditions) -> Conditions:
        """Conditions that say of what it is made, by its materials where these are known and nobody says otherwise."""
        if self.automatic and self.composition.decides:
            return with_materials(self.composition, conditions)
        return conditions.completed()

    def of_take(self, conditions: Conditions) -> Conditions:
        """The same for a take, in which a solver may know more of materials than what conditions can say."""
        return conditions if self.model.knows_materials else self.made_of(conditions)

    def body(self, conditions: Conditions, held: np.ndarray | None) -> Body:
        """The object for what the conditions say it is made of and for held vertices (None: free). Raises UserError."""
        conditions = conditions.completed()
        regions = [(part.vertices.tobytes(), *astuple(part)[1:]) for part in conditions.materials]
        # Without regions Young's modulus only scales what is found.
        young = conditions.young if regions else None
        made_of = (conditions.density, young, conditions.poisson, conditions.handles)
        key = (*made_of, tuple(regions), b"" if held is None else held.tobytes())
        if key not in self._bodies:
            for number, part in enumerate(conditions.materials):
                checked_vertices(part.vertices, len(self.mesh.vertices), f"materials[{number}].vertices")
            if len(self._bodies) >= 4:
                self._bodies.pop(next(iter(self._bodies)))
            self._bodies[key] = self.model.build(conditions, held)
        return self._bodies[key]

    @property
    def weights(self) -> np.ndarray:
        """float32 (V,H) of the free object."""
        return self.body(self.made_of(Conditions()), None).weights

    def with_choices(self, numbers: Sequence[int]) -> Analysis:
        """The same object, joints moving by the choices with these numbers. Raises UserError."""
        return replace(self, model=self.model.with_choices(numbers), _bodies={}) if numbers else self

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The kinematics found, for people and panels (JSON)."""
        if isinstance(self.model, OwnSolver):
            return self.summarise(None, None)
        return self.summarise(self.body(self.made_of(Conditions()), None), None)

    def summarise(self, body: Body | None, anchored: bool | None, mass: float | None = None) -> dict[str, Any]:
        """`anchored` None: not decided yet, it depends on the conditions.

        `body` None: a solver of its own moves the object, of `mass` kg (None: not decided yet).
        """
        recognition, choices = self.model.recognition, self.model.choices
        return {
            "provider": self.provider,
            "degrees_of_freedom": 0 if body is None else body.kinematics.dof,
            "handles": 0 if body is None else int(body.weights.shape[1]),
            "reasons": list(self.reasons),
            "confidence": recognition.confidence,
            "engine": recognition.engine,
            "device": recognition.device,
            "joints": list(self.model.joints),
            "choices": [] if choices is None else choices.told(),
            "kept_energy": self.model.kept_energy,
            "mass": mass if body is None else body.total_mass,
            "size": float(np.ptp(self.mesh.vertices, axis=0).max()) if body is None else body.size,
            "parts": self.cloud.part_count,
            "closed_parts": self.cloud.closed_part_count,
            "material_slots": int(self.mesh.slots.max()) + 1,
            "material_points": len(self.cloud.position),
            "pieces": self.composition.told(),
            "support": self.composition.support.kind,
            "support_probability": self.composition.support.probability,
            "support_reason": self.composition.support.reason,
            "size_guess": self.composition.size_guess,
            "separate": self.composition.loose is not None,
            "anchored": anchored,
            "warnings": [*self.cloud.warnings, *recognition.warnings, *self.composition.warnings],
        }


def analyze(
    vertices: Any,
    triangles: Any,
    provider: str = AUTOMATIC,
    progress: Progress | None = None,
    slots: Any = None,
    joints: Any = None,
    labels: Labels | None = None,
    name: str = "",
    pieces: Sequence[PieceOverride] = (),
    rig: Rig | None = None,
) -> Analysis:
    """Vertices Float[V,3] (metres, Z up) and triangles Int[F,3] to what can be simulated. Raises UserError.

    `slots` Int[F] are the material slots of the triangles, where there are any; `joints` what is known of its joints,
    as the condition of that name says it; the provider articulated seeks them where nothing is known. `labels` are the
    names of materials and objects by the numbers of `slots`, `name` is that of the whole. `pieces` is what somebody
    says of pieces; that of one that is not there does not count. `rig` are the bones that carry it.
    """
    tell = progress or silent
    begin = perf_counter()
    asked = None if provider == AUTOMATIC else provider_named(provider)
    tell("analyzing", 0, 3)
    given = AnalysisInput(
        validate_mesh(vertices, triangles, slots, labels), tell, joints, name=name, pieces=pieces, rig=rig
    )
    model, reasons = _automatic(given) if asked is None else (asked.analyze(given), ())
    return Analysis(
        model,
        perf_counter() - begin,
        reasons,
        name=name,
        automatic=asked is None,
        rig=rig,
        understood=lambda: given.composition,
    )


def _automatic(given: AnalysisInput) -> tuple[Provider, tuple[Text, ...]]:
    """The provider that suits the mesh, and why."""
    if given.joints is not None:
        given.joints = jointed_mesh(given.mesh, given.joints)
        return provider_named(_of_joints(given.composition, given.joints)).analyze(given), ()
    if given.rig is not None and len(given.rig.names) > 1:
        try:
            return Rigged.analyze(given), (Text("reason.rig"),)
        except UserError as problem:
            if problem.code != "bad_rig":
                raise
    chosen = chosen_provider(given.mesh, Elastic.can_bend(given.cloud), given.progress, lambda: given.composition)
    given.recognition = chosen.recognition
    model, reasons = provider_named(chosen.provider).analyze(given), chosen.reasons
    if isinstance(model, Composed) and not model.bends:  # its soft pieces are specks
        model, reasons = Rigid.analyze(given), (Text("reason.nothing_bends"),)
    return model, reasons


def _of_joints(composition: Composition, jointed: Jointed) -> str:
    """The provider of what has joints: a file that says what its links weigh means rigid ones."""
    weighed = any(inertia is not None for inertia in jointed.inertias)
    soft = composition.decides and any(bends(behaviour) for behaviour in composition.behaviours)
    return Composed.name if soft and not weighed else Articulated.name


def suited_analysis(analysis: Analysis, conditions: Conditions, progress: Progress | None) -> Analysis:
    """The analysis for the provider that the conditions ask for."""
    mesh, joints, wanted = analysis.mesh, conditions.joints, conditions.provider
    if joints is not None and wanted != AUTOMATIC and not understands(wanted, "joints"):
        raise UserError("bad_conditions.joints_unused", provider=wanted)
    new_joints = joints is not None and joints is not analysis.model.jointed
    if new_joints or wanted not in (AUTOMATIC, analysis.provider):
        suited = analyze(
            mesh.vertices,
            mesh.triangles,
            wanted,
            progress,
            mesh.slots,
            joints,
            mesh.labels,
            analysis.name,
            rig=analysis.rig,
        )
        analysis = replace(suited, energies=analysis.energies)
    if analysis.automatic and wanted == AUTOMATIC:
        analysis = _as_given(analysis, conditions, progress)
    elif conditions.pieces and isinstance(analysis.model, Sheet):
        made = analysis.composition.overridden(conditions.pieces, None)
        analysis = replace(analysis, model=replace(analysis.model, composition=made), understood=lambda: made)
    return analysis


def _as_given(analysis: Analysis, conditions: Conditions, progress: Progress | None) -> Analysis:
    """The analysis with what somebody says of pieces, support and stiffness, which may be another way to move."""
    jointed = analysis.model.jointed
    by_pieces = analysis.provider in BY_PIECES or jointed is not None
    made = analysis.composition if by_pieces else None
    if conditions.pieces or conditions.support is not None:
        made = analysis.composition.overridden(conditions.pieces, conditions.support)
        analysis = replace(analysis, understood=lambda: made, _bodies={})
    # Who says how stiff it is wants it to bend.
    stiff = conditions.stiffness_hz is not None or conditions.young is not None
    if made is None or not made.decides or not (conditions.pieces or stiff):
        return analysis
    wanted = "elastic" if stiff else made.provider
    if jointed is not None:
        wanted = _of_joints(made, jointed)
    by_piece = wanted in (Composed.name, Sheet.name)
    same = wanted == analysis.provider and not (by_piece and conditions.pieces)
    if same or not Elastic.can_bend(analysis.cloud):
        return analysis
    given = AnalysisInput(analysis.mesh, progress or silent, jointed, analysis.model.recognition, analysis.name)
    given.composition = made
    return replace(analysis, model=provider_named(wanted).analyze(given), _bodies={})
