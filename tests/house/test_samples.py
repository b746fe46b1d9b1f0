"""The sample scenes: sizes, closed surfaces, and the conditions that the demo relies on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from build_tools.stage import stage_tree


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict]:
    script = Path(__file__).with_name("measure_samples.py")
    environment = os.environ | {
        "PYTHONPATH": str(stage_tree()),
        "BLENDER_USER_RESOURCES": str(tmp_path_factory.mktemp("blender")),
    }
    command = [sys.executable, str(script)]
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return json.loads(finished.stdout.strip().splitlines()[-1])


def test_plant_is_closed_and_poked(samples):
    plant = samples["PLANT"]
    assert 3000 <= plant["vertices"] <= 8000
    assert 0.5 < plant["size"] < 0.65
    assert plant["open_edges"] == plant["turned_edges"] == plant["flat_faces"] == 0
    assert plant["volume"] > 0.0
    assert plant["anchor"] == "AUTO" and plant["conditions"] == ["POKE"]


def test_toy_is_closed_free_and_above_the_ground(samples):
    toy = samples["TOY"]
    assert 5000 <= toy["vertices"] <= 12000
    assert 0.35 < toy["size"] < 0.45
    assert toy["open_edges"] == toy["turned_edges"] == toy["flat_faces"] == 0
    assert toy["volume"] > 0.0
    assert toy["anchor"] == "NONE" and toy["conditions"] == ["GROUND", "VELOCITY"]
    assert toy["lowest"] > 0.3


def test_flag_is_an_open_sheet_held_by_its_pole_side(samples):
    flag = samples["FLAG"]
    assert 2000 <= flag["vertices"] <= 4000
    assert flag["open_edges"] > 0 and flag["flat_faces"] == 0
    assert flag["anchor"] == "GROUP" and flag["group"] == ["Pole"]
    assert "WIND" in flag["conditions"]


def test_cabinet_is_closed_boards_and_poked(samples):
    cabinet = samples["CABINET"]
    assert 1000 <= cabinet["vertices"] <= 4000
    assert 0.6 < cabinet["size"] < 0.85
    assert cabinet["open_edges"] == cabinet["turned_edges"] == cabinet["flat_faces"] == 0
    assert cabinet["volume"] > 0.0
    assert len(cabinet["part_volumes"]) == 15 and min(cabinet["part_volumes"]) > 0.0
    assert cabinet["anchor"] == "AUTO" and cabinet["conditions"] == ["POKE"] * 3


def test_chair_is_45_closed_parts_that_stand_and_are_pushed(samples):
    chair = samples["CHAIR"]
    assert 3000 <= chair["vertices"] <= 8000
    assert 0.85 < chair["size"] < 0.95
    assert chair["open_edges"] == chair["turned_edges"] == chair["flat_faces"] == 0
    assert len(chair["part_volumes"]) == 45 and min(chair["part_volumes"]) > 0.0
    assert abs(chair["lowest"]) < 0.001
    assert chair["anchor"] == "AUTO" and chair["conditions"] == ["POKE"]


def test_vase_is_closed_parts_in_a_wind(samples):
    vase = samples["VASE"]
    assert 5000 <= vase["vertices"] <= 10000
    assert 0.45 < vase["size"] < 0.6
    assert vase["open_edges"] == vase["turned_edges"] == vase["flat_faces"] == 0
    assert min(vase["part_volumes"]) > 0.0
    assert vase["anchor"] == "AUTO" and vase["conditions"] == ["WIND"]


def test_an_empty_scene_gets_a_camera(samples):
    assert all(sample["camera"] for sample in samples.values())
