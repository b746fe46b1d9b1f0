"""What the backend says is told in the artist's language, with the values in it."""

import re
from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest

from tests.blender.helpers import add_ball, add_elastic_ball, add_rigid_ball, wait_until
from tests.blender.sentences import PLACE, sentences_of, worker_modules

ROOT = Path(__file__).resolve().parents[2]
CONTEXT = "Backend"


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    """Template -> where it is said: by the worker, and by the job layer that waits for it."""
    return sentences_of([*worker_modules(ROOT), *sorted((ROOT / "neurok_blender" / "job").glob("*.py"))])


@pytest.fixture(scope="module")
def tables(addon):
    from neurok_blender.translations import tables

    return tables()


def filled(template: str, values) -> str:
    """The template with values one after the other, or where their numbers are."""
    following = iter(values)
    return re.sub(r"\{(\d*)\}", lambda place: values[int(place[1])] if place[1] else next(following), template)


def numbers(template: str) -> list[str]:
    """Something that is no sentence, for every place."""
    return [str(111 * number) for number in range(1, 1 + len(re.findall(r"\{\d*\}", template)))]


# --- the tables ---


def test_the_search_itself_works(said):
    for template in (
        "The mesh has no faces.",
        "A vertex is dragged that is none of {}.",  # the other side of a choice
        "The vertices have the shape {} where rows of three numbers are needed.",  # a word that is handed on
        "The condition '{}' is {}, out of range.",  # a part of a sentence that is handed on
        "The condition '{}' must be rows of three vertex indices.",  # through two functions
        "Give at least one key, or leave it out.",  # a variable that is a part
        "The object '{}' cannot be used: {}",  # around another refusal
        "{} The elastic provider stands in for it.",  # a warning
        "encoding",  # a stage
        "Bend {}",  # a slider
        "The backend stopped unexpectedly ({}) while {}.",  # of the job layer
        "simulating frame {} of {}",  # a part that has its own entry
    ):
        assert template in said
    assert not any("URDF" in template or "prismatic" in template for template in said)  # of backend.data


def test_every_sentence_is_in_every_language(said, tables):
    for locale, table in tables.items():
        missing = [
            f"{where}: {text}"
            for text, where in said.items()
            if (CONTEXT, text) not in table and ("*", text) not in table
        ]
        assert not missing, "\n".join([f"languages/{locale}.po has no entry of the context {CONTEXT} for", *missing])


def test_no_language_has_what_the_backend_does_not_say(said, tables):
    for locale, table in tables.items():
        stale = [text for context, text in table if context == CONTEXT and text not in said]
        assert stale == [], f"languages/{locale}.po"


def test_every_value_has_its_place(tables):
    """One after the other, or all of them by number."""
    for table in tables.values():
        for (context, text), translated in table.items():
            if context == CONTEXT:
                places = re.findall(r"\{\d*\}", translated)
                count = text.count(PLACE)
                assert places == [PLACE] * count or sorted(places) == [f"{{{number}}}" for number in range(count)], text


def test_every_sentence_is_known_by_its_words(german, tables):
    """No template is taken for another one, and nothing is translated twice."""
    from neurok_blender.session.backend_text import backend_text

    for (context, text), translated in tables["de"].items():
        if context == CONTEXT and ("*", text) not in tables["de"]:
            values = numbers(text)
            spoken = filled(translated, values)
            assert backend_text(filled(text, values)) == spoken
            assert backend_text(spoken) == spoken


# --- how a sentence is told ---


def test_a_refusal_inside_of_a_refusal_is_told_too(german):
    from neurok_blender.session.backend_text import backend_text

    inner = "the condition 'pins[0]' names vertex 9, but the mesh has 8."
    assert backend_text(f"The object 'Cube' cannot be used: {inner}") == (
        "Das Objekt „Cube“ kann nicht verwendet werden: Die Bedingung „pins[0]“ nennt den Punkt 9, aber das Mesh hat 8."
    )
    assert backend_text("The motion could not be solved at 0.53 s. The object is as it was before.") == (
        "Die Bewegung ließ sich bei 0.53 s nicht lösen. Das Objekt ist wie zuvor."
    )
    without = "The network needs ONNX Runtime or PyTorch, which this Python does not have."
    assert backend_text(f"{without} The elastic provider stands in for it.").startswith(
        "Das Netz braucht ONNX Runtime oder PyTorch"
    )


def test_names_stay_as_they_are(german):
    """Also those that are sentences of the backend, or look like places."""
    from neurok_blender.session.backend_text import backend_text

    for name in ("importing", "The mesh has no faces.", "{0}", "{}", "Anna's", "Zeile\nzwei"):
        assert backend_text(f"The object '{name}' cannot be used: the mesh has no faces.") == (
            f"Das Objekt „{name}“ kann nicht verwendet werden: Das Mesh hat keine Flächen."
        )


def test_what_nobody_has_translated_stays_as_it_is(german):
    from neurok_blender.session.backend_text import backend_text

    for text in (
        "",
        "Cube",
        "C:\\logs\\backend.log",
        "The mesh has five faces.",
        "The motion could not be solved at  s.",
    ):
        assert backend_text(text) == text


def test_in_english_everything_is_told_as_it_is(addon, said):
    from neurok_blender.session.backend_text import backend_text

    for template in said:
        text = filled(template, numbers(template))
        assert backend_text(text) == text


