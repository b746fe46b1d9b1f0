"""ONNX Runtime and PyTorch say the same of real meshes, and one of them is enough."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from backend.data.families import FAMILIES
from backend.data.source import Source
from backend.errors import UserError
from backend.kinematics.learned import decode_states
from backend.kinematics.learned_shape import learned_shape
from backend.learned.infer.encode import encodings
from backend.learned.infer.engine_choice import WEIGHTS, graphs_beside
from backend.learned.infer.engines import load_network
from backend.learned.infer.graph_file import Graphs
from backend.learned.infer.network import SAMPLE_INPUTS
from backend.learned.infer.state_space_model import StateSpaceModel
from backend.learned.train.checkpoint import save_model
from backend.learned.train.graph_export import export_graphs
from backend.learned.train.training_config import CONFIGS
from build_tools.stage import stage_tree
from tests.backend.learned.infer.test_encode import two_boxes

ROOT = Path(__file__).resolve().parents[4]
MOST_MEGABYTES = 20
AGREEMENT = 1e-4  # of the object's size
FAMILY_NAMES = ("drawer_cabinet", "laptop", "scissors", "robot_arm", "potted_plant", "quadruped")
SAMPLES = ("PLANT", "TOY", "FLAG", "CABINET")


@dataclass(frozen=True)
class Engines:
    """The same weights, once with graphs beside them and once without."""

    onnx: Path
    torch: Path


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Engines:
    """Of the network that ships, exported as `build.py zip` does it."""
    found = Engines(*(tmp_path_factory.mktemp(name) / WEIGHTS.name for name in ("onnx", "torch")))
    for path in (found.onnx, found.torch):
        shutil.copy(WEIGHTS, path)
    export_graphs(found.onnx)
    assert (load_network(found.onnx).engine, load_network(found.torch).engine) == ("onnx", "torch")
    return found


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Vertices, triangles and material slots of six procedural objects and of the add-on's samples."""
    found = {}
    for number, name in enumerate(FAMILY_NAMES):
        thing = Source({name: FAMILIES[name]}).draw(np.random.default_rng([7, number]))
        found[name] = thing.vertices, thing.triangles, thing.slot
    folder = tmp_path_factory.mktemp("samples")
    environment = os.environ | {
        "PYTHONPATH": str(stage_tree()),
        "BLENDER_USER_RESOURCES": str(tmp_path_factory.mktemp("blender")),
    }
    command = [sys.executable, Path(__file__).with_name("write_samples.py"), folder]
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    for name in SAMPLES:
        with np.load(folder / f"{name}.npz") as file:
            found[name] = file["vertices"].astype(np.float64), file["triangles"].astype(np.int64), file["slots"]
    return found


def test_the_graphs_are_small(engines: Engines) -> None:
    """With the weights, which both engines need, they are what the embedded engine adds to the zip."""
    assert graphs_beside(engines.onnx).stat().st_size + WEIGHTS.stat().st_size < MOST_MEGABYTES * 2**20


@pytest.mark.parametrize("name", [*FAMILY_NAMES, *SAMPLES])
def test_engines_decide_alike_and_decode_the_same_shapes(name: str, engines: Engines, objects: dict) -> None:
    vertices, triangles, slots = objects[name]
    pair = [
        encodings(vertices, triangles, slots, weights_file=path, seeds=[0])[0] for path in (engines.onnx, engines.torch)
    ]
    one, other = pair
    assert one.twists.shape == other.twists.shape  # bodies, bones and their joints
    np.testing.assert_array_equal(one.twists.any(axis=2), other.twists.any(axis=2))  # and what each of these moves
    np.testing.assert_array_equal(one.bends, other.bends)
    assert [choice.latent for choice in one.choices] == [choice.latent for choice in other.choices]
    if one.bends is not None and not one.bends.any():
        np.testing.assert_array_equal(one.weights.argmax(axis=1), other.weights.argmax(axis=1))
    draws = np.random.default_rng(0).normal(size=(8, one.latent_count))
    states = one.prior_mean + one.prior_scale * draws
    shapes, again = (decode_states(space, vertices, states) for space in pair)
    size = np.ptp(vertices, axis=0).max()
    assert np.abs(shapes - vertices).max() > 0.01 * size
    assert np.abs(shapes - again).max() < AGREEMENT * size
    assert len({learned_shape(space, vertices, triangles).dof for space in pair}) == 1


