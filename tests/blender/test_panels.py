"""What panels say of an object, and how."""

from types import SimpleNamespace


def test_what_was_found_is_told_in_whole_words(addon):
    from neurok_blender.panels.object_panel import found_lines

    summary = {"provider": "learned", "degrees_of_freedom": 1, "parts": 2, "mass": 1.5, "confidence": 0.874}
    assert found_lines(summary) == ["Learned, 1 degree of freedom", "2 parts, 1.5 kg", "Learned motion: 87 % sure"]
    summary |= {"provider": "elastic", "degrees_of_freedom": 24, "parts": 1, "confidence": None}
    assert found_lines(summary) == ["Elastic, 24 degrees of freedom", "1 part, 1.5 kg"]
    del summary["confidence"]
    assert len(found_lines(summary)) == 2


def test_what_was_found_is_told_in_the_artists_language(german):
    from neurok_blender.panels.object_panel import found_lines

    summary = {"provider": "learned", "degrees_of_freedom": 2, "parts": 1, "mass": 1.5, "confidence": 0.874}
    assert found_lines(summary) == ["Gelernt, 2 Freiheitsgrade", "1 Teil, 1.5 kg", "Gelernte Bewegung: 87 % sicher"]


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
