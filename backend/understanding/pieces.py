"""Pieces of an object: the faces of one object of the file with one material, with what is known of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..geometry.labels import SlotLabel
from ..geometry.mesh import Mesh, cross, triangle_areas
from ..materials.clues import Clues, Shader, piece_shapes

__all__ = ["Cut", "cut_into_pieces"]

MOST_PIECES = 64  # finer ones are told by their material alone


@dataclass(frozen=True, eq=False)
class Cut:
    """A mesh cut into pieces: which one each face is of, Int[F] from 0, their names and clues, by number.

    `areas` Float[P] m^2, `volumes` Float[P] m^3 (of thin pieces what their surface encloses says nothing), `centres`
    Float[P,3] m of their surfaces.
    """

    piece: NDArray[np.int64]
    names: tuple[str, ...]
    clues: tuple[Clues, ...]
    areas: NDArray[np.float64]
    volumes: NDArray[np.float64]
    centres: NDArray[np.float64]

    def with_piece(self, mesh: Mesh, faces: NDArray[np.bool_], name: str) -> Cut:
        """With a piece of its own, the last one, for some faces Bool[F]; pieces without any faces are gone."""
        piece = np.where(faces, len(self.names), self.piece)
        kept, piece = np.unique(piece, return_inverse=True)
        piece = piece.reshape(-1)
        own = int(np.bincount(self.piece[faces]).argmax())
        source = [own if number == len(self.names) else number for number in kept.tolist()]
        shapes = piece_shapes(mesh.vertices, mesh.triangles, piece)
        clues = tuple(replace(self.clues[old], shape=shape) for old, shape in zip(source, shapes, strict=True))
        names = (*(self.names[number] for number in kept[:-1].tolist()), name)
        return Cut(piece, names, clues, *_amounts(mesh, piece, len(kept)))

    def of_faces(self, mesh: Mesh, faces: NDArray[np.bool_]) -> tuple[Cut, NDArray[np.int64]]:
        """Of some faces Bool[F], which are those of `mesh`, and the numbers that its pieces had."""
        numbers, piece = np.unique(self.piece[faces], return_inverse=True)
        piece = piece.reshape(-1)
        names, clues = zip(*((self.names[number], self.clues[number]) for number in numbers.tolist()), strict=True)
        return Cut(piece, names, clues, *_amounts(mesh, piece, len(numbers))), numbers


def cut_into_pieces(mesh: Mesh) -> Cut:
    """By the objects and the material slots of the faces; by the slots alone where these are too many."""
    labels, slots = mesh.labels, mesh.slots
    objects = np.zeros_like(slots) if labels is None else labels.objects
    pairs, piece = np.unique(np.stack([objects, slots], axis=1), axis=0, return_inverse=True)
    if len(pairs) > MOST_PIECES:
        pairs, piece = np.unique(np.stack([0 * objects, slots], axis=1), axis=0, return_inverse=True)
    piece = piece.reshape(-1)
    shapes = piece_shapes(mesh.vertices, mesh.triangles, piece)
    names, clues = [], []
    for (number, slot), shape in zip(pairs.tolist(), shapes, strict=True):
        node = "" if labels is None else labels.object_names[number]
        label = SlotLabel() if labels is None else labels.slots.get(slot, SlotLabel())
        shader = _shader(label)
        clues.append(Clues(shape, node, label.name, shader=shader, given=label.made_of))
        names.append(label.name or node)
    owners = ["" if labels is None else labels.object_names[number] for number in pairs[:, 0].tolist()]
    return Cut(piece, _told_apart(names, owners), tuple(clues), *_amounts(mesh, piece, len(pairs)))


def _shader(label: SlotLabel) -> Shader | None:
    if not label.shader and label.colour is None:
        return None
    return Shader(**label.shader, colour=label.colour)


def _told_apart(names: list[str], owners: list[str]) -> tuple[str, ...]:
    """Names that differ: those of several objects with one material say which object."""
    told: list[str] = []
    for number, (name, owner) in enumerate(zip(names, owners, strict=True), 1):
        whole = name or f"Piece {number}"
        if names.count(name) > 1 and owner and owner != name:
            whole = f"{owner}: {name}"
        told.append(f"{whole} ({number})" if whole in told else whole)
    return tuple(told)


def _amounts(
    mesh: Mesh, piece: NDArray[np.int64], count: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Areas, volumes and centres of the pieces."""
    corners = mesh.vertices[mesh.triangles]
    area = triangle_areas(mesh.vertices, mesh.triangles)
    areas = np.bincount(piece, weights=area, minlength=count)
    middle = corners.mean(axis=1)
    centres = np.stack(
        [np.bincount(piece, weights=area * middle[:, axis], minlength=count) for axis in range(3)], axis=1
    )
    centres /= np.maximum(areas, 1e-300)[:, None]
    # Tetrahedra about the centre of each piece: what it lacks at its seams hardly counts.
    first, second, third = (corners - centres[piece][:, None]).transpose(1, 0, 2)
    volumes = (
        np.abs(np.bincount(piece, weights=np.einsum("fi,fi->f", first, cross(second, third)), minlength=count)) / 6.0
    )
    return areas, volumes, centres
