"""The walk of a poke: the functions of ours that its data goes through, from gizmo to shape key and from file to file.

The data changes its form at a few places: a drag becomes a property, the property JSON, JSON bytes, and so on to the
shape key. When the poke's data first comes to such a place, the functions of ours that are on the call stack there are
written down: whoever follows the poke reads these. The walk is all of them, in both processes together, each counted
once. What they call besides is not counted (what checks, converts or scales), nor what only hands on what it does not
look into (queues, the threads at the pipes), nor what goes on beside the walk (progress, panels, the analysis of the
mesh). A nested function or a comprehension counts as the function that it stands in.

    python tests/house/walk.py            prints both walks by file
"""

from __future__ import annotations

import json
import os
import runpy
import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, FunctionType, SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

FRAMES = 4
MOST_TO_SHAPE_KEY, MOST_TO_FILE = 34, 18  # to be lowered whenever a walk gets shorter

Function = tuple[str, str]
"""File from the root of the repository, and name in it."""
Variables = Mapping[str, Any]


@dataclass(frozen=True)
class Place:
    """Where data changes its form. `holds` tells by a function's arguments whether it is the poke's data."""

    title: str
    half: str
    function: str
    holds: Callable[[Variables], bool] = lambda _arguments: True


def is_request(arguments: Variables) -> bool:
    return arguments["header"].get("type") == "simulate"


def is_frame(arguments: Variables) -> bool:
    return arguments["header"].get("type") == "frame"


TO_BACKEND = (
    Place("a drag becomes a property", "neurok_blender", "NEUROK_GT_arrow.drag"),
    Place("the property becomes JSON", "neurok_blender", "poke_of"),
    Place("JSON becomes bytes", "backend", "encode_message", is_request),
)
TO_FRAME = (
    Place("JSON becomes a condition", "backend", "_poke"),
    Place("the condition becomes a force", "backend", "pokes_of"),
    Place("the force becomes motion", "backend", "PokeForce.mean"),
    Place("the motion becomes a frame", "backend", "ReferenceFrame.world_handles"),
)
WORKER = (*TO_FRAME, Place("the frame becomes bytes", "backend", "encode_message", is_frame))
TO_SHAPE_KEY = (
    Place("bytes become a frame of a take", "neurok_blender", "_frame"),
    Place("the take is baked", "neurok_blender", "ShapeKeyBake._steps"),
    Place("the frame becomes positions", "neurok_blender", "Decoder.__call__"),
    Place("positions become a shape key", "neurok_blender", "KeyBake._add_key"),
)
TO_FILE = (
    Place("a file becomes a mesh", "backend", "read_source"),
    *TO_FRAME,
    Place("frames become positions", "backend", "decode_frames"),
    Place("positions become a file", "backend", "write_npz"),
)


def function_of(frame: FrameType) -> Function | None:
    """The function of ours that runs in a frame; the staged tree and the repository are one."""
    path = frame.f_code.co_filename.replace(os.sep, "/")
    half = path.rfind("/backend/") if "/backend/" in path else path.rfind("/neurok_blender/")
    if half < 0 or "/tests/" in path or "/site-packages/" in path or frame.f_code.co_name == "<module>":
        return None
    return path[half + 1 :], frame.f_code.co_qualname.partition(".<locals>")[0]


class Walk:
    """Writes down the stack at each of the places, in their order; every new one goes to `report`."""

    def __init__(self, places: Sequence[Place], report: Callable[[list[Function]], None]) -> None:
        self._waiting, self._report, self._lock = list(places), report, threading.Lock()

    @property
    def missing(self) -> Place | None:
        return self._waiting[0] if self._waiting else None

    def __enter__(self) -> Walk:
        threading.setprofile(self._look)
        sys.setprofile(self._look)
        return self

    def __exit__(self, *_exception: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _look(self, frame: FrameType, event: str, _argument: object) -> None:
        place = self.missing
        if event != "call" or place is None or frame.f_code.co_name != place.function.rpartition(".")[2]:
            return
        function = function_of(frame)
        if function is None or not function[0].startswith(place.half) or function[1] != place.function:
            return
        if not place.holds(frame.f_locals):
            return
        with self._lock:
            if self.missing is place:
                self._waiting.pop(0)
                self._report(list(stack(frame)))


def stack(frame: FrameType | None) -> Iterable[Function]:
    """The functions of ours from a frame up to where the process or thread begins."""
    while frame is not None:
        if (function := function_of(frame)) is not None:
            yield function
        frame = frame.f_back


def run_backend(which: str, notes: Path, arguments: Sequence[str]) -> None:
    """Runs `python -m backend` in this process and adds a line of JSON to `notes` for each place."""

    def report(functions: list[Function]) -> None:
        with notes.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(functions) + "\n")

    sys.argv = ["backend", *arguments]
    with Walk(WORKER if which == "worker" else TO_FILE, report):
        runpy.run_module("backend", run_name="__main__", alter_sys=True)


def noted(notes: Path, places: Sequence[Place]) -> list[Function]:
    """What `run_backend` has written down; ValueError where a place was not reached."""
    stacks = [json.loads(line) for line in notes.read_text(encoding="utf-8").splitlines()] if notes.exists() else []
    if len(stacks) < len(places):
        raise ValueError(f"no poke comes by {places[len(stacks)]}; say where it goes now")
    return [(file, name) for functions in stacks for file, name in functions]