def test_the_graph_of_points_takes_any_number(engines: Engines) -> None:
    """The last points of a mesh may be a single one."""
    network, other = load_network(engines.onnx), load_network(engines.torch)
    rng, views, config = np.random.default_rng(0), 4, network.config
    widths = {"points": 3, "normals": 3, "boxes": 12, "codes": 2 * config.codes}
    whole = {name: rng.normal(size=(views, config.points, width)).astype(np.float32) for name, width in widths.items()}
    whole["shell"] = rng.integers(0, 3, (views, config.points))
    piece = np.arange(config.points) % config.handles
    whole |= {"seeds": np.tile(np.arange(config.handles), (views, 1)), "piece": np.tile(piece, (views, 1))}
    whole["touching"] = np.tile(np.arange(config.handles)[:, None], (views, 1, config.handles))
    output = network.shape(whole)
    for count in (1, 2, 333):
        some = {name: whole[name][:, :count] for name in SAMPLE_INPUTS}
        told = network.weights(output, some)
        assert told.shape == (count, config.handles)
        np.testing.assert_allclose(told, other.weights(output, some), atol=1e-4)
        np.testing.assert_allclose(told.sum(axis=1), 1.0, atol=1e-5)


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = sys.modules["safetensors"] = None
import numpy as np
from pathlib import Path
from backend.learned.infer.encode import encodings
vertices, triangles = np.load(sys.argv[2]), np.load(sys.argv[3])
print(encodings(vertices, triangles, weights_file=Path(sys.argv[1]), seeds=[0])[0].twists.shape)
"""


def test_no_torch_is_needed_where_there_are_graphs(engines: Engines, tmp_path: Path) -> None:
    files = tmp_path / "vertices.npy", tmp_path / "triangles.npy"
    for file, array in zip(files, two_boxes(), strict=True):
        np.save(file, array)
    command = [sys.executable, "-c", WITHOUT_TORCH, engines.onnx, *files]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    expected = encodings(*two_boxes(), weights_file=engines.torch, seeds=[0])[0].twists.shape
    assert finished.stdout.strip() == str(expected)


@pytest.fixture
def hidden(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a Python that has no ONNX Runtime."""
    monkeypatch.delitem(sys.modules, "backend.learned.infer.onnx_network", raising=False)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    yield


def test_torch_stands_in_where_the_runtime_is_missing(engines: Engines, hidden: None) -> None:
    assert load_network(engines.onnx).engine == "torch"


def test_a_runtime_that_does_not_start_is_told_with_its_cause(
    engines: Engines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a Windows without the library of Visual C++."""
    (tmp_path / "onnxruntime.py").write_text('raise ImportError("DLL load failed")')
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.startswith(("backend.learned.", "onnxruntime"))]:
        monkeypatch.delitem(sys.modules, name)
    assert load_network(engines.onnx).engine == "torch"
    for name in [name for name in sys.modules if name.startswith("backend.learned.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UserError, match="DLL load failed") as refused:
        load_network(engines.onnx)
    assert refused.value.code == "no_engine" and "Visual C++" in refused.value.remedy


def test_graphs_of_another_network_are_refused(engines: Engines, tmp_path: Path) -> None:
    config = replace(CONFIGS["tiny"].model, decoder="screws")
    path = tmp_path / "tiny.safetensors"
    save_model(path, config, StateSpaceModel(config).state_dict(), {})
    shutil.copy(graphs_beside(engines.onnx), graphs_beside(path))
    with pytest.raises(UserError) as refused:
        load_network(path)
    assert refused.value.code == "bad_weights"
    graphs_beside(path).write_bytes(b"nonsense")
    with pytest.raises(UserError) as refused:
        load_network(path)
    assert refused.value.code == "bad_weights"


def test_weights_stay_in_their_own_file(engines: Engines) -> None:
    """So that one file serves both engines, and other weights of the same network need no other graphs."""
    graphs = Graphs.read(graphs_beside(engines.onnx)).graphs
    assert len(graphs["shape"].weights) > 100 and len(graphs["points"].weights) > 10
    assert sum(len(graph.model) for graph in graphs.values()) < WEIGHTS.stat().st_size / 10
