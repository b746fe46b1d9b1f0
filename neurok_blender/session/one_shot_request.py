"""Which joints a mesh has, and files of robots: questions whose words are known before they are asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..job.requests import Task
from .backend_request import Question
from .simulation import Progress

__all__ = ["Errand"]

Take = Callable[[Mapping[str, Any], Mapping[str, np.ndarray]], str]


class Errand(Question):
    slot = "errand"
    task = Task.ERRAND

    def __init__(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray], take: Take) -> None:
        """`take` does what is to be done with the answer and says so in a sentence; it may raise Refusal."""
        self._header, self._arrays, self._told = header, arrays, take
        super().__init__(Progress())

    def _asking(self) -> tuple[Mapping[str, Any], Mapping[str, np.ndarray]]:
        arrays, self._arrays = self._arrays, {}
        return self._header, arrays

    def _take(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
        return self._told(header, arrays)

    def _forget(self) -> None:
        self._arrays = {}
