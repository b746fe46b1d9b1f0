"""Plays what the command line and Blender write as .glb in three.js, in headless Chromium, and compares each vertex.

    python tests/browser/run.py

Files and pictures land in build/browser. Exit code 0: every vertex is where it was simulated, to a ten-thousandth of
the object's size; 1: one is not; 2: there is no Chromium or npm here.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
from chromium import Job, Played, play_all  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from scipy.spatial.transform import Rotation  # noqa: E402
from three_js import NoBrowser, three_folder  # noqa: E402

from backend.io import MovingMesh, Skinning, read_model, write_animation  # noqa: E402
from tests.backend.io.dressed import dressed_glb  # noqa: E402
from tests.backend.shapes import box  # noqa: E402

OUTPUT = ROOT / "build" / "browser"
FILES = OUTPUT / "files"
ALLOWED = 1e-4  # of the object's size
SAMPLES = ("cabinet", "plant")  # joints, and what bends
BAKES = ("shape_keys", "compressed", "armature")
SAMPLED = (1, 2, 10, 19, 28, 36)  # frames


@dataclass(frozen=True)
class Case:
    """A file and where its vertices belong.

    `places` is (T,V,3), m, Z up, for each frame from 1: as simulated, or as Blender shows a bake of that. A bake may
    be `off` (m), by what it tells, from where it was `simulated`. `rows` tells for each mesh in the file which vertices
    it has; None where the vertices have their numbers with them. `first` (s) is when frame 1 plays.
    """

    name: str
    places: NDArray[np.floating]
    fps: float
    first: float
    rows: list[slice] | None = None
    kind: str = ""
    """"skin" or "morphs": what must be in it."""
    like: str = ""
    """A file whose names, materials and images it must have."""
    simulated: NDArray[np.floating] | None = None
    off: float = 0.0

    @property
    def job(self) -> Job:
        times = tuple(self.first + (frame - 1) / self.fps for frame in SAMPLED)
        return Job(self.name, f"/files/{self.name}.glb", times)

    @property
    def size(self) -> float:
        return float(np.ptp(self.places[0], axis=0).max())

    def farthest(self, played: Played, places: NDArray[np.floating]) -> float:
        """Largest distance of a vertex from its place, of the size; infinite where a vertex is missing."""
        worst = 0.0
        for frame, meshes in zip(SAMPLED, played.frames, strict=True):
            covered = np.zeros(places.shape[1], bool)
            for number, flat in enumerate(meshes):
                seen = np.reshape(flat, (-1, 3))
                seen = np.column_stack([seen[:, 0], -seen[:, 2], seen[:, 1]])
                rows = np.asarray(played.meshes[number]["ids"], np.intp) if self.rows is None else self.rows[number]
                covered[rows] = True
                worst = max(worst, float(np.linalg.norm(seen - places[frame - 1, rows], axis=1).max()))
            if not covered.all():
                return float("inf")
        return worst / self.size

    @property
    def moved(self) -> float:
        """How far a vertex goes, of the size: a file that stands still could not be told from one that plays."""
        sampled = self.places[np.array(SAMPLED) - 1]
        return float(np.linalg.norm(sampled - sampled[0], axis=2).max()) / self.size


def run(command: list[str | Path], what: str) -> None:
    print(f"{what} ...", flush=True)
    words = [str(word) for word in command]
    finished = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        sys.exit(f"browser-test: {what} ended with code {finished.returncode}:\n{finished.stdout}{finished.stderr}")


def from_command_line(name: str, mesh: Path, conditions: Path, kind: str) -> Case:
    """`mesh` simulated by the command line, as .npz and as .glb."""
    for extension in ("npz", "glb"):
        words = ["-m", "backend", "simulate", mesh, "--conditions", conditions, "-o", FILES / f"{name}.{extension}"]
        run([sys.executable, *words], f"{name}.{extension}: {mesh.name} by the command line")
    looks = read_model(mesh)[1]
    rows = [primitive.vertices for part in looks.parts for primitive in part.primitives]
    with np.load(FILES / f"{name}.npz") as result:
        return Case(name, result["vertices"], float(result["fps"]), 0.0, rows, kind, like=mesh.stem)


def of_the_command_line() -> Iterator[Case]:
    for sample, kind in zip(SAMPLES, ("skin", "morphs"), strict=True):
        yield from_command_line(f"{sample}_simulated", FILES / f"{sample}.glb", FILES / f"{sample}.json", kind)
    car = dressed_glb(FILES)
    conditions = FILES / "car.json"
    spin = {"linear": [0.5, 0.0, 4.0], "angular": [1.0, 2.0, 3.0]}
    told = {"frames": 36, "provider": "rigid", "anchor": "none", "velocities": [spin]}
    conditions.write_text(json.dumps(told))
    yield from_command_line("car_simulated", car, conditions, "skin")


def shared_by_many() -> Case:
    """Six turning handles share each vertex of a box."""
    vertices, triangles = box()
    random = np.random.default_rng(0)
    weights = random.dirichlet(np.ones(6), len(vertices)).astype(np.float32)
    handles = np.tile(np.eye(4)[:3], (max(SAMPLED), 6, 1, 1))
    for number, axis in enumerate(random.normal(size=(6, 3))):
        turns = np.linspace(0.0, 1.5, len(handles))[:, None] * axis
        handles[:, number, :, :3] = Rotation.from_rotvec(turns).as_matrix()
    homogeneous = np.column_stack([vertices, np.ones(len(vertices))])
    frames = np.einsum("vh,thij,vj->tvi", weights.astype(np.float64), handles, homogeneous)
    moving = MovingMesh("Box", frames, triangles, Skinning(vertices, weights, handles))
    write_animation(FILES / "shared_by_many.glb", [moving], 24.0)
    return Case("shared_by_many", frames, 24.0, 0.0, [slice(0, len(vertices))])


def of_blender() -> Iterator[Case]:
    for sample in SAMPLES:
        with np.load(FILES / f"{sample}.npz") as result:
            for bake in BAKES:
                name, key = f"{sample}_{bake}", bake.upper()
                kind = "skin" if bake == "armature" else "morphs"
                baked = {"simulated": result["places"], "off": float(result[f"{key} off"])}
                # Blender's exporter lets frame 1 play a frame after 0 seconds.
                yield Case(name, result[key], 24.0, 1 / 24.0, kind=kind, **baked)


def differences(case: Case, played: Played, original: Played | None) -> list[str]:
    """What is not as it should be, apart from the places."""
    found = []
    if case.kind and not all(mesh["skinned" if case.kind == "skin" else "morphs"] for mesh in played.meshes):
        found.append(f"it is no {case.kind}")
    if case.moved < 0.01:
        found.append("nothing moves")
    if original is not None:
        told = [
            [(mesh["name"], mesh["material"], mesh["image"]) for mesh in each.meshes] for each in (played, original)
        ]
        if told[0] != told[1]:
            found.append(f"it has {told[0]} where the original has {told[1]}")
    return found


def main() -> int:
    argparse.ArgumentParser(prog="build.py browser-test", description=__doc__.splitlines()[0]).parse_args()
    try:
        three = three_folder(ROOT)
        shutil.rmtree(FILES, ignore_errors=True)
        FILES.mkdir(parents=True)
        for sample in SAMPLES:
            script = Path(__file__).with_name("made_in_blender.py")
            run([sys.executable, script, sample, FILES], f"{sample}: simulated, baked and exported in Blender")
        cases = [*of_the_command_line(), shared_by_many(), *of_blender()]
        originals = [Job(name, f"/files/{name}.glb", (0.0,)) for name in {case.like for case in cases if case.like}]
        played = play_all([*(case.job for case in cases), *originals], FILES, three)
    except NoBrowser as error:
        print(f"browser-test: {error}", file=sys.stderr)
        return 2
    failed = 0
    print("\nfarthest vertices, of the object's size:")
    print(
        f"{'file':<20}{'vertices':>9}{'moves':>8}{'from its source':>17}{'from simulated':>16}{'told by the bake':>18}"
    )
    for case in cases:
        answer = played[case.name]
        (OUTPUT / f"{case.name}.png").write_bytes(answer.picture)
        faults = differences(case, answer, played.get(case.like))
        away = case.farthest(answer, case.places)
        if not away <= ALLOWED:
            faults.append("vertices are not where they belong")
        line = f"{case.name:<20}{case.places.shape[1]:>9}{case.moved:>8.3f}{away:>17.1e}"
        if case.simulated is not None:
            off = case.farthest(answer, case.simulated)
            if not off <= case.off / case.size + ALLOWED:
                faults.append("it is farther off than the bake says")
            line += f"{off:>16.1e}{case.off / case.size:>18.1e}"
        print(line + "".join(f"   FAILED: {fault}" for fault in faults))
        failed += bool(faults)
    print(f"\n{failed} of {len(cases)} files failed." if failed else f"\nAll {len(cases)} files play as simulated.")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
