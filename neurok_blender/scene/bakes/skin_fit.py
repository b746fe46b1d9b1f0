"""Bones for a motion: weights that no engine chokes on, and what each bone does at each frame.

Skinning as others know it wants weights that are not negative and add up to 1, a few bones for a vertex. Where the
handles' weights are so, the handles are the bones. Elsewhere (elastic modes have both signs) bones are looked for by
smooth skinning decomposition, in handle space: with bone transforms B_j(t) and handle transforms A_h(t), all 4 x 3,

    e_v = sum_t |sum_j u_vj [X;1] B_j - sum_h w_vh [X;1] A_h|^2,

is a quadratic form in the weights u_v with blocks [X;1] (sum_t B_j B_k^T) [X;1]^T, and for given weights the best B(t)
solve one small linear system for all frames. Both are done in turn.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .take_numbers import TakeNumbers, columns

__all__ = ["SkinFit"]

SAMPLE = 4096  # vertices that bones are found from
BLOCK = 256  # vertices
ROUNDS = 8
LEAN = 1e-6  # how much a bone leans on what the object does as a whole
# What a bone leaves of the volume that it moves. Less, or a mirror image, comes of a patch so flat that nothing holds
# the third direction.
LEAST_VOLUME = 0.02
FLAT = 0.05  # mean square of a patch's thickness, as a part of that of its shorter side
TRIED = 1024  # vertices that rounds are compared on
STEPS = 60  # of the descent that finds weights
CANDIDATES = 8  # bones that a vertex is tried on
SMALL = 1e-5  # weights that are none
FEWEST_BONES, MOST_BONES = 8, 32


class SkinFit:
    """Iterate `steps` to the end. Then there are `weights` Float32[V,J] with at most `influences` in each row that are
    not 0, `bones` Float64[T,J,4,3] (rows [X;1] times this is where X goes, less the offset into object space), their
    `rest` Float64[J,4,3], and `error`, the largest distance of a vertex from its place."""

    def __init__(self, take: TakeNumbers, influences: int):
        self._take, self._influences = take, influences
        self._wanted = columns(take.positions)
        weights = take.decoder.weights
        self.is_plain = bool(weights.min() >= -SMALL) and bool(np.abs(weights.sum(axis=1) - 1.0).max() < 1e-3)
        """Whether the handles are bones as they are."""
        self.error = 0.0

    def steps(self) -> Iterator[None]:
        take = self._take
        if self.is_plain:
            weights = take.decoder.weights
            self.weights = _few(np.maximum(weights, 0.0), self._influences)
            self._bones = take.positions.reshape(len(take.positions), -1, 4, 3)
        else:
            yield from self._find_bones()
        # A bone that nothing belongs to is none.
        used = self.weights.max(axis=0) > 0.0
        self.weights, self.bones = self.weights[:, used], self._bones[:, used]
        yield
        for block in take.blocks():
            self.error = max(self.error, self._error(block, self.weights[block], self.bones))
            yield

    def _error(self, vertices: NDArray[np.intp] | slice, weights: NDArray[np.float32], bones: NDArray) -> float:
        """The largest distance of these vertices from their places when the bones move them."""
        own = _basis(weights, self._take.decoder.rest[vertices])
        made = own @ columns(bones.reshape(len(bones), -1, 3))
        difference = (made - self._take.basis(vertices) @ self._wanted).reshape(len(own), -1, 3)
        return float(np.sqrt(np.einsum("vti,vti->vt", difference, difference).max()))

    def _find_bones(self) -> Iterator[None]:
        take = self._take
        handle_count = take.skin_rows // 4
        count = int(np.clip(2 * handle_count, FEWEST_BONES, MOST_BONES))
        sample = take.sample(SAMPLE)
        count = min(count, len(sample))
        basis = take.basis(sample).astype(np.float64)
        points = take.decoder.rest[sample].astype(np.float64)
        self._handles = take.positions.reshape(len(take.positions), -1, 4, 3)
        anchors = self._spread(sample, count)
        # Each bone begins as what the object does about one vertex.
        near = np.linalg.norm(points[:, None, :3] - points[None, anchors, :3], axis=2).argmin(axis=1)
        weights = np.eye(count, dtype=np.float32)[near]
        yield
        # Bones that hold a handful of vertices, or a flat patch, lean on what the object does as a whole.
        mean = np.linalg.solve(points.T @ points + 1e-9 * np.eye(4), points.T @ basis)
        start = np.tile(mean, (count, 1))
        whole = np.linalg.det(take.decoder.linear)
        tried = np.linspace(0, len(sample) - 1, min(len(sample), TRIED)).astype(int)
        best = np.inf
        handles = take.positions.transpose(1, 0, 2).reshape(4 * handle_count, -1)
        for _round in range(ROUNDS):
            own = _basis(weights, points)
            gram, cross = own.T @ own, own.T @ basis
            yield
            ridge = LEAN * np.trace(gram) / len(gram)
            link = np.linalg.solve(gram + ridge * np.eye(len(gram)), cross + ridge * start)
            self._bones = (link @ handles).reshape(count, 4, -1, 3).transpose(2, 0, 1, 3)
            yield
            self._set_upright(weights, points, LEAST_VOLUME * whole)
            yield
            yield from self._take_forms()
            weights = np.empty((len(sample), count), np.float32)
            for at in range(0, len(sample), BLOCK):
                weights[at : at + BLOCK] = self._weigh(sample[at : at + BLOCK])
                yield
            error = self._error(sample[tried], weights[tried], self._bones)
            if error < best:
                best, bones, forms = error, self._bones, self._forms
            yield
        self._bones, self._forms = bones, forms
        self.weights = np.empty((take.vertex_count, count), np.float32)
        for at in range(0, take.vertex_count, BLOCK):
            block = np.arange(at, min(at + BLOCK, take.vertex_count))
            self.weights[block] = self._weigh(block)
            yield

    def _set_upright(self, weights: NDArray, points: NDArray[np.float64], least: float) -> None:
        """Bones that turn inside out get the third direction of their patch, which nothing holds, from the other two.

        L t_1 and L t_2 stay for the two long axes of the patch, and so does where its middle goes; its normal n becomes
        L t_1 x L t_2, as long as those two are in the mean.
        """
        linear = self._bones[:, :, :3]
        for bone in np.flatnonzero((np.linalg.det(linear) / np.sign(least)).min(axis=0) < abs(least)):
            share = weights[:, bone].astype(np.float64)
            middle = share @ points[:, :3] / max(share.sum(), 1e-12)
            apart = points[:, :3] - middle
            spread, axes = np.linalg.eigh(apart.T @ (share[:, None] * apart))
            if spread[0] > FLAT * spread[1]:
                continue  # it is no patch, and does turn inside out
            axes = axes.T  # rows, the normal first
            moved = axes @ linear[:, bone]
            normal = np.cross(moved[:, 1], moved[:, 2]) * (np.sign(least) * np.sign(np.linalg.det(axes)))
            length = np.linalg.norm(normal, axis=1, keepdims=True)
            moved[:, 0] = normal / np.sqrt(np.maximum(length, 1e-12))
            upright = axes.T @ moved
            self._bones[:, bone, 3] += middle @ (linear[:, bone] - upright)
            self._bones[:, bone, :3] = upright

    def _spread(self, sample: NDArray[np.intp], count: int) -> list[int]:
        """Places in the sample that move as differently as can be: each is the farthest from all before."""
        take = self._take
        moves = self._take.motion[np.linspace(0, len(take.motion) - 1, min(len(take.motion), 12)).astype(int)]
        tracks = take.basis(sample) @ columns(moves)
        size = max(float(np.ptp(take.drawn, axis=0).max()), 1e-30)
        scale = max(float(np.abs(tracks - tracks.mean(axis=0)).max()), 1e-30)
        # Vertices far apart need bones of their own even where they move alike.
        features = np.concatenate([tracks / scale, 0.5 * take.drawn[sample] / size], axis=1)
        chosen = [int(np.linalg.norm(features - features.mean(axis=0), axis=1).argmax())]
        distance = np.full(len(sample), np.inf)
        while len(chosen) < count:
            distance = np.minimum(distance, np.linalg.norm(features - features[chosen[-1]], axis=1))
            chosen.append(int(distance.argmax()))
        return chosen

    def _take_forms(self) -> Iterator[None]:
        """sum_t B_j B_k^T [J,J,4,4], sum_t B_j A_h^T [J,H,4,4], sum_t A_g A_h^T [H,H,4,4]."""
        pairs = ((self._bones, self._bones), (self._bones, self._handles), (self._handles, self._handles))
        forms = []
        for a, b in pairs:
            first = a.transpose(1, 2, 0, 3).reshape(a.shape[1] * 4, -1)
            second = b.transpose(1, 2, 0, 3).reshape(b.shape[1] * 4, -1)
            forms.append((first @ second.T).reshape(a.shape[1], 4, b.shape[1], 4).transpose(0, 2, 1, 3))
            yield
        self._forms = forms

    def _weigh(self, vertices: NDArray[np.intp]) -> NDArray[np.float32]:
        """The best weights of some vertices for the bones as they are [N,J]."""
        points = self._take.decoder.rest[vertices].astype(np.float64)
        weights = self._take.decoder.weights[vertices].astype(np.float64)
        squares = (points[:, :, None] * points[:, None, :]).reshape(len(points), 16)
        bones, cross, handles = (
            (squares @ form.reshape(-1, 16).T).reshape(len(points), *form.shape[:2]) for form in self._forms
        )
        cross = np.einsum("vjh,vh->vj", cross, weights)
        target = np.einsum("vg,vgh,vh->v", weights, handles, weights, optimize=True)
        single = np.einsum("vjj->vj", bones) - 2.0 * cross + target[:, None]
        count = bones.shape[1]
        chosen = np.argpartition(single, min(CANDIDATES, count) - 1, axis=1)[:, :CANDIDATES]
        found = _descend(bones, cross, chosen)
        if chosen.shape[1] > self._influences:
            order = np.argsort(found, axis=1)[:, ::-1][:, : self._influences]
            chosen = np.take_along_axis(chosen, order, axis=1)
            found = _descend(bones, cross, chosen)
        result = np.zeros((len(points), count), np.float32)
        np.put_along_axis(result, chosen, found.astype(np.float32), axis=1)
        return result


def _descend(bones: NDArray[np.float64], cross: NDArray[np.float64], chosen: NDArray[np.intp]) -> NDArray[np.float64]:
    """The least of u^T S u - 2 c^T u over u >= 0 with sum 1, for each vertex [N,C], by accelerated descent."""
    form = np.take_along_axis(np.take_along_axis(bones, chosen[:, :, None], axis=1), chosen[:, None, :], axis=2)
    linear = np.take_along_axis(cross, chosen, axis=1)
    # Only differences count where the sum is 1; without the common part the form is far better conditioned.
    common = form.min(axis=(1, 2), keepdims=True)
    form, linear = form - common, linear - common[:, :, 0]
    step = 1.0 / np.maximum(np.abs(form).sum(axis=2).max(axis=1), 1e-30)
    now = np.full_like(linear, 1.0 / linear.shape[1])
    ahead, momentum = now, 1.0
    for _step in range(STEPS):
        slope = np.einsum("vij,vj->vi", form, ahead) - linear
        following = _on_simplex(ahead - step[:, None] * slope)
        faster = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ahead = following + (momentum - 1.0) / faster * (following - now)
        now, momentum = following, faster
    return now


def _on_simplex(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The nearest points with numbers that are not negative and add up to 1 [N,C]."""
    ordered = -np.sort(-points, axis=1)
    excess = (ordered.cumsum(axis=1) - 1.0) / np.arange(1, points.shape[1] + 1)
    last = (ordered > excess).sum(axis=1) - 1
    return np.maximum(points - np.take_along_axis(excess, last[:, None], axis=1), 0.0)


def _few(weights: NDArray[np.float32], influences: int) -> NDArray[np.float32]:
    """Only the largest of each row, so that they add up to 1 again."""
    kept = np.where(weights > SMALL, weights, 0.0).astype(np.float32)
    if weights.shape[1] > influences:
        limit = -np.partition(-kept, influences - 1, axis=1)[:, influences - 1 : influences]
        kept = np.where(kept >= limit, kept, 0.0).astype(np.float32)
    return kept / np.maximum(kept.sum(axis=1, keepdims=True), 1e-30)


def _basis(weights: NDArray, points: NDArray) -> NDArray:
    """u (x) [X;1] [N,4J]."""
    return (weights[:, :, None] * points[:, None, :]).reshape(len(weights), -1)
