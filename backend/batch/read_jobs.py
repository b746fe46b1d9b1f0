"""Files of jobs (.jsonl): one take a line, {"mesh" or "scene": FILE, "conditions": FILE or {...}, "output": FILE}."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import UserError
from ..io import MESH_EXTENSIONS
from .job import Job

__all__ = ["Digests", "read_jobs"]

KEYS = ("mesh", "scene", "conditions", "output")


def read_jobs(path: Path) -> list[Job]:
    """The jobs of a file; the files that it names are found from its own folder. Raises UserError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise UserError("bad_jobs.unreadable", path=path) from problem
    folder = path.resolve().parent
    jobs = [_job(number, line, folder) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not jobs:
        raise UserError("bad_jobs.no_jobs", path=path)
    first: dict[Path, int] = {}
    for job in jobs:
        if job.output in first:
            raise UserError("bad_jobs.same_output", first=first[job.output], second=job.line, file=job.output.name)
        first[job.output] = job.line
    return jobs


def _job(number: int, line: str, folder: Path) -> Job:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as problem:
        raise UserError("bad_jobs.not_json", line=number) from problem
    if not isinstance(value, dict):
        raise UserError("bad_jobs.not_object", line=number)
    for key in value:
        if key not in KEYS:
            raise UserError("bad_jobs.unknown_key", line=number, key=key)
    if ("mesh" in value) == ("scene" in value):
        raise UserError("bad_jobs.mesh_or_scene", line=number)
    if "scene" in value and "conditions" in value:
        raise UserError("bad_jobs.beside_scene", line=number)
    kind = "scene" if "scene" in value else "mesh"
    source, output = (_path(number, key, value.get(key), folder) for key in (kind, "output"))
    if (source.suffix.lower() == ".json") != (kind == "scene"):
        raise UserError("bad_jobs.wrong_kind", line=number, file=source.name, kind=kind)
    conditions = value.get("conditions")
    if isinstance(conditions, str):
        conditions = _path(number, "conditions", conditions, folder)
        return Job(number, source, conditions, conditions.parent, output)
    if conditions is not None and not isinstance(conditions, dict):
        raise UserError("bad_jobs.conditions", line=number)
    return Job(number, source, conditions, folder, output)


def _path(number: int, key: str, value: Any, folder: Path) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise UserError("bad_jobs.no_file", line=number, key=key)
    return folder / value


class Digests:
    """Digests of the inputs of jobs, one word each; equal words mean equal results. Each file is read once."""

    def __init__(self) -> None:
        self._files: dict[Path, str] = {}

    def of(self, job: Job) -> str:
        """For the mesh or scene, the conditions, and all meshes that those name."""
        parts: list[Any] = [self._file(job.source)]
        if job.source.suffix.lower() == ".json":
            scene = _content(job.source)
            parts.append(self._named(scene, job.source.parent))
        conditions = _content(job.conditions) if isinstance(job.conditions, Path) else job.conditions
        parts += [conditions, self._named(conditions, job.folder), job.output.suffix.lower()]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def _named(self, value: Any, folder: Path) -> list[str]:
        return [self._file(folder / name) for name in _mesh_names(value)]

    def _file(self, path: Path) -> str:
        if path not in self._files:
            try:
                with open(path, "rb") as stream:
                    self._files[path] = hashlib.file_digest(stream, "sha256").hexdigest()
            except OSError:
                self._files[path] = "cannot be read"  # which the job itself will say
        return self._files[path]


def _content(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None  # which the job itself will say


def _mesh_names(value: Any) -> Iterator[str]:
    """All texts in a JSON value that name a mesh file."""
    if isinstance(value, str) and value.lower().endswith(MESH_EXTENSIONS) and "\0" not in value:
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _mesh_names(each)
    elif isinstance(value, list):
        for each in value:
            yield from _mesh_names(each)
