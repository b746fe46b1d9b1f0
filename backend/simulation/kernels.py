"""The compiled kernels of the solvers: which of them objects need, and how they are compiled before a take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..dynamics.actor import Actor
from ..dynamics.conditions import Conditions
from ..dynamics.latent_solver import LatentSolver
from ..dynamics.rigid.crowd import is_rigid
from ..sheets.solver import SheetSolver
from ..sheets.tiny_sheet import step_tiny_sheet
from ..understanding.analysis import Progress
from .kernel_cache import compile_in_background, is_compiled, note_compiled, wait_for_background
from .tiny_worlds import drop_rigid_things, drop_soft_things

__all__ = ["begin_compiling", "compile_all_kernels", "compile_kernels"]


@dataclass(frozen=True)
class _Kernels:
    """Kernels of one solver: whether an object needs them, if it may touch something (bool) or not; what calls all."""

    solver: str
    needed_by: Callable[[Actor, bool], bool]
    call: Callable[[], None]


_ALL = (
    _Kernels("rigid", lambda actor, _: is_rigid(actor), drop_rigid_things),
    _Kernels(
        "soft",
        lambda actor, touches: touches and isinstance(actor.solver, LatentSolver) and not is_rigid(actor),
        drop_soft_things,
    ),
    _Kernels("sheet", lambda actor, _: isinstance(actor.solver, SheetSolver), step_tiny_sheet),
)


def begin_compiling() -> None:
    """Begins to compile all kernels that are not in the cache, in the background."""
    compile_in_background([each.solver for each in _ALL])


def compile_kernels(actors: Sequence[Actor], conditions: Conditions, progress: Progress) -> None:
    """Compiles what these objects need; only at the first time on a machine, where it takes half a minute.

    Of the `conditions` what all of them share counts.
    """
    around = len(actors) > 1 or conditions.ground is not None or bool(conditions.colliders)
    missing = [
        each
        for each in _ALL
        if not is_compiled(each.solver) and any(each.needed_by(actor, around or actor.self_contact) for actor in actors)
    ]
    if not missing:
        return
    progress("compiling", 0, 1)
    wait_for_background([each.solver for each in missing], progress)
    _compile(missing)
    progress("compiling", 1, 1)


def compile_all_kernels() -> None:
    _compile(_ALL)


def _compile(kernels: Sequence[_Kernels]) -> None:
    """Calls those that are not in the cache."""
    for each in kernels:
        if not is_compiled(each.solver):
            each.call()
            note_compiled(each.solver)
