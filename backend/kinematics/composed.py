"""The composed provider: rigid and soft pieces on the links of a tree, each soft one in the frame of its link.

With the floating frame of reference A_h = A_link(q_links) o (I + affine_h(q_soft)) the handles of a piece are bilinear,

    a_piece = N(q_soft) T_link(q_links),    N = [(a_soft - e c^T) / s, e],

where a_soft are the handles of the piece alone, T_link Float[4,3] is the handle of its link, c and s are the centre and
scale of the reference frame, and e picks the constant: phi_v e = 1 at the points of the piece. A rigid piece has one
handle, N = I. Coordinates are those of the links, then those of the soft pieces in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .base import Array, Curved, Kinematics, ReferenceFrame
from .elastic import ElasticKinematics

__all__ = ["ComposedKinematics", "LinkKinematics", "PieceOnLink", "StillLink"]


class LinkKinematics(Kinematics, Curved, Protocol):
    """The links of a tree, one rigid handle each."""


@dataclass(frozen=True)
class PieceOnLink:
    """A piece of an object: the number of its link, and how it bends in the frame of that, None where it is rigid."""

    link: int
    soft: ElasticKinematics | None = None

    @property
    def rows(self) -> int:
        """Of its handles in `a`."""
        return 4 if self.soft is None else len(self.soft.reduction)

    @property
    def dof(self) -> int:
        return 0 if self.soft is None else self.soft.dof


class StillLink:
    """A single link that stands where it is drawn: no coordinates."""

    name, dof, constant_jacobian = "still", 0, True

    def __init__(self, frame: ReferenceFrame) -> None:
        self._handle = frame.rest_handle()

    def rest(self) -> Array:
        return np.zeros(0)

    def handles(self, q: Array) -> Array:
        return self._handle

    def push(self, q: Array, rate: Array) -> Array:
        return np.zeros_like(self._handle)

    def pull(self, q: Array, force: Array) -> Array:
        return np.zeros(0)

    def jacobian(self, q: Array) -> Array:
        return np.zeros((self._handle.size, 0))

    def acceleration(self, q: Array, rate: Array) -> Array:
        return np.zeros_like(self._handle)

    def curvature(self, q: Array, force: Array) -> Array:
        return np.zeros((0, 0))

    def canonical(self, q: Array) -> Array:
        return q


class ComposedKinematics:
    """Pieces on links; see the module's first lines."""

    name = "composed"
    constant_jacobian = False  # of the links' own coordinates there may be none, but a root may come before

    def __init__(self, links: LinkKinematics, pieces: Sequence[PieceOnLink], frame: ReferenceFrame) -> None:
        self.links, self.pieces = links, tuple(pieces)
        ends = np.cumsum([piece.rows for piece in self.pieces])
        self.rows = [slice(end - piece.rows, end) for end, piece in zip(ends.tolist(), self.pieces, strict=True)]
        last = links.dof + np.cumsum([piece.dof for piece in self.pieces])
        self.columns = [slice(end - piece.dof, end) for end, piece in zip(last.tolist(), self.pieces, strict=True)]
        self.dof = links.dof + sum(piece.dof for piece in self.pieces)
        self._frame, self._height = frame, int(ends[-1])
        self.shift = np.zeros(self._height)
        for piece, rows in zip(self.pieces, self.rows, strict=True):
            self.shift[rows.start + 3] = 1.0
            if (
                piece.soft is not None
                and abs(float(piece.soft.handles(piece.soft.rest())[3, 0] - frame.centre[0])) > 1e-9 * frame.scale
            ):
                raise ValueError("a soft piece has another reference frame than the whole")

    def _shape(self, piece: PieceOnLink, soft: Array) -> Array:
        """N, Float[4H,4], of a piece whose own coordinates are `soft`."""
        if piece.soft is None:
            return np.eye(4)
        result = np.zeros((piece.rows, 4))
        result[:, :3] = piece.soft.handles(soft)
        result[3, :3] -= self._frame.centre
        result[:, :3] /= self._frame.scale
        result[3, 3] = 1.0
        return result

    def _bent(self, piece: PieceOnLink, rate: Array) -> Array:
        """dN by the rates of a piece's own coordinates, Float[4H,3]: its last column is constant."""
        assert piece.soft is not None
        return piece.soft.reduction @ rate.reshape(-1, 3) / self._frame.scale

    def _parts(self, q: Array) -> list[tuple[PieceOnLink, slice, slice, Array]]:
        """Each piece with its rows, its columns and N."""
        return [
            (piece, rows, columns, self._shape(piece, q[columns]))
            for piece, rows, columns in zip(self.pieces, self.rows, self.columns, strict=True)
        ]

    def rest(self) -> Array:
        return np.concatenate([self.links.rest(), np.zeros(self.dof - self.links.dof)])

    def handles(self, q: Array) -> Array:
        links = self.links.handles(q[: self.links.dof]).reshape(-1, 4, 3)
        return np.concatenate([shape @ links[piece.link] for piece, _, _, shape in self._parts(q)])

    def push(self, q: Array, rate: Array) -> Array:
        own, result = slice(self.links.dof), np.empty((self._height, 3))
        links = self.links.handles(q[own]).reshape(-1, 4, 3)
        moved = self.links.push(q[own], rate[own]).reshape(-1, 4, 3)
        for piece, rows, columns, shape in self._parts(q):
            result[rows] = shape @ moved[piece.link]
            if piece.dof:
                result[rows] += self._bent(piece, rate[columns]) @ links[piece.link, :3]
        return result

    def pull(self, q: Array, force: Array) -> Array:
        own, result = slice(self.links.dof), np.empty(self.dof)
        links = self.links.handles(q[own]).reshape(-1, 4, 3)
        on_links = np.zeros_like(links)
        for piece, rows, columns, shape in self._parts(q):
            on_links[piece.link] += shape.T @ force[rows]
            if piece.soft is not None:
                turned = force[rows] @ links[piece.link, :3].T / self._frame.scale
                result[columns] = (piece.soft.reduction.T @ turned).ravel()
        result[own] = self.links.pull(q[own], on_links.reshape(-1, 3))
        return result

    def jacobian(self, q: Array) -> Array:
        own = slice(self.links.dof)
        result = np.zeros((self._height, 3, self.dof))
        links = self.links.handles(q[own]).reshape(-1, 4, 3)
        moved = self.links.jacobian(q[own]).reshape(len(links), 4, 3 * self.links.dof)
        for piece, rows, columns, shape in self._parts(q):
            result[rows, :, own] = (shape @ moved[piece.link]).reshape(piece.rows, 3, self.links.dof)
            if piece.soft is not None:
                # d/dq_(n,i) of R[:, n] q_(n,i) T[i, :] / s
                bent = piece.soft.reduction[:, None, :, None] * links[piece.link, :3].T[None, :, None, :]
                result[rows, :, columns] = bent.reshape(piece.rows, 3, -1) / self._frame.scale
        return result.reshape(3 * self._height, self.dof)

    def acceleration(self, q: Array, rate: Array) -> Array:
        own, result = slice(self.links.dof), np.empty((self._height, 3))
        moved = self.links.push(q[own], rate[own]).reshape(-1, 4, 3)
        bent = self.links.acceleration(q[own], rate[own]).reshape(-1, 4, 3)
        for piece, rows, columns, shape in self._parts(q):
            result[rows] = shape @ bent[piece.link]
            if piece.dof:
                result[rows] += 2.0 * self._bent(piece, rate[columns]) @ moved[piece.link, :3]
        return result

    def curvature(self, q: Array, force: Array) -> Array:
        own, count = slice(self.links.dof), self.links.dof
        result = np.zeros((self.dof, self.dof))
        links = self.links.handles(q[own]).reshape(-1, 4, 3)
        moved = self.links.jacobian(q[own]).reshape(len(links), 4, 3, count)
        on_links = np.zeros((len(moved), 4, 3))
        for piece, rows, columns, shape in self._parts(q):
            on_links[piece.link] += shape.T @ force[rows]
            if piece.soft is not None:
                # sum over rows and axes of R[a, n] T'[i, j, k] F[a, j] / s, for the coordinate (n, i) and the rate k
                pulled = piece.soft.reduction.T @ force[rows] / self._frame.scale
                mixed = np.einsum("nj,ijk->nik", pulled, moved[piece.link, :3]).reshape(piece.dof, count)
                result[columns, own], result[own, columns] = mixed, mixed.T
        result[own, own] = self.links.curvature(q[own], on_links.reshape(-1, 3))
        return result

    def canonical(self, q: Array) -> Array:
        return q
