"""What panels say of an object, and how."""

from types import SimpleNamespace

LEARNED = {
    "provider": "learned",
    "degrees_of_freedom": 1,
    "joints": [{}],
    "pieces": [{}, {}],
    "mass": 1.5,
    "confidence": 0.874,
    "warnings": [],
    "reasons": [{"id": "reason.learned", "args": {}}],
}


def test_what_was_found_is_told_in_two_lines(addon):
    from neurok_blender.operators.finding_operator import found_lines

    assert found_lines(LEARNED) == ["Uses learned motion, 1 joint", "2 pieces, 1.5 kg"]
    chosen = LEARNED | {"provider": "elastic", "joints": [], "reasons": [], "pieces": [{}], "mass": 8000.4}
    assert found_lines(chosen) == ["Elastic", "1 piece, 8,000 kg"]
    old = {"provider": "learned", "mass": 0.01234}  # of a file that an older release has written
    assert found_lines(old) == ["Learned", "1 piece, 0.0123 kg"]


def test_the_tooltip_has_all_of_it(addon):
    from neurok_blender.operators.finding_operator import details

    told = [str(text) for text, _icon in details(LEARNED)]
    assert "1 degree of freedom." in told and "Learned motion: 87 % sure." in told
    unsure = LEARNED | {"confidence": None, "degrees_of_freedom": 24}
    assert "24 degrees of freedom." in [str(text) for text, _icon in details(unsure)]


def test_what_was_found_is_told_in_the_artists_language(german):
    from neurok_blender.operators.finding_operator import found_lines

    two = LEARNED | {"joints": [{}, {}], "pieces": [{}]}
    assert found_lines(two) == ["Nimmt gelernte Bewegung, 2 Gelenke", "1 Stück, 1.5 kg"]


def test_lines_have_the_same_room_whatever_is_said(addon):
    from neurok_blender.operators.wrapped_text import draw_lines

    context = SimpleNamespace(
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)), region=SimpleNamespace(width=240)
    )

    def drawn(*texts, whole=False) -> list[str]:
        lines = []
        column = SimpleNamespace(label=lambda text, **_: lines.append(text))
        entries = [(text, "INFO") for text in texts]
        draw_lines(SimpleNamespace(column=lambda **_: column), context, entries, 3, whole)
        return lines

    assert drawn() == ["", "", ""] and drawn("Short") == ["Short", "", ""]
    long = "A sentence that goes on and on until it has no more room at all in three lines of this sidebar, and further"
    assert len(drawn(long)) == 3 and drawn(long)[-1].endswith(" ...")
    assert " ".join(drawn(long, whole=True)) == long


def test_a_sentence_is_translated_before_it_is_cut_into_lines(german):
    from neurok_blender.operators.wrapped_text import draw_text

    lines = []
    column = SimpleNamespace(label=lambda **said: lines.append(said))
    context = SimpleNamespace(
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)), region=SimpleNamespace(width=240)
    )
    draw_text(SimpleNamespace(column=lambda **_: column), context, "Delete or move those vertices first.", "ERROR")
    assert len(lines) > 1
    assert " ".join(line["text"] for line in lines) == "Diese Punkte zuerst löschen oder verschieben."
    assert [line["icon"] for line in lines] == ["ERROR"] + ["BLANK1"] * (len(lines) - 1)
    assert not any(line["translate"] for line in lines)  # a line alone is no text that Blender knows
