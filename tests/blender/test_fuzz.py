"""Random sequences of what artists do, with the real backend process: nothing breaks and nothing is lost.

A step is its name and a number that seeds its own choices, so that a shorter sequence makes the same choices.
"""

from __future__ import annotations

import time
from random import Random

import bpy
import pytest

from tests.blender.conftest import BLENDERS_OWN
from tests.blender.fuzz_operators import OPERATORS
from tests.blender.fuzz_play import Play, is_refusal, mesh_objects, note_drawn, push_undo
from tests.blender.fuzz_rules import check_history, check_rules
from tests.blender.fuzz_steps import FRESH_TAKE, STEPS, add_object
from tests.blender.helpers import add_rigid_ball
from tests.sweeps import sweep

LENGTH = 300
SEEDS_AND_LENGTHS = ((1, LENGTH), (1, 1000), (2, 1000), (3, 1000))  # the first one in every run
HISTORY_EVERY, FRESH_TAKE_EVERY = 25, 30  # steps
SHORTENING_SECONDS = 60.0

Sequence = list[tuple[str, int]]


class Broken(Exception):
    """A rule does not hold, or something has raised; the text says after which step."""


@pytest.fixture
def play(scene, tmp_path, capfd):
    """Plays a sequence in an empty file and raises Broken where it breaks."""

    def from_the_beginning(sequence: Sequence) -> None:
        bpy.ops.wm.read_homefile(use_empty=True)
        bpy.context.scene.neurok.frame_count = 4
        push_undo("Begin")
        add_object(Random(0), Play(tmp_path))
        capfd.readouterr()
        now = Play(tmp_path)
        for number, step in enumerate(sequence, start=1):
            _take_step(step, number, now, capfd)

    return from_the_beginning


def test_every_operator_has_an_entry(addon):
    from neurok_blender import names

    for idname in names.Operator:
        assert idname in OPERATORS, (
            f"{idname} has no entry in tests/blender/fuzz_operators.py. "
            "Say there how the fuzz test calls it, or in a sentence why it does not."
        )


@pytest.mark.parametrize(("seed", "length"), sweep(SEEDS_AND_LENGTHS, 1))
def test_nothing_breaks(play, seed, length, tmp_path):
    sequence = random_sequence(seed, length)
    broken = None
    try:
        play(sequence)
    except Broken as error:
        broken = str(error)
    if broken is not None:
        pytest.fail(f"Seed {seed}: {broken}\n{_shorten(play, sequence, broken)}", pytrace=False)
    _check_the_same_frames_again(str(tmp_path / "end.blend"))


def random_sequence(seed: int, length: int = LENGTH) -> Sequence:
    from neurok_blender import names

    called = {name: OPERATORS[name] for name in names.Operator if not isinstance(OPERATORS.get(name, ""), str)}
    weights = {name: weight for name, (weight, _function) in {**STEPS, **called}.items()}
    rng = Random(seed)
    chosen = rng.choices(list(weights), list(weights.values()), k=length)
    chosen[10::FRESH_TAKE_EVERY] = [FRESH_TAKE] * len(chosen[10::FRESH_TAKE_EVERY])
    return [(name, rng.getrandbits(32)) for name in chosen]


def _take_step(step: tuple[str, int], number: int, now: Play, capfd) -> None:
    name, seed = step
    _weight, function = STEPS[name] if name in STEPS else OPERATORS[name]
    try:
        try:
            function(Random(seed), now)
        except RuntimeError as error:
            if not is_refusal(error):
                raise
        # As the window's main loop does after every operator.
        bpy.context.view_layer.update()
        check_rules()
        if number % HISTORY_EVERY == 0:
            check_history()
    except Exception as error:
        raise Broken(f"step {number}, {name}: {type(error).__name__}: {error}") from error
    said = [line for line in capfd.readouterr().err.splitlines() if line and not line.startswith(BLENDERS_OWN)]
    if said:
        raise Broken(f"step {number}, {name}, leaves on stderr: " + "\n".join(said))


def _shorten(play, sequence: Sequence, first: str) -> str:
    """The shortest beginning that still breaks, without the steps that it breaks without, as far as time allows."""
    number = int(first.split()[1].rstrip(","))
    failing, reason = sequence[:number], first
    deadline = time.monotonic() + SHORTENING_SECONDS
    size = number // 2
    while size >= 1 and time.monotonic() < deadline:
        start = 0
        while start < len(failing) - 1 and time.monotonic() < deadline:
            shorter = failing[:start] + failing[start + size :]
            try:
                play(shorter)
                start += size
            except Broken as broken:
                failing = shorter[: int(str(broken).split()[1].rstrip(","))]
                reason = str(broken)
        size //= 2
    listing = "\n".join(f"    {step}," for step in failing)
    return f"{number} of {len(sequence)} steps break; of them these are enough:\n{listing}\nwith {reason}"


def _check_the_same_frames_again(path: str) -> None:
    """What is left at the end of the play is saved, opened and simulated again: the same frames bit for bit."""
    from neurok_blender.session.state import session

    if bpy.context.object is not None and bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.scene.neurok.frame_count, bpy.context.scene.neurok.scope = 5, "SELECTED"
    if not any(_simulates(obj) for obj in mesh_objects()):
        note_drawn(add_rigid_ball().data)
        assert _simulates(bpy.context.object)
    name = bpy.context.object.name
    first = [shape.handles.tobytes() for shape in session.take_of(bpy.context.object).motion.shapes]
    assert len(first) == 5
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    check_rules()
    assert bpy.context.object.name == name and _simulates(bpy.context.object)
    again = [shape.handles for shape in session.take_of(bpy.context.object).motion.shapes]
    assert [handles.tobytes() for handles in again] == first
    check_rules()


def _simulates(obj: bpy.types.Object) -> bool:
    bpy.context.view_layer.objects.active = obj
    try:
        return bpy.ops.neurok.simulate() == {"FINISHED"}
    except RuntimeError as error:
        assert is_refusal(error), str(error)
        return False
