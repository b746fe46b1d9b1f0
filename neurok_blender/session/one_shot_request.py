"""Requests whose content is known at the start: the joints of a mesh, files of robots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..job.requests import Task
from .backend_request import BackendRequest
from .simulation import Progress

__all__ = ["OneShotRequest"]

Handle = Callable[[Mapping[str, Any], Mapping[str, np.ndarray]], str]


class OneShotRequest(BackendRequest):
    slot = "one_shot"
    task = Task.ONE_SHOT

    def __init__(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray], take: Handle) -> None:
        """`take` handles the answer and returns a sentence about the result; it may raise Refusal."""
        self._header, self._arrays, self._handle = header, arrays, take
        super().__init__(Progress())

    def _message(self) -> tuple[Mapping[str, Any], Mapping[str, np.ndarray]]:
        arrays, self._arrays = self._arrays, {}
        return self._header, arrays

    def _take(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
        return self._handle(header, arrays)

    def _forget(self) -> None:
        self._arrays = {}
