"""Row of decoders with a variational encoder: in the tables by their weights alone, and fitted to the points given."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from backend.data.real import find_items
from backend.evaluate.decoded_row import DecodedCandidate
from backend.evaluate.row_candidates import LEARNED_ROWS, ROWS, make_candidate
from backend.evaluate.run_evaluation import _rows
from backend.evaluate.subject import Subject, read_subject
from backend.learned.train.checkpoint import save_model
from backend.learned.train.training_config import CONFIGS
from backend.learned.train.training_model import make_training_model

from .objects import swinging_bar, write_sequence

SIZES = replace(CONFIGS["tiny"].model, posterior="encoder")
DECODERS = {
    "handles": replace(SIZES, decoder="handles"),
    "paper": replace(SIZES, decoder="point", tokens="learned", latents=2),
}


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sequence(tmp_path_factory.mktemp("clip") / "bar.npz", *swinging_bar())


@pytest.fixture(scope="module")
def subject(clip: Path) -> Subject:
    return read_subject(find_items(clip)[0], 1)


@pytest.mark.parametrize("kind", DECODERS)
def test_a_shape_that_the_decoder_can_make_is_found_again(kind: str, subject: Subject) -> None:
    """Of handles exactly as far as the prior lets them; between corners points go as the surface does."""
    torch.manual_seed(1)
    candidate = DecodedCandidate(subject, make_training_model(DECODERS[kind]).eval())
    numbers = candidate._mean + 0.5 * torch.randn(len(candidate._mean))
    with torch.no_grad():
        moves = candidate._moves(np.arange(len(subject.vertices)))(numbers[None])[0].double().numpy()
    goal, points = subject.vertices + moves, subject.sample(40, 1)
    found = candidate.fit(points, points.on(goal))
    missed, motion = (np.sqrt((each**2).sum(axis=1).mean()) for each in (found - goal, moves))
    assert motion > 0.05 and missed < 0.1 * motion


def test_weights_with_an_encoder_have_this_row_and_those_of_screws_theirs(subject: Subject, tmp_path: Path) -> None:
    decoder, screws = tmp_path / "handles.safetensors", tmp_path / "screws.safetensors"
    for file, sizes in ((decoder, DECODERS["handles"]), (screws, CONFIGS["tiny"].model)):
        save_model(file, sizes, make_training_model(sizes).state_dict(), {})
    rows = {file: _rows(Namespace(rows=None, weights=file), list(ROWS)) for file in (decoder, screws)}
    assert not set(LEARNED_ROWS) & set(rows[decoder]) and {"likeliest", "learned"} <= set(rows[screws])
    assert isinstance(make_candidate("decoded", subject, decoder), DecodedCandidate)
    assert make_candidate("decoded", subject, screws) is None and make_candidate("decoded", subject) is None
