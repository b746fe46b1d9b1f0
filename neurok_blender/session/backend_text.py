"""What the backend says, in the artist's language.

The backend and the job layer know of no languages: their sentences come with the values in them. Here the template is
found that such a sentence was made from, and Blender translates that; it knows which language is wanted, and whether.
In the tables the templates have the context BACKEND, and {} where values stand. A value may be a sentence itself, or a
part of one, and is then translated too; but what stands in quotes is a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_rpt as rpt_

from ..translations import BACKEND, tables

__all__ = ["backend_report", "backend_text"]

SENTENCES_KEPT = 512  # far more than panels show at a time
PLACE = "{}"

Translate = Callable[..., str]
"""One of Blender's own: of a text, and of a text in a context."""


def backend_text(sentence: str) -> str:
    """The sentence in the language of the interface; as it is where nobody has translated it."""
    return _translated(sentence, iface_)


def backend_report(sentence: str) -> str:
    """The same for reports and the status bar, which the preferences tell apart."""
    return _translated(sentence, rpt_)


@dataclass(frozen=True)
class _Template:
    text: str

    @cached_property
    def literals(self) -> list[str]:
        """What stands before, between and after the values."""
        return self.text.split(PLACE)

    @cached_property
    def letters(self) -> int:
        return sum(map(len, self.literals))

    def values(self, sentence: str) -> list[str] | None:
        """What stands in the places, none of which is empty; None where the sentence is not made from this."""
        first, *between = self.literals
        if not between:
            return [] if sentence == first else None
        *between, last = between
        begin, end = len(first), len(sentence) - len(last)
        if not sentence.startswith(first) or not sentence.endswith(last):
            return None
        found = []
        for literal in between:
            place = sentence.find(literal, begin + 1, end)
            if place < 0:
                return None
            found.append(sentence[begin:place])
            begin = place + len(literal)
        return [*found, sentence[begin:end]] if begin < end else None

    def names(self) -> Iterator[bool]:
        """Of each value, whether it is a name."""
        return (literal.endswith("'") for literal in self.literals[:-1])


def _translated(sentence: str, translate: Translate) -> str:
    known = translate(sentence)
    return known if known != sentence else _filled_again(sentence, translate)


@cache
def _templates() -> list[_Template]:
    texts = {text for table in tables().values() for context, text in table if context == BACKEND}
    return [_Template(text) for text in sorted(texts)]


@lru_cache(maxsize=SENTENCES_KEPT)
def _made_from(sentence: str) -> tuple[_Template, list[str]] | None:
    """The template with the most letters that the sentence fits, and the values in it.

    A sentence inside of another one may have lost its capital letter.
    """
    begun = sentence[:1].upper() + sentence[1:]
    fitting = [
        (template, values)
        for template in _templates()
        for said in dict.fromkeys((sentence, begun))
        if (values := template.values(said)) is not None
    ]
    return max(fitting, key=lambda fit: fit[0].letters, default=None)


def _filled_again(sentence: str, translate: Translate) -> str:
    if (found := _made_from(sentence)) is None:
        return sentence
    template, values = found
    translated = translate(template.text, BACKEND)
    if translated == template.text:
        return sentence
    pairs = zip(values, template.names(), strict=True)
    shown = [value if is_name else _filled_again(value, translate) for value, is_name in pairs]
    following = iter(shown)
    return re.sub(r"\{(\d*)\}", lambda place: shown[int(place[1])] if place[1] else next(following), translated)
