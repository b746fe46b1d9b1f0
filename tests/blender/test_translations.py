"""All that an artist reads can be had in other languages."""

import re
from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest

from tests.blender.texts import DEFAULT, composed_texts, texts_of_classes, texts_of_code

PACKAGE = Path(__file__).resolve().parents[2] / "neurok_blender"
BACKEND = "Backend"  # the context of what the backend says: see test_backend_sentences
# Names that only scripts see, what is called the same in every language, and what Blender itself says.
FOR_NOBODY = {"Python", "conditions", "coordinates", "Active Condition", "Unique name used in the code and scripting"}


@pytest.fixture(scope="module")
def said(addon) -> dict[tuple[str, str], str]:
    """(context, text) -> where it is said."""
    found = {(text.context, text.text): text.where for text in texts_of_classes(addon.CLASSES) + texts_of_code(PACKAGE)}
    found |= {(DEFAULT, path.stem): path.name for path in (PACKAGE / "presets").rglob("*.py")}
    found[DEFAULT, "Presets"] = "the menu of presets"  # its label becomes the name of the preset that was applied last
    return {key: where for key, where in found.items() if key[1] not in FOR_NOBODY}


@pytest.fixture(scope="module")
def tables(addon):
    from neurok_blender.translations import tables

    return tables()


def test_german_is_there(tables):
    assert tables["de"]["Operator", "Simulate"] == "Simulieren"


def test_much_is_found(said):
    """The search itself works: a label, a tooltip, a choice, a refusal's remedy, and a hint of the status bar."""
    for text in ("Moves As", "What the object stands on or hangs from", "Poke", "Press Simulate first."):
        assert (DEFAULT, text) in said
    assert ("Operator", "Copy Diagnostics") in said
    assert (DEFAULT, "NeuROK: Esc: Stop Simulation") in said


def test_every_text_is_in_every_language(said, tables):
    for locale, table in tables.items():
        missing = [
            f"{where}: {context} {text!r}" for (context, text), where in said.items() if (context, text) not in table
        ]
        assert not missing, "\n".join([f"languages/{locale}.po has no entry for", *missing])


def test_no_language_has_what_nobody_says(said, tables):
    for locale, table in tables.items():
        stale = [key for key in table if key not in said and key[0] != BACKEND]
        assert stale == [], f"languages/{locale}.po"


def test_values_stand_in_the_same_places(tables):
    for table in tables.values():
        for (context, text), translated in table.items():
            if context != BACKEND:
                assert sorted(re.findall(r"\{.*?\}", text)) == sorted(re.findall(r"\{.*?\}", translated)), text
            assert text.endswith(".") == translated.endswith("."), text


def test_sentences_are_translated_before_values_come_in():
    assert composed_texts(PACKAGE) == [], "put iface_() or rpt_() around the words, and .format() after"


def test_texts_are_given_to_blender_and_taken_away(addon, tables, monkeypatch):
    """The bpy module is built without languages and keeps no texts, so a stand-in notes what it is given."""
    from neurok_blender import translations
    from neurok_blender.names import PACKAGE

    given = {}
    noting = SimpleNamespace(register=given.__setitem__, unregister=given.__delitem__)
    addon.unregister()
    try:
        monkeypatch.setattr(translations, "bpy", SimpleNamespace(app=SimpleNamespace(translations=noting)))
        addon.register()
        assert given == {PACKAGE: tables}
        addon.unregister()
        assert given == {}
    finally:
        monkeypatch.undo()
        addon.register()


def test_another_language_is_one_more_file(addon, tmp_path, monkeypatch):
    from neurok_blender import translations

    (tmp_path / "fr.po").write_text(
        'msgid ""\nmsgstr "Language: fr\\n"\n\n# a comment\nmsgctxt "Operator"\nmsgid "Simulate"\nmsgstr "Simuler"\n\n'
        'msgid ""\n"A long "\n"\\"text\\""\nmsgstr ""\n"Un \\"texte\\" "\n"long"\n\nmsgid "Not yet"\nmsgstr ""\n'
    )
    monkeypatch.setattr(translations, "LANGUAGES", tmp_path)
    expected = {("Operator", "Simulate"): "Simuler", ("*", 'A long "text"'): 'Un "texte" long'}
    assert translations.tables() == {"fr": expected}


def test_a_broken_file_is_named(tmp_path, addon):
    from neurok_blender.translations import read_po

    broken = tmp_path / "xx.po"
    broken.write_text('msgid "Simulate"\nmsgplural "Simulates"\n')
    with pytest.raises(ValueError, match=r"xx\.po has a line that begins with 'msgplural'"):
        read_po(broken)


def test_every_class_leaves_its_texts_to_blender(addon):
    """No class turns translation off, and none is in a context where nobody looks."""
    for item in addon.CLASSES:
        if issubclass(item, bpy.types.Operator | bpy.types.Panel | bpy.types.Menu):
            expected = "Operator" if issubclass(item, bpy.types.Operator) else "*"
            assert item.bl_rna.translation_context == expected, item.__name__
