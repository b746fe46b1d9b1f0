"""A pointmap of what was simulated, in a real window: the button, the file browser, the pictures, Esc."""

from collections.abc import Callable

from scene import Scene

__all__ = ["CHAPTERS"]

CABINET = "bpy.ops.neurok.sample_add(kind='CABINET')"
DRAWING = "answer = addon('session.state').session.pointmap is not None"
DONE = "answer = addon('session.state').session.pointmap is None"
FRAMES, HEIGHT, WIDTH = 13, 120, 180


def _export(scene: Scene, file: str, frames: int, height: int, width: int) -> None:
    """As File > Export does, and by the file browser that it opens."""
    window = scene.window
    window.ask("with in_view(): bpy.ops.neurok.pointmap_export('INVOKE_DEFAULT')")
    window.wait_for(
        "the operator of the file browser",
        f"""
        found = [a.spaces[0] for w in bpy.context.window_manager.windows for a in w.screen.areas
                 if a.type == 'FILE_BROWSER']
        tool = found[0].active_operator if found else None
        answer = tool is not None
        if answer:
            tool.frame_count, tool.height, tool.width, tool.exr = {frames}, {height}, {width}, True
        """,
        30,
    )
    scene.browse("/tmp/", file, f"pointmap-{file.partition('.')[0]}")


def pointmap(scene: Scene) -> None:
    scene.begin(CABINET)
    window, check = scene.window, scene.check
    scene.change("bpy.context.scene.neurok.frame_count = 48")
    scene.take(120)
    shown = scene.drawn()
    _export(scene, "neurok-seen.npz", FRAMES, HEIGHT, WIDTH)
    window.wait_for("the pointmap to be drawn", DONE, 120)
    check(not scene.notice()["bad"], scene.notice()["message"])
    window.screenshot("pointmap-2-done")
    found = window.ask(
        """
        from pathlib import Path
        with np.load("/tmp/neurok-seen.npz") as file:
            points, mask = file["points"], file["mask"]
        changed = (mask[0] != mask[-1]).mean()
        answer = [list(points.shape), float(mask.mean()), float(changed), float(points[mask > 0][:, 2].min()),
                  len(list(Path("/tmp/neurok-seen_exr").glob("*.exr")))]
        """
    )
    shape, covered, changed, nearest, pictures = found
    check(shape == [FRAMES, HEIGHT, WIDTH, 3] and pictures == FRAMES, f"{pictures} pictures of {WIDTH} x {HEIGHT}")
    check(covered > 0.02 and nearest > 0.0, f"the cabinet covers {covered:.0%} of them, {nearest:.2f} m away")
    check(changed > 0.0, f"{changed:.2%} of the pixels change between the first and the last")
    check(scene.drawn() == shown, "the window shows what it showed before")

    frame = window.ask("answer = bpy.context.scene.frame_current")
    _export(scene, "neurok-stopped.npz", 200, 1080, 1920)
    window.wait_for("the pointmap to begin", DRAWING, 30)
    window.point_at(scene.middle_of_view())
    window.key("Escape")
    window.wait_for("the pointmap to stop", DONE, 30)
    check(
        window.ask("from pathlib import Path; answer = not Path('/tmp/neurok-stopped.npz').exists()"),
        "Esc stops it, and no archive is left",
    )
    check(window.ask("answer = bpy.context.scene.frame_current") == frame, "the timeline is back where it was")
    check(scene.drawn() == shown, "and so is the window")


CHAPTERS: dict[str, Callable[[Scene], None]] = {"pointmap": pointmap}
