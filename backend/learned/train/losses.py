"""Training objective: negative evidence of the observed motions, with auxiliary losses."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..infer.shape_tensors import Surface
from .bend_losses import bend_losses
from .bone_losses import bone_losses
from .decoders import ScrewDecoder
from .latent_fitting import fit, fitted, moves_of, rest_jacobian, skin_basis
from .supervision import Supervision, auxiliary_losses
from .torch_screws import screw_motion
from .training_config import TrainingConfig
from .training_model import TrainedModel

__all__ = ["Objective"]

SPARSE_ITERATIONS = 2


@dataclass(frozen=True)
class _Error:
    """Error of predicted moves: the loss, and RMS over the RMS of the motion."""

    loss: Tensor
    relative: Tensor


class Objective(nn.Module):
    """The negative evidence of the observed motions, as far as it can be had.

    With a deformation encoder the usual bound: error + weight KL(q(z | motion, M0) || p(z | M0)), z drawn from q. Where
    z is fitted, Laplace's approximation about the most probable z:

        error(z*) + weight (|z* - mean|^2 / 2 + log det(I + 2 J^T J / (P weight)) / 2),   J = d move / d z at rest

    The determinant is what a direction of z costs for being there at all: directions that no motion needs switch off.
    To this come the error of all points where z was fitted to a few of them, and the auxiliary losses of `supervision`,
    `bend_losses` and `bone_losses`.
    """

    def __init__(self, model: TrainedModel, training: TrainingConfig) -> None:
        super().__init__()
        self.model, self.training_config = model, training
        self.kl_weight = training.kl_weight  # what training lets fall

    def forward(self, surface: Surface, moves: Tensor, supervision: Supervision) -> dict[str, Tensor]:
        """Moves (B,S,N,3) of all samples of `surface`, encoder points first. `total` is to be differentiated."""
        count = self.model.config.points
        encoded, queries = surface.take(slice(0, count)), surface.take(slice(count, None))
        if self.model.deformation is None:
            return self._by_fit(encoded, queries, moves[:, :, count:], supervision)
        return self._by_encoder(encoded, queries, moves[:, :, :count], moves[:, :, count:])

    def _error(self, predicted: Tensor, moves: Tensor) -> _Error:
        """The loss of a point is 2 c^2 (sqrt(1 + e^2 / c^2) - 1): e^2 below c, linear in e above; e^2 without c."""
        huber_delta = self.training_config.huber_delta
        square = ((predicted - moves) ** 2).sum(-1)
        with torch.no_grad():
            relative = (square.mean() / (moves**2).sum(-1).mean().clamp(min=1e-12)).sqrt()
        if huber_delta is None:
            return _Error(square.mean(), relative)
        return _Error((2.0 * huber_delta**2 * ((1.0 + square / huber_delta**2).sqrt() - 1.0)).mean(), relative)

    def _by_encoder(self, encoded: Surface, queries: Surface, shown: Tensor, moves: Tensor) -> dict[str, Tensor]:
        model = self.model
        assert model.deformation is not None
        context = model.encode(encoded)
        mean, log_variance = model.deformation(context, shown)
        z = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        error = self._error(model.decoder(context, model.query_features(context, queries), queries, z), moves)
        surplus = mean - context.prior_mean[:, None]
        nats = 0.5 * (log_variance.exp() + surplus**2 - 1.0 - log_variance)
        total = error.loss + self.kl_weight * nats.sum(-1).mean()
        active = (nats.mean(1) > 0.1).float().sum(-1).mean()
        return {"total": total, "error": error.relative, "nats": nats.sum(-1).mean().detach(), "active": active}

    def _by_fit(self, encoded: Surface, queries: Surface, moves: Tensor, supervision: Supervision) -> dict[str, Tensor]:
        model, training = self.model, self.training_config
        decoder, weight = model.decoder, self.kl_weight
        assert isinstance(decoder, ScrewDecoder) and decoder.bends is not None
        context = model.encode(encoded)
        weights = decoder.skin_weights(context, model.query_features(context, queries), queries)
        with torch.autocast("cpu", enabled=False):
            carries = decoder.carries(context)
            heads, supervision = decoder.heads(context), supervision.in_order(context.seeds)
            twists = decoder.twists(context, decoder.joints(heads, carries, decoder.boxes(context, carries)))
            auxiliary = auxiliary_losses(supervision, context, decoder, carries, heads, weights)
            bends = decoder.bends(context)
            auxiliary |= bone_losses(supervision.bones, bends.pivot, weights)
            auxiliary |= bend_losses(
                bends,
                supervision.turns,
                supervision.turning,
                context.gaps,
                weights,
                queries.points,
                moves,
            )
            few = supervision.bends.int().argsort(stable=True)[: training.fitted_objects]
            twists, mean, moves = twists[few], context.prior_mean[few], moves[few]
            basis = skin_basis(weights[few], queries.points[few])[:, None]
            # At its minimum the evidence does not change with z to first order, so z may be taken as given.
            z = fit(twists.detach(), basis.detach(), moves, mean.detach(), weight).z
            error = self._error(moves_of(screw_motion(twists, z), basis), moves)
            nats, active = self._nats(twists, basis[:, 0], z - mean[:, None])
            sparse = self._from_dragged(twists, basis, moves, mean, z)
        total = error.loss + weight * nats + training.sparse * sparse.loss
        return {
            "total": total + training.auxiliary_weight * torch.stack(list(auxiliary.values())).sum(),
            "error": error.relative,
            "sparse": sparse.relative,
            "nats": nats.detach(),
            "active": active,
            **{name: value.detach() for name, value in auxiliary.items()},
        }

    def _nats(self, twists: Tensor, basis: Tensor, surplus: Tensor) -> tuple[Tensor, Tensor]:
        """The bracket of Laplace's approximation, and how many directions of z are distinguished from noise."""
        jacobian = rest_jacobian(twists, basis)
        count, latents = jacobian.shape[1], jacobian.shape[-1]
        flat = jacobian.flatten(1, 2).double()
        matrix = flat.transpose(1, 2) @ flat * (2.0 / (count * self.kl_weight))
        # Unchecked: where an example is no numbers so is the loss, and the step is left out.
        factor = torch.linalg.cholesky_ex(matrix + torch.eye(latents))[0]
        spread = torch.diagonal(factor, dim1=1, dim2=2).log().sum(-1).mean().float()
        with torch.no_grad():
            values = torch.linalg.eigvalsh(matrix.nan_to_num(0.0, 0.0, 0.0))
            kept = values.flip(-1).cumsum(-1) < 0.99 * values.sum(-1, keepdim=True)
            active = kept.float().sum(-1).mean() + 1.0
        return 0.5 * (surplus**2).sum(-1).mean() + spread, active

    def _from_dragged(self, twists: Tensor, basis: Tensor, moves: Tensor, mean: Tensor, near: Tensor) -> _Error:
        """The error of all points where z is fitted to a few of them, others for each object.

        The search begins at the z of all points, so that the minimum found is the one that many starts would find.
        """
        batch, states, count = moves.shape[:3]
        weight = self.kl_weight
        order = torch.rand(batch, count).argsort(-1)[:, : self.training_config.sparse_points]
        few = basis.gather(2, order[:, None, :, None].expand(-1, -1, -1, basis.shape[-1]))
        shown = moves.gather(2, order[:, None, :, None].expand(-1, states, -1, 3))
        found = fit(twists.detach(), few.detach(), shown, mean.detach(), weight, near, SPARSE_ITERATIONS)
        z = fitted(found, moves_of(screw_motion(twists, found.z), few), shown, mean, weight)
        return self._error(moves_of(screw_motion(twists, z), basis), moves)
