"""What the README and docs/conditions.md tell of the conditions and of scenes is what the backend reads."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

from backend.cli.scene_file import read_scene
from backend.dynamics.conditions import Conditions, read_conditions
from tests.backend.command_line import write_mesh
from tests.backend.io.writers import GlbMaker
from tests.backend.shapes import box

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONDITIONS = (ROOT / "docs" / "conditions.md").read_text(encoding="utf-8")


def test_the_table_has_every_key_of_the_conditions_once() -> None:
    table = CONDITIONS[CONDITIONS.index("| key | value | default |") :]
    rows = re.findall(r"^\| (`[^|]*`) \|", table[: table.index("\n\n")], re.MULTILINE)
    told = [key for row in rows for key in re.findall(r"`(\w+)`", row)]
    # `friction` and `restitution` share a row, as `fps` and `frames` do.
    assert sorted(told) == sorted(entry.name for entry in fields(Conditions))


def test_the_example_of_a_scene_is_one(tmp_path: Path) -> None:
    (example,) = re.findall(r"```json\n(.*?)```", CONDITIONS, re.DOTALL)
    assert len(json.loads(example)["objects"]) == 2
    maker = GlbMaker()
    maker.mesh(maker.primitive(*box()))
    maker.document["nodes"] = [{"mesh": 0}]
    (tmp_path / "toy.glb").write_bytes(maker.bytes())
    write_mesh(tmp_path / "crate.obj", box())
    (tmp_path / "scene.json").write_text(example)
    crate, toy = read_scene(tmp_path / "scene.json")
    assert (crate.name, toy.name) == ("crate", "Toy")
    assert crate.conditions.frames == toy.conditions.frames == 72
    assert crate.conditions.density == 400.0 and toy.conditions.density == read_conditions({}).density


def test_the_example_of_conditions_in_the_readme_can_be_read() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", README, re.DOTALL)
    conditions = read_conditions(json.loads(example))
    assert conditions.frames == 48 and len(conditions.pokes) == 1
