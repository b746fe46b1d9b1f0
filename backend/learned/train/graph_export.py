"""Export of the network as ONNX graphs without weights: both engines read these from the same file."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import Tensor, nn

from ..infer.engine_choice import WEIGHTS, graphs_beside
from ..infer.graph_file import Graph, Graphs
from ..infer.model_config import ModelConfig
from ..infer.network import HANDLE_OUTPUTS, SAMPLE_INPUTS, SURFACE_INPUTS, NetworkOutput
from ..infer.rotation_averaging import TURNS
from ..infer.torch_network import PointModule, ShapeModule
from ..infer.torch_weights import load_model
from ..infer.weight_file import Weights, read_weights

__all__ = ["export_graphs", "graph_of", "without_weights"]

OUTSIDE = "state_space.safetensors"  # external location of the weights in the graph; whoever loads it supplies them
SOME = 100  # points of an example: a graph takes any number


def _surface(config: ModelConfig) -> tuple[Tensor, ...]:
    """An example of `SURFACE_INPUTS`, of the sizes that every mesh has."""
    views, points, handles = len(TURNS), config.points, config.handles
    seeds = torch.arange(handles).expand(views, -1).clone()
    piece = torch.arange(points).remainder(handles).expand(views, -1).clone()
    touching = torch.zeros(views, handles, handles, dtype=torch.int64)
    return (*_samples(config, points), seeds, piece, touching)


def _samples(config: ModelConfig, count: int) -> tuple[Tensor, ...]:
    """An example of `SAMPLE_INPUTS`."""
    views = len(TURNS)
    widths = (3, 3, 12, 2 * config.codes)
    return (*(torch.rand(views, count, width) for width in widths), torch.zeros(views, count, dtype=torch.int64))


def _exported(
    module: nn.Module, example: Sequence[Tensor], names: Sequence[str], outputs: Sequence[str]
) -> onnx.ModelProto:
    """A graph with all its weights. Only samples of points are as many as one likes."""
    count = torch.export.Dim("count", min=2)
    return graph_of(
        module,
        example,
        names,
        outputs,
        {name: {1: count} if name in SAMPLE_INPUTS and "seeds" not in names else None for name in names},
    )


def graph_of(
    module: nn.Module,
    example: Sequence[Tensor],
    names: Sequence[str],
    outputs: Sequence[str],
    sizes: Mapping[str, dict[int, Any] | None],
) -> onnx.ModelProto:
    """A graph with all its weights; `sizes`: the dimensions of each input that may be of any size, by their names."""
    exporters = logging.getLogger("torch.onnx")
    level = exporters.level
    exporters.setLevel(logging.ERROR)  # it lists packages that are not needed
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            program = torch.onnx.export(
                module,
                tuple(example),
                input_names=list(names),
                output_names=list(outputs),
                dynamic_shapes=(tuple(sizes[name] for name in names),),
                dynamo=True,
                optimize=False,  # folded constants could not be distinguished from weights
                verbose=False,
            )
    finally:
        exporters.setLevel(level)
    return program.model_proto


def without_weights(graph: onnx.ModelProto, weights: Weights) -> Graph:
    """The same graph with all that is in a file of weights left out, by its name there."""
    left_out = []
    renamed = {f"model.{name}": name for name in weights.arrays}
    for tensor in graph.graph.initializer:
        if tensor.name in renamed:
            tensor.name = renamed[tensor.name]
            tensor.ClearField("raw_data")
            tensor.data_location = onnx.TensorProto.EXTERNAL
            tensor.external_data.add(key="location", value=OUTSIDE)
            left_out.append(tensor.name)
    for node in graph.graph.node:
        node.input[:] = [renamed.get(name, name) for name in node.input]
        node.ClearField("metadata_props")  # which line of Python it comes from
    graph.graph.ClearField("value_info")
    return Graph(graph.SerializeToString(), tuple(left_out))


@torch.no_grad()
def export_graphs(weights: Path | None = None, target: Path | None = None) -> str:
    """Writes the graphs of a network and returns a line with the path; None: the one that ships, beside its weights.

    With them its file of weights is all that an encoding takes. Raises UserError.
    """
    weights = weights or WEIGHTS
    target = target or graphs_beside(weights)
    read, model = read_weights(weights), load_model(weights)
    surface, samples = _surface(model.config), _samples(model.config, SOME)
    shape = ShapeModule(model).eval()
    output = dict(zip(NetworkOutput.names(), shape(*surface), strict=True))
    handles = [output[name] for name in HANDLE_OUTPUTS]
    of_shape = _exported(shape, surface, SURFACE_INPUTS, [f"output_{name}" for name in NetworkOutput.names()])
    of_points = _exported(
        PointModule(model).eval(), [*handles, *samples], [*HANDLE_OUTPUTS, *SAMPLE_INPUTS], ["weights"]
    )
    target.parent.mkdir(parents=True, exist_ok=True)
    graphs = {"shape": without_weights(of_shape, read), "points": without_weights(of_points, read)}
    Graphs(read.sizes, graphs).write(target)
    return f"{target}: {target.stat().st_size / 1024:.0f} kB"
