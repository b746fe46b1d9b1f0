"""Imports go downwards in both halves: each room imports only from rooms below it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BACKEND_ROOMS = (  # from the ground up
    "texts",
    "errors",
    "protocol",
    "geometry",
    "materials",
    "io",
    "kinematics",
    "joint_search",
    "learned.infer",
    "dynamics",
    "sheets",
    "bodies",
    "robots",
    "understanding",
    "simulation",
    "interactive",
    "engine",
    "extending",
    "pointmap",
    "cli",
    "batch",
    "worker",
    # Never in the zip.
    "data",
    "learned.train",
    "evaluate",
    "bench",
    "__main__",
)
ADD_ON_ROOMS = (
    "errors",
    "names",
    "job",
    "setup",
    "translations",
    "properties",
    "scene",
    "session",
    "samples",
    "api",
    "gizmos",
    "operators",
    "panels",
)
ROOMS = {"backend": BACKEND_ROOMS, "neurok_blender": ADD_ON_ROOMS}
NO_ROOMS = {"backend", "backend.learned", "neurok_blender"}  # what rooms lie in; the last registers all of them
MOST_LOOSE_MODULES = 6


def modules(half: str) -> dict[str, Path]:
    """Dotted name -> file; presets are no modules, Blender runs them."""
    files = [path for path in sorted((ROOT / half).rglob("*.py")) if "presets" not in path.parts]
    assert files
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in files}


def imported(name: str, path: Path, known: dict[str, Path]) -> Iterator[tuple[int, str]]:
    """Line and module of every import of a module of the same half, lazy ones too."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                target = whole if whole in known else base
                if target in known:
                    yield node.lineno, target
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name in known)


def room_of(name: str) -> str | None:
    """The room of a module; None of a package that only holds rooms."""
    half, *parts = name.split(".")
    room = ".".join(parts[:2]) if parts[:1] == ["learned"] else ".".join(parts[:1])
    return room if room in ROOMS[half] else None


@pytest.mark.parametrize("half", ROOMS)
def test_every_module_lies_in_a_room(half):
    assert {name for name in modules(half) if room_of(name) is None} <= NO_ROOMS


@pytest.mark.parametrize("half", ROOMS)
def test_imports_go_downwards(half):
    known, order = modules(half), ROOMS[half]
    upwards = []
    for name, path in known.items():
        room = room_of(name)
        if room is None:
            continue
        for line, target in imported(name, path, known):
            below = room_of(target)
            if below is not None and order.index(below) > order.index(room):
                upwards.append(f"{name}:{line} imports {target}")
    assert not upwards, "\n".join(upwards)


def test_few_modules_lie_loose():
    for half in ("backend", "neurok_blender"):
        loose = sorted(path.name for path in (ROOT / half).glob("*.py"))
        assert len(loose) <= MOST_LOOSE_MODULES, loose


def test_modules_that_the_window_tests_name_are_there():
    known = modules("neurok_blender")
    named = {
        f"neurok_blender.{name}"
        for path in (ROOT / "tests" / "gui").glob("*.py")
        for name in re.findall(r"""\baddon\(['"]([\w.]+)['"]\)""", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 10 and named <= set(known), named - set(known)
