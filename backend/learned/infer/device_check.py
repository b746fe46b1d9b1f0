"""Check of a PyTorch device: its numbers against those of NumPy and of the processor."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import torch
from numpy.typing import NDArray

from ...errors import UserError
from ...kinematics.learned import decode_states
from .devices import device_troubles, opened_device
from .encode import encodings, network_input
from .engine_choice import WEIGHTS
from .network import SAMPLE_INPUTS, NetworkOutput
from .rotation_averaging import rotated_inputs
from .torch_network import TorchNetwork
from .torch_weights import load_model

__all__ = ["DeviceCheck", "check_device", "largest_difference"]

SIZE = 512  # of the matrices
TOLERANCE = 2e-3  # of the largest number of its kind; single precision stays a hundred times below
SAME_SHAPE = 1e-3  # of the object's size
Mesh = tuple[NDArray, NDArray]


@dataclass(frozen=True)
class DeviceCheck:
    """What was found; differences are shares of the largest number that is compared."""

    device: str
    name: str
    """As its maker calls it."""
    python: str
    torch: str
    product: float
    network: float
    shapes: float
    seconds: float

    def __str__(self) -> str:
        return (
            f"PyTorch {self.torch} computes right on {self.device.upper()} ({self.name}): "
            f"to {max(self.product, self.network, self.shapes):.1e}, in {self.seconds:.1f} s."
        )


def check_device(name: str) -> DeviceCheck:
    """A product of matrices, the network, and a whole analysis of a small mesh. Raises UserError."""
    begin = perf_counter()
    device = opened_device(name)
    mesh = _chest()
    exact, found = (_all_outputs(TorchNetwork(load_model(WEIGHTS), each), mesh) for each in (None, device))
    found["sums"] = found["weights"].sum(axis=1)
    exact["sums"] = np.ones_like(found["sums"])  # also the processor has to answer for
    product, network = _product(device), largest_difference(found, exact)
    shapes = _difference_of_shapes(mesh, name)
    for measured, allowed in ((product, TOLERANCE), (network, TOLERANCE), (shapes, SAME_SHAPE)):
        if not measured <= allowed:  # nor where it is no number
            raise UserError("wrong_numbers.device", device=name.upper(), error=100.0 * measured)
    called = torch.cuda.get_device_name(device) if name == "cuda" else platform.processor() or platform.machine()
    seconds = round(perf_counter() - begin, 3)
    return DeviceCheck(name, called, platform.python_version(), torch.__version__, product, network, shapes, seconds)


def largest_difference(found: dict[str, NDArray], exact: dict[str, NDArray]) -> float:
    """The largest of each kind of numbers, as a share of the largest number of that kind."""
    most = 0.0
    for name, wanted in exact.items():
        wanted = wanted.astype(np.float64)
        away = np.abs(found[name] - wanted).max(initial=0.0) / max(np.abs(wanted).max(initial=0.0), 1.0)
        most = max(most, float(away)) if np.isfinite(away) else np.inf
    return most


def _product(device: torch.device) -> float:
    rng = np.random.default_rng(0)
    one, two = rng.standard_normal((2, SIZE, SIZE))
    with device_troubles(device):
        found = torch.from_numpy(one).float().to(device) @ torch.from_numpy(two).float().to(device)
        return largest_difference({"product": found.cpu().numpy()}, {"product": one @ two})


def _all_outputs(network: TorchNetwork, mesh: Mesh) -> dict[str, NDArray]:
    """Network output for the samples of a mesh, and the skinning weights of these."""
    count = network.config.points
    views = rotated_inputs(network_input(*mesh, network.config))
    views |= {name: views[name][:, :count] for name in SAMPLE_INPUTS}
    output = network.shape(views)
    arrays = {name: getattr(output, name) for name in NetworkOutput.names()}
    return arrays | {"weights": network.weights(output, views)}


def _difference_of_shapes(mesh: Mesh, device: str) -> float:
    """How far the state space that was found on the device moves the mesh elsewhere than the processor's."""
    there, here = (encodings(*mesh, seeds=[0], device=each)[0] for each in (device, "cpu"))
    if there.twists.shape != here.twists.shape:
        return np.inf
    states = np.random.default_rng(0).normal(size=(4, here.latent_count))
    size = np.linalg.norm(np.ptp(mesh[0], axis=0))
    away = np.abs(decode_states(there, mesh[0], states) - decode_states(here, mesh[0], states))
    return float(away.max() / size)


def _chest() -> Mesh:
    """Vertices Float[16,3] and triangles Int[24,3] of a box and its lid."""
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    box = np.array([[a, b, c] for a, b, c, d in sides for a, b, c in ((a, b, c), (a, c, d))])
    base, lid = corners * (0.6, 0.4, 0.3), corners * (0.6, 0.4, 0.05) + (0.0, 0.0, 0.36)
    return np.concatenate([base, lid]), np.concatenate([box, box + 8])
