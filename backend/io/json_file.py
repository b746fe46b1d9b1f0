"""JSON files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..errors import UserError

__all__ = ["read_json"]


def read_json(path: Path, what: str) -> Any:
    """The content of a JSON file; `what` names it in a refusal."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise UserError("bad_conditions.unreadable_file", what=what, path=path) from problem
    try:
        return json.loads(text)
    except json.JSONDecodeError as problem:
        raise UserError(
            "bad_conditions.not_json", what=what, path=path, line=problem.lineno, reason=problem.msg
        ) from problem
    except (ValueError, RecursionError) as problem:  # a number of thousands of digits, brackets in brackets without end
        raise UserError("bad_conditions.beyond_measure", what=what, path=path) from problem
