"""The analysis of a mesh: its kinematics provider, and the bodies made of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from ..bodies.body import Body, build_body
from ..bodies.jointed_body import build_articulated_body
from ..bodies.learned_body import build_learned_body
from ..dynamics.actor import Actor
from ..dynamics.conditions import Conditions, checked_vertices
from ..dynamics.energies import Energy
from ..errors import UserError
from ..geometry.material import MaterialCloud, sample_material
from ..geometry.mesh import Mesh, validate_mesh
from ..geometry.part_clouds import part_clouds
from ..kinematics.jointed import Jointed, joint_tree_json
from ..kinematics.joints_json import jointed_mesh
from ..kinematics.learned_shape import LearnedShape
from .joint_choices import told_choices, told_joints, with_choices
from .provider_choice import chosen_provider
from .recognition import Recognition, recognise, recognise_joints

__all__ = ["ActorBuilder", "Analysis", "Builder", "Progress", "analyze", "silent", "suited_analysis"]

Progress = Callable[[str, int, int], None]
Builder = Callable[[Mesh, MaterialCloud, Conditions, np.ndarray | None], Body]
ActorBuilder = Callable[[Mesh, MaterialCloud, Conditions, np.ndarray | None], Actor]
REFERENCE_DENSITY = 1000.0  # kg/m^3, what the summary's mass is quoted for
PROVIDERS = ("auto", "rigid", "elastic", "learned", "articulated")
FEWEST_ELASTIC_NODES = 8  # below this there is no deformation worth solving


def silent(stage: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


@dataclass
class Analysis:
    """What was found in a mesh. Bodies for the anchors in use are kept, so that a second take starts at once.

    `builder` makes the body where the provider is one's own, `build_actor` all that moves where the solver is; then
    there are no bodies. `energies` act besides what the conditions say. See `extending`.
    """

    mesh: Mesh
    cloud: MaterialCloud
    provider: str
    seconds: float
    recognition: Recognition = field(default_factory=Recognition)
    builder: Builder | None = None
    build_actor: ActorBuilder | None = None
    energies: Callable[[Body], Sequence[Energy]] | None = None
    jointed: Jointed | None = None  # where the provider is "articulated": its parts and joints
    node_part: np.ndarray | None = None  # Int[N], and the part of each node of the cloud
    reasons: tuple[str, ...] = ()  # why "auto" has chosen this provider
    _bodies: dict[Hashable, Body] = field(default_factory=dict)

    def body(self, conditions: Conditions, held: np.ndarray | None) -> Body:
        """The object for what the conditions say it is made of and for held vertices (None: free).

        Raises ValueError where a solver of its own moves it: only a script can make such an analysis.
        """
        if self.build_actor is not None:
            raise ValueError("an object with a solver of its own has no coordinates: it can be simulated, not posed")
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
            self._bodies[key] = self._built(conditions, held, young)
        return self._bodies[key]

    def _built(self, conditions: Conditions, held: np.ndarray | None, young: float | None) -> Body:
        if self.builder is not None:
            return self.builder(self.mesh, self.cloud, conditions, held)
        if self.jointed is not None and self.node_part is not None:
            return build_articulated_body(
                self.mesh,
                self.cloud,
                self.node_part,
                self.jointed,
                conditions.density,
                held,
                conditions.materials,
            )
        if self.learned is not None:
            return build_learned_body(
                self.mesh, self.cloud, self.learned, conditions.density, held, conditions.materials
            )
        return build_body(
            self.mesh,
            self.cloud,
            self.provider,
            conditions.density,
            held,
            regions=conditions.materials,
            young=young,
            poisson=conditions.poisson,
            handles=conditions.handles,
        )

    @property
    def learned(self) -> LearnedShape | None:
        """Where the learned provider is used, what it uses."""
        return self.recognition.shape if self.provider == "learned" else None

    @property
    def weights(self) -> np.ndarray:
        """float32 (V,H) of the free object."""
        return self.body(Conditions(density=REFERENCE_DENSITY), None).weights

    def with_choices(self, numbers: Sequence[int]) -> Analysis:
        """The same object, joints moving by the choices with these numbers. Raises UserError."""
        if not numbers:
            return self
        shape = with_choices(self.learned, numbers, self.mesh)
        return replace(self, recognition=replace(self.recognition, shape=shape), _bodies={})

    def _told_joints(self, body: Body) -> list[dict[str, Any]]:
        if body.jointed is not None:
            return joint_tree_json(body.jointed.tree)
        return [] if body.learned is None else told_joints(body.learned)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The kinematics found, for people and panels (JSON)."""
        if self.build_actor is not None:
            return self.summarise(None, None)
        return self.summarise(self.body(Conditions(density=REFERENCE_DENSITY), None), None)

    def summarise(self, body: Body | None, anchored: bool | None, mass: float | None = None) -> dict[str, Any]:
        """`anchored` None: not decided yet, it depends on the conditions.

        `body` None: a solver of its own moves the object, of `mass` kg (None: not decided yet).
        """
        learned = None if body is None else body.learned
        return {
            "provider": self.provider,
            "degrees_of_freedom": 0 if body is None else body.kinematics.dof,
            "handles": 0 if body is None else int(body.weights.shape[1]),
            "reasons": list(self.reasons),
            "confidence": self.recognition.confidence,
            "engine": self.recognition.engine,
            "device": self.recognition.device,
            "joints": [] if body is None else self._told_joints(body),
            "choices": [] if learned is None else told_choices(learned),
            "kept_energy": None if learned is None else learned.reduction.kept,
            "mass": mass if body is None else body.total_mass,
            "size": float(np.ptp(self.mesh.vertices, axis=0).max()) if body is None else body.size,
            "parts": self.cloud.part_count,
            "closed_parts": self.cloud.closed_part_count,
            "material_slots": int(self.mesh.slots.max()) + 1,
            "material_points": len(self.cloud.position),
            "anchored": anchored,
            "warnings": [*self.cloud.warnings, *self.recognition.warnings],
        }


