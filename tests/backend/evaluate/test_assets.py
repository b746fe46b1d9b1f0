"""`evaluate assets`: regions by the names of an annotation, checks that can fail, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from backend.__main__ import main
from backend.evaluate.assets.annotations import Asset, chosen_entries, read_asset
from backend.evaluate.assets.checks import checks_of
from backend.evaluate.assets.scenes import FPS, Played, conditions_of
from tests.backend.io.writers import GlbMaker
from tests.backend.shapes import block, moved

FLOOR = -1.0


def _entry(name: str, parts: list[tuple[str, str]], **more: Any) -> dict[str, Any]:
    told = [{"which": which, "material": "wood", "behaves": behaves} for which, behaves in parts]
    entry = {"name": name, "file": f"{name}.glb", "scale_to_real": 1.0, "kind": "rigid", "joints": 0}
    expect = "(a) lands; (b) poked it tips over; (c) wind does nothing."
    return entry | {"joints_kind": "none", "parts": told, "expect": expect} | more


def _write(folder: Path, entries: list[dict[str, Any]]) -> Path:
    """A cube of wood, and a softer one on top of it, in two nodes."""
    maker = GlbMaker()
    maker.document["materials"] = [{"name": "Oak"}, {"name": "Oak.001"}]
    for number, (name, shift) in enumerate((("Foot", 0.0), ("Seat", 1.05))):
        vertices, triangles = moved(block((1.0, 1.0, 1.0), (2, 2, 2)), (0.0, shift, 0.0))
        mesh = maker.mesh(maker.primitive(vertices, triangles) | {"material": number})
        maker.document["nodes"].append({"name": name, "mesh": mesh})
    for entry in entries:
        (folder / entry["file"]).write_bytes(maker.bytes())
    (folder / "assets.json").write_text(json.dumps(entries))
    return folder


def _cubes(folder: Path, parts: list[tuple[str, str]], **more: Any) -> Asset:
    entry = _entry("cubes", parts, **more)
    return read_asset(_write(folder, [entry]), entry)


def test_regions_are_those_of_the_names(tmp_path: Path) -> None:
    asset = _cubes(tmp_path, [("material:Oak (legs)", "rigid"), ("node:Seat (material:Oak.001)", "soft")])
    upper = asset.mesh.vertices[asset.mesh.triangles][..., 2].mean(axis=1) > 0.51
    assert set(asset.regions) == {"rigid", "soft"}
    np.testing.assert_array_equal(asset.regions["soft"], upper)
    np.testing.assert_array_equal(asset.regions["rigid"], ~upper)


@pytest.mark.parametrize("other", ["the rest of it", "material:Oak, material:Oak.001", "material:Pine"])
def test_what_is_named_twice_or_not_at_all_has_no_regions(tmp_path: Path, other: str) -> None:
    assert _cubes(tmp_path, [("material:Oak", "rigid"), (other, "soft")]).regions == {}


def test_what_is_expected_in_a_wind(tmp_path: Path) -> None:
    still = _cubes(tmp_path, [("all", "rigid")])
    assert still.still_in_wind and not still.moves_in_wind and not still.fixed_when_poked
    for wind, moves in (("the flag waves, the pole stands", True), ("hung up it sways slightly", False)):
        asset = _cubes(tmp_path, [("all", "rigid")], expect=f"(a) falls; (b) it does not move; (c) {wind}.")
        assert asset.moves_in_wind == moves and not asset.still_in_wind and asset.fixed_when_poked


def test_entries_are_drawn_from_every_kind(tmp_path: Path) -> None:
    kinds = ["rigid"] * 6 + ["soft", "sheet"]
    _write(tmp_path, [_entry(f"thing{number}", [], kind=kind) for number, kind in enumerate(kinds)])
    assert {entry["kind"] for entry in chosen_entries(tmp_path, None, 3)} == {"rigid", "soft", "sheet"}
    assert len(chosen_entries(tmp_path, None, None)) == 8
    assert [entry["name"] for entry in chosen_entries(tmp_path, ["thing3"], None)] == ["thing3"]


def _falling(asset: Asset) -> np.ndarray:
    """Float64[T,V,3] of a free fall to the floor, where it stays."""
    frames = conditions_of("drop", asset)["frames"]
    height = -0.5 * 9.81 * (np.arange(frames) / FPS) ** 2
    low = asset.mesh.vertices[:, 2].min()
    return asset.mesh.vertices + np.maximum(height, FLOOR - low)[:, None, None] * np.array([0.0, 0.0, 1.0])


def _played(asset: Asset, scene: str, positions: np.ndarray) -> Played:
    floor = FLOOR if scene == "drop" else None
    return Played(scene, positions.astype(np.float32), len(positions), "", floor, 0.1, {})


def _failing(asset: Asset, joints: int = 0, **changed: np.ndarray) -> set[str]:
    """The checks that fail where a thing does what is right but for what is given."""
    rest = np.tile(asset.mesh.vertices, (10, 1, 1))
    slid = rest + 0.1 * np.arange(10)[:, None, None] * np.array([1.0, 0.0, 0.0])
    motions = {"drop": _falling(asset), "poke": slid, "wind": rest} | changed
    scenes = {scene: _played(asset, scene, positions) for scene, positions in motions.items()}
    return {check.name for check in checks_of(asset, scenes, joints) if not check.holds}


def test_a_rigid_thing_that_does_what_is_right_fails_nothing(tmp_path: Path) -> None:
    assert _failing(_cubes(tmp_path, [("all", "rigid")])) == set()


def test_each_check_can_fail(tmp_path: Path) -> None:
    asset = _cubes(tmp_path, [("all", "rigid")])
    right = _falling(asset)
    squashed = right * np.array([1.0, 1.0, 0.97])
    assert "rigid keeps its shape" in _failing(asset, drop=squashed)
    assert _failing(asset, drop=right - 0.1 * np.array([0.0, 0.0, 1.0])) >= {"sinks"}
    assert _failing(asset, drop=right[:1].repeat(len(right), axis=0)) >= {"lands"}
    shaking = right + 0.05 * np.sin(np.arange(len(right)))[:, None, None] * np.array([1.0, 0.0, 0.0])
    assert _failing(asset, drop=shaking) == {"jitters"}
    assert _failing(asset, joints=2) == {"false joints"}
    still = np.tile(asset.mesh.vertices, (10, 1, 1))
    assert _failing(asset, poke=still) == {"answers"}
    assert _failing(asset, wind=still + np.linspace(0.0, 0.1, 10)[:, None, None]) == {"stands still"}
    blown_up = still.copy()
    blown_up[-1] *= 5.0
    assert _failing(asset, wind=blown_up) >= {"explodes", "rigid keeps its shape"}
    # The upper cube falls into the lower one.
    inside = still.copy()
    upper = asset.mesh.vertices[:, 2] > 0.52
    inside[:, upper] -= np.array([0.05, 0.03, 0.4])
    assert _failing(asset, poke=inside) >= {"through itself"}
    touching = still.copy()  # what it does by a thousandth, as cushions that are drawn against each other
    touching[:, upper] -= np.array([0.05, 0.03, 0.052])
    assert "through itself" not in _failing(asset, poke=touching)


def test_what_is_soft_shows_it_and_comes_back(tmp_path: Path) -> None:
    asset = _cubes(tmp_path, [("all", "soft")], kind="soft")
    rest = np.tile(asset.mesh.vertices, (10, 1, 1))
    bent = rest.copy()
    bent[..., 0] += 0.1 * np.sin(np.linspace(0.0, np.pi, 10))[:, None] * rest[..., 2] ** 2
    assert _failing(asset) == {"soft deforms"}
    assert _failing(asset, poke=bent) == set()
    assert _failing(asset, poke=bent[:6]) == {"comes back"}
    flat = _falling(asset)
    flat[-30:] = FLOOR + (flat[-30:] - FLOOR) * np.array([1.0, 1.0, 0.2])
    assert _failing(asset, drop=flat) >= {"keeps its form"}


def test_a_sheet_drapes(tmp_path: Path) -> None:
    asset = _cubes(tmp_path, [("all", "cloth-like")], kind="sheet")
    assert _failing(asset) == {"sheet drapes"}
    rug = _cubes(tmp_path, [("all", "cloth-like")], expect="(a) drops flat; (b) it slides; (c) wind does nothing.")
    assert not _failing(rug)  # it has nothing to drape over
    draped = _falling(asset)
    draped[-20:] *= np.array([1.0, 1.0, 0.5])
    assert _failing(asset, drop=draped) >= {"sheet does not stretch"}


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    rigid = "backend.understanding.providers.elastic.Elastic.can_bend"
    monkeypatch.setattr(rigid, staticmethod(lambda cloud: False))  # which is made and falls soonest
    monkeypatch.setattr("backend.evaluate.assets.scenes._SECONDS", {"drop": 5.1, "poke": 0.2, "wind": 0.2})
    _write(tmp_path, [_entry("cubes", [("all", "rigid")])])
    pictures = tmp_path / "pictures"
    assert main(["evaluate", "assets", "--data", str(tmp_path), "--json", "--pictures", str(pictures)]) == 0
    found = json.loads(capsys.readouterr().out)
    (thing,) = found["per_object"]
    assert found["objects"] == 1 and found["checks"] == len(thing["checks"]) > 10
    assert found["share"] == pytest.approx(np.mean([check["holds"] for check in thing["checks"]]))
    assert Image.open(pictures / "cubes.png").size[0] > 1000
    assert main(["evaluate", "assets", "--data", str(tmp_path), "--only", "chair"]) == 2
    assert "has no thing 'chair'" in capsys.readouterr().err


def test_five_motions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Cubes are thrown, let go tilted and dragged: solved, whole and above the floor."""
    _write(tmp_path, [_entry("cubes", [("all", "rigid")])])
    pictures = tmp_path / "pictures"
    assert (
        main(["evaluate", "assets", "--data", str(tmp_path), "--motions", "--json", "--pictures", str(pictures)]) == 0
    )
    (thing,) = json.loads(capsys.readouterr().out)["per_object"]
    assert {check["scene"] for check in thing["checks"]} == {"drop", "throw", "tilt", "drag", "wind"}
    assert all(check["holds"] for check in thing["checks"])
    assert len({check["scene"] for check in thing["checks"] if check["check"] == "sinks"}) == 3
    assert Image.open(pictures / "cubes.png").size[1] == 5 * 230
