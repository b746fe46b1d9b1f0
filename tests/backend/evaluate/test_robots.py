"""`evaluate robots` on small objects: what it measures is what MuJoCo and the closed form say."""

import json

import numpy as np
import pytest

from backend.__main__ import main
from backend.evaluate.mujoco_runs import MujocoRobot
from backend.robots.robot import Robot
from tests.backend.command_line import write_mesh
from tests.backend.robots.objects import arm, cabinet, told


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder with an arm and a cabinet, as collections have them."""
    folder = tmp_path_factory.mktemp("data")
    for name, (mesh, jointed) in {"arm": arm(), "cabinet": cabinet()}.items():
        (folder / name).mkdir()
        value = told(jointed)
        value["joints"] = [joint for joint in value["joints"] if joint["parent"] != -1]
        for number, part in enumerate(value["parts"]):
            faces = mesh.triangles[jointed.part[mesh.triangles[:, 0]] == number]
            del part["vertices"]
            part["mesh"] = f"part{number}.obj"
            write_mesh(folder / name / part["mesh"], (mesh.vertices[jointed.part == number], faces - faces.min()))
        (folder / name / "joints.json").write_text(json.dumps({"name": name, "category": name, **value}))
    return folder


def test_figures_of_small_objects(data, capsys) -> None:
    assert main(["evaluate", "robots", "--data", str(data), "--targets", "30", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = found["rows"]
    assert found["objects"] == 2 and set(found["each"]) == {"arm", "cabinet"}
    assert rows["exports"]["loads"] == rows["exports"]["stable"] == rows["exports"]["inertia_definite"] == 1.0
    assert max(rows["forward"]["mujoco"], rows["forward"]["yourdfpy"]) < 1e-12
    assert rows["swing"]["period_error"] < 0.01 and rows["swing"]["closed_form_error"] < 0.01
    assert rows["swing"]["fall_error"] < 0.02
    assert rows["inverse"]["success"] >= 0.96 and rows["inverse"]["limits_kept"] == 1.0
    assert rows["inverse"]["warm_ms"] > 0.0
    assert found["each"]["cabinet"]["joints"] == 3


def test_a_fall_of_all_joints_is_told_apart_from_another_one(tmp_path) -> None:
    """The comparison can fail: gravity from the other side is another motion."""
    mesh, jointed = arm()
    robot = MujocoRobot(Robot.of("arm", mesh, jointed), tmp_path)
    times = np.linspace(0.0, 0.2, 5)
    one = robot.passive(np.zeros(3), np.array([9.81, 0.0, 0.0]), times)
    other = robot.passive(np.zeros(3), np.array([-9.81, 0.0, 0.0]), times)
    assert np.abs(one - other).max() > 0.1