def test_the_order_of_values_is_that_of_the_language(addon, monkeypatch):
    from neurok_blender.session import backend_text as module

    turned = {
        "{} of {} faces use vertices that do not exist.": "Von {1} Flächen benutzen {0} Punkte, die es nicht gibt."
    }
    monkeypatch.setattr(module, "iface_", lambda text, context="*": turned.get(text, text))
    assert module.backend_text("3 of 80 faces use vertices that do not exist.").startswith(
        "Von 80 Flächen benutzen 3 Punkte"
    )


def test_reports_are_told_apart_from_the_interface(addon, tables, monkeypatch):
    from neurok_blender.session import backend_text as module

    monkeypatch.setattr(module, "rpt_", lambda text, context="*": tables["de"].get((context, text), text))
    assert module.backend_text("The mesh has no faces.") == "The mesh has no faces."
    assert module.backend_report("The mesh has no faces.") == "Das Mesh hat keine Flächen."


def test_a_sentence_is_looked_for_once(german):
    """Panels draw the same ones again and again."""
    from neurok_blender.session import backend_text as module

    module.backend_text("Poke 5 is on a held part and moves nothing.")
    before = module._made_from.cache_info()
    for _ in range(100):
        module.backend_text("Poke 5 is on a held part and moves nothing.")
    after = module._made_from.cache_info()
    assert after.misses == before.misses and after.maxsize is not None


# --- the real worker ---


def drawn(text: str) -> str:
    """What a panel shows of a sentence, its lines put together again."""
    from neurok_blender.operators.wrapped_text import draw_text

    lines = []
    column = SimpleNamespace(label=lambda **said: lines.append(said["text"]))
    context = SimpleNamespace(
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)), region=SimpleNamespace(width=300)
    )
    draw_text(SimpleNamespace(column=lambda **_: column), context, text)
    return " ".join(lines)


def test_a_refused_simulation_is_told_in_german(german, scene):
    from neurok_blender.session.state import session

    ball = add_elastic_ball()
    ball.neurok.coordinates.add()
    ball.neurok.starts_posed = True
    message = "Die Pose zu Beginn hat 1 Zahlen, und das Objekt hat jetzt 12 Regler."
    remedy = "Das Objekt neu posieren, oder in der gezeichneten Form beginnen."
    with pytest.raises(RuntimeError, match=re.escape(f"{message} {remedy}")):
        bpy.ops.neurok.simulate()
    assert drawn(session.notice.message) == message and drawn(session.notice.remedy) == remedy


def test_the_one_of_several_that_is_refused_is_told_in_german(german, scene):
    add_rigid_ball(location=(5.0, 0.0, 0.0))
    second = add_elastic_ball()
    second.neurok.coordinates.add()
    second.neurok.starts_posed = True
    bpy.ops.object.select_all(action="SELECT")
    expected = (
        r"Das Objekt 1 kann nicht verwendet werden: Die Pose zu Beginn hat 1 Zahlen, und das Objekt hat jetzt \d+"
    )
    with pytest.raises(RuntimeError, match=expected):
        bpy.ops.neurok.simulate_together()


def test_a_mesh_that_cannot_be_used_is_told_in_german(german, scene):
    ball = add_ball()
    for vertex in ball.data.vertices:
        vertex.co.x = vertex.co.y = 0.0
    with pytest.raises(RuntimeError, match=r"Die Flächen des Meshes haben keinen Inhalt.* nach Abstand zusammenfügen"):
        bpy.ops.neurok.simulate()


def test_warnings_of_what_was_found_are_told_in_german(german, scene):
    import json

    ball = add_elastic_ball()
    ball.neurok.conditions[0].frame = 100
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    warnings = json.loads(ball.neurok.found)["warnings"]
    assert "Stoß 1 beginnt bei Bild 100, nach dem letzten Bild." in [drawn(warning) for warning in warnings]


def test_progress_is_told_in_german(german):
    from neurok_blender.panels.simulate_panel import progress_text
    from neurok_blender.session.simulation import Progress

    assert progress_text(Progress(stage="importing")) == "Lädt"
    assert progress_text(Progress(stage="encoding", done=1, total=2)) == "Erkennt 1/2"
    assert progress_text(Progress(stage="simulating", done=3, total=9, seconds_left=0.2)) == "Simuliert 3/9, noch 1 s"
    assert (
        progress_text(Progress(stage="simulating", done=3, total=9, seconds_left=100.0)) == "Simuliert 3/9, noch 2 min"
    )


def test_the_death_of_the_worker_is_told_in_german(german, scene):
    from neurok_blender.session.simulation import Outcome, Simulation
    from neurok_blender.session.state import session

    scene.neurok.frame_count = 5000
    simulation = Simulation(bpy.context, [add_elastic_ball()])
    assert wait_until(lambda: simulation.tick().done > 2, 60.0), simulation.progress
    session._runner._process.kill()
    assert wait_until(lambda: simulation.tick().outcome is Outcome.FAILED, 10.0), simulation.progress
    pattern = r"Der Rechenteil endete unerwartet \(Signal 9\) beim Simulieren von Bild \d+ von 5000\."
    assert re.fullmatch(pattern, drawn(session.notice.message))
    assert drawn(session.notice.remedy).startswith("Vielleicht ist der Speicher ausgegangen")
