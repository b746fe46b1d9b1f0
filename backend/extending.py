"""Providers, energies and solvers of one's own, and the files that bring them: docs/extending.md has examples."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from .bodies.body import Body
from .dynamics.energies import Energy
from .errors import UserError
from .geometry.material import sample_material
from .geometry.mesh import validate_mesh
from .understanding.analysis import Analysis
from .understanding.providers.own_solver import ActorBuilder, OwnSolver
from .understanding.providers.provider import Provider
from .understanding.providers.registry import register
from .understanding.providers.skinning import Skinning

__all__ = ["VARIABLE", "Provider", "Skinning", "load_extensions", "register", "solver_analysis", "with_energies"]

VARIABLE = "NEUROK_EXTENSIONS"  # paths of Python files, separated as in PATH

_problems: dict[str, UserError | None] = {}  # of the files that were run, by path


def solver_analysis(build_actor: ActorBuilder, vertices: Any, triangles: Any, name: str) -> Analysis:
    """Vertices Float[V,3] (metres, Z up) and triangles Int[F,3] as an object that a solver of one's own moves.

    `build_actor` gets the mesh, its material cloud, the conditions and the held vertices Int[n] (None: free); it makes
    the solver, its first state and the forces on it (`dynamics.actor.Actor`). Raises UserError where the mesh cannot be
    used.
    """
    begin = perf_counter()
    mesh = validate_mesh(vertices, triangles)
    cloud = sample_material(mesh)
    return Analysis(OwnSolver(mesh, cloud, build_actor, name), perf_counter() - begin)


def with_energies(analysis: Analysis, energies: Callable[[Body], Sequence[Energy]]) -> Analysis:
    """The same object, on which these act besides what the conditions say."""
    return replace(analysis, energies=energies)


def load_extensions() -> list[UserError]:
    """Runs the files that the variable NEUROK_EXTENSIONS names, each once; what went wrong in those that failed."""
    paths = [path for path in os.environ.get(VARIABLE, "").split(os.pathsep) if path.strip()]
    for path in paths:
        if path not in _problems:
            _problems[path] = _run(Path(path.strip()).expanduser())
    return [problem for path in paths if (problem := _problems[path]) is not None]


def _run(path: Path) -> UserError | None:
    if not path.is_file():
        return UserError("bad_extension.missing", path=path)
    name = f"neurok_extension_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        return UserError("bad_extension.no_python", path=path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as problem:
        del sys.modules[name]
        refusal = UserError("bad_extension.fails", file=path.name, kind=type(problem).__name__, reason=problem)
        refusal.__cause__ = problem
        return refusal
    return None
