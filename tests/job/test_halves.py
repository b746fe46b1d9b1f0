"""What each half may import and call, read off the source."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BLENDER_MODULES = {"bpy", "bpy_extras", "bmesh", "mathutils", "gpu", "blf", "gpu_extras", "bl_math"}
NETWORK_MODULES = {
    "socket",
    "socketserver",
    "asyncio",
    "ssl",
    "http",
    "urllib",
    "requests",
    "pickle",
    "shelve",
}
WAITING_CALLS = {"run", "call", "check_call", "check_output", "getoutput", "getstatusoutput"}


def sources(folder: str) -> list[Path]:
    found = sorted((ROOT / folder).rglob("*.py"))
    assert found
    return found


def imported(path: Path) -> Iterator[str]:
    """The top names of everything a file imports absolutely."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize(
    ("folder", "banned"),
    [
        ("neurok_blender/job", BLENDER_MODULES | NETWORK_MODULES | {"torch"}),
        ("neurok_blender", NETWORK_MODULES | {"torch", "scipy", "trimesh", "backend", "neurok_blender"}),
        ("backend", BLENDER_MODULES | {"neurok_blender"}),
    ],
)
def test_what_each_half_imports(folder, banned):
    offences = {str(path): found for path in sources(folder) if (found := banned & set(imported(path)))}
    assert not offences


def test_what_the_add_on_takes_from_the_backend_needs_only_numpy():
    shared = [ROOT / "backend" / f"{name}.py" for name in ("__init__", "protocol", "errors")]
    for path in [*shared, *(ROOT / "backend" / "texts").glob("*.py")]:
        allowed = {
            "__future__",
            "collections",
            "contextlib",
            "dataclasses",
            "json",
            "math",
            "numbers",
            "numpy",
            "string",
            "struct",
            "typing",
        }
        assert set(imported(path)) <= allowed


def test_the_add_on_never_waits_for_a_child_process():
    for path in sources("neurok_blender"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
                called = f"{path}:{node.lineno}: {owner}.{node.func.attr}"
                assert not (owner == "subprocess" and node.func.attr in WAITING_CALLS), called
                assert not (owner == "os" and node.func.attr in {"system", "popen", "wait", "waitpid"}), called
            if isinstance(node, ast.ImportFrom) and node.module == "subprocess":
                assert not WAITING_CALLS & {alias.name for alias in node.names}, path


def test_the_transitions_read_no_clock_and_no_file():
    for name in ("state", "answers", "steps", "phases", "effects", "sentences"):
        path = ROOT / "neurok_blender" / "job" / f"{name}.py"
        assert not {"time", "os", "pathlib", "threading", "queue", "subprocess", "io"} & set(imported(path))
