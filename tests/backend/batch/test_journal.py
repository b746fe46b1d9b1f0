"""The journal: what it takes for done, and what it does not."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from backend.batch.journal import Journal, journal_folder


def _folder(tmp_path: Path) -> Path:
    folder = journal_folder(tmp_path / "jobs.jsonl")
    folder.mkdir(parents=True)
    return folder


def test_a_file_is_done_for_its_inputs_as_long_as_it_is_left_alone(tmp_path: Path) -> None:
    folder, output = _folder(tmp_path), tmp_path / "out" / "a.npz"
    output.parent.mkdir()
    output.write_bytes(b"result")
    assert not Journal(folder).has(output, "x")
    Journal(folder).add(output, "x", 1.5, ["a note"])
    journal = Journal(folder)
    assert journal.has(output, "x") and not journal.has(output, "y") and not journal.has(tmp_path / "b.npz", "x")
    output.write_bytes(b"longer result")
    assert not journal.has(output, "x")
    output.write_bytes(b"tluser")
    os.utime(output, (1e9, 1e9))
    assert not journal.has(output, "x")
    output.unlink()
    assert not journal.has(output, "x")


def test_one_output_of_two_inputs_in_turn(tmp_path: Path) -> None:
    """A, then B, then A again: the file of B is not taken for that of A although A was made once."""
    folder, output = _folder(tmp_path), tmp_path / "a.npz"
    for inputs, when in (("A", 1_000.0), ("B", 1_000.5)):
        output.write_bytes(b"12345")
        os.utime(output, (when, when))
        Journal(folder).add(output, inputs, 1.0, [])
    assert Journal(folder).has(output, "B") and not Journal(folder).has(output, "A")


def test_half_a_line_is_no_line(tmp_path: Path) -> None:
    folder, output = _folder(tmp_path), tmp_path / "a.npz"
    output.write_bytes(b"1")
    Journal(folder).add(output, "x", 1.0, [])
    (path,) = folder.glob("*.jsonl")
    whole = path.read_bytes()
    for torn in (
        whole[:-20],
        b'{"output": 3}\n[]\nnull\n\xff\n',
        b'{"output": "a.npz", "inputs": "x", "bytes": null}\n',
    ):
        path.write_bytes(torn)
        assert not Journal(folder).has(output, "x")
    path.write_bytes(whole + whole[:30])
    assert Journal(folder).has(output, "x")


def test_a_folder_may_be_moved(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "here")
    (tmp_path / "here" / "a.npz").write_bytes(b"1")
    Journal(folder).add(tmp_path / "here" / "a.npz", "x", 1.0, [])
    shutil.move(tmp_path / "here", tmp_path / "there")
    moved = journal_folder(tmp_path / "there" / "jobs.jsonl")
    assert Journal(moved).has(tmp_path / "there" / "a.npz", "x")
