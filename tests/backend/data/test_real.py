"""Readers of real objects, what they refuse, and what is kept from training."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from backend.data.real import find_items, read_object, real_families, training_items
from backend.data.splits import HELD_OUT_SHARE, held_out, is_research_only
from backend.errors import UserError
from tests.backend.evaluate.objects import (
    HINGE,
    SLIDE,
    chest,
    chest_parts,
    manifest,
    swinging_bar,
    write_jointed,
    write_sequence,
)

RNG = np.random.default_rng(3)


def test_a_jointed_object_opens_as_its_file_says(tmp_path: Path) -> None:
    (item,) = find_items(chest(tmp_path / "chest"))
    thing = read_object(item)
    assert (item.jointed, thing.name, thing.category, thing.anchored) == (True, "chest", "Chest", True)
    assert thing.joints is not None and thing.joints.types == ("fixed", "revolute", "prismatic")
    assert thing.freedom == 2
    parts = chest_parts()
    counts = [len(vertices) for vertices, _ in parts.values()]
    assert thing.joints.part.tolist() == np.repeat([0, 1, 2], counts).tolist()
    assert np.array_equal(thing.shell, thing.joints.part)  # three closed blocks
    assert not thing.slot.any()

    opened = thing.joints.posed(thing.vertices, [[-np.pi / 2, 0.25]])[0]
    body, lid, drawer = np.split(opened, np.cumsum(counts)[:-1])
    assert body == pytest.approx(parts["body"][0], abs=1e-6)
    assert drawer == pytest.approx(parts["drawer"][0] + [0.25, 0.0, 0.0], abs=1e-6)
    # A quarter turn about y through (-0.5, 0, 0.3): (x, z) from there becomes (-z, x).
    pivot = np.array([-0.5, 0.0, 0.3])
    away = parts["lid"][0] - pivot
    turned = np.column_stack([-away[:, 2], away[:, 1], away[:, 0]])
    assert lid == pytest.approx(turned + pivot, abs=1e-6)


def test_random_states_keep_the_limits(tmp_path: Path) -> None:
    thing = read_object(find_items(chest(tmp_path / "chest"))[0])
    drawer = thing.joints.part == 2
    out = (thing.states(RNG, 200) - thing.vertices)[:, drawer, 0].mean(axis=1)
    assert 0.0 <= out.min() < 0.05 and 0.35 < out.max() <= 0.4


@pytest.mark.parametrize(
    ("kind", "lower", "upper", "known_as"),
    [
        ("revolute", 0.0, 0.0, "continuous"),
        ("prismatic", 0.0, 0.0, "fixed"),
        ("continuous", None, None, "continuous"),
        ("revolute", None, None, "revolute"),
        ("fixed", None, None, "fixed"),
    ],
)
def test_joints_without_limits(tmp_path: Path, kind: str, lower: float, upper: float, known_as: str) -> None:
    lid = {**HINGE, "type": kind, "lower": lower, "upper": upper}
    thing = read_object(find_items(write_jointed(tmp_path / "chest", chest_parts(), [lid, SLIDE]))[0])
    assert thing.joints.types[1] == known_as
    if known_as in ("continuous", "revolute"):
        assert thing.joints.limits[0][0] == -np.pi and thing.joints.limits[1][0] == np.pi


@pytest.mark.parametrize(
    ("joints", "about"),
    [
        ([HINGE, {**HINGE, "parent": "drawer"}], "more than one joint"),
        ([{**HINGE, "parent": "wall"}], "unknown part 'wall'"),
        ([{**HINGE, "type": "ball"}], "type 'ball'"),
        ([{**HINGE, "axis": [0, 0, 0]}], "no direction"),
        ([{**HINGE, "origin": [0, "left", 0]}], "'origin' of a joint is not 3 numbers"),
        ([{**HINGE, "upper": -2.0}], "wrong way round"),
        ([{**HINGE, "upper": float("nan")}], "'upper' of a joint is not finite"),
        ([{"child": "lid"}], "no 'parent'"),
        ([HINGE, {**HINGE, "child": "body", "parent": "lid"}], "hangs on itself"),
        ([{**SLIDE, "upper": None}], "no limits"),
        ([{**HINGE, "type": "fixed"}], "no joint that can move"),
        ([], "no joints"),
    ],
)
def test_broken_joints_are_refused_in_one_sentence(tmp_path: Path, joints: list, about: str) -> None:
    (item,) = find_items(write_jointed(tmp_path / "chest", chest_parts(), joints))
    with pytest.raises(UserError) as problem:
        read_object(item)
    assert about in problem.value.message and "chest" in problem.value.message
    assert problem.value.remedy


def test_broken_files_are_refused(tmp_path: Path) -> None:
    folder = chest(tmp_path / "chest")
    (folder / "lid.ply").write_bytes(b"ply\n")
    with pytest.raises(UserError, match=r"lid\.ply"):
        read_object(find_items(folder)[0])
    (folder / "joints.json").write_text("{")
    with pytest.raises(UserError, match="cannot be read as JSON"):
        read_object(find_items(folder)[0])
    (tmp_path / "clip.npz").write_bytes(b"PK nothing")
    with pytest.raises(UserError, match="not a complete"):
        read_object(find_items(tmp_path / "clip.npz")[0])
    with pytest.raises(UserError, match="no folder"):
        find_items(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="no objects"):
        find_items(tmp_path / "empty")


def test_a_sequence_gives_its_frames_with_z_up(tmp_path: Path) -> None:
    frames, triangles = swinging_bar()
    lying = np.stack([frames[..., 0], frames[..., 2], -frames[..., 1]], axis=2)  # the same with Y up
    paths = [
        write_sequence(tmp_path / "z" / "bar.npz", frames, triangles),
        write_sequence(tmp_path / "y" / "bar.npz", lying, triangles, up="Y"),
    ]
    for path in paths:
        thing = read_object(find_items(path)[0])
        assert thing.vertices == pytest.approx(frames[0], abs=1e-6)
        assert thing.joints is None and thing.freedom is None and thing.anchored  # half of it never moves
        states = thing.states(np.random.default_rng(0), len(frames) - 1)
        # All other frames once, in any order.
        found = sorted(int(np.abs(frames - state).max(axis=(1, 2)).argmin()) for state in states)
        assert found == list(range(1, len(frames)))


def test_what_moves_everywhere_has_no_base(tmp_path: Path) -> None:
    frames, triangles = swinging_bar()
    drifting = frames + 0.1 * np.arange(len(frames))[:, None, None]
    assert not read_object(find_items(write_sequence(tmp_path / "bar.npz", drifting, triangles))[0]).anchored


@pytest.mark.parametrize("about", ["finite", "shape", "up"])
def test_broken_sequences_are_refused(tmp_path: Path, about: str) -> None:
    frames, triangles = swinging_bar()
    if about == "finite":
        frames[2, 3] = np.nan
    frames = frames[0] if about == "shape" else frames
    path = write_sequence(tmp_path / "bar.npz", frames, triangles, up="X" if about == "up" else "Z")
    with pytest.raises(UserError, match=about):
        read_object(find_items(path)[0])


def test_the_split_is_the_same_for_ever() -> None:
    names = [f"object {number}" for number in range(2000)]
    assert np.mean([held_out(name) for name in names]) == pytest.approx(HELD_OUT_SHARE, abs=0.03)
    assert [name for name in ("quat_horse", "quat_fox", "libero_short_cabinet", "pb_r2d2") if held_out(name)] == [
        "quat_horse",
        "libero_short_cabinet",
    ]
    assert held_out("three_knight") == held_out("quat_knightcharacter")  # one model, two sources


def test_clips_of_one_object_are_on_one_side(tmp_path: Path) -> None:
    frames, triangles = swinging_bar()
    clips = []
    for thing in range(12):
        for clip in ("walk", "jump"):
            write_sequence(tmp_path / f"{thing}_{clip}.npz", frames, triangles)
            clips.append({"name": f"{thing}_{clip}", "object": f"{thing}", "file": f"{thing}_{clip}.npz"})
    # Other names for the same geometry, among them some that alone would be on the other side.
    for thing in range(12):
        write_sequence(tmp_path / f"dressed_{thing}.npz", frames, triangles)
        name = f"dressed_{thing}"
        clips.append({"name": name, "object": name, "family": f"{thing}", "file": f"{name}.npz"})
    assert {held_out(f"dressed_{thing}") == held_out(f"{thing}") for thing in range(12)} == {True, False}
    manifest(tmp_path, clips, [])
    training = training_items(tmp_path)
    objects = {item.object for item in training}
    assert 0 < len(objects) < 12
    assert len(training) == 3 * len(objects)
    assert not any(held_out(name) for name in objects)
    families = real_families(tmp_path, share=0.3)
    assert sum(family.share for family in families.values()) == pytest.approx(0.3)
    assert len({family.share for family in families.values()}) == 1
    made = next(iter(families.values())).make(np.random.default_rng(0))
    assert made.states(np.random.default_rng(1), 3).shape == (3, *frames.shape[1:])


@pytest.mark.parametrize("mark", ["folder", "manifest", "licence"])
def test_research_data_never_trains(tmp_path: Path, mark: str) -> None:
    """By where it lies, by its entry in the manifest, or by its own licence: each is enough."""
    place = tmp_path / ("research_only" if mark == "folder" else "plain") / "articulated"
    names = [f"chest_{number}" for number in range(6)]
    licence = "free for non-commercial research" if mark == "licence" else "CC0-1.0"
    for name in names:
        chest(place / name, licence=licence)
    entries = [
        {"name": name, "dir": f"{place.relative_to(tmp_path)}/{name}", "licence_class": "research"} for name in names
    ]
    manifest(tmp_path, [], entries if mark == "manifest" else [])
    assert all(item.research_only and item.kept_aside for item in find_items(tmp_path))
    for folder in (place, place / names[0], tmp_path):
        with pytest.raises(UserError, match="measuring only"):
            training_items(folder)
        with pytest.raises(UserError, match="measuring only"):
            real_families(folder, 0.5)


def test_beside_permissive_data_research_data_is_left_out(tmp_path: Path) -> None:
    for number in range(8):
        chest(tmp_path / "permissive" / f"chest_{number}")
        chest(tmp_path / "research_only" / f"box_{number}")
    training = training_items(tmp_path)
    assert training and all(item.name.startswith("chest") for item in training)
    assert not is_research_only("permissive", "CC-BY-4.0 (somebody)", ("permissive",))


def test_the_manifest_names_and_groups(tmp_path: Path) -> None:
    folder = chest(tmp_path / "things" / "a1")
    entry = {"name": "sea_chest", "dir": "things/a1", "category": "Trunk", "licence_class": "permissive"}
    manifest(tmp_path, [], [entry])
    for place in (tmp_path, tmp_path / "things", folder):
        (item,) = find_items(place)
        assert (item.name, item.object, item.category) == ("sea_chest", "sea_chest", "Trunk")
    value = json.loads((folder / "joints.json").read_text())
    assert value["category"] == "Chest"  # the manifest goes before it
