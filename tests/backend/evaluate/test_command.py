"""`python -m backend evaluate` as people call it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from backend.__main__ import main
from backend.evaluate.subject import chosen_items
from tests.backend.command_line import ROOT

from .objects import chest, manifest, swinging_bar, write_sequence


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("real")
    chest(folder / "things" / "sea_chest")
    chest(folder / "things" / "tool_box", category="Box")
    chest(folder / "more" / "second_chest")
    write_sequence(folder / "clips" / "bar.npz", *swinging_bar())
    manifest(folder, [], [])
    return folder


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    assert main(["evaluate", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_ik_as_json(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    rows = ["identity", "rigid", "elastic", "joints"]
    found = json.loads(printed(capsys, "ik", "--data", data / "things", "--json", "--rows", *rows))
    assert found["objects"] == 2
    assert list(found["rows"]) == rows
    for modes in found["rows"].values():
        assert list(modes) == ["full", "sparse"]
        for figures in modes.values():
            assert list(figures) == ["cd_l1", "cd_l1_sum", "cd_l2", "point_error"]
            assert figures["cd_l1_sum"] == pytest.approx(2.0 * figures["cd_l1"])
    errors = {row: found["rows"][row]["full"]["point_error"] for row in rows}
    assert errors["joints"] < 1e-4 < errors["elastic"] < errors["identity"]
    assert sorted(found["categories"]) == ["Box", "Chest"]
    # Both have a lid and a drawer, and two numbers say all of it.
    size = {"coordinates_median": 2.0, "coordinates_beyond_freedom_median": 0.0}
    size |= {"active_median": 2.0, "active_beyond_freedom_median": 0.0}
    assert found["sizes"] == {"joints": {"objects": 2} | size}
    mean = np.mean([each["rows"]["rigid"]["full"]["cd_l1"] for each in found["per_object"]])
    assert found["rows"]["rigid"]["full"]["cd_l1"] == pytest.approx(mean)


def test_json_is_all_that_is_printed_where_no_weights_are(
    capsys: pytest.CaptureFixture[str], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.evaluate.run_evaluation.WEIGHTS", data / "none.safetensors")
    assert main(["evaluate", "plausible", "--data", str(data / "things" / "sea_chest"), "--json"]) == 0
    told = capsys.readouterr()
    assert list(json.loads(told.out)["rows"]) == ["joints"]
    assert "no trained weights" in told.err


def test_a_limit_takes_one_of_each_category_first(data: Path) -> None:
    def names(limit: int | None) -> list[str]:
        return [item.name for item in chosen_items(data, False, limit)]

    assert names(None) == ["bar", "sea_chest", "second_chest", "tool_box"]
    assert names(4) == names(None) and names(1) == ["bar"]
    assert names(3) == ["bar", "sea_chest", "tool_box"]


def test_ik_as_a_table_with_pictures(capsys: pytest.CaptureFixture[str], data: Path, tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    text = printed(capsys, "ik", "--data", data, "--limit", "2", "--rows", "identity", "joints", "--pictures", pictures)
    assert text.startswith("2 objects, longest side 2")
    assert "twelve points" in text and "CD-L1 by category" in text
    assert "joints: 2 coordinates q (median), +0 beyond the true freedom; 99 % of the energy in 2, +0" in text
    files = sorted(pictures.iterdir())
    assert [path.name for path in files] == ["01_sea_chest_identity.png", "02_bar_identity.png"] or len(files) == 2
    image = np.asarray(Image.open(files[0]))
    assert image.shape[1] == 4 * image.shape[0]
    panels = np.split(image.astype(int), 4, axis=1)
    for panel in panels:
        assert 0.02 < (panel.min(axis=2) < 250).mean() < 0.9  # something is there, and it fits
    orange = [(panel[..., 0] - panel[..., 2] > 60).mean() for panel in panels]
    assert orange[0] == 0.0 and orange[1] > 0.01  # what has moved is warm in the target


def test_plausible_reconstruct_and_transfer(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    found = json.loads(printed(capsys, "plausible", "--data", data / "things", "--json", "--rows", "joints"))
    assert found["rows"]["joints"]["objects"] == 2
    assert found["rows"]["joints"]["within_stretch"] == 1.0
    found = json.loads(printed(capsys, "reconstruct", "--data", data, "--json", "--rows", "identity", "joints"))
    assert found["rows"]["identity"]["objects"] == 4 and found["rows"]["joints"]["objects"] == 3
    assert found["rows"]["joints"]["ratio_median"] < 1e-3
    assert found["rows"]["joints"]["active_beyond_freedom_median"] == 0.0
    found = json.loads(printed(capsys, "transfer", "--data", data, "--json", "--rows", "identity"))
    assert sum(group["objects"] for group in found["groups"].values()) == found["objects"] == 4
    for what in ("plausible", "reconstruct", "transfer"):
        assert "joints" in printed(capsys, what, "--data", data / "things", "--rows", "joints")


def test_joints_as_json_and_as_a_table(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    found = json.loads(printed(capsys, "joints", "--data", data, "--json"))
    assert found["objects"] == 3  # the clip has no joints
    assert list(found["rows"]) == ["candidates", "network", "both"]
    for row in found["rows"].values():
        assert {"axis_error", "centre_error", "precision", "recall"} <= set(row)
        assert row["parts"] == 9 and 0.0 <= row["axis_error"] <= 90.0 and 0.0 <= row["recall"] <= 1.0
    assert sorted(found["categories"]) == ["Box", "Chest"]
    assert found["categories"]["Box"]["rows"]["candidates"]["parts"] == 3
    own = json.loads(printed(capsys, "joints", "--data", data / "things", "--own-parts", "--json"))
    assert 0.0 < own["part_iou"] <= 1.0
    table = printed(capsys, "joints", "--data", data / "things", "--own-parts")
    assert table.startswith("2 objects, part IoU") and "Chest" in table


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        (["ik", "--data", "/no/such/folder"], "no folder"),
        (["ik", "--rows", "magic"], "no row 'magic'"),
        (["plausible", "--rows", "identity"], "no row 'identity'"),
        (["ik", "--limit", "0"], "No object"),
        (["joints", "--rows", "magic"], "no row 'magic'"),
        (["ik", "--rows", "learned", "--weights", "/no/such/file"], "weights"),
        (["ik", "--pictures", str(ROOT / "pictures"), "--rows", "identity"], "inside the project"),
    ],
)
def test_what_cannot_be_measured_is_one_sentence(
    capsys: pytest.CaptureFixture[str], data: Path, arguments: list[str], about: str
) -> None:
    if "--data" not in arguments:
        arguments = [*arguments, "--data", str(data / "things")]
    assert main(["evaluate", *arguments]) == 2
    told = capsys.readouterr().err.strip().splitlines()[-1]
    assert about in told and "Traceback" not in told
    assert not (ROOT / "pictures").exists()


def test_what_cannot_be_read_is_named_and_left_out(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    chest(tmp_path / "whole")
    (chest(tmp_path / "broken") / "lid.ply").write_bytes(b"ply\n")
    (chest(tmp_path / "torn") / "joints.json").write_text("{")
    found = json.loads(printed(capsys, "joints", "--data", tmp_path, "--json", "--rows", "network"))
    assert found["objects"] == 1 and sorted(found["unreadable"]) == ["broken", "torn"]
    assert "lid.ply" in found["unreadable"]["broken"]
    assert "range_right" in found["rows"]["network"]
