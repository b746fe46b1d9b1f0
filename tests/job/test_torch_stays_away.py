"""PyTorch takes seconds to import: only the network and its training do it, read off the source and seen."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.backend.command_line import backend, write_conditions, write_mesh
from tests.backend.shapes import Arrays, bar
from tests.house.test_rooms import imported as imported_modules
from tests.house.test_rooms import modules
from tests.job.test_halves import ROOT, imported, sources
from tests.job.worker_client import WorkerClient

NEED_TORCH = ("backend/learned", "backend/evaluate")
IMPORT_TIMES = ["-X", "importtime"]


def _imports_at_the_top(node: ast.AST) -> Iterator[ast.ImportFrom]:
    """Relative imports that run when the module is imported."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom) and child.level:
            yield child
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and not _for_types(child):
            yield from _imports_at_the_top(child)


def _for_types(node: ast.AST) -> bool:
    """Whether it is `if TYPE_CHECKING:`, which never runs."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def test_only_the_learned_parts_import_torch() -> None:
    found = {path.relative_to(ROOT).as_posix() for path in sources("backend") if "torch" in set(imported(path))}
    assert found  # else nobody would notice that this looks in the wrong place
    assert not [name for name in found if not name.startswith(NEED_TORCH)]


def test_one_file_alone_imports_the_embedded_engine() -> None:
    found = [path.relative_to(ROOT).as_posix() for path in sources("backend") if "onnxruntime" in set(imported(path))]
    assert found == ["backend/learned/infer/onnx_network.py"]


def test_the_learned_parts_are_imported_when_they_are_needed() -> None:
    """Nothing that the worker and the command line import at their start imports an engine of networks."""
    known = modules("backend")
    waiting, found = ["backend.worker.server", "backend.engine", "backend.__main__", "backend.cli.solve"], set()
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        top = _imports_at_the_top(ast.parse(known[name].read_text()))
        lines = {statement.lineno for statement in top}
        waiting += [target for line, target in imported_modules(name, known[name], known) if line in lines]
    assert "backend.understanding.recognition" in found  # else nobody would notice that this looks in the wrong place
    engines = {"torch", "safetensors", "onnxruntime"}
    assert not {name: both for name in found if (both := engines & set(imported(known[name])))}


def _imported(log: str) -> set[str]:
    """The modules that a Python with `-X importtime` says it imported, by their two first names."""
    lines = (line.rpartition("|")[2].strip() for line in log.splitlines() if line.startswith("import time:"))
    return {".".join(name.split(".")[:2]) for name in lines}


def _check(modules: set[str]) -> None:
    assert "backend.dynamics" in modules
    assert not {"torch", "safetensors", "onnxruntime"} & {name.partition(".")[0] for name in modules}


@pytest.fixture(scope="module")
def beam() -> Arrays:
    return bar(cells=6)


def test_an_elastic_take_imports_no_torch(beam: Arrays, tmp_path: Path) -> None:
    mesh = write_mesh(tmp_path / "bar.obj", beam)
    conditions = write_conditions(tmp_path / "c.json", provider="elastic", frames=3)
    done = backend(
        "simulate", mesh, "--conditions", conditions, "-o", tmp_path / "out.npz", interpreter_options=IMPORT_TIMES
    )
    assert done.returncode == 0, done.stderr
    _check(_imported(done.stderr))


def test_a_worker_imports_no_torch_for_elastic_and_rigid_objects(beam: Arrays, tmp_path: Path) -> None:
    client = WorkerClient(tmp_path / "log", [sys.executable, *IMPORT_TIMES, "-m", "backend", "worker"])
    arrays = {"vertices": beam[0].astype(np.float32), "triangles": beam[1].astype(np.int32)}
    try:
        client.greet()
        for job, provider in ((2, "rigid"), (4, "elastic")):
            client.ask({"type": "analyze", "id": job, "key": provider, "provider": provider}, arrays)
            assert client.read_until("analysis", "error")[0].type == "analysis"
            client.simulate(job + 1, provider, frames=3)
            assert client.read_until("done", "error")[0].type == "done"
    finally:
        client.end()
    _check(_imported((tmp_path / "log").read_text()))
