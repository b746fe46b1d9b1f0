"""A .usdc that was simulated, as USD's own library and Blender's importer read it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pxr import Gf, Usd, UsdGeom, UsdShade, UsdSkel, UsdValidation

from backend.errors import UserError
from backend.io import MovingMesh, check_output_path, usd_write, write_animation
from tests.backend.shapes import block, box

from .dressed import COLOURS, FRAMES, bent, dressed_glb, mixed, rigid_parts

FPS = 30.0
MOTIONS = {"skeleton": rigid_parts, "points": bent}


@pytest.fixture
def car(tmp_path: Path) -> Path:
    return dressed_glb(tmp_path)


def _written(car: Path, kind: str, name: str = "") -> tuple[MovingMesh, Usd.Stage]:
    moving = MOTIONS[kind](car, name)
    write_animation(car.parent / "out.usdc", [moving], FPS)
    return moving, Usd.Stage.Open(str(car.parent / "out.usdc"))


def _shown(stage: Usd.Stage, frame: float) -> np.ndarray:
    """All points in the world at a frame, counted from 1; skinned by the library where there is a skeleton."""
    pieces = []
    for prim in stage.Traverse():
        if not prim.IsA(UsdGeom.Mesh):
            continue
        points = UsdGeom.Mesh(prim).GetPointsAttr().Get(frame)
        skeleton = UsdSkel.BindingAPI(prim).GetInheritedSkeleton()
        if skeleton:
            cache = UsdSkel.Cache()
            cache.Populate(UsdSkel.Root(prim.GetParent()), Usd.PrimDefaultPredicate)
            query = cache.GetSkinningQuery(prim)
            moves = cache.GetSkelQuery(skeleton).ComputeSkinningTransforms(frame)
            assert query.ComputeSkinnedPoints(moves, points, frame)
        place = Gf.Matrix4d(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(frame))
        assert place == Gf.Matrix4d(1.0)
        pieces.append(np.array(points))
    return np.concatenate(pieces)


@pytest.mark.parametrize("kind", MOTIONS)
def test_the_library_plays_what_was_given(car: Path, kind: str) -> None:
    moving, stage = _written(car, kind)
    assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert (stage.GetTimeCodesPerSecond(), stage.GetFramesPerSecond()) == (FPS, FPS)
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (1.0, FRAMES)
    assert any(prim.IsA(UsdSkel.Skeleton) for prim in stage.Traverse()) == (kind == "skeleton")
    for number in range(FRAMES):
        shown = _shown(stage, number + 1.0)
        assert np.abs(shown - moving.frames[number]).max() < 1e-4
        for prim in stage.Traverse():
            if prim.IsA(UsdGeom.Mesh):
                low, high = UsdGeom.Mesh(prim).GetExtentAttr().Get(number + 1.0)
                assert (shown.min(axis=0) <= np.array(low) + 1e-4).all()
                assert (shown.max(axis=0) >= np.array(high) - 1e-4).all()


@pytest.mark.parametrize("kind", MOTIONS)
def test_names_materials_and_coordinates(car: Path, kind: str) -> None:
    moving, stage = _written(car, kind, "Föhn / 7")
    root = stage.GetDefaultPrim()
    assert root.GetDisplayName() == "Föhn / 7"
    meshes = {prim.GetName(): UsdGeom.Mesh(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)}
    assert set(meshes) == {"Body", "Wheel"}
    wheel = UsdShade.MaterialBindingAPI(meshes["Wheel"].GetPrim()).ComputeBoundMaterial()[0]
    assert wheel.GetPrim().GetName() == "Rubber"
    bound = {}
    for subset in UsdGeom.Subset.GetAllGeomSubsets(meshes["Body"]):
        material = UsdShade.MaterialBindingAPI(subset.GetPrim()).ComputeBoundMaterial()[0]
        bound[material.GetPrim().GetName()] = np.array(subset.GetIndicesAttr().Get())
    assert set(bound) == {"Paint", "Glass"}
    faces = len(meshes["Body"].GetFaceVertexCountsAttr().Get())
    assert sorted(np.concatenate(list(bound.values()))) == list(range(faces))
    for prim in stage.Traverse():
        if prim.IsA(UsdShade.Material):
            surface = UsdShade.Material(prim).ComputeSurfaceSource()[0]
            assert surface.GetIdAttr().Get() == "UsdPreviewSurface"
            np.testing.assert_allclose(surface.GetInput("diffuseColor").Get(), COLOURS[prim.GetName()][:3], rtol=1e-6)
    glass = UsdShade.Shader(stage.GetPrimAtPath(f"{root.GetPath()}/Materials/Glass/Surface"))
    assert glass.GetInput("opacity").Get() == pytest.approx(0.4)
    st = UsdGeom.PrimvarsAPI(meshes["Wheel"]).GetPrimvar("st")
    assert st.GetInterpolation() == UsdGeom.Tokens.faceVarying
    primitive = moving.appearance.parts[1].primitives[0]
    corners = moving.triangles[primitive.triangles].ravel() - primitive.vertices.start
    uv = primitive.attributes["TEXCOORD_0"][corners]
    np.testing.assert_allclose(np.array(st.Get()), np.column_stack([uv[:, 0], 1.0 - uv[:, 1]]), atol=1e-6)


@pytest.mark.parametrize("kind", [*MOTIONS, "bare", "together", "part without a material"])
def test_the_librarys_own_validators_find_nothing(car: Path, kind: str) -> None:
    """What `usdchecker` runs."""
    vertices, triangles = box()
    bare = MovingMesh("Box", np.stack([vertices] * FRAMES), triangles)
    if kind in MOTIONS:
        moving = [MOTIONS[kind](car)]
    elif kind == "part without a material":
        moving = [bent(_undressed(car))]
    else:
        moving = [bare] if kind == "bare" else [rigid_parts(car, "Left"), bent(car, "Right"), bare]
    path = car.parent / "out.usdc"
    write_animation(path, moving, FPS)
    assert _found(path) == []
    stage = Usd.Stage.Open(str(path))
    stage.SetMetadata("upAxis", "X")  # they do find faults
    UsdGeom.Mesh.Define(stage, "/Loose/Mesh")
    stage.ClearDefaultPrim()
    stage.Export(str(car.parent / "spoilt.usdc"))
    assert _found(car.parent / "spoilt.usdc") != []


def _undressed(car: Path) -> Path:
    """The same file with glass that has no material."""
    data = car.read_bytes()
    path = car.with_name("undressed.glb")
    path.write_bytes(data.replace(b', "material": 2', b"               "))
    return path


def _found(path: Path) -> list[str]:
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert len(validators) > 20
    context = UsdValidation.ValidationContext(validators)
    return [error.GetErrorAsString() for error in context.Validate(Usd.Stage.Open(str(path)))]


BLENDER = """
import bpy, os, sys, numpy as np
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.wm.usd_import(filepath=sys.argv[1])
scene = bpy.context.scene
played = {"range": np.array([scene.frame_start, scene.frame_end])}
for thing in [o for o in bpy.data.objects if o.type == "MESH"]:
    frames = []
    for number in range(1, int(sys.argv[3]) + 1):
        scene.frame_set(number)
        evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
        flat = np.empty(3 * len(evaluated.data.vertices), dtype=np.float32)
        evaluated.data.vertices.foreach_get("co", flat)
        place = np.array(evaluated.matrix_world)
        frames.append(flat.reshape(-1, 3) @ place[:3, :3].T + place[:3, 3])
    played[thing.name] = np.array(frames)
    played[thing.name + " materials"] = np.array([slot.name for slot in thing.material_slots])
    played[thing.name + " uvs"] = np.array(len(thing.data.uv_layers))
