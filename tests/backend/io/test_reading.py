"""Mesh files: vertices in the order and number of the file, and one sentence for whatever cannot be read."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.errors import UserError
from backend.io import MESH_EXTENSIONS, read_mesh
from tests.backend.geometry.shapes import box, torus
from tests.backend.io.writers import GlbMaker, obj_text, ply_bytes, stl_binary, stl_text

VERTICES, TRIANGLES = box((1.0, 2.0, 3.0), (10.0, 20.0, 30.0))
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
FANS = np.array([t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))])


def _write(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def _refused(path: Path) -> UserError:
    with pytest.raises(UserError) as caught:
        read_mesh(path)
    assert caught.value.message.endswith(".") and caught.value.remedy.endswith(".")
    assert "\n" not in str(caught.value)
    return caught.value


# --- OBJ


@pytest.mark.parametrize("word", ["{0}", "{0}/1", "{0}//1", "{0}/1/1", "{0}/{0}/{0}"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_obj(tmp_path: Path, word: str, line_end: str) -> None:
    mesh = read_mesh(_write(tmp_path, "a.obj", obj_text(VERTICES, QUADS, word).replace("\n", line_end)))
    assert np.array_equal(mesh.vertices, VERTICES)
    assert np.array_equal(mesh.triangles, FANS)


def test_obj_oddities(tmp_path: Path) -> None:
    """Negative indices, colours, continued lines, tabs, comments, mixed polygons, a vertex no face uses."""
    text = (
        "mtllib none.mtl\n\tv 0 0 0 1 0 0 # red\nv\t1 0 0 0 1 0\nv 1 1 0 0 0 1\nv 9 9 9 1 1 1\n"
        "f -4/-1 -3/-1 \\\n -2/-1\nv 0 1 0 1 1 1\nv 0.5 2 0\nusemtl paint\ng part\nf 1 2 3 6 5\nl 1 2\nf 1/1 2 3//2\n"
    )
    mesh = read_mesh(_write(tmp_path, "a.obj", text))
    assert len(mesh.vertices) == 6 and np.array_equal(mesh.vertices[5], [0.5, 2, 0])
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 1, 2], [0, 2, 5], [0, 5, 4], [0, 1, 2]]


@pytest.mark.parametrize(
    "text",
    [
        "This is a letter, not a mesh.\n",
        "v 0 0 0\nv 1 0 zero\nv 0 1 0\nf 1 2 3\n",
        "v 0 0\nv 1 0\nv 0 1\nf 1 2 3\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -7\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1.5 2 3\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\n",
        "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    ],
)
def test_bad_obj(tmp_path: Path, text: str) -> None:
    _refused(_write(tmp_path, "a.obj", text))


# --- PLY


@pytest.mark.parametrize("layout", ["ascii", "binary_little_endian", "binary_big_endian"])
@pytest.mark.parametrize("mixed", [False, True])
def test_ply(tmp_path: Path, layout: str, mixed: bool) -> None:
    polygons = [*QUADS, (0, 1, 2)] if mixed else QUADS
    mesh = read_mesh(_write(tmp_path, "a.ply", ply_bytes(VERTICES, polygons, layout)))
    assert np.array_equal(mesh.vertices, VERTICES)
    assert np.array_equal(mesh.triangles, np.concatenate([FANS, [[0, 1, 2]]]) if mixed else FANS)


# --- STL


@pytest.mark.parametrize("write", [stl_binary, stl_text])
def test_stl_stays_unwelded(tmp_path: Path, write: object) -> None:
    mesh = read_mesh(_write(tmp_path, "a.stl", write(VERTICES[TRIANGLES])))
    assert np.array_equal(mesh.vertices, VERTICES[TRIANGLES].reshape(-1, 3))
    assert np.array_equal(mesh.triangles, np.arange(36).reshape(-1, 3))


# --- glTF


def _to_y_up(points: np.ndarray) -> np.ndarray:
    return np.stack([points[:, 0], points[:, 2], -points[:, 1]], axis=1)


def test_glb_is_turned_to_z_up(tmp_path: Path) -> None:
    maker = GlbMaker()
    maker.document["nodes"] = [{"mesh": maker.mesh(maker.primitive(_to_y_up(VERTICES), TRIANGLES))}]
    mesh = read_mesh(_write(tmp_path, "a.glb", maker.bytes()))
    assert np.array_equal(mesh.vertices, VERTICES)
    assert np.array_equal(mesh.triangles, TRIANGLES)


def test_glb_node_tree(tmp_path: Path) -> None:
    """Two meshes, one of them twice, under moved, turned, scaled and mirrored nodes."""
    maker = GlbMaker()
    triangle = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    first = maker.mesh(maker.primitive(triangle, np.array([[0, 1, 2]])))
    second = maker.mesh(maker.primitive(2 * triangle, np.array([[0, 1, 2]])))
    quarter = [0.0, 0.0, float(np.sqrt(0.5)), float(np.sqrt(0.5))]
    maker.document["nodes"] = [
        {"children": [1, 2], "translation": [0, 0, 5]},
        {"mesh": first, "rotation": quarter},
        {"mesh": second, "scale": [-1, 1, 1], "children": [3]},
        {"mesh": first, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 7, 0, 1]},
        {"mesh": second},
    ]
    maker.document["scenes"] = [{"nodes": [4]}, {"nodes": [0]}]
    maker.document["scene"] = 1
    mesh = read_mesh(_write(tmp_path, "a.glb", maker.bytes()))
    expected = np.array(
        [[0, 0, 5], [0, 1, 5], [-1, 0, 5], [0, 0, 5], [-2, 0, 5], [0, 2, 5], [0, 7, 5], [-1, 7, 5], [0, 8, 5]]
    )
    assert mesh.vertices == pytest.approx(np.stack([expected[:, 0], -expected[:, 2], expected[:, 1]], axis=1))
    assert mesh.triangles.tolist() == [[0, 1, 2], [5, 4, 3], [8, 7, 6]]


def test_glb_primitives_and_accessors(tmp_path: Path) -> None:
    """Shared positions, no indices, strips, fans, lines, interleaved, sparse and quantised data."""
    maker = GlbMaker()
    square = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    shared = maker.accessor(square, 5126, "VEC3")
    strip = {"attributes": {"POSITION": shared}, "mode": 5}
    fan = {"attributes": {"POSITION": shared}, "mode": 6}
    lines = {"attributes": {"POSITION": shared}, "mode": 1}
    soup = {"attributes": {"POSITION": maker.accessor(square[:3], 5126, "VEC3")}}
    mixed = np.zeros(3, dtype=[("position", "<f4", 3), ("other", "<f4", 2)])
    mixed["position"] = square[:3] + 2
    maker.document["accessors"].append(
        {"bufferView": maker.view(mixed.tobytes(), byteStride=20), "componentType": 5126, "count": 3, "type": "VEC3"}
    )
    interleaved = {"attributes": {"POSITION": len(maker.document["accessors"]) - 1}}
    where, what = maker.view(np.uint8([1]).tobytes()), maker.view(np.float32([[5, 5, 5]]).tobytes())
    sparse = {
        "count": 1,
        "indices": {"bufferView": where, "componentType": 5121},
        "values": {"bufferView": what},
    }
    replaced = {"attributes": {"POSITION": maker.accessor(square[:3], 5126, "VEC3", sparse=sparse)}}
    short = np.int16([[0, 0, 0], [32767, 0, 0], [0, -32767, 0]])
    quantised = {"attributes": {"POSITION": maker.accessor(short, 5122, "VEC3", normalized=True)}}
    maker.document["nodes"] = [{"mesh": maker.mesh(strip, fan, lines, soup, interleaved, replaced, quantised)}]
    mesh = read_mesh(_write(tmp_path, "a.glb", maker.bytes()))
    assert len(mesh.vertices) == 4 + 3 + 3 + 3 + 3
    expected_first = [[0, 1, 2], [2, 1, 3], [0, 1, 2], [0, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]]
    assert mesh.triangles.tolist() == expected_first
    y_up = np.stack([mesh.vertices[:, 0], mesh.vertices[:, 2], -mesh.vertices[:, 1]], axis=1)
    assert np.array_equal(y_up[7:10], square[:3] + 2)
    assert np.array_equal(y_up[11], [5, 5, 5])
    assert np.array_equal(y_up[15], [0, -1, 0])


def test_bad_glb(tmp_path: Path) -> None:
    maker = GlbMaker()
    maker.document["nodes"] = [{"mesh": maker.mesh(maker.primitive(VERTICES, TRIANGLES)), "children": [0]}]
    assert "circle" in _refused(_write(tmp_path, "circle.glb", maker.bytes())).message
    maker.document["nodes"] = []
    assert "no meshes" in _refused(_write(tmp_path, "nothing.glb", maker.bytes())).message
    maker.document["extensionsRequired"] = ["KHR_draco_mesh_compression"]
    assert "switched off" in _refused(_write(tmp_path, "draco.glb", maker.bytes())).message


# --- NPZ


@pytest.mark.parametrize("names", [("vertices", "faces"), ("verts", "triangles"), ("vertices", "triangles")])
@pytest.mark.parametrize("animated", [False, True])
def test_npz(tmp_path: Path, names: tuple[str, str], animated: bool) -> None:
    vertices = np.stack([VERTICES, VERTICES + 1]) if animated else VERTICES
    np.savez(tmp_path / "a.npz", **{names[0]: vertices.astype(np.float32), names[1]: TRIANGLES.astype(np.int32)})
    mesh = read_mesh(tmp_path / "a.npz")
    assert np.array_equal(mesh.vertices, VERTICES)
    assert np.array_equal(mesh.triangles, TRIANGLES)


def test_bad_npz(tmp_path: Path) -> None:
    np.savez(tmp_path / "names.npz", points=VERTICES, faces=TRIANGLES)
    assert "no array named vertices" in _refused(tmp_path / "names.npz").message
    np.savez(tmp_path / "pickled.npz", vertices=np.array([{}], dtype=object), faces=TRIANGLES)
    assert _refused(tmp_path / "pickled.npz").code == "broken_file"
    np.savez(tmp_path / "shape.npz", vertices=VERTICES[:, :2], faces=TRIANGLES)
    assert _refused(tmp_path / "shape.npz").code == "bad_shape"


# --- all


def _content(extension: str) -> bytes:
    if extension == ".obj":
        return obj_text(VERTICES, QUADS).encode()
    if extension == ".ply":
        return ply_bytes(VERTICES, QUADS, "binary_little_endian")
    if extension == ".stl":
        return stl_binary(VERTICES[TRIANGLES])
    if extension == ".glb":
        maker = GlbMaker()
        maker.document["nodes"] = [{"mesh": maker.mesh(maker.primitive(VERTICES, TRIANGLES))}]
        return maker.bytes()
    stream = io.BytesIO()
    np.savez(stream, vertices=VERTICES, faces=TRIANGLES)
    return stream.getvalue()


@pytest.mark.parametrize("extension", MESH_EXTENSIONS)
def test_whole_file_reads_in_any_letter_case(tmp_path: Path, extension: str) -> None:
    assert len(read_mesh(_write(tmp_path, "a" + extension.upper(), _content(extension))).triangles) == 12


@pytest.mark.parametrize("extension", [e for e in MESH_EXTENSIONS if e != ".obj"])
def test_truncated_anywhere(tmp_path: Path, extension: str) -> None:
    content = _content(extension)
    cuts = {1, 10, 60, 84, 100, len(content) // 3, len(content) // 2, 3 * len(content) // 4, len(content) - 5}
    for cut in sorted(cuts):
        error = _refused(_write(tmp_path, f"a{extension}", content[:cut]))
        assert error.code == "broken_file", f"cut at {cut}"


def test_truncated_text_files(tmp_path: Path) -> None:
    text = obj_text(VERTICES, QUADS).encode()
    for cut in (60, 120, len(text) - 4):
        _refused(_write(tmp_path, "a.obj", text[:cut]))
    text = stl_text(VERTICES[TRIANGLES])
    for cut in (40, len(text) // 2, len(text) - 20):
        assert _refused(_write(tmp_path, "a.stl", text[:cut])).code == "broken_file"
    text = ply_bytes(VERTICES, QUADS, "ascii")
    for cut in (40, 200, len(text) // 2, len(text) - 4):
        assert _refused(_write(tmp_path, "a.ply", text[:cut])).code == "broken_file"


@pytest.mark.parametrize("extension", MESH_EXTENSIONS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_bytes_never_give_a_traceback(tmp_path: Path, extension: str, data: st.DataObject) -> None:
    content = bytearray(_content(extension))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = _write(tmp_path, f"a{extension}", bytes(content))
    try:
        read_mesh(path)
    except UserError as error:
        assert error.code and error.message and error.remedy


@pytest.mark.parametrize("extension", MESH_EXTENSIONS)
def test_wrong_missing_and_empty_files(tmp_path: Path, extension: str) -> None:
    letter = _write(tmp_path, f"letter{extension}", "Dear sir,\nthis is not a mesh.\n" * 20)
    assert _refused(letter).code == "broken_file"
    assert _refused(_write(tmp_path, f"empty{extension}", b"")).code == "empty_file"
    assert _refused(tmp_path / f"missing{extension}").code == "cannot_read"
    (tmp_path / f"folder{extension}").mkdir()
    assert _refused(tmp_path / f"folder{extension}").code == "cannot_read"


@pytest.mark.parametrize("name", ["a.fbx", "a", "a.obj.zip"])
def test_unknown_extension(tmp_path: Path, name: str) -> None:
    error = _refused(_write(tmp_path, name, "x"))
    assert error.code == "unknown_format"
    assert ".obj" in error.remedy


@pytest.mark.parametrize("extension", [".obj", ".ply", ".stl", ".glb"])
def test_files_of_another_program(tmp_path: Path, extension: str) -> None:
    """What trimesh writes, with normals, comes back in its own order."""
    vertices, triangles = torus(30, 20)
    vertices = np.float64(np.float32(vertices))
    written = trimesh.Trimesh(vertices, triangles, process=False)
    written.vertex_normals  # noqa: B018  (computed on demand, and then part of the export)
    written.export(tmp_path / f"a{extension}")
    mesh = read_mesh(tmp_path / f"a{extension}")
    if extension == ".stl":
        assert np.allclose(mesh.vertices.reshape(-1, 3, 3), vertices[triangles], atol=1e-6)
        return
    expected = np.stack([vertices[:, 0], -vertices[:, 2], vertices[:, 1]], axis=1) if extension == ".glb" else vertices
    assert np.allclose(mesh.vertices, expected, atol=1e-6)
    assert np.array_equal(mesh.triangles, triangles)
