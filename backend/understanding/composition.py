"""The composition of an object: its pieces with what they are made of, and what it stands on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dynamics.piece_conditions import Faces, PieceOverride
from ..errors import UserError
from ..geometry.mesh import Mesh
from ..materials.clues import OPEN, Clues
from ..materials.material import BEHAVIOURS, SHEET, SOFT
from ..materials.table import material_named, material_names
from ..texts import Text
from .loose_things import told_loose
from .piece_materials import PieceMaterial, as_material, guessed_size, recognise_materials
from .pieces import Cut, cut_into_pieces
from .support import SupportGuess, guessed_support

__all__ = ["Composition", "bends", "understand"]

MOST_OF_SHEET = 8000  # vertices that each move by themselves where nobody asks for it: finer ones take too long
SHELL = 0.02  # of the longest side: how thick the material cloud takes an open surface
# Materials decide how an object moves where names tell those of so much of its surface (less is enough where nothing of
# it bends), and the behaviours are so probable; or where they are that probable by its look, or by its shape alone.
TOLD_SHARE, TOLD_OF_RIGID, SURE = 0.5, 0.25, 0.5
SURE_BY_LOOK, SURE_BY_SHAPE = 0.65, 0.85
LOOKED = 0.5  # of the surface has a material that it is drawn with


@dataclass(frozen=True, eq=False)
class Composition:
    """Pieces of a mesh and their materials, in the same order, and the support of the whole."""

    mesh: Mesh
    cut: Cut
    made: tuple[PieceMaterial, ...]
    support: SupportGuess
    size_guess: float | None = None  # m, the longest side that it is thought to have
    given: bool = False  # somebody has said what some of it is made of
    warnings: tuple[Text, ...] = ()
    loose: Text | None = None  # why its loose parts are things of their own

    @property
    def size(self) -> float:
        """Longest side, m."""
        return float(np.ptp(self.mesh.vertices, axis=0).max())

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Of the surface, Float[P]."""
        return self.cut.areas / max(float(self.cut.areas.sum()), 1e-300)

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """Longest sides of the pieces, Float[P] m."""
        corners = (self.mesh.vertices[self.vertices(number)] for number in range(len(self.made)))
        return np.array([float(np.ptp(each, axis=0).max()) for each in corners])

    @cached_property
    def _open(self) -> NDArray[np.bool_]:
        """Bool[P]: pieces that are surfaces and enclose nothing."""
        return np.array([(clues.shape.open_edges or 0.0) > OPEN for clues in self.cut.clues])

    @cached_property
    def drawn_thickness(self) -> NDArray[np.float64]:
        """How thick the pieces are when simulated, Float[P] m: 2 V / A of bodies, and what open ones are given."""
        bodies = 2.0 * self.cut.volumes / np.maximum(self.cut.areas, 1e-300)
        return np.where(self._open, SHELL * self.size, np.maximum(bodies, 1e-6 * self.size))

    @cached_property
    def crowns(self) -> NDArray[np.bool_]:
        """Bool[P]: pieces that are drawn as bodies and are twigs and leaves with air between."""
        return self._leafy & (self.drawn_thickness > [material_named(each.material).crown or 0.0 for each in self.made])

    @cached_property
    def _leafy(self) -> NDArray[np.bool_]:
        crowned = [material_named(each.material).crown is not None for each in self.made]
        return np.array(crowned) & np.array([each.behaviour == SOFT for each in self.made])

    @cached_property
    def thinning(self) -> NDArray[np.float64]:
        """What thin pieces and crowns have of the thickness in which they are simulated, Float[P]; 1 for bodies."""
        thin = np.array([clues.shape.thin for clues in self.cut.clues])
        thin |= self.crowns | (self._leafy & self._open)  # a plant may enclose much and fill nothing
        real = np.array([each.thickness for each in self.made])
        return np.where(thin, np.minimum(real / self.drawn_thickness, 1.0), 1.0)

    @cached_property
    def masses(self) -> NDArray[np.float64]:
        """Of the pieces, Float[P] kg."""
        density = np.array([each.density for each in self.made])
        return density * self.thinning * self.drawn_thickness * 0.5 * self.cut.areas

    @property
    def centre(self) -> NDArray[np.float64]:
        """Of mass, Float[3] m."""
        return np.average(self.cut.centres, axis=0, weights=np.maximum(self.masses, 1e-300))

    @property
    def behaviours(self) -> tuple[str, ...]:
        return tuple(each.behaviour for each in self.made)

    @property
    def decides(self) -> bool:
        """Whether enough is known of the materials for them to say how the object moves."""
        told = np.array([each.reason.id != "material.by_look" for each in self.made])
        pairs = zip(self.made, self.cut.clues, strict=True)
        sure = np.array([_behaviour_probability(made, clues) for made, clues in pairs])
        drawn = np.array([bool(clues.material) or clues.shader is not None for clues in self.cut.clues])
        by_name = self.shares @ told >= (TOLD_OF_RIGID if self.rigid else TOLD_SHARE) and self.shares @ sure >= SURE
        enough = SURE_BY_LOOK if self.shares @ drawn >= LOOKED else SURE_BY_SHAPE
        return self.given or bool(by_name or self.shares @ sure >= enough)

    @property
    def rigid(self) -> bool:
        """Whether nothing of it bends."""
        return set(self.behaviours) == {"rigid"}

    @property
    def provider(self) -> str:
        """What moves it where it has no joints."""
        if not self.soft.any():
            return "rigid"
        if set(self.behaviours) == {SHEET} and len(self.mesh.vertices) <= MOST_OF_SHEET:
            return "sheet"
        return "elastic" if self.soft.all() else "composed"

    @cached_property
    def soft(self) -> NDArray[np.bool_]:
        """Which vertices belong to pieces that bend, and to no other, Bool[V]: where they meet, what is rigid has them.

        Vertices without faces are neither: they count as the rest does where that is of one kind.
        """
        found = np.full(len(self.mesh.vertices), all(map(bends, self.behaviours)))
        for soft_ones in (True, False):
            for number, behaviour in enumerate(self.behaviours):
                if bends(behaviour) == soft_ones:
                    found[self.vertices(number)] = soft_ones
        return found

    def vertices(self, number: int) -> NDArray[np.int64]:
        """Those of the faces of a piece, Int[n]."""
        return np.unique(self.mesh.triangles[self.cut.piece == number])

    def told(self) -> list[dict[str, Any]]:
        """The pieces for people and programs (JSON)."""
        counts = np.bincount(self.cut.piece, minlength=len(self.made))
        return [
            {"name": name, "faces": int(count), "share": float(share), **made.told()}
            for name, count, share, made in zip(self.cut.names, counts, self.shares, self.made, strict=True)
        ]

    def of_faces(self, mesh: Mesh, faces: NDArray[np.bool_]) -> Composition:
        """Of some faces Bool[F], which are those of `mesh`, as a thing of its own."""
        cut, numbers = self.cut.of_faces(mesh, faces)
        made = tuple(self.made[number] for number in numbers.tolist())
        return Composition(mesh, cut, made, self.support, given=self.decides)

    def overridden(self, overrides: Sequence[PieceOverride], support: str | None) -> Composition:
        """With what somebody says of pieces and support; the later of two statements counts. Raises UserError."""
        found = self
        for number, override in enumerate(overrides):
            found = found._with_override(override, f"pieces[{number}]")
        if support is not None:
            found = replace(found, support=SupportGuess(support, 1.0, Text("support.given")))
        return found

    def with_known(self, overrides: Sequence[PieceOverride]) -> Composition:
        """The same without what is said of pieces that are not there, which is a warning. Raises UserError."""
        names = [each.which if isinstance(each.which, str) else None for each in overrides]
        gone = [name for name in names if name is not None and name not in self.cut.names]
        known = [each for each, name in zip(overrides, names, strict=True) if name not in gone]
        warnings = tuple(Text("piece.gone", piece=name) for name in gone)
        return replace(self.overridden(known, None), warnings=warnings)

    def _with_override(self, override: PieceOverride, where: str) -> Composition:
        number = override.which
        if isinstance(number, np.ndarray | Faces):
            return self._split_off(self._faces(number, where), override)
        if isinstance(number, str):
            if number not in self.cut.names:
                raise UserError("bad_piece.unknown", where=where, piece=number, known=", ".join(self.cut.names))
            number = self.cut.names.index(number)
        if not 0 <= number < len(self.made):
            raise UserError("bad_piece.number", where=where, piece=number, count=len(self.made))
        made = list(self.made)
        made[number] = _changed(made[number], self.cut, number, override)
        return replace(self, made=tuple(made), given=True)

    def _faces(self, which: NDArray[np.int64] | Faces, where: str) -> NDArray[np.bool_]:
        """The faces Bool[F] with these numbers, or with all corners among vertices."""
        if isinstance(which, Faces):
            faces = np.zeros(len(self.mesh.triangles), dtype=bool)
            if which.numbers.max(initial=-1) >= len(faces) or which.numbers.min(initial=0) < 0:
                raise UserError("bad_piece.faces", where=where, last=len(faces) - 1)
            faces[which.numbers] = True
            return faces
        chosen = np.zeros(len(self.mesh.vertices), dtype=bool)
        if which.max(initial=-1) >= len(chosen) or which.min(initial=0) < 0:
            raise UserError("bad_piece.vertices", where=where, count=len(chosen))
        chosen[which] = True
        faces = chosen[self.mesh.triangles].all(axis=1)
        if not faces.any():
            raise UserError("bad_piece.no_face", where=where)
        return faces

    def _split_off(self, faces: NDArray[np.bool_], override: PieceOverride) -> Composition:
        """The faces Bool[F] become a piece of their own."""
        cut = self.cut.with_piece(self.mesh, faces, override.name or f"Piece {len(self.made) + 1}")
        kept = np.flatnonzero(np.bincount(self.cut.piece[~faces], minlength=len(self.made)))
        made = [self.made[number] for number in kept]
        own = int(np.bincount(self.cut.piece[faces]).argmax())
        made.append(_changed(self.made[own], cut, len(cut.names) - 1, override))
        return replace(self, cut=cut, made=tuple(made), given=True)


