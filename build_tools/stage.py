"""The package as the zip has it: in build/stage of links, for tests and the demo, or copied."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from .common import BUILD, ROOT

__all__ = ["PACKAGE", "PACKAGE_GUESTS", "REPOSITORY_ONLY", "STAGE", "copy_tree", "stage_tree"]

STAGE = BUILD / "stage"
PACKAGE = "neurok_blender"
# What stands beside the package's own modules in the zip, taken from the root of the repository.
PACKAGE_GUESTS = ("backend", "icons", "blender_manifest.toml", "LICENSE")
# Rooms of the backend that make, train and measure what the zip brings.
REPOSITORY_ONLY = ("backend/data", "backend/evaluate", "backend/bench", "backend/learned/train")
NEVER_STAGED = ("__pycache__", ".DS_Store")


def package_entries() -> dict[str, Path]:
    """Path inside the package -> source, for all that the zip has; a folder is whole where all in it belongs there."""
    own = ((path.name, path) for path in (ROOT / PACKAGE).iterdir() if path.name not in NEVER_STAGED)
    guests = ((name, ROOT / name) for name in PACKAGE_GUESTS if (ROOT / name).exists())
    return dict(entry for name, source in (*own, *guests) for entry in _without_repository_only(name, source))


def _without_repository_only(name: str, source: Path) -> Iterator[tuple[str, Path]]:
    if not any(room.startswith(f"{name}/") for room in REPOSITORY_ONLY):
        yield name, source
        return
    for path in source.iterdir():
        inside = f"{name}/{path.name}"
        if path.name not in NEVER_STAGED and inside not in REPOSITORY_ONLY:
            yield from _without_repository_only(inside, path)


def stage_tree() -> Path:
    """Makes build/stage/neurok_blender, the package as the zip has it, of symlinks; returns build/stage.

    Safe to call from several processes at once: links are only added or removed one by one.
    """
    package = STAGE / PACKAGE
    entries = {package / name: source for name, source in package_entries().items()}
    folders = {link.parent for link in entries}
    for folder in sorted(folders):
        if folder.is_symlink():
            folder.unlink(missing_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        for link in folder.iterdir():
            if link.is_symlink() and entries.get(link) != Path(os.readlink(link)):
                link.unlink(missing_ok=True)
    for link, source in entries.items():
        with contextlib.suppress(FileExistsError):
            os.symlink(source, link, target_is_directory=source.is_dir())
    return STAGE


def copy_tree(target: Path) -> None:
    """The same layout as `stage_tree`, as real copies without caches, under `target`."""
    shutil.rmtree(target, ignore_errors=True)
    for name, source in package_entries().items():
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, copy, ignore=shutil.ignore_patterns(*NEVER_STAGED))
        else:
            shutil.copy2(source, copy)
