"""The commands of docs/farm.md run, as they stand there, and do what it says."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from backend.batch.read_jobs import read_jobs
from tests.backend.command_line import ROOT, write_mesh
from tests.backend.shapes import block

DOCUMENT = (ROOT / "docs" / "farm.md").read_text(encoding="utf-8")
JSON, PYTHON, SHELL = (re.findall(rf"```{kind}\n(.*?)```", DOCUMENT, re.DOTALL) for kind in ("json", "python", "sh"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of NeuROK, as far as the document can tell: the backend is there, and nothing else is."""
    folder = tmp_path_factory.mktemp("farm")
    os.symlink(ROOT / "backend", folder / "backend")
    (folder / "shots").mkdir()
    write_mesh(folder / "shots" / "crate.obj", block((1.0, 1.0, 1.0), (2, 2, 2)))
    (folder / "make_jobs.py").write_text(PYTHON[0])
    started: set[int] = set()
    yield folder
    for process in psutil.process_iter(["cwd"]):
        if process.info["cwd"] == str(folder):
            started.add(process.pid)
            process.kill()
    assert started, "the farm was not running any more"


@pytest.fixture(scope="module")
def port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])


def _shell(folder: Path, block: str, port: str = "8786") -> str:
    """What a block prints; what it starts in the background goes on."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("PYTHONPATH", None)
    with open(folder / "said.log", "w+") as said:
        command = ["bash", "-e", "-c", block.replace("8786", port)]
        done = subprocess.run(command, cwd=folder, env=environment, stdout=said, stderr=said, timeout=240)
        said.seek(0)
        text = said.read()
    assert done.returncode == 0, text
    return text


def test_the_document_has_what_is_tested_here() -> None:
    assert (len(JSON), len(PYTHON), len(SHELL)) == (1, 1, 5)


def test_the_lines_of_the_example_are_jobs(tmp_path: Path) -> None:
    (tmp_path / "jobs.jsonl").write_text(JSON[0])
    jobs = read_jobs(tmp_path / "jobs.jsonl")
    assert [job.output.name for job in jobs] == ["dropped.glb", "stiff.usdc", "room.npz"]


def test_the_script_and_the_batch_on_this_machine(folder: Path) -> None:
    said = _shell(folder, SHELL[0])
    assert "12 takes, 12 made, 0 there already" in said
    assert len(list((folder / "shots").glob("push_*.glb"))) == 12
    said = _shell(folder, SHELL[1])
    assert "12 takes, 0 made, 12 there already" in said and "12 takes, 1 made, 11 there already" in said
    lines = [json.loads(line) for line in said.splitlines() if line.startswith('{"output"')]
    assert sorted(line["output"] for line in lines) == sorted(
        [f"push_{number:02}.glb" for number in range(12)] + ["push_03.glb"]
    )


def test_the_same_jobs_on_a_farm(folder: Path, port: str) -> None:
    for path in (folder / "shots").glob("push_*.glb"):
        path.unlink()
    _shell(folder, SHELL[2], port)
    _shell(folder, SHELL[3], port)
    said = _shell(folder, SHELL[4], port)
    assert "12 takes, 12 made, 0 there already" in said
    assert len(list((folder / "shots").glob("push_*.glb"))) == 12


def test_the_sentences_are_those_of_the_backend() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "backend").rglob("*.py"))
    sources = re.sub(r"\{[^{}]*\}", "...", sources).replace("(signal ...)", "(...)")
    table = DOCUMENT[DOCUMENT.index("| message |") :]
    rows = re.findall(r"^\| ([^|]*) \| [^|]* \|$", table, re.MULTILINE)[1:]
    assert len(rows) == 6
    for sentence in rows:
        for piece in re.split(r"\.\.\.|2 times \(signal 9\)|'backend'", sentence):
            assert piece.strip(" '") in sources, sentence
