"""Every text that the source makes is in the catalog, with exactly the arguments of its templates."""

from __future__ import annotations

import re
from pathlib import Path

from backend.texts import STAGES
from backend.texts.catalog import ERRORS, NOTES
from tests.catalog import Made, places, texts_made

ROOT = Path(__file__).resolve().parents[2]
MACHINERY = {"backend/errors.py", "backend/texts/text.py"}  # they make texts of any id
SOURCES = [
    path
    for folder in ("backend", "neurok_blender/job")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if path.relative_to(ROOT).as_posix() not in MACHINERY
]
OF_PANELS = {"slider.joint", "slider.bend", "slider.mode"}  # made from the kind of a slider


def arguments_of(id: str) -> set[str]:
    return set().union(*map(places, ERRORS[id])) if id in ERRORS else places(NOTES[id])


def wrong(made: Made) -> str:
    """What is wrong with a call; empty where nothing is."""
    if made.id is None:
        return f"{made.where}: the id is not written in the call"
    if made.id not in ERRORS and made.id not in NOTES:
        return f"{made.where}: no text has the id {made.id}"
    needed = arguments_of(made.id)
    return "" if made.arguments == needed else f"{made.where}: {made.id} takes {needed}, not {set(made.arguments)}"


def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    source = tmp_path / "source.py"
    source.write_text(
        'UserError("no_faces.mesh")\nUserError("no_faces.none")\nText(f(x))\nText("poke.held")\n'
        'blamed("within.object", name=x)\nUserError("too_large.mesh", **sizes)\nText("poke.held", number=1)\n'
    )
    assert [each.where[-1] for each in texts_made([source]) if wrong(each)] == ["2", "3", "4", "6"]


def test_every_text_has_its_id_and_its_arguments() -> None:
    made = list(texts_made(SOURCES))
    assert len(made) > 300
    problems = [problem for each in made if (problem := wrong(each))]
    assert not problems, "\n".join(problems)


def test_the_catalog_has_nothing_that_nobody_says() -> None:
    assert (ERRORS.keys() | NOTES.keys()) - {each.id for each in texts_made(SOURCES)} == OF_PANELS


def test_ids_are_a_code_and_a_detail() -> None:
    assert all(re.fullmatch(r"[a-z_]+\.[a-z0-9_]+", id) for id in (*ERRORS, *NOTES))
    assert not ERRORS.keys() & NOTES.keys() and not any(id.endswith(".remedy") for id in (*ERRORS, *NOTES))


def test_stages_are_known() -> None:
    told = r'(?:progress|tell|begin)\((?:job, )?"([^"]+)", |stage="([^"]+)"'
    found = {text for path in SOURCES for pair in re.findall(told, path.read_text(encoding="utf-8")) for text in pair}
    begun = {text for path in SOURCES for text in re.findall(r'begin\(job, "([^"]+)"\)', path.read_text("utf-8"))}
    assert (found | begun) - {""} == set(STAGES)
