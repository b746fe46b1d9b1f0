"""What the worker and the command line call: analyse a mesh, prepare a take, run it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from .assembly import assemble
from .body import Body, build_body
from .dynamics.conditions import Conditions, read_conditions
from .dynamics.simulate import Frame as SolverFrame
from .dynamics.simulate import Simulation
from .errors import UserError
from .geometry.material import MaterialCloud, sample_material
from .geometry.mesh import Mesh, validate_mesh
from .kinematics.base import Array

__all__ = ["Analysis", "Frame", "Progress", "Take", "analyze", "prepare", "read_conditions"]

Progress = Callable[[str, int, int], None]
REFERENCE_DENSITY = 1000.0  # kg/m^3, what the summary's mass is quoted for
FEWEST_ELASTIC_NODES = 8  # below this there is no deformation worth solving


def _silent(stage: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True)
class Frame:
    """One frame: index from 1, handles Float[H,3,4] on world rest positions, q Float[k], energy Float[3] joules."""

    index: int
    handles: Array
    q: Array
    energy: Array


@dataclass
class Analysis:
    """What was found in a mesh. Bodies for the anchors in use are kept, so that a second take starts at once."""

    mesh: Mesh
    cloud: MaterialCloud
    provider: str
    seconds: float
    _bodies: dict[tuple[float, bytes], Body] = field(default_factory=dict)

    def body(self, density: float, held: np.ndarray | None) -> Body:
        """The object for a density and held vertices (None: free)."""
        key = (density, b"" if held is None else held.tobytes())
        if key not in self._bodies:
            if len(self._bodies) >= 4:
                self._bodies.pop(next(iter(self._bodies)))
            self._bodies[key] = build_body(self.mesh, self.cloud, self.provider, density, held)
        return self._bodies[key]

    @property
    def weights(self) -> np.ndarray:
        """float32 (V,H) of the free object."""
        return self.body(REFERENCE_DENSITY, None).weights

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The kinematics found, for people and panels (JSON)."""
        return self.summarise(self.body(REFERENCE_DENSITY, None), None)

    def summarise(self, body: Body, anchored: bool | None) -> dict[str, Any]:
        """`anchored` None: not decided yet, it depends on the conditions."""
        return {
            "provider": self.provider,
            "degrees_of_freedom": body.kinematics.dof,
            "handles": int(body.weights.shape[1]),
            "confidence": None,
            "mass": body.total_mass,
            "size": body.size,
            "parts": self.cloud.part_count,
            "closed_parts": self.cloud.closed_part_count,
            "material_points": len(self.cloud.position),
            "anchored": anchored,
            "warnings": list(self.cloud.warnings),
        }


def analyze(vertices: Any, triangles: Any, provider: str = "auto", progress: Progress | None = None) -> Analysis:
    """Vertices Float[V,3] (metres, Z up) and triangles Int[F,3] to what can be simulated. Raises UserError."""
    tell = progress or _silent
    begin = perf_counter()
    if provider not in ("auto", "rigid", "elastic"):
        raise UserError("bad_provider", f"The provider '{provider}' is not known.", "Choose auto, rigid or elastic.")
    tell("analyzing", 0, 3)
    mesh = validate_mesh(vertices, triangles)
    cloud = sample_material(mesh)
    tell("analyzing", 1, 3)
    if provider == "elastic" and len(cloud.position) < FEWEST_ELASTIC_NODES:
        raise UserError("too_small", "The mesh is too small to bend.", "Choose the provider rigid.")
    if provider == "auto":
        provider = "elastic" if len(cloud.position) >= FEWEST_ELASTIC_NODES else "rigid"
    return Analysis(mesh, cloud, provider, perf_counter() - begin)


def prepare(analysis: Analysis, conditions: Any, progress: Progress | None = None) -> Take:
    """Checks the conditions and makes a take that is ready to run. Raises UserError."""
    tell = progress or _silent
    parsed = conditions if isinstance(conditions, Conditions) else read_conditions(conditions)
    if parsed.provider not in ("auto", analysis.provider):
        analysis = analyze(analysis.mesh.vertices, analysis.mesh.triangles, parsed.provider, progress)
    begin = perf_counter()
    tell("analyzing", 2, 3)
    setup = assemble(analysis, parsed)
    tell("analyzing", 3, 3)
    seconds = analysis.seconds + perf_counter() - begin
    summary = analysis.summarise(setup.body, setup.body.anchored)
    summary["warnings"] = summary["warnings"] + setup.warnings
    return Take(setup.body, setup.simulation, parsed, summary, seconds)


class Take:
    """One simulation: iterate `frames` once, then ask for the `report`."""

    def __init__(
        self,
        body: Body,
        simulation: Simulation,
        conditions: Conditions,
        summary: dict[str, Any],
        analyze_seconds: float,
    ) -> None:
        self._body, self._simulation = body, simulation
        self.summary = summary
        self.weights = body.weights
        self.frame_count = conditions.frames
        self.fps = conditions.fps
        self._analyze_seconds = analyze_seconds
        self._solve_seconds = 0.0

    def frames(self, should_cancel: Callable[[], bool]) -> Iterator[Frame]:
        """Yields frames as they are solved; raises Cancelled or UserError."""
        solver: Iterator[SolverFrame] = self._simulation.frames(should_cancel)
        while True:
            begin = perf_counter()
            solved = next(solver, None)
            self._solve_seconds += perf_counter() - begin
            if solved is None:
                return
            yield Frame(solved.index, self._body.frame.world_handles(solved.handles), solved.q, solved.energy)

    def report(self) -> dict[str, Any]:
        """Stage times (s), operation counts, what was found, warnings (JSON)."""
        count = self._simulation.stepper.statistics
        return {
            "stages": {"analyze": self._analyze_seconds, "solve": self._solve_seconds},
            "frames": self.frame_count,
            "steps": count.steps,
            "contact_steps": count.contact_steps,
            "halved_steps": count.halved_steps,
            "newton_iterations": count.newton_iterations,
            "stiffness_refreshes": count.stiffness_refreshes,
            "kinematics": self.summary,
            "warnings": self.summary["warnings"],
        }