np.savez(sys.argv[2], **played)
os._exit(0)
"""


@pytest.mark.parametrize("kind", MOTIONS)
def test_blender_imports_it(car: Path, kind: str) -> None:
    moving, _stage = _written(car, kind)
    command = [sys.executable, "-c", BLENDER, car.parent / "out.usdc", car.parent / "played.npz", str(FRAMES)]
    subprocess.run(command, check=True, capture_output=True)
    with np.load(car.parent / "played.npz") as played:
        assert played["range"].tolist() == [1, FRAMES]
        assert sorted(played["Body materials"]) == ["Glass", "Paint"] and played["Wheel materials"] == ["Rubber"]
        for part in moving.appearance.parts:
            expected = moving.frames[:, part.primitives[0].vertices]
            assert played[part.name].shape == expected.shape
            assert np.abs(played[part.name] - expected).max() < 1e-4
            assert played[f"{part.name} uvs"] == 1


@pytest.mark.parametrize("influences", [1, 4, 5, 8, 9])
def test_as_many_influences_as_a_skeleton_has(tmp_path: Path, influences: int) -> None:
    """Up to eight weights a vertex go to a skeleton; nine that matter do not."""
    moving = mixed(influences)
    frames = moving.frames
    write_animation(tmp_path / "a.usdc", [moving], FPS)
    stage = Usd.Stage.Open(str(tmp_path / "a.usdc"))
    assert any(prim.IsA(UsdSkel.Skeleton) for prim in stage.Traverse()) == (influences <= 8)
    for frame in range(3):
        assert np.abs(_shown(stage, frame + 1.0) - frames[frame]).max() < 2e-5


def test_objects_have_prims_of_their_names(tmp_path: Path) -> None:
    vertices, triangles = box()
    frames = np.stack([vertices, vertices * 2.0])
    objects = [MovingMesh(name, frames, triangles) for name in ("Toy", "Toy 2", "Toy_2", "7 up", "half \ud800", "")]
    write_animation(tmp_path / "a.usdc", objects, 24.0)
    stage = Usd.Stage.Open(str(tmp_path / "a.usdc"))
    prims = list(stage.GetPseudoRoot().GetChildren())
    assert [prim.GetName() for prim in prims] == [
        "Toy",
        "Toy_2",
        "Toy_2_2",
        "_7_up",
        "half__",
        "NeuROK",
    ]
    assert [prim.GetDisplayName() for prim in prims] == [
        "Toy",
        "Toy 2",
        "Toy_2",
        "7 up",
        "half ?",
        "NeuROK",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.usdc"]


def test_what_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vertices, triangles = box()
    (tmp_path / "taken.usdc").mkdir()
    with pytest.raises(UserError) as caught:
        write_animation(tmp_path / "taken.usdc", [MovingMesh("a", vertices[None], triangles)], 24.0)
    assert caught.value.code == "cannot_write" and len(list(tmp_path.iterdir())) == 1
    monkeypatch.setattr(usd_write.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(UserError) as caught:
        check_output_path(tmp_path / "a.usdc")
    assert caught.value.code == "no_usd" and ".glb" in caught.value.remedy


@pytest.mark.parametrize("provider", ["rigid", "elastic"])
def test_the_command_writes_it(tmp_path: Path, provider: str) -> None:
    """A box that falls, and one that is poked, move as their .npz says."""
    from tests.backend.command_line import backend, write_conditions, write_mesh

    mesh = write_mesh(tmp_path / "crate.obj", block((1.0, 1.0, 1.0), (3, 3, 3)))
    pokes = [{"point": [0, 0, 1], "speed": [2, 0, 0]}] if provider == "elastic" else []
    anchor = "auto" if provider == "elastic" else "none"
    conditions = write_conditions(tmp_path / "c.json", frames=8, provider=provider, anchor=anchor, pokes=pokes)
    for name in ("out.npz", "out.usdc"):
        done = backend("simulate", mesh, "--conditions", conditions, "-o", tmp_path / name)
        assert done.returncode == 0, done.stderr
    assert _found(tmp_path / "out.usdc") == []
    stage = Usd.Stage.Open(str(tmp_path / "out.usdc"))
    assert stage.GetDefaultPrim().GetName() == "crate"
    assert any(prim.IsA(UsdSkel.Skeleton) for prim in stage.Traverse()) == (provider == "rigid")
    with np.load(tmp_path / "out.npz") as result:
        assert np.abs(result["vertices"][-1] - result["vertices"][0]).max() > 0.01
        for number in range(8):
            assert np.abs(_shown(stage, number + 1.0) - result["vertices"][number]).max() < 1e-5
        assert json.loads(str(result["report"]))["frames"] == 8