def analyze(
    vertices: Any,
    triangles: Any,
    provider: str = "auto",
    progress: Progress | None = None,
    slots: Any = None,
    joints: Any = None,
) -> Analysis:
    """Vertices Float[V,3] (metres, Z up) and triangles Int[F,3] to what can be simulated. Raises UserError.

    `slots` Int[F] are the material slots of the triangles, where there are any; `joints` what is known of its joints,
    as the condition of that name says it; the provider articulated seeks them where nothing is known.
    """
    tell = progress or silent
    begin = perf_counter()
    if provider not in PROVIDERS:
        known = ", ".join(PROVIDERS)
        raise UserError("bad_provider", f"The provider '{provider}' is not known.", f"Choose one of: {known}.")
    tell("analyzing", 0, 3)
    mesh = validate_mesh(vertices, triangles, slots)
    if provider == "articulated" or (provider == "auto" and joints is not None):
        return _articulated(mesh, joints, tell, begin)
    cloud = sample_material(mesh)
    tell("analyzing", 1, 3)
    if provider == "elastic" and len(cloud.position) < FEWEST_ELASTIC_NODES:
        raise UserError("too_small", "The mesh is too small to bend.", "Choose the provider rigid.")
    if provider == "auto":
        chosen = chosen_provider(mesh, len(cloud.position) >= FEWEST_ELASTIC_NODES, tell)
        seconds = perf_counter() - begin
        return Analysis(mesh, cloud, chosen.provider, seconds, chosen.recognition, reasons=chosen.reasons)
    recognition = recognise(mesh, tell) if provider == "learned" else Recognition()
    return Analysis(mesh, cloud, provider, perf_counter() - begin, recognition)


def _articulated(mesh: Mesh, joints: Any, tell: Progress, begin: float) -> Analysis:
    if joints is None:
        return _jointed(mesh, *recognise_joints(mesh, tell), tell, begin)
    return _jointed(mesh, jointed_mesh(mesh, joints), Recognition(), tell, begin)


def _jointed(mesh: Mesh, jointed: Jointed, recognition: Recognition, tell: Progress, begin: float) -> Analysis:
    cloud, node_part = part_clouds(mesh, jointed.part)
    tell("analyzing", 2, 3)
    seconds = perf_counter() - begin
    return Analysis(mesh, cloud, "articulated", seconds, recognition, jointed=jointed, node_part=node_part)


def suited_analysis(analysis: Analysis, conditions: Conditions, progress: Progress | None) -> Analysis:
    """The analysis for the provider that the conditions ask for."""
    mesh, joints = analysis.mesh, conditions.joints
    if joints is not None and conditions.provider not in ("auto", "articulated"):
        problem = f"The condition 'joints' says nothing to the provider {conditions.provider}."
        raise UserError("bad_conditions", problem, "Choose the provider articulated, or leave the joints out.")
    new_joints = joints is not None and joints is not analysis.jointed
    if new_joints or conditions.provider not in ("auto", analysis.provider):
        joints = analysis.jointed if joints is None and conditions.provider == "articulated" else joints
        suited = analyze(mesh.vertices, mesh.triangles, conditions.provider, progress, mesh.slots, joints)
        analysis = replace(suited, energies=analysis.energies)
    return analysis
