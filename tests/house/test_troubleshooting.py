"""docs/troubleshooting.md has every error code of the source, once, with a sentence that is said."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.blender.sentences import PLACE, sentences_of

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
SOURCES = sorted(path for half in ("backend", "neurok_blender") for path in (ROOT / half).rglob("*.py"))
RAISERS = {"UserError", "Refuse"}
NEAR = 5  # lines
HANDED_ON = {"code", "error.code", "problem.code"}  # variables: the code of an error that was raised elsewhere


def _codes(source: str) -> Iterator[tuple[str, range]]:
    """First arguments of all that makes an error with a code, and its lines.

    What is no text and is not handed on is told as it is.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and node.args and not isinstance(node.args[0], ast.Starred):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            first = node.args[0]
            if name in RAISERS and isinstance(first, ast.Constant):
                yield first.value, range(node.lineno, node.end_lineno + 1)
            elif name in RAISERS and ast.unparse(first) not in HANDED_ON:
                yield f"not a text: {ast.unparse(first)}", range(node.lineno, node.end_lineno + 1)


def _rows() -> list[tuple[str, str]]:
    """(code, sentence) of the tables by error code."""
    tables = DOCUMENT[DOCUMENT.index("## By error code") :]
    return re.findall(r"^\| `(\w+)` \| ([^|]+) \| [^|]+ \|$", tables, re.MULTILINE)


def _template(sentence: str) -> str:
    """As `sentences_of` gives it."""
    return sentence.replace("…", PLACE)


def test_codes_are_found_however_they_are_raised() -> None:
    source = 'raise UserError("a", x, y)\nRefuse("b", x, y)\nerrors.UserError(f(x), "c")\nUserError(*message)\n'
    found = [(code, lines.start) for code, lines in _codes(source)]
    assert found == [("a", 1), ("b", 2), ("not a text: f(x)", 3)]


def test_every_code_of_the_source_is_in_the_document_and_no_other() -> None:
    raised = {code for path in SOURCES for code, _ in _codes(path.read_text(encoding="utf-8"))}
    told = [code for code, _ in _rows()]
    assert len(raised) > 60
    assert sorted(told) == sorted(raised)


def test_the_sentences_are_said_with_their_codes() -> None:
    said = sentences_of(SOURCES)  # template -> "file.py:line"
    places: dict[str, set[str]] = {}
    for path in SOURCES:
        for code, lines in _codes(path.read_text(encoding="utf-8")):
            # Calls side by side may share a variable; its words are then told at the first of them.
            near = range(lines.start - NEAR, lines.stop)
            places.setdefault(code, set()).update(f"{path.name}:{line}" for line in near)
    assert [row for row in _rows() if said.get(_template(row[1])) not in places[row[0]]] == []


def test_what_is_said_of_the_worker_is_said() -> None:
    table = DOCUMENT[DOCUMENT.index("## A worker that stops") : DOCUMENT.index("## How to leave")]
    rows = [row for row in re.findall(r"^\| ([^|]+) \| [^|]+ \| [^|]+ \|$", table, re.MULTILINE) if row[0].isupper()]
    assert len(rows) == 7
    said = set(sentences_of(sorted((ROOT / "neurok_blender" / "job").glob("*.py"))))
    assert [row for row in rows if _template(row.replace("signal 9", "…")) not in said] == []
