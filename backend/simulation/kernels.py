"""The compiled kernels of the solvers: which of them objects need, and how a process loads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..dynamics.actor import Actor
from ..dynamics.rigid.crowd import is_rigid
from ..sheets import kernels as sheet_kernels
from ..sheets.solver import SheetSolver
from ..understanding.analysis import Progress
from . import rigid_kernels
from .kernel_cache import wait_for_background

__all__ = ["load_all_kernels", "load_kernels"]


@dataclass(frozen=True)
class _Kernels:
    """Kernels of one solver: whether an object needs them, whether this process has them, and what loads them."""

    needed_by: Callable[[Actor], bool]
    are_loaded: Callable[[], bool]
    load: Callable[[], None]


_ALL = (
    _Kernels(is_rigid, rigid_kernels.are_loaded, rigid_kernels.load),
    _Kernels(
        lambda actor: isinstance(actor.solver, SheetSolver),
        sheet_kernels.are_loaded,
        sheet_kernels.load,
    ),
)


def load_kernels(actors: Sequence[Actor], progress: Progress) -> None:
    """Loads what these objects need; at the first time on a machine they are compiled, which takes half a minute."""
    missing = [each for each in _ALL if not each.are_loaded() and any(map(each.needed_by, actors))]
    if not missing:
        return
    progress("compiling", 0, 1)
    wait_for_background(progress)
    for each in missing:
        each.load()
    progress("compiling", 1, 1)


def load_all_kernels() -> None:
    """Loads the kernels of all solvers."""
    for each in _ALL:
        each.load()
