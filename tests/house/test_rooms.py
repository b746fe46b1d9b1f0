"""Imports of the backend go downwards: each room imports only from rooms below it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = (  # from the ground up
    "texts",
    "errors",
    "protocol",
    "geometry",
    "io",
    "kinematics",
    "joint_search",
    "learned.infer",
    "dynamics",
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
MOST_LOOSE_MODULES = 6


def modules(half: str) -> dict[str, Path]:
    """Dotted name -> file."""
    files = sorted((ROOT / half).rglob("*.py"))
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
    """The room of a module of the backend; None of a package that holds rooms alone."""
    parts = name.split(".")[1:]
    room = ".".join(parts[:2]) if parts[:1] == ["learned"] else ".".join(parts[:1])
    return room if room in ROOMS else None


def test_every_module_lies_in_a_room():
    assert {name for name in modules("backend") if room_of(name) is None} == {"backend", "backend.learned"}


def test_imports_go_downwards():
    known = modules("backend")
    upwards = []
    for name, path in known.items():
        room = room_of(name)
        if room is None:
            continue
        for line, target in imported(name, path, known):
            below = room_of(target)
            if below is not None and ROOMS.index(below) > ROOMS.index(room):
                upwards.append(f"{name}:{line} imports {target}")
    assert not upwards, "\n".join(upwards)


def test_few_modules_lie_loose():
    for half in ("backend", "neurok_blender"):
        loose = sorted(path.name for path in (ROOT / half).glob("*.py"))
        assert len(loose) <= MOST_LOOSE_MODULES, loose
