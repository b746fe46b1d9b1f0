"""What the worker takes from a request, checked: texts, arrays, conditions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from backend import protocol
from backend.errors import UserError

__all__ = ["MOST_OBJECTS", "array_of", "asked_for", "bad_request", "text_of"]

MOST_OBJECTS = protocol.MAX_BUFFERS  # of one take: each has its own array in a message
_DEPTH = 4  # conditions > colliders > one of them > its vertices


def bad_request(what: str) -> UserError:
    """The client does not speak as this backend does."""
    return UserError("bad_request", what, "Use an add-on and a backend of one version.")


def text_of(request: str, entry: Mapping[str, Any], name: str) -> str:
    """The text of that name in a header, or in a part of it."""
    value = entry.get(name)
    if not isinstance(value, str) or not value:
        raise bad_request(f"A '{request}' request has no text under '{name}'.")
    return value


def array_of(message: protocol.Message, name: str, dtype: str) -> np.ndarray:
    """The array of that name, checked to be dtype[N,3]; what it holds is for the engine to judge."""
    array = message.arrays.get(name)
    if array is None or array.dtype.name != dtype or array.ndim != 2 or array.shape[1] != 3:
        raise bad_request(f"A '{message.type}' request has no {dtype} array '{name}' with rows of three.")
    return array


def asked_for(message: protocol.Message) -> list[tuple[str, dict[str, Any]]]:
    """(key, conditions) of every object of a `simulate` request.

    Either {"key", "conditions"} of a single one, or {"objects": [{"key", "conditions"}...]} with those conditions that
    are the same for all under "shared". {"buffer": name} in conditions stands for an array of the message.
    """
    header = message.header
    if "objects" not in header:
        return [_object(message, header, {})]
    entries, shared = header["objects"], header.get("shared", {})
    if not isinstance(entries, list) or not 0 < len(entries) <= MOST_OBJECTS:
        raise bad_request(f"A '{message.type}' request has no list of 1 to {MOST_OBJECTS} objects.")
    if not isinstance(shared, dict) or "key" in header or "conditions" in header:
        raise bad_request(f"A '{message.type}' request has both one object and several.")
    return [_object(message, entry, shared) for entry in entries]


def _object(message: protocol.Message, entry: Any, shared: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    if not isinstance(entry, dict):
        raise bad_request(f"A '{message.type}' request has an object that is none.")
    conditions = entry.get("conditions")
    if not isinstance(conditions, dict):
        raise bad_request(f"A '{message.type}' request has no object under 'conditions'.")
    key = text_of(message.type, entry, "key")
    return key, _with_arrays({**shared, **conditions}, message, _DEPTH)


def _with_arrays(value: Any, message: protocol.Message, depth: int) -> Any:
    """Arrays in place of {"buffer": name}, wherever conditions can have one."""
    if depth and isinstance(value, list):
        return [_with_arrays(entry, message, depth - 1) if isinstance(entry, dict) else entry for entry in value]
    if not depth or not isinstance(value, dict):
        return value
    if set(value) == {"buffer"}:
        name = text_of(message.type, value, "buffer")
        if name not in message.arrays:
            raise bad_request(f"A '{message.type}' request has no array '{name}'.")
        return message.arrays[name]
    return {key: _with_arrays(entry, message, depth - 1) for key, entry in value.items()}
