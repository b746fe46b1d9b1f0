"""Views of the 3D view's kind without a window: a region, and matrices as Blender makes them."""

from types import SimpleNamespace

from mathutils import Euler, Matrix

WIDTH, HEIGHT = 1200, 800
DISTANCE = 8.0

# Kind of view, and the turn of the viewer (Euler angles): from the front, from above, from a corner, from below.
VIEWS = [
    (kind, turn)
    for kind in ("ORTHO", "PERSP")
    for turn in ((1.5708, 0.0, 0.0), (0.0, 0.0, 0.0), (1.1, 0.0, 0.8), (2.2, 0.3, -2.0))
]


def make_view(kind: str, turn: tuple[float, float, float]):
    """A view that looks at the world's origin."""
    from neurok_blender.gizmos.view import View

    viewer = Euler(turn).to_matrix().to_4x4() @ Matrix.Translation((0.0, 0.0, DISTANCE))
    near, far, ratio = 0.1, 100.0, WIDTH / HEIGHT
    if kind == "PERSP":
        lens = 2.0
        window = Matrix(
            (
                (lens, 0.0, 0.0, 0.0),
                (0.0, lens * ratio, 0.0, 0.0),
                (0.0, 0.0, -(far + near) / (far - near), -2.0 * far * near / (far - near)),
                (0.0, 0.0, -1.0, 0.0),
            )
        )
    else:
        half = 4.0
        window = Matrix.Diagonal((1.0 / half, ratio / half, -2.0 / (far - near), 1.0))
        window[2][3] = -(far + near) / (far - near)
    view_matrix = viewer.inverted()
    region_3d = SimpleNamespace(
        view_matrix=view_matrix,
        window_matrix=window,
        perspective_matrix=window @ view_matrix,
        is_perspective=kind == "PERSP",
        view_perspective=kind,
        view_distance=DISTANCE,
    )
    return View(SimpleNamespace(width=WIDTH, height=HEIGHT), region_3d, 1.0)
