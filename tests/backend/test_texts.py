"""Texts as ids and arguments: sentences, the wire, nesting."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from backend.errors import UserError, blamed
from backend.texts import Text, from_wire, in_english, sentence, to_wire

VERTEX = {"where": "pins[0]", "vertex": 9, "count": 8}


def over_the_wire(value):
    return from_wire(json.loads(json.dumps(to_wire(value), allow_nan=False)))


def test_an_error_is_two_sentences_and_a_code() -> None:
    error = UserError("bad_conditions.vertex_out_of_range", **VERTEX)
    assert error.code == "bad_conditions"
    assert error.message == "The condition 'pins[0]' names vertex 9, but the mesh has 8."
    assert str(error) == f"{error.message} Name vertices of this mesh, counted from 0."


def test_blame_keeps_code_and_remedy_of_what_is_inside() -> None:
    with (
        pytest.raises(UserError) as caught,
        blamed("within.object", name="A"),
        blamed("within.condition", where="pose"),
    ):
        raise UserError("cannot_read.file", path=Path("a.obj"), reason="it is gone")
    assert caught.value.code == "cannot_read"
    assert caught.value.message == (
        "The object 'A' cannot be used: the condition 'pose' cannot be used: the file a.obj cannot be read: it is gone."
    )
    assert caught.value.remedy == "Check the path and its permissions."


@pytest.mark.parametrize(
    "text",
    [
        UserError("bad_conditions.vertex_out_of_range", **VERTEX).text,
        Text("within.numbered_object", number=2, problem=UserError("no_faces.mesh").text),
        Text("within.numbered_object", number=2, problem=UserError("no_faces.mesh").text).remedy,
        Text("bad_joints.limits", joint=Text("joint.named", name="{0} {name}"), lower=np.inf, upper=np.float32(0.5)),
        Text("too_large.mesh", size=np.float64(1.5e120)),
        Text("poke.far", number=np.int64(3), distance=0.1 + 0.2),
    ],
    ids=lambda text: text.id,
)
def test_a_text_comes_over_the_wire_as_it_is(text: Text) -> None:
    assert over_the_wire(text) == text and str(over_the_wire(text)) == str(text)
    assert over_the_wire({"warnings": [text, "x", 1.5], "n": None}) == {"warnings": [text, "x", 1.5], "n": None}
    assert in_english({"warnings": (text, 1)}) == {"warnings": [str(text), 1]}


def test_numbers_that_json_has_not_are_written_all_the_same() -> None:
    limits = Text("bad_joints.limits", joint="It", lower=float("nan"), upper=-float("inf"))
    assert str(limits) == "It has the limits nan to -inf, which leave it no place to be."


def test_an_error_survives_its_way_from_another_process() -> None:
    error = UserError("within.object", name="A", problem=UserError("no_faces.mesh").text)
    again = pickle.loads(pickle.dumps(error))
    assert (again.text, again.code, str(again)) == (error.text, "no_faces", str(error))


def test_a_language_translates_templates_and_puts_arguments_where_it_wants_them() -> None:
    german = {
        "The object '{name}' cannot be used: {problem:lower}": "„{name}“ geht nicht: {problem}",
        "{outside:,} of {count:,} faces use vertices that do not exist.": "Von {count} Flächen sind {outside} falsch.",
    }
    text = Text("within.object", name="A", problem=Text("index_out_of_range.faces", outside=2, count=7))
    assert (
        sentence(text, lambda template: german.get(template, template))
        == "„A“ geht nicht: Von 7 Flächen sind 2 falsch."
    )


def test_an_id_that_the_catalog_lacks_is_refused() -> None:
    with pytest.raises(KeyError, match=r"no\.such_text"):
        Text("no.such_text")
    with pytest.raises(KeyError):
        from_wire({"id": "no.such_text", "args": {}})
    assert Text("poke.held", number=1).remedy is None
