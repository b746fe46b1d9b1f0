"""Checkpoints and weights of a training run on disk: replaced atomically, so that a kill leaves a whole file."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import save_file

from ...errors import UserError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["load_checkpoint", "save_checkpoint", "save_model", "unusable_checkpoint"]


def save_checkpoint(path: Path, state: dict[str, Any]) -> None:
    unfinished = path.with_suffix(".unfinished")
    torch.save(state, unfinished)
    os.replace(unfinished, path)


def load_checkpoint(path: Path) -> dict[str, Any]:
    """What `save_checkpoint` wrote. Raises UserError."""
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        raise unusable_checkpoint(path, error) from error


def unusable_checkpoint(path: Path, error: Exception) -> UserError:
    return UserError("bad_checkpoint.unreadable", path=path, kind=type(error).__name__)


def save_model(path: Path, config: DataclassInstance, weights: dict[str, torch.Tensor], about: dict[str, Any]) -> None:
    """Weights in float16 with the sizes of the network and what is worth knowing of the run (JSON)."""
    halves = {name: tensor.detach().to(torch.float16).contiguous() for name, tensor in weights.items()}
    text = {"model": json.dumps(asdict(config), sort_keys=True), "about": json.dumps(about, sort_keys=True)}
    unfinished = path.with_suffix(".unfinished")
    save_file(halves, unfinished, metadata=text)
    os.replace(unfinished, path)
