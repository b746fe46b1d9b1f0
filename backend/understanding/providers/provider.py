"""The interface of kinematics providers: what each says of a mesh, its body, its forces and its sliders."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ...bodies.body import Body
from ...dynamics.actor import Actor
from ...dynamics.conditions import Conditions
from ...dynamics.piece_conditions import PieceOverride
from ...dynamics.rigid_placement import RigidPlacement
from ...errors import UserError
from ...geometry.material import MaterialCloud, sample_material
from ...geometry.mesh import Mesh
from ...kinematics.base import Array
from ...kinematics.jointed import Jointed
from ...kinematics.rig import Rig
from ...texts import Text
from ..composition import Composition, understand
from ..joint_choices import JointChoices
from ..recognition import Recognition
from .forces import Forces
from .slider_map import SliderMap

__all__ = ["AnalysisInput", "Progress", "Provider", "Support"]

Progress = Callable[[str, int, int], None]


@dataclass
class AnalysisInput:
    """A mesh, and what is known of it before a provider looks at it."""

    mesh: Mesh
    progress: Progress
    joints: Any = None  # as the condition of that name says it
    recognition: Recognition | None = None  # what networks know of it, where they were asked already
    name: str = ""  # of the object, where it has one
    pieces: Sequence[PieceOverride] = ()  # what somebody says of them
    rig: Rig | None = None  # that of its file, where it has one

    @cached_property
    def composition(self) -> Composition:
        """Its pieces, what they are made of, and what it stands on. Raises UserError."""
        return understand(self.mesh, self.name).with_known(self.pieces)

    @cached_property
    def cloud(self) -> MaterialCloud:
        cloud = sample_material(self.mesh)
        self.progress("analyzing", 1, 3)
        return cloud


@dataclass(frozen=True)
class Support:
    """What an object stands on where nobody says what holds it."""

    base: np.ndarray | None = None  # vertices Int[n]; None: the lowest ones
    bolted: bool = False  # its base is held in any case
    settled: bool = True  # standing on its base, it hangs as it is drawn


@dataclass(frozen=True, eq=False)
class Provider(ABC):
    """One mesh as a provider understands it. The class is what is registered, an object of it belongs to one mesh."""

    name: ClassVar[str]  # in conditions, summaries and .blend files: small letters, digits and _
    label: ClassVar[str]  # in menus
    description: ClassVar[str]
    icon: ClassVar[str] = "PLUGIN"  # of Blender
    keys: ClassVar[frozenset[str]] = frozenset()  # which conditions it understands, of those that some do not
    offered: ClassVar[bool] = True  # in menus: it needs nothing that only files have
    holdable: ClassVar[bool] = True  # moves while some of its vertices are held

    knows_materials: ClassVar[bool] = False  # asks the composition itself what conditions leave open

    mesh: Mesh
    cloud: MaterialCloud
    recognition: Recognition = field(default=Recognition(), kw_only=True)

    jointed: ClassVar[Jointed | None] = None  # the parts and joints by which it moves
    choices: ClassVar[JointChoices | None] = None  # alternatives by which its joints may move
    joints: ClassVar[Sequence[dict[str, Any]]] = ()  # for people and panels (JSON)
    kept_energy: ClassVar[float | None] = None  # the share of the motion known to a network that is left in q

    @classmethod
    @abstractmethod
    def analyze(cls, given: AnalysisInput) -> Self:
        """Raises UserError where the mesh cannot move like this."""

    @abstractmethod
    def build(self, conditions: Conditions, held: np.ndarray | None) -> Body:
        """The body for what the conditions say it is made of; `held` vertices Int[n] do not move (None: free)."""

    def forces(self, body: Body, conditions: Conditions, posing: bool = False) -> Forces:
        """What brings the coordinates back, limits and damps them. Of a pose, which is static, potentials count."""
        return Forces()

    def first_rate(self, body: Body, q: Array) -> Array | None:
        """Rates Float[k] of the motion in which it is drawn; None: it is drawn at rest."""
        return None

    @abstractmethod
    def sliders(self, body: Body, placement: RigidPlacement, forces: Forces) -> SliderMap:
        """`placement` and the `forces` are those of the inverse kinematics of the body."""

    def actor(self, conditions: Conditions, held: np.ndarray | None, warnings: list[Text]) -> Actor | None:
        """What moves it in takes, if a solver of its own does; `held` vertices Int[n] do not move (None: free)."""
        return None

    @property
    def support(self) -> Support:
        return Support()

    def with_choices(self, numbers: Sequence[int]) -> Self:
        """The same with joints that move by the choices with these numbers. Raises UserError."""
        raise UserError("bad_choice.not_learned")
