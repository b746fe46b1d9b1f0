"""All texts by id: an error is a message and a remedy, a note is one sentence; places for arguments have names."""

from __future__ import annotations

from . import (
    batch_errors,
    condition_errors,
    data_errors,
    file_errors,
    job_texts,
    joint_errors,
    measuring_errors,
    mesh_errors,
    nesting,
    network_errors,
    notes,
    request_errors,
    stream_notes,
)

__all__ = ["ERRORS", "NOTES", "TEMPLATES"]

ERRORS: dict[str, tuple[str, str]] = {
    **batch_errors.ERRORS,
    **condition_errors.ERRORS,
    **data_errors.ERRORS,
    **file_errors.ERRORS,
    **job_texts.ERRORS,
    **joint_errors.ERRORS,
    **measuring_errors.ERRORS,
    **mesh_errors.ERRORS,
    **nesting.ERRORS,
    **network_errors.ERRORS,
    **request_errors.ERRORS,
}
NOTES: dict[str, str] = {
    **job_texts.NOTES,
    **nesting.NOTES,
    **notes.NOTES,
    **stream_notes.NOTES,
}
TEMPLATES: dict[str, str] = {
    **NOTES,
    **{id: message for id, (message, _) in ERRORS.items()},
    **{f"{id}.remedy": remedy for id, (_, remedy) in ERRORS.items()},
}
"""The remedy of an error has its id and ".remedy"."""
