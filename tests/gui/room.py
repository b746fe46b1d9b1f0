"""A room in a real window: twelve objects, one press, all collide; Bake All; saved, opened again, and rendered."""

import shutil
import subprocess
from collections.abc import Callable

import numpy as np
from PIL import Image
from scene import Scene

__all__ = ["CHAPTERS"]

SESSION = "addon('session.state').session"
COUNT = 12
FRAMES = 48
BUILD = f"""
                import math
                bpy.ops.mesh.primitive_plane_add(size=8)
                bpy.context.object.name = 'Ground'
                bpy.context.object.modifiers.new('Collision', 'COLLISION')
                made = [bpy.context.object]
                kinds = ('wooden crate', 'steel ball', 'stone block', 'rubber toy')
                adds = (bpy.ops.mesh.primitive_cube_add, bpy.ops.mesh.primitive_ico_sphere_add,
                        bpy.ops.mesh.primitive_cylinder_add, bpy.ops.mesh.primitive_monkey_add)
                for number in range({COUNT}):
                    column, layer = number % 3, number // 3
                    place = (0.9 * column - 0.9 + 0.1 * layer, 0.3 * (number % 2), 0.6 + 0.75 * layer)
                    finer = (dict(), dict(subdivisions=2), dict(vertices=16), dict())[number % 4]
                    adds[number % 4](location=place, rotation=(0, 0.2 * number, 0.3 * number), **finer)
                    thing = bpy.context.object
                    thing.name, thing.scale = kinds[number % 4] + f' {{number}}', (0.3, 0.3, 0.3)
                    made.append(thing)
                bpy.context.scene.neurok.frame_count = {FRAMES}
                bpy.ops.object.camera_add(location=(0, -7, 3), rotation=(math.radians(70), 0, 0))
                bpy.context.scene.camera = bpy.context.object
                bpy.context.object.select_set(False)
                for thing in made:
                    thing.select_set(True)
                bpy.context.view_layer.objects.active = made[1]
"""
THINGS = "[each for each in bpy.data.objects if each.type == 'MESH' and each.name != 'Ground']"
PLACES = f"""
                import numpy
                def middle(each):
                    kept = each.evaluated_get(bpy.context.evaluated_depsgraph_get())
                    return numpy.mean([kept.matrix_world @ vertex.co for vertex in kept.data.vertices], axis=0)
                found = {{each.name: [float(x) for x in middle(each)] for each in {THINGS}}}
"""


def places(scene: Scene, frame: int) -> dict[str, list[float]]:
    scene.window.ask(f"bpy.context.scene.frame_set({frame})")
    return scene.window.ask(f"{PLACES}\n                answer = found")


def rendered(scene: Scene, path: str) -> float:
    """The file rendered from the command line without the add-on: what share of the last frame is not as the first."""
    machine, pictures = scene.window.machine, scene.window.pictures
    out = machine.folder / "session" / "rendered-"
    # Debian's Blender cannot denoise.
    small = (
        "import bpy; scene = bpy.context.scene; scene.render.resolution_percentage = 25; "
        "scene.cycles.samples, scene.cycles.use_denoising = 8, False"
    )
    words = ["blender", "--background", "--factory-startup", path, "--python-expr", small, "--engine", "CYCLES"]
    words += ["--render-output", machine.inside(out), "--render-frame", f"1,{FRAMES}"]
    subprocess.run(machine.command(*words), check=True, capture_output=True, timeout=300)
    shots = []
    for frame in (1, FRAMES):
        file = shutil.move(f"{out}{frame:04d}.png", pictures / f"room-3-rendered-{frame}.png")
        with Image.open(file) as picture:
            shots.append(np.asarray(picture.convert("L"), np.float32))
    return float((abs(shots[0] - shots[1]) > 12.0).mean())


def room(scene: Scene) -> None:
    window, check = scene.window, scene.check
    scene.begin(BUILD)
    window.screenshot("room-0-begin")
    scene.simulate()
    window.wait_until("the room", lambda: not scene.is_simulating(), 300)
    scene.stop_playing()
    check(not scene.notice()["bad"], scene.notice()["message"])
    taken = window.ask(f"answer = sum({SESSION}.take_of(each) is not None for each in {THINGS})")
    check(taken == COUNT, f"one press moves {taken} objects, and the ground stays")
    first, last = places(scene, 1), places(scene, FRAMES)
    window.screenshot("room-1-last-frame")
    moved = sum(abs(first[name][2] - last[name][2]) > 0.05 for name in first)
    low = min(place[2] for place in last.values())
    check(moved > 6 and low > 0.05, f"{moved} have fallen by more than 5 cm, none through the ground ({low:.2f} m)")
    scene.sidebar.click("neurok.bake_all(")
    whole = f"answer = {SESSION}.bake is None and not addon('session.bake_all').unbaked(bpy.context.scene)"
    window.wait_for("all bakes", whole, 300)
    baked = places(scene, FRAMES)
    off = max(abs(a - b) for name in last for a, b in zip(last[name], baked[name], strict=True))
    check(off < 1e-4, f"what is baked plays as it was simulated ({off:.1e} m off)")
    window.ask("""
                import pathlib, tempfile
                kept_path = str(pathlib.Path(tempfile.mkdtemp()) / 'room.blend')
                bpy.ops.wm.save_as_mainfile(filepath=kept_path)
    """)
    window.ask("bpy.ops.wm.open_mainfile(filepath=kept_path)")
    window.settle()
    again = places(scene, FRAMES)
    off = max(abs(a - b) for name in last for a, b in zip(last[name], again[name], strict=True))
    check(off < 1e-4, f"and so when the file is opened again ({off:.1e} m off)")
    kept = window.ask(f"answer = sum(bool(each.neurok.takes) and bool(each.neurok.takes[0].file) for each in {THINGS})")
    check(kept == COUNT, f"all {kept} takes are beside the file")
    window.screenshot("room-2-opened-again")
    differs = rendered(scene, window.ask("answer = kept_path"))
    check(differs > 0.01, f"rendered without the add-on, the last frame is another picture ({differs:.0%} of it)")


CHAPTERS: dict[str, Callable[[Scene], None]] = {"room": room}
