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
        raise UserError(
            "bad_conditions", f"The {what} file '{path}' cannot be read.", "Give the path of a JSON text file."
        ) from problem
    try:
        return json.loads(text)
    except json.JSONDecodeError as problem:
        raise UserError(
            "bad_conditions",
            f"The {what} file '{path}' is not JSON (line {problem.lineno}: {problem.msg}).",
            "Correct it there.",
        ) from problem
    except (ValueError, RecursionError) as problem:  # a number of thousands of digits, brackets in brackets without end
        raise UserError(
            "bad_conditions",
            f"The {what} file '{path}' holds numbers or brackets beyond all measure.",
            "Write it as { ... } with named keys and ordinary numbers.",
        ) from problem
