"""What several tests of the model begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.backend.learned.infer.test_encode import save_sure

__all__ = ["bending_weights"]


@pytest.fixture(scope="session")
def bending_weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a tiny network for which everything bends."""
    path = tmp_path_factory.mktemp("weights") / "tiny.safetensors"
    save_sure(path, firm=False)
    return path
