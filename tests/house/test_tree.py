"""The repository's own rules: what lies at its top, how long a file may be, and that the linter agrees."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOP_LEVEL = {
    ".ci",
    ".gitignore",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "backend",
    "blender_manifest.toml",
    "build.py",
    "build_tools",
    "docs",
    "icons",
    "neurok_blender",
    "pyproject.toml",
    "tests",
}
LONGEST_FILE, LONGEST_FUNCTION = 500, 60  # lines


def tracked_files() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [Path(name) for name in listing.decode().split("\0") if name]


def test_top_level_is_exactly_what_the_design_lists():
    assert {path.parts[0] for path in tracked_files()} == TOP_LEVEL


def test_no_source_file_is_too_long():
    lengths = {
        str(path): (ROOT / path).read_text(encoding="utf-8").count("\n")
        for path in tracked_files()
        if path.suffix in {".py", ".md", ".toml"} and (ROOT / path).exists()
    }
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def functions() -> Iterator[tuple[str, int]]:
    """Every function of every tracked module, as "path: name", and its lines."""
    for path in tracked_files():
        if path.suffix == ".py" and (ROOT / path).exists():
            for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield f"{path}: {node.name}", node.end_lineno - node.lineno + 1


def test_no_function_is_too_long():
    assert {name: length for name, length in functions() if length > LONGEST_FUNCTION} == {}


def test_linter_finds_nothing():
    command = [sys.executable, "-m", "ruff", "check", "--output-format=concise", "."]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