def command_for(which: str, notes: Path) -> list[str]:
    return [sys.executable, str(Path(__file__).resolve()), which, str(notes)]


def walk_to_file() -> dict[Function, None]:
    """`python -m backend simulate`: a mesh and its conditions in, a take out."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "box.obj").write_text(BOX, encoding="utf-8")
        poke = {"point": [0, 0, 1], "speed": [1, 0, 0], "radius": 1.0}
        given = {"provider": "elastic", "frames": FRAMES, "pokes": [poke]}
        (folder / "conditions.json").write_text(json.dumps(given), encoding="utf-8")
        arguments = ["simulate", "box.obj", "--conditions", "conditions.json", "-o", "take.npz"]
        command = [*command_for("simulate", folder / "notes"), *arguments]
        subprocess.run(
            command, cwd=folder, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
        )
        return dict.fromkeys(noted(folder / "notes", TO_FILE))


def walk_to_shape_key() -> dict[Function, None]:
    """In Blender: an arrow is dragged, Simulate pressed, the take baked; the worker is a real one. Needs the add-on."""
    import bpy

    from neurok_blender.session.state import session
    from neurok_blender.setup.worker_python import Candidate
    from tests.blender.helpers import add_elastic_ball

    ball, found = add_elastic_ball(), []
    bpy.context.scene.neurok.frame_count = FRAMES
    with tempfile.TemporaryDirectory() as made:
        notes, python, candidates = Path(made) / "notes", Path(made) / "python", session.candidates
        python.write_text(
            f'#!/bin/sh\n[ "$1" = -c ] && exec {shlex.quote(sys.executable)} "$@"\nshift 2\n'
            f'exec {shlex.join(command_for("worker", notes))} "$@"\n',
            encoding="utf-8",
        )
        python.chmod(0o755)
        session.candidates = lambda: [Candidate("walk", python)]
        try:
            with Walk((*TO_BACKEND, *TO_SHAPE_KEY), found.extend) as walk:
                drag_arrow(ball)
                assert bpy.ops.neurok.simulate() == {"FINISHED"}, session.notice.message
                assert bpy.ops.neurok.bake(kind="SHAPE_KEYS") == {"FINISHED"}, session.notice.message
        finally:
            session.candidates = candidates
            session.close_runner()
        if walk.missing is not None:
            raise ValueError(f"no poke comes by {walk.missing}; say where it goes now")
        return dict.fromkeys([*found, *noted(notes, WORKER)])


def drag_arrow(obj: Any) -> None:
    """Drags the tip of the poke's arrow by a few pixels; Blender makes gizmos only where it has a window."""
    import bpy

    from neurok_blender.gizmos.arrow import NEUROK_GT_arrow
    from tests.blender.views import make_view

    bases = [each for each in NEUROK_GT_arrow.__mro__ if each.__module__.startswith("neurok_blender")]
    members = {name: value for each in reversed(bases) for name, value in vars(each).items()}
    kept = {name: value for name, value in members.items() if isinstance(value, FunctionType | property | tuple | str)}
    arrow = type("Arrow", (), {name: value for name, value in kept.items() if not name.startswith("_" * 2)})()
    arrow.index = 0
    view = make_view("ORTHO", (1.1, 0.0, 0.8))
    context = SimpleNamespace(
        active_object=obj,
        scene=bpy.context.scene,
        region=view.region,
        region_data=view.region_3d,
        preferences=bpy.context.preferences,
        window_manager=SimpleNamespace(windows=()),
        area=SimpleNamespace(header_text_set=lambda _text: None),
    )
    for x, played in ((600, arrow.invoke), (640, lambda *given: arrow.modal(*given, set()))):
        event = SimpleNamespace(mouse_region_x=x, mouse_region_y=400, shift=False, ctrl=False)
        assert played(context, event) == {"RUNNING_MODAL"}


def table(title: str, functions: Iterable[Function]) -> str:
    """The functions by file, in the order in which the poke comes to them."""
    files: dict[str, list[str]] = {}
    for file, name in functions:
        files.setdefault(file, []).append(name)
    lines = [f"  {file}: {', '.join(names)}" for file, names in files.items()]
    return "\n".join([f"{title}: {sum(map(len, files.values()))} functions", *lines])


def main() -> None:
    import tests.conftest  # noqa: F401  (the staged add-on comes on sys.path)

    print(table("From file to file", walk_to_file()))
    import neurok_blender
    from tests.leave import leave

    neurok_blender.register()
    print(table("From gizmo to shape key", walk_to_shape_key()), flush=True)
    neurok_blender.unregister()
    leave(0)


BOX = """
v -0.5 -0.5 0
v 0.5 -0.5 0
v 0.5 0.5 0
v -0.5 0.5 0
v -0.5 -0.5 1
v 0.5 -0.5 1
v 0.5 0.5 1
v -0.5 0.5 1
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
"""

if __name__ == "__main__":
    if len(sys.argv) > 2:
        run_backend(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
    else:
        main()
