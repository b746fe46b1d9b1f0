"""PyTorch on the device that was asked for; and what becomes of an object where that fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from backend import engine
from backend.errors import UserError
from backend.learned.infer import device_check, encode
from backend.learned.infer.device import DEVICE_VARIABLE, requested_device
from backend.learned.infer.device_check import check_device, largest_difference
from backend.learned.infer.devices import device_troubles, opened_device
from backend.learned.infer.encode import network_input
from backend.learned.infer.engine_choice import WEIGHTS, learned_engine
from backend.learned.infer.network import HANDLE_OUTPUTS, SAMPLE_INPUTS, SURFACE_INPUTS, NetworkOutput
from backend.learned.infer.rotation_averaging import rotated_inputs
from backend.learned.infer.torch_network import PointModule, ShapeModule, TorchNetwork
from backend.learned.infer.torch_weights import load_model
from backend.texts import in_english
from tests.backend.command_line import backend
from tests.backend.learned.infer.test_encode import two_boxes

NO_CUDA = pytest.mark.skipif(torch.cuda.is_available(), reason="a graphics card is here, and works")


@pytest.fixture(autouse=True)
def fresh_networks() -> Iterator[None]:
    """No test finds the network of another one."""
    encode._network.cache_clear()
    yield
    encode._network.cache_clear()


def test_the_network_stays_on_one_device() -> None:
    """On the device that computes nothing, what is made on the processor by mistake does not go with the rest."""
    model = load_model(WEIGHTS)
    views = rotated_inputs(network_input(*two_boxes(), model.config))
    views |= {name: views[name][:, : model.config.points] for name in SAMPLE_INPUTS}
    seen = {name: torch.from_numpy(views[name]).to("meta") for name in SURFACE_INPUTS}
    model = model.to("meta")
    with torch.inference_mode():
        output = dict(zip(NetworkOutput.names(), ShapeModule(model)(*seen.values()), strict=True))
        weights = PointModule(model)(
            *(output[name] for name in HANDLE_OUTPUTS), *(seen[name] for name in SAMPLE_INPUTS)
        )
    assert {tensor.device.type for tensor in (*output.values(), weights)} == {"meta"}


def test_who_asks_for_a_device_gets_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DEVICE_VARIABLE, raising=False)
    assert requested_device() is None
    monkeypatch.setenv(DEVICE_VARIABLE, "cpu")
    assert (requested_device(), learned_engine()) == ("cpu", "torch")
    found = engine.analyze(*two_boxes(), "learned").model.recognition
    assert (found.engine, found.device, found.warnings) == ("torch", "cpu", ())
    monkeypatch.setenv(DEVICE_VARIABLE, "abacus")
    with pytest.raises(UserError, match="The device 'abacus' is not known") as caught:
        engine.analyze(*two_boxes(), "learned")
    assert caught.value.code == "bad_device" and "cpu, cuda, mps" in caught.value.remedy


@NO_CUDA
def test_a_device_that_is_not_there_is_a_warning_and_the_processor_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = engine.analyze(*two_boxes(), "learned")
    monkeypatch.setenv(DEVICE_VARIABLE, "cuda")
    found = engine.analyze(*two_boxes(), "learned")
    assert (found.summary["engine"], found.summary["device"]) == ("torch", "cpu")
    (warning,) = found.model.recognition.warnings
    assert warning in found.summary["warnings"]
    assert str(warning).startswith("PyTorch does not compute on CUDA here (")
    assert str(warning).endswith("did its work.")
    assert np.array_equal(found.weights, expected.weights)


def test_a_card_that_runs_out_of_memory_is_a_warning_and_the_next_mesh_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The card is the processor under another name, which fails as a card does."""
    monkeypatch.setenv(DEVICE_VARIABLE, "mps")
    full = {"is": True}
    load = encode.load_network

    class Card(TorchNetwork):
        def shape(self, seen: Any) -> NetworkOutput:
            with device_troubles(torch.device("mps")):
                if full["is"]:
                    raise torch.OutOfMemoryError("Tried to allocate 3.00 GiB\nof 2.00 GiB")
                return super().shape(seen)

    monkeypatch.setattr(
        encode, "load_network", lambda path, device: Card(load_model(path)) if device == "mps" else load(path, device)
    )
    summary = engine.analyze(*two_boxes(), "learned").summary
    assert summary["device"] == "cpu" and summary["provider"] == "learned"
    told = "The graphics card has not enough memory for this mesh (MPS). The processor did its work."
    assert told in in_english(summary["warnings"])
    full["is"] = False
    found = engine.analyze(*two_boxes(), "learned").model.recognition
    assert (found.device, found.warnings) == ("mps", ())


def test_a_fault_of_ours_is_not_blamed_on_the_processor() -> None:
    with pytest.raises(RuntimeError, match="ours"), device_troubles(torch.device("cpu")):
        raise RuntimeError("ours")


def test_the_check_finds_that_the_processor_computes_right() -> None:
    done = backend("check", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["device"], found["torch"]) == ("cpu", torch.__version__)
    assert 0.0 < found["product"] < 1e-5 and found["network"] < 1e-5 and found["shapes"] == 0.0


def test_the_check_finds_wrong_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    product = torch.Tensor.__matmul__
    monkeypatch.setattr(torch.Tensor, "__matmul__", lambda one, two: product(one, two) * 1.01)
    with pytest.raises(UserError, match="computes wrong numbers on CPU") as caught:
        check_device("cpu")
    assert caught.value.code == "wrong_numbers"


def test_numbers_that_are_none_are_wrong() -> None:
    assert largest_difference({"a": np.array([np.nan])}, {"a": np.array([1.0])}) == np.inf
    assert largest_difference({"a": np.array([200.0, 1.0])}, {"a": np.array([200.0, 3.0])}) == pytest.approx(0.01)


def test_another_state_space_is_another_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole analysis is compared, and not the network's words alone."""
    real = device_check.encodings

    def shaken(vertices: np.ndarray, triangles: np.ndarray, **options: Any) -> Any:
        space = real(vertices, triangles, **options)[0]
        if options["device"] == "cpu":
            return [space]
        space.twists[...] *= 1.5
        return [space]

    monkeypatch.setattr(device_check, "encodings", shaken)
    monkeypatch.setattr(device_check, "opened_device", lambda _name: torch.device("cpu"))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _device: "a card")
    monkeypatch.setattr(encode, "load_network", lambda path, _device: TorchNetwork(load_model(path)))
    with pytest.raises(UserError, match="computes wrong numbers on CUDA"):
        check_device("cuda")


@NO_CUDA
def test_the_command_says_what_is_missing_in_a_sentence() -> None:
    done = backend("check", "--device", "cuda")
    assert done.returncode == 2 and "PyTorch does not compute on CUDA here" in done.stderr
    with pytest.raises(UserError):
        opened_device("cuda")
