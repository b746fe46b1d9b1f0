"""What the worker, the command line and scripts call: analyse a mesh, prepare a take, pose an object, run it live."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from typing import Any

from .dynamics.conditions import Conditions, read_conditions
from .errors import blamed
from .interactive.live import Live
from .interactive.posing import Posing
from .interactive.start_pose import with_start_pose
from .kinematics.motion import MotionFrame, ObjectMotion
from .simulation.assemble import assemble
from .simulation.kernels import compile_kernels
from .simulation.loose_bodies import assembled, loose_member, separated, shared_conditions
from .simulation.shared_world import world_of
from .simulation.support_conditions import with_support
from .simulation.take import Member, Moving, Take, object_motion
from .simulation.true_size import DrawnMember, with_size
from .understanding.analysis import Analysis, Progress, analyze, silent, suited_analysis

__all__ = [
    "Analysis",
    "Member",
    "MotionFrame",
    "ObjectMotion",
    "Progress",
    "Take",
    "analyze",
    "begin_live",
    "begin_pose",
    "prepare",
    "read_conditions",
]


def begin_pose(analysis: Analysis, conditions: Any, progress: Progress | None = None) -> Posing:
    """Makes an object ready to be posed by hand, with what the conditions say of its anchor and material.

    Raises UserError.
    """
    parsed = read_conditions(conditions)
    suited = suited_analysis(analysis, parsed, progress)
    return Posing(suited, suited.made_of(parsed))


def begin_live(analysis: Analysis, conditions: Any, progress: Progress | None = None, parts: int = 1) -> Live:
    """Makes an object ready to be simulated step by step while somebody pulls at it, `parts` steps a frame.

    Raises UserError.
    """
    analysis, parsed, scale = with_size(analysis, read_conditions(conditions), progress)
    suited = suited_analysis(analysis, parsed, progress)
    parsed = suited.made_of(with_support(suited, parsed))
    return Live(suited.with_choices(parsed.choices), with_start_pose(suited, parsed), parts, progress or silent, scale)


def prepare(
    analyses: Sequence[Analysis],
    conditions: Sequence[Any],
    progress: Progress | None = None,
    names: Sequence[str] | None = None,
) -> Take:
    """A take of a list of objects that meet each other, with conditions for each, that is ready to run.

    What belongs to all of them (frames, fps, substeps, gravity, ground, colliders) must be the same. `names` are what
    a refusal calls the objects where there are several; without, it counts them from 1. Raises UserError.
    """
    several, tell = len(analyses) > 1, progress or silent

    def about(number: int) -> AbstractContextManager[None]:
        if not several:
            return nullcontext()
        if names:
            return blamed("within.object", name=names[number])
        return blamed("within.numbered_object", number=number + 1)

    parsed, suited, loose, setups, scale = [], [], [], [], 1.0
    for number, (analysis, given) in enumerate(zip(analyses, conditions, strict=True)):
        with about(number):
            wanted = given if isinstance(given, Conditions) else read_conditions(given)
            sized, wanted, scale = with_size(analysis, wanted, progress, several)
            found = suited_analysis(sized, wanted, progress)
            suited.append(found.with_choices(wanted.choices))
            loose.append(separated(found, wanted, alone=not several))
            wanted = found.of_take(with_support(found, wanted, several))
            parsed.append(with_start_pose(found, wanted))
    begin = perf_counter()
    tell("analyzing", 2, 3)
    for number, (analysis, wanted, things) in enumerate(zip(suited, parsed, loose, strict=True)):
        with about(number):
            setups.append([assemble(analysis, wanted, several)] if not things else assembled(things))
    actors = [setup.actor for own in setups for setup in own if setup is not None]
    shared = [shared_conditions(things) if things else wanted for things, wanted in zip(loose, parsed, strict=True)]
    compile_kernels(actors, shared[0], tell)
    world, warnings = world_of(
        actors,
        shared,
        held=[thing.collider for things in loose for thing in things if thing.conditions is None],
    )
    tell("analyzing", 3, 3)
    members: list[Moving] = []
    for analysis, own, things in zip(suited, setups, loose, strict=True):
        if things:
            members.append(loose_member(analysis, things, own, warnings))
            continue
        (setup,) = own
        summary = analysis.summarise(setup.body, setup.anchored, setup.actor.mass)
        summary["warnings"] = summary["warnings"] + setup.warnings + warnings
        members.append(Member(setup.body, object_motion(setup.body), summary))
    if scale != 1.0:  # then there is one object
        members = [DrawnMember(member, scale) for member in members]
    return Take(tuple(members), world, shared[0], sum(each.seconds for each in suited) + perf_counter() - begin)
