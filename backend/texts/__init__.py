"""All texts that the backend and the job layer say, by id: pure data and the standard library, for both halves."""

from .catalog import TEMPLATES
from .stages import STAGES
from .text import Text, from_wire, in_english, sentence, to_wire

__all__ = ["STAGES", "TEMPLATES", "Text", "from_wire", "in_english", "sentence", "to_wire"]