def bends(behaviour: str) -> bool:
    """Whether what behaves like this is deformed by what acts on it."""
    return behaviour in (SOFT, SHEET)


def understand(mesh: Mesh, name: str = "") -> Composition:
    """What a mesh is made of and what it stands on; `name` is that of the object, where there is one."""
    cut = cut_into_pieces(mesh)
    made = tuple(recognise_materials(cut.clues, name))
    unsupported = SupportGuess("floor", 1.0, Text("support.given"))
    drawn = float(np.ptp(mesh.vertices, axis=0).max())
    size, given = guessed_size(cut.clues, name, drawn=drawn), any(clues.given for clues in cut.clues)
    composition = Composition(mesh, cut, made, unsupported, size, given)
    names = [name, *(clues.node for clues in cut.clues)]
    sheets = np.array([each.behaviour == "sheet" for each in made])
    told = list(dict.fromkeys(each for each in names if each))
    loose = told_loose(mesh, told)
    support = guessed_support(
        mesh, told, composition.masses, composition.centre, sheets, composition.rigid, loose is not None
    )
    return replace(composition, support=support, loose=loose)


def _behaviour_probability(made: PieceMaterial, clues: Clues) -> float:
    """That a piece behaves as it is thought to, whatever its material is."""
    alike = [material_named(name).form(clues.shape.thin).behaviour == made.behaviour for name in material_names()]
    return float(made.probabilities[np.array(alike)].sum())


def _changed(made: PieceMaterial, cut: Cut, number: int, override: PieceOverride) -> PieceMaterial:
    if override.material is not None:
        made = as_material(override.material, cut.clues[number], Text("material.given"))
    values = {name: value for name, value in override.values.items() if value is not None}
    if override.behaviour is not None:
        assert override.behaviour in BEHAVIOURS
        values["behaviour"] = override.behaviour
    return replace(made, **values, reason=Text("material.given"))
