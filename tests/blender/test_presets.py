"""Presets: those that ship, those that an artist saves, and that each moves the sample plant in a way of its own."""

import itertools
from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.blender.helpers import add_ball

NUMBERS = ("density", "stiffness_hz", "settle_seconds")
SHIPPED = ("Cloth-Like", "Floppy", "Heavy", "Rubbery", "Stiff", "Underwater")


def preset_files() -> dict[str, str]:
    """Name in the menu -> file, as the menu finds them."""
    from neurok_blender.operators.preset_operators import PRESET_FOLDER

    files = [path for folder in bpy.utils.preset_paths(PRESET_FOLDER) for path in sorted(Path(folder).glob("*.py"))]
    return {bpy.path.display_name(str(path), title_case=False): str(path) for path in files}


def apply(name: str) -> dict[str, float]:
    """Chooses a preset from the menu; the numbers of the active object."""
    assert bpy.ops.neurok.preset_apply(filepath=preset_files()[name]) == {"FINISHED"}
    return {field: getattr(bpy.context.active_object.neurok, field) for field in NUMBERS}


@pytest.fixture
def user_presets(tmp_path, monkeypatch):
    """Blender's folder for the presets of its user, for this test alone."""
    kept = bpy.utils.user_resource

    def user_resource(kind, path="", create=False):
        if kind != "SCRIPTS":
            return kept(kind, path=path, create=create)
        folder = tmp_path / path
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder)

    monkeypatch.setattr(bpy.utils, "user_resource", user_resource)
    monkeypatch.setattr(bpy.utils, "script_paths", lambda subdir=None, **_options: [str(tmp_path / (subdir or ""))])
    return tmp_path / "presets" / "neurok" / "object"


def test_the_menu_has_what_ships(scene):
    assert set(SHIPPED) <= set(preset_files())


def test_each_sets_numbers_of_its_own(scene):
    add_ball()
    found = {name: tuple(apply(name).values()) for name in SHIPPED}
    assert len(set(found.values())) == len(SHIPPED)


def test_only_the_active_object_changes_and_nothing_but_its_matter(scene):
    other, ball = add_ball("Other"), add_ball("Ball")
    ball.neurok.anchor = "NONE"
    untouched = {field: getattr(other.neurok, field) for field in NUMBERS}
    apply("Stiff")
    assert {field: getattr(other.neurok, field) for field in NUMBERS} == untouched
    assert ball.neurok.anchor == "NONE" and ball.neurok.provider == "AUTO"


def test_applying_is_a_step_of_undo(scene):
    bpy.ops.ed.undo_push(message="Before")
    ball = add_ball()
    before = ball.neurok.stiffness_hz
    bpy.ops.ed.undo_push(message="Ball")
    bpy.ops.neurok.preset_apply("EXEC_DEFAULT", True, filepath=preset_files()["Stiff"])
    assert bpy.context.active_object.neurok.stiffness_hz != before
    bpy.ops.ed.undo()
    assert bpy.context.active_object.neurok.stiffness_hz == before


def test_without_a_mesh_there_is_nothing_to_apply_to(scene):
    assert not bpy.ops.neurok.preset_apply.poll()
    assert not bpy.ops.neurok.preset_add.poll()


def test_an_artist_keeps_and_removes_a_preset(scene, user_presets):
    ball = add_ball()
    ball.neurok.stiffness_hz, ball.neurok.settle_seconds, ball.neurok.density = 4.5, 1.25, 333.0
    assert bpy.ops.neurok.preset_add(name="Jelly") == {"FINISHED"}
    assert (user_presets / "Jelly.py").is_file()
    apply("Rubbery")
    assert apply("Jelly") == {"density": 333.0, "stiffness_hz": 4.5, "settle_seconds": 1.25}
    assert bpy.ops.neurok.preset_add(name="Jelly", remove_name=True) == {"FINISHED"}
    assert "Jelly" not in preset_files()


def test_leaving_takes_the_shipped_presets_out_of_the_menu(addon):
    assert set(SHIPPED) <= set(preset_files())
    addon.unregister()
    try:
        assert not set(SHIPPED) & set(preset_files())
    finally:
        addon.register()


def sway(frames: int) -> tuple[float, float]:
    """Frequency (Hz) and time (s) until less than a twentieth is left, of the sample plant's answer to a small push.

    The mean displacement along its largest direction is taken as a damped sine: s[n] = a s[n-1] + b s[n-2], whose
    poles p = exp(lambda / fps) have the undamped frequency |lambda| / 2 pi.
    """
    from neurok_blender.session.state import session

    plant, scene = bpy.context.active_object, bpy.context.scene
    scene.neurok.frame_count = frames
    poke = plant.neurok.conditions[0]
    poke.vector = [part * 0.1 for part in poke.vector]  # so small that what bends bends in proportion
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    take = session.take_of(plant)
    moved = np.array([take.shape(index).astype(float).mean(axis=0) for index in range(frames)])
    moved -= moved[0]
    signal = moved @ np.linalg.svd(moved, full_matrices=False)[2][0]
    free = signal[poke.frame + poke.duration - 1 :]
    (a, b), *_rest = np.linalg.lstsq(np.stack([free[1:-1], free[:-2]], axis=1), free[2:], rcond=None)
    pole = np.roots([1.0, -a, -b]).astype(complex)[0]
    frequency = abs(np.log(pole)) * scene.render.fps / (2.0 * np.pi)
    loud = np.flatnonzero(np.abs(free) > 0.05 * np.abs(free).max())
    return float(frequency), float(loud[-1] / scene.render.fps)


def test_the_sample_plant_sways_as_each_preset_says(scene):
    measured = {}
    for name in SHIPPED:
        bpy.ops.wm.read_homefile(use_empty=True)
        bpy.ops.neurok.sample_add(kind="PLANT")
        numbers = apply(name)
        frequency, quiet = measured[name] = sway(frames=96)
        assert frequency == pytest.approx(numbers["stiffness_hz"], rel=0.1), name
        # Four seconds are looked at, of which the poke takes the first bit.
        assert quiet == pytest.approx(min(numbers["settle_seconds"], 3.75), rel=0.2), name
    slow_to_quick = sorted(SHIPPED, key=lambda name: measured[name][0])
    assert slow_to_quick == ["Underwater", "Floppy", "Heavy", "Cloth-Like", "Rubbery", "Stiff"]
    # Neighbours in tempo differ so much, in tempo or in how soon they are still, that nobody takes one for the other.
    for slow, quick in itertools.pairwise(slow_to_quick):
        tempo = measured[quick][0] / measured[slow][0]
        calm = max(measured[slow][1], measured[quick][1]) / min(measured[slow][1], measured[quick][1])
        assert max(tempo, calm) > 1.35, (slow, quick, measured)
