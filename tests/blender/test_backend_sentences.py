"""Texts of the backend are told in the artist's language, with their arguments in them."""

import json
import re
import string
from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest

from backend.materials.table import material_entries
from neurok_blender.backend.texts import STAGES, TEMPLATES, Text, to_wire
from tests.blender.helpers import add_ball, add_elastic_ball, add_rigid_ball, wait_until
from tests.catalog import places, texts_made, worker_modules

ROOT = Path(__file__).resolve().parents[2]
CONTEXT = "Backend"
OF_PANELS = ("slider.joint", "slider.bend", "slider.mode")


@pytest.fixture(scope="module")
def said() -> set[str]:
    """The templates that are said by the worker, and by the job layer that waits for it."""
    sources = [*worker_modules(ROOT), *sorted((ROOT / "neurok_blender" / "job").glob("*.py"))]
    ids = {made.id for made in texts_made(sources) if made.id is not None} | set(OF_PANELS)
    templates = {TEMPLATES[each] for id in ids for each in (id, f"{id}.remedy") if each in TEMPLATES}
    labels = {entry["label"] for entry in material_entries()}
    return {template for template in templates if has_words(template)} | set(STAGES) | labels


@pytest.fixture(scope="module")
def tables(addon):
    from neurok_blender.translations import tables

    return tables()


def has_words(template: str) -> bool:
    """Whether something stands in it besides arguments."""
    return any(letter.isalpha() for literal, *_ in string.Formatter().parse(template) for letter in literal)


# --- the tables ---


def test_what_the_worker_says_is_found(said):
    assert TEMPLATES["no_faces.mesh"] in said and TEMPLATES["within.object"] in said and TEMPLATES["poke.held"] in said
    assert TEMPLATES["worker.silent"] in said and TEMPLATES["stream.buffer_list"] in said
    assert TEMPLATES["bad_jobs.no_jobs"] not in said and TEMPLATES["no_take.meshes"] not in said


def test_every_text_is_in_every_language(said, tables):
    for locale, table in tables.items():
        missing = sorted(text for text in said if (CONTEXT, text) not in table)
        assert not missing, "\n".join([f"languages/{locale}.po has no entry of the context {CONTEXT} for", *missing])


def test_no_language_has_what_the_backend_does_not_say(said, tables):
    for locale, table in tables.items():
        stale = [text for context, text in table if context == CONTEXT and text not in said]
        assert stale == [], f"languages/{locale}.po"


def test_translations_have_the_arguments_of_their_templates(tables):
    for table in tables.values():
        for (context, text), translated in table.items():
            if context == CONTEXT:
                assert places(translated) == places(text), text


# --- how a text is told ---


def test_a_refusal_inside_of_a_refusal_is_told_too(german):
    from neurok_blender.session.backend_text import backend_text

    vertex = Text("bad_conditions.vertex_out_of_range", where="pins[0]", vertex=9, count=8)
    outer = Text("within.object", name="Cube", problem=vertex)
    assert str(outer) == "The object 'Cube' cannot be used: the condition 'pins[0]' names vertex 9, but the mesh has 8."
    assert backend_text(outer) == (
        "Das Objekt „Cube“ kann nicht verwendet werden: Die Bedingung „pins[0]“ nennt den Punkt 9, aber das Mesh hat 8."
    )
    assert outer.code == "bad_conditions"
    assert str(outer.remedy) == str(vertex.remedy) and backend_text(outer.remedy) == backend_text(vertex.remedy)
    assert backend_text(outer.remedy) != str(outer.remedy)


def test_numbers_are_written_as_the_template_says(german):
    from neurok_blender.session.backend_text import backend_text

    rough = Text("contact.approximate", time=0.5345)
    assert str(rough).startswith("The motion at 0.53 s is approximate: ")
    assert backend_text(rough).startswith("Die Bewegung bei 0.53 s ist nur angenähert: ")
    assert "inf" in backend_text(Text("bad_joints.limits", joint="x", lower=float("inf"), upper=0.0))


def test_names_stay_as_they_are(german):
    """Also those that are texts of the backend, or look like places."""
    from neurok_blender.session.backend_text import backend_text

    for name in ("importing", "The mesh has no faces.", "{0}", "{}", "{name}", "Anna's", "Zeile\nzwei"):
        assert backend_text(Text("within.object", name=name, problem=Text("no_faces.mesh"))) == (
            f"Das Objekt „{name}“ kann nicht verwendet werden: Das Mesh hat keine Flächen."
        )


def test_what_is_no_text_of_the_backend_stays_as_it_is(german):
    from neurok_blender.session.backend_text import backend_text

    for text in ("", "Cube", "C:\\logs\\{0}.log", "The mesh has no faces.", "The motion at 1 s is approximate."):
        assert backend_text(text) == text


def test_in_english_everything_is_told_as_it_is(addon):
    from neurok_blender.session.backend_text import backend_text

    text = Text(
        "worker.stopped", cause=Text("cause.crash", code=0xC0000005), activity=Text("activity.posing"), advice=""
    )
    assert (
        backend_text(text)
        == str(text)
        == ("The backend stopped unexpectedly (exit code 0xC0000005) while posing the object.")
    )


def test_the_order_of_arguments_is_that_of_the_language(addon, monkeypatch):
    from neurok_blender.session import backend_text as module

    turned = {
        TEMPLATES["index_out_of_range.faces"]: "Von {count} Flächen benutzen {outside} Punkte, die es nicht gibt."
    }
    monkeypatch.setattr(module, "iface_", lambda text, context="*": turned.get(text, text))
    assert module.backend_text(Text("index_out_of_range.faces", outside=3, count=80)).startswith(
        "Von 80 Flächen benutzen 3 Punkte"
    )


def test_reports_are_told_apart_from_the_interface(addon, tables, monkeypatch):
    from neurok_blender.session import backend_text as module

    monkeypatch.setattr(module, "rpt_", lambda text, context="*": tables["de"].get((context, text), text))
    assert module.backend_text(Text("no_faces.mesh")) == "The mesh has no faces."
    assert module.backend_report(Text("no_faces.mesh")) == "Das Mesh hat keine Flächen."


def test_a_file_may_have_texts_of_other_versions(addon):
    from neurok_blender.session.backend_text import kept_texts

    known = Text("poke.held", number=2)
    entries = json.loads(json.dumps(["A sentence.", {"id": "gone.since", "args": {}}, to_wire(known)]))
    assert kept_texts(entries) == ["A sentence.", known]


# --- the real worker ---


def drawn(text: Text | str) -> str:
    """What a panel shows of a text, its lines put together again."""
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
        bpy.ops.neurok.simulate()


def test_a_mesh_that_cannot_be_used_is_told_in_german(german, scene):
    ball = add_ball()
    for vertex in ball.data.vertices:
        vertex.co.x = vertex.co.y = 0.0
    with pytest.raises(RuntimeError, match=r"Die Flächen des Meshes haben keinen Inhalt.* nach Abstand zusammenfügen"):
        bpy.ops.neurok.simulate()


def test_warnings_of_what_was_found_are_told_in_german(german, scene):
    from neurok_blender.session.backend_text import kept_texts

    ball = add_elastic_ball()
    ball.neurok.conditions[0].frame = 100
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    warnings = json.loads(ball.neurok.found)["warnings"]
    assert "Stoß 1 beginnt bei Bild 100, nach dem letzten Bild." in [drawn(warning) for warning in kept_texts(warnings)]


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
