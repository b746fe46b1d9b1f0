"""No test judges a duration: a busy machine would fail it. Counts and ratios of one run are judged instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.house.test_tree import ROOT, tracked_files

CLOCKS = {"perf_counter", "monotonic", "process_time", "thread_time", "time"}
WITH_A_WINDOW = ("tests/gui/", "tests/browser/", "tests/compare/", "tests/demo/")  # figures of these are printed


def reads_clock(node: ast.AST) -> bool:
    """Whether one of Python's clocks is read in the expression, as `time.monotonic()` or `monotonic()`."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call):
            function = call.func
            if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
                if function.value.id == "time" and function.attr in CLOCKS:
                    return True
            elif isinstance(function, ast.Name) and function.id in CLOCKS - {"time"}:
                return True
    return False


def is_duration(node: ast.AST, durations: set[str]) -> bool:
    """Whether a difference of clock readings is in the expression, or a name that holds one."""
    return any(
        (isinstance(each, ast.BinOp) and isinstance(each.op, ast.Sub) and reads_clock(each))
        or (isinstance(each, ast.Name) and each.id in durations)
        for each in ast.walk(node)
    )


def held_durations(function: ast.AST) -> set[str]:
    """Names that a difference of clock readings is assigned or appended to (or given otherwise to a method of)."""
    names: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and is_duration(node.value, names):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_duration(node, names):
            names |= {each.id for each in ast.walk(node.func.value) if isinstance(each, ast.Name)}
    return names


def is_fixed(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id.isupper())


def judged_durations(source: str) -> Iterator[int]:
    """Lines of asserts that compare a duration with a fixed number."""
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef):
            durations = held_durations(function)
            for statement in ast.walk(function):
                if isinstance(statement, ast.Assert):
                    for compare in ast.walk(statement.test):
                        if isinstance(compare, ast.Compare):
                            sides = [compare.left, *compare.comparators]
                            if any(map(is_fixed, sides)) and any(is_duration(side, durations) for side in sides):
                                yield statement.lineno


def test_no_test_compares_a_duration_with_a_fixed_number():
    found = [
        f"{path}:{line}"
        for path in map(str, tracked_files())
        if path.startswith("tests/") and path.endswith(".py") and not path.startswith(WITH_A_WINDOW)
        if (ROOT / path).exists()
        for line in judged_durations((ROOT / path).read_text(encoding="utf-8"))
    ]
    assert found == []


def test_such_a_comparison_would_be_found():
    started = "def test():\n    begun = time.monotonic()\n"
    assert list(judged_durations(f"{started}    assert time.monotonic() - begun < 0.5\n")) == [3]
    assert list(judged_durations(f"{started}    spent = time.monotonic() - begun\n    assert spent < LIMIT\n")) == [4]
    listed = f"{started}    spent = []\n    spent.append(time.monotonic() - begun)\n"
    assert list(judged_durations(f"{listed}    assert min(spent) < 0.5\n")) == [5]
    assert list(judged_durations(f"{listed}    assert min(spent) < 2.0 * max(spent)\n")) == []
    assert list(judged_durations("def test():\n    assert time.monotonic() < until\n")) == []
