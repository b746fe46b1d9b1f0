"""A text as an id and arguments; the sentence is made where it is shown, in the language that is wanted there."""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from .catalog import TEMPLATES

__all__ = ["Text", "from_wire", "in_english", "sentence", "to_wire"]

REMEDY = ".remedy"  # what the id of an error's second sentence ends with
WITHIN = "within"  # where ids begin with it, the text is about another one, its argument `problem`

Translate = Callable[[str], str]
"""From an English template to that of another language, with the same named places."""


@dataclass(frozen=True, init=False)
class Text:
    """A template of the catalog by its id, `coarse_code.detail`, and the arguments that its named places take.

    Arguments are JSON (numbers, strings, lists) or other texts; what is none of these becomes a string.
    """

    id: str
    args: Mapping[str, Any]

    def __init__(self, id: str, /, **args: Any) -> None:
        """Raises KeyError where the catalog has no such id."""
        if id not in TEMPLATES:
            raise KeyError(f"no text has the id '{id}'")
        object.__setattr__(self, "id", id)
        object.__setattr__(self, "args", {name: _argument(value) for name, value in args.items()})

    def __hash__(self) -> int:
        return hash(self.id)  # arguments may be lists

    def __str__(self) -> str:
        """The sentence in English."""
        return sentence(self)

    @property
    def code(self) -> str:
        """The coarse code for programs; of a text about another problem, the code of that."""
        coarse = self.id.partition(".")[0]
        return self.args["problem"].code if coarse == WITHIN else coarse

    @property
    def remedy(self) -> Text | None:
        """What to do about it; None where the text is not an error."""
        remedy = self.id + REMEDY
        return Text(remedy, **self.args) if remedy in TEMPLATES else None


def sentence(text: Text, translate: Translate = str) -> str:
    """The sentence of a text and of the texts in it, by templates in the language of `translate`."""
    return _Formatter(translate).vformat(translate(TEMPLATES[text.id]), (), text.args)


def to_wire(value: Any) -> Any:
    """The same JSON with {"id", "args"} in place of each text."""
    return _replaced(value, lambda text: {"id": text.id, "args": to_wire(text.args)})


def in_english(value: Any) -> Any:
    """The same JSON with the English sentence in place of each text."""
    return _replaced(value, str)


def from_wire(value: Any) -> Any:
    """The inverse of `to_wire`. Raises KeyError where the catalog has no such id."""
    if isinstance(value, list):
        return [from_wire(each) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"id", "args"}:
        return Text(value["id"], **{name: from_wire(each) for name, each in value["args"].items()})
    return {key: from_wire(each) for key, each in value.items()}


def _replaced(value: Any, replace: Callable[[Text], Any]) -> Any:
    if isinstance(value, Text):
        return replace(value)
    if isinstance(value, Mapping):
        return {key: _replaced(each, replace) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_replaced(each, replace) for each in value]
    return value


def _argument(value: Any) -> Any:
    if value is None or isinstance(value, bool | str | Text):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        # JSON has no infinity and no NaN.
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, list | tuple):
        return [_argument(each) for each in value]
    return str(value)


class _Inside:
    """A text in a place of another one: `{problem}`, `{problem:lower}` and `{problem.remedy}`."""

    def __init__(self, text: Text, translate: Translate) -> None:
        self._text, self._translate = text, translate

    @property
    def remedy(self) -> _Inside:
        remedy = self._text.remedy
        assert remedy is not None
        return _Inside(remedy, self._translate)

    def __format__(self, spec: str) -> str:
        whole = sentence(self._text, self._translate)
        return whole[:1].lower() + whole[1:] if spec == "lower" else whole


class _Formatter(string.Formatter):
    def __init__(self, translate: Translate) -> None:
        self._translate = translate

    def get_value(self, key: int | str, args: Any, kwargs: Mapping[str, Any]) -> Any:
        value = super().get_value(key, args, kwargs)
        return _Inside(value, self._translate) if isinstance(value, Text) else value

    def format_field(self, value: Any, format_spec: str) -> str:
        # A number that JSON does not have is a string already.
        return value if isinstance(value, str) else super().format_field(value, format_spec)
