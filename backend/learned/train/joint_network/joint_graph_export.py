"""Export of the joint network as an ONNX graph for any number of parts and of candidates."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor

from ...infer.engine_choice import graphs_beside
from ...infer.graph_file import Graphs
from ...infer.joint_network.candidate_arrays import MEASURES
from ...infer.joint_network.joint_config import JointNetworkConfig
from ...infer.joint_network.joint_inputs import JOINT_INPUTS, VIEWS
from ...infer.joint_network.joint_model import JointPrediction
from ...infer.joint_network.joint_prediction import JOINT_WEIGHTS
from ...infer.joint_network.torch_engine import JointModule, load_joint_network
from ...infer.weight_file import read_weights_of
from ..graph_export import graph_of, without_weights

__all__ = ["export_joint_graph"]

_PARTS, _CANDIDATES = 5, 7  # of an example


def _example(config: JointNetworkConfig) -> dict[str, Tensor]:
    views, parts, some = len(VIEWS), _PARTS, _CANDIDATES
    return {
        "own": torch.rand(views, parts, config.own, 6),
        "near": torch.rand(views, parts, config.near, 6),
        "gap_near": torch.rand(views, parts, config.near),
        "whole": torch.rand(views, config.whole, 6),
        "whole_part": torch.arange(config.whole).remainder(parts).expand(views, -1).clone(),
        "boxes": torch.rand(views, parts, 2, 3).sort(2).values,
        "gaps": torch.rand(views, parts, parts),
        "shares": torch.rand(views, parts),
        "kind": torch.ones(views, parts, some, dtype=torch.int64),
        "axis": torch.rand(views, parts, some, 3),
        "pivot": torch.rand(views, parts, some, 3),
        "measures": torch.rand(views, parts, some, MEASURES),
    }


@torch.no_grad()
def export_joint_graph(weights: Path | None = None, target: Path | None = None) -> str:
    """Writes the graph of a network and returns a line with the path; None: the one that ships, beside its weights.

    Raises UserError.
    """
    weights = weights or JOINT_WEIGHTS
    target = target or graphs_beside(weights)
    read, model = read_weights_of(JointNetworkConfig, weights), load_joint_network(weights)
    example = _example(model.config)
    parts, some = torch.export.Dim("parts", min=2), torch.export.Dim("some", min=2)
    sizes: dict[str, dict | None] = {name: {1: parts} for name in JOINT_INPUTS}
    sizes |= {"whole": None, "whole_part": None, "gaps": {1: parts, 2: parts}}
    sizes |= {name: {1: parts, 2: some} for name in ("kind", "axis", "pivot", "measures")}
    outputs = [f"output_{name}" for name in JointPrediction.names()]
    graph = graph_of(JointModule(model).eval(), [example[name] for name in JOINT_INPUTS], JOINT_INPUTS, outputs, sizes)
    target.parent.mkdir(parents=True, exist_ok=True)
    Graphs(read.sizes, {"joints": without_weights(graph, read)}).write(target)
    return f"{target}: {target.stat().st_size / 1024:.0f} kB"
