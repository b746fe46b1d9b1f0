"""docs/troubleshooting.md has every error code of the catalog, once, with a sentence that is said."""

from __future__ import annotations

import re
from pathlib import Path

from backend.texts import TEMPLATES, Text
from backend.texts.catalog import ERRORS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
# Texts about other texts have the code of these; what is said of a dead worker is in a table of its own.
WITHOUT_ROW = {"within", "worker"}


def _rows() -> list[tuple[str, str]]:
    """(code, sentence) of the tables by error code."""
    tables = DOCUMENT[DOCUMENT.index("## By error code") :]
    return re.findall(r"^\| `(\w+)` \| ([^|]+) \| [^|]+ \|$", tables, re.MULTILINE)


def _shown(template: str) -> str:
    """As the document writes it."""
    return re.sub(r"\{\w[^}]*\}", "…", template)


def test_every_code_of_the_catalog_is_in_the_document_and_no_other() -> None:
    codes = {id.partition(".")[0] for id in ERRORS} - WITHOUT_ROW
    assert len(codes) > 60
    assert sorted(code for code, _ in _rows()) == sorted(codes)


def test_the_sentences_are_said_with_their_codes() -> None:
    said = {(id.partition(".")[0], _shown(message)) for id, (message, _) in ERRORS.items()}
    assert [row for row in _rows() if row not in said] == []


def test_what_is_said_of_the_worker_is_said() -> None:
    table = DOCUMENT[DOCUMENT.index("## A worker that stops") : DOCUMENT.index("## How to leave")]
    rows = [row for row in re.findall(r"^\| ([^|]+) \| [^|]+ \| [^|]+ \|$", table, re.MULTILINE) if row[0].isupper()]
    assert len(rows) == 7
    signal = str(Text("cause.signal", number=9))
    said = {_shown(template) for id, template in TEMPLATES.items() if id.startswith(("worker.", "job."))}
    assert [row for row in rows if row.replace(signal, "…") not in said] == []
