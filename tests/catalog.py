"""Finds the texts of the catalog that the source of the backend and the job layer makes, with their arguments."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["MAKERS", "Made", "places", "texts_made", "worker_modules"]

# What takes the id of a text and its arguments -> those that it adds itself.
MAKERS: dict[str, set[str]] = {"UserError": set(), "Text": set(), "blamed": {"problem"}}


@dataclass(frozen=True)
class Made:
    """One call that makes a text; `id` is None where it is not written there."""

    id: str | None
    arguments: frozenset[str]
    where: str


def texts_made(paths: Iterable[Path]) -> Iterator[Made]:
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if name in MAKERS:
                given = {str(each.arg) for each in node.keywords}  # "None" of those that a mapping holds
                for id in _ids(node.args[0]) if node.args else [None]:
                    yield Made(id, frozenset(given | MAKERS[name]), f"{path.name}:{node.lineno}")


def _ids(node: ast.expr) -> list[str | None]:
    if isinstance(node, ast.IfExp):
        return [*_ids(node.body), *_ids(node.orelse)]
    return [node.value if isinstance(node, ast.Constant) else None]


def places(template: str) -> set[str]:
    """The names of the arguments that stand in a template."""
    return {field.partition(".")[0] for _, field, _, _ in string.Formatter().parse(template) if field is not None}


def worker_modules(root: Path) -> list[Path]:
    """What of the backend the worker imports, directly or not; but `backend.data`, of which it uses arrays only."""
    files = {".".join(path.relative_to(root).with_suffix("").parts): path for path in (root / "backend").rglob("*.py")}
    files = {name.removesuffix(".__init__"): path for name, path in files.items()}
    found: set[str] = set()
    waiting = ["backend.worker.worker_command", "backend.engine"]  # the second is imported by name at the first request
    while waiting:
        name = waiting.pop()
        if name in files and name not in found and not name.startswith("backend.data"):
            found.add(name)
            waiting += _imported(name, files[name])
    return sorted(files[name] for name in found)


def _imported(name: str, path: Path) -> Iterator[str]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{each.name}" for each in node.names)
