"""The first simulation of an artist, played in a real window: each chapter begins with a new file."""

import os
import signal
import time
from collections.abc import Callable
from functools import partial

import processes
from scene import Scene

__all__ = ["CHAPTERS"]

LONG_TAKE = 3000  # frames; nobody waits for its end
WHOLE_TAKE = 240  # frames, as many as the timeline shows: 72 are done between two looks at the window
ENDLESS = "bpy.context.object.neurok.settle_seconds = 1000"  # what sleeps would be done in no time
BAKE_ERROR = 1e-6  # of the object's size; coordinates are float32


ADD_SPHERE = "bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16, radius=1.0)"
ADD_PLANT = "bpy.ops.neurok.sample_add(kind='PLANT')"
TIP = "addon('gizmos.condition_places').arrow_tip(object, settings.conditions[0])"
ACROSS = "view_area().spaces[0].region_3d.view_rotation @ __import__('mathutils').Vector"


def the_panel(scene: Scene) -> None:
    scene.begin(ADD_SPHERE)
    window = scene.window
    window.screenshot("1-panel")
    for action in ("provider", "neurok.poke_place", "neurok.simulate", "neurok.bake("):
        scene.check(scene.sidebar.find(action), f"the panel has {action}")
    window.screenshot("1-panel-below")


def a_poke(scene: Scene) -> None:
    scene.begin(ADD_SPHERE)
    window, check = scene.window, scene.check
    scene.sidebar.click("neurok.poke_place")
    check("NEUROK_OT_poke_place" in window.ask("answer = modal_tools()"), "Place Poke waits for a click")
    # The point of the sphere that lies left of, above and before its middle as seen on the screen.
    target = scene.pixel(f"({ACROSS}((-0.5, 0.4, 0.77)))")
    window.click(target)
    check(scene.object("len(settings.conditions)") == 1, "a click on the surface adds a poke")
    radius = scene.object("sum(x * x for x in settings.conditions[0].location) ** 0.5")
    check(0.97 < radius < 1.001, f"the poke lies on the surface ({radius:.3f} m from the middle)")
    base = scene.pixel("object.matrix_world @ settings.conditions[0].location")
    check(abs(base[0] - target[0]) <= 2 and abs(base[1] - target[1]) <= 2, "it lies where the click was")
    shown = scene.sidebar.pixels(window.screenshot("2-poke-placed"))

    vector = "list(settings.conditions[0].vector)"
    before = scene.object(vector)
    tip = scene.pixel(TIP)
    end = (tip[0] - 90, tip[1] - 60)
    window.press(tip)
    window.pull(tip, end)
    check(scene.sidebar.pixels(window.screenshot("2-poke-dragging")) != shown, "the panel's numbers follow the drag")
    window.release()
    after = scene.object(vector)
    check(after != before, f"dragging the arrow's tip changes the poke ({speed(before)} to {speed(after)})")
    tip = scene.pixel(TIP)
    check(abs(tip[0] - end[0]) <= 3 and abs(tip[1] - end[1]) <= 3, "the tip is where the mouse let it go")
    window.screenshot("2-poke-dragged")
    scene.undo()
    check(scene.object(vector) == before, "Ctrl-Z takes the drag back")
    scene.redo()
    check(scene.object(vector) == after, "redo brings the drag back")

    window.press(tip)
    window.pull(tip, (tip[0] + 70, tip[1] + 20))
    check(scene.object(vector) != after, "the value follows while dragging")
    window.key("Escape")
    window.release()
    check(scene.object(vector) == after, "Esc in the middle of a drag puts the old value back")
    scene.undo()
    scene.undo()
    check(scene.object("len(settings.conditions)") == 0, "Ctrl-Z takes the poke away")
    window.screenshot("2-poke-undone")
    scene.redo()
    check(scene.object("len(settings.conditions)") == 1, "redo brings the poke back")
    window.screenshot("2-poke-redone")


def speed(vector: list[float]) -> str:
    return f"{sum(x * x for x in vector) ** 0.5:.2f} m/s"


def a_whole_take(scene: Scene) -> None:
    scene.begin(ADD_PLANT)
    window, check = scene.window, scene.check
    slowly = "bpy.context.object.neurok.settle_seconds = 12"  # it still swings when the window looks
    scene.change(f"{slowly}; bpy.context.scene.neurok.frame_count = {WHOLE_TAKE}")
    original = scene.stored()
    window.ask(f"rest_shape = stored_shape({scene.name!r})")
    scene.simulate()
    started = time.monotonic()
    check(True, "Simulate is clicked and runs")
    scene.await_frames(1)
    scene.figure("click to first frame", time.monotonic() - started, "s")
    scene.await_motion(0.03)
    window.screenshot("3-simulating")
    scene.await_end(120)
    scene.figure("click to last frame", time.monotonic() - started, "s")
    notice = scene.notice()
    check(not notice["bad"], f"the panel says: {notice['message']}")
    window.point_at(scene.middle_of_view())
    window.screenshot("3-simulated")

    first, frames = scene.object("[(times := bpy.context.scene.neurok).frame_start, times.frame_count]")
    last = first + frames - 1
    quarter = first + frames // 4
    scrub(scene, first, last)
    scrub(scene, last, quarter)
    posed = scene.drawn()
    check(posed != original, "scrubbing shows the take")
    window.ask(f"kept_shape = drawn_shape({scene.name!r})")
    window.screenshot("3-scrubbed")

    scene.sidebar.click("neurok.bake(")
    window.wait_for("the bake", "answer = addon('session.state').session.bake is None", 240)
    keys = "len(object.data.shape_keys.key_blocks) if object.data.shape_keys else 0"
    count = scene.object(keys)
    check(count == frames + 1, f"Bake makes {count - 1} shape keys and a basis for {frames} frames")
    window.point_at(scene.middle_of_view())
    window.screenshot("4-baked")
    scene.undo()
    check(scene.object(keys) == 0, "Ctrl-Z takes the shape keys away")
    check(scene.drawn() == posed, "and the take is shown as before the bake")
    check("shape key" not in scene.notice()["message"], "and the panel no longer speaks of them")
    window.screenshot("4-bake-undone")
    scene.redo()
    check(scene.object(keys) == count, "redo brings the shape keys back")
    scrub(scene, quarter, last)
    scrub(scene, last, quarter)
    error = scene.object("float(abs(drawn_shape(object.name) - kept_shape).max() / max(object.dimensions))")
    scene.figure("baked frame against the simulated one", error, "of the object's size")
    check(error < BAKE_ERROR, "the shape keys play what was simulated")
    window.screenshot("4-baked-scrubbed")
    # Blender counts the drags of the playhead as steps of their own.
    for _ in range(3):
        if scene.object(keys):
            scene.undo()
    check(scene.object(keys) == 0, "undoing further takes the keys away again")
    scene.discard()
    scene.check_restored(original, "Discard")


def scrub(scene: Scene, start: int, end: int) -> None:
    """Drag the playhead over the timeline's frame numbers."""
    pixels = scene.window.ask(
        f"""
        area = next(a for a in window().screen.areas if a.type == "DOPESHEET_EDITOR")
        region = next(r for r in area.regions if r.type == "WINDOW")
        top = window().height - (region.y + region.height)
        answer = [
            [round(region.x + region.view2d.view_to_region(frame, 0, clip=False)[0]), top + 12]
            for frame in ({start}, {end})
        ]
        """
    )
    scene.window.drag(tuple(pixels[0]), tuple(pixels[1]))
    current = scene.object("bpy.context.scene.frame_current")
    scene.check(current == end, f"the playhead drags to frame {end}")


def escape(scene: Scene) -> None:
    scene.begin(ADD_PLANT)
    window, check = scene.window, scene.check
    scene.change(f"{ENDLESS}; bpy.context.scene.neurok.frame_count = {LONG_TAKE}")
    original = scene.stored()
    window.screenshot("5-at-rest")
    scene.simulate()
    scene.await_frames(3)
    window.screenshot("5-before-escape")
    workers = window.workers()
    check(len(workers) == 1, "one worker process is at work")
    window.point_at(scene.middle_of_view())
    window.key("Escape")
    pressed = time.monotonic()
    window.wait_until("the simulation to stop", lambda: not scene.is_simulating(), 5)
    scene.figure("Esc to stopped", time.monotonic() - pressed, "s")
    time.sleep(max(0.0, pressed + 2.0 - time.monotonic()))
    before = processes.processor_seconds(workers[0])
    time.sleep(1.0)
    check(window.workers() == workers, "the worker is kept for the next simulation")
    check(processes.processor_seconds(workers[0]) - before < 0.05, "2 s after Esc it does nothing")
    scene.check_restored(original, "Esc")
    check(not scene.notice()["bad"], "Esc is not called an error")
    window.screenshot("5-after-escape")


def a_killed_worker(scene: Scene) -> None:
    scene.begin(ADD_PLANT)
    window, check = scene.window, scene.check
    scene.change(f"{ENDLESS}; bpy.context.scene.neurok.frame_count = {LONG_TAKE}")
    original = scene.stored()
    scene.simulate()
    scene.await_frames(3)
    (worker,) = window.workers()
    os.kill(worker, signal.SIGKILL)
    scene.await_end(5)
    notice = scene.notice()
    check(notice["bad"], "the panel reports an error")
    sentence = notice["message"]
    check(sentence.endswith(".") and ". " not in sentence, f"in one sentence: {sentence}")
    check("stopped unexpectedly" in sentence and "frame" in sentence, "it says what happened, and when")
    scene.check_restored(original, "the add-on")
    window.screenshot("6-worker-killed")
    window.point_at(scene.middle_of_view())
    window.key("Escape")  # takes Blender's own error box away
    window.screenshot("6-worker-killed-panel")
    scene.change("bpy.context.scene.neurok.frame_count = 24")
    scene.take(60)
    check(True, "the next Simulate works")
    check(not processes.wait_gone([worker], 0.0), "the killed worker's process is cleared away")
    window.point_at(scene.middle_of_view())
    window.screenshot("6-simulated-again")


# Blender's own sphere takes a minute and a half for half a million vertices.
SPHERE = """
                around, up = np.meshgrid(np.arange({segments}) * 2 * np.pi / {segments},
                                         np.linspace(0, np.pi, {segments} // 2 + 1)[1:-1])
                ring = np.stack([np.sin(up) * np.cos(around), np.sin(up) * np.sin(around), np.cos(up)], axis=-1)
                number = np.arange(ring[..., 0].size).reshape(ring.shape[:2])
                beside = np.roll(number, -1, axis=1)
                quads = np.stack([number[:-1], number[1:], beside[1:], beside[:-1]], axis=-1).reshape(-1, 4)
                north, south = number.size, number.size + 1
                caps = np.concatenate([np.stack([np.full({segments}, pole), *edge], axis=1)
                    for pole, edge in ((north, (number[0], beside[0])), (south, (beside[-1], number[-1])))])
                mesh = bpy.data.meshes.new('Sphere')
                mesh.vertices.add(number.size + 2)
                places = np.concatenate([ring.reshape(-1, 3), [[0, 0, 1], [0, 0, -1]]]).astype(np.float32)
                mesh.vertices.foreach_set('co', places.ravel())
                mesh.loops.add(quads.size + caps.size)
                mesh.loops.foreach_set('vertex_index', np.concatenate([quads.ravel(), caps.ravel()]).astype(np.int32))
                mesh.polygons.add(len(quads) + len(caps))
                corners = np.repeat([4, 3], [len(quads), len(caps)])
                mesh.polygons.foreach_set('loop_start', (np.cumsum(corners) - corners).astype(np.int32))
                mesh.update(calc_edges=True)
                bpy.context.collection.objects.link(bpy.data.objects.new('Sphere', mesh))
                bpy.context.view_layer.objects.active = bpy.data.objects['Sphere']
                bpy.context.object.select_set(True)
"""


def smoothness(scene: Scene, segments: int, stall: float, frames: int) -> None:
    """How long the window stands still while a large sphere is simulated, simulated again, and baked.

    Drawing in software takes longer than everything else, and its share belongs to the machine. So what counts is how
    long the add-on itself keeps the window at a time, whichever of its functions Blender calls.
    """
    scene.begin(SPHERE.format(segments=segments), 120)
    window, check = scene.window, scene.check
    scene.change(f"bpy.context.scene.neurok.frame_count = {frames}; bpy.ops.neurok.condition_add(kind='POKE')")
    scene.sidebar.find("neurok.simulate")
    window.ask("time_our_calls()")
    scene.simulate()
    scene.await_end(300)
    notice = scene.notice()
    check(not notice["bad"], f"it simulates: {notice['message']}")
    window.point_at(scene.middle_of_view())
    window.screenshot("7-smoothness")
    window.ask(
        """
        import time
        began, Simulation = time.perf_counter(), addon("session.simulation").Simulation
        arrived, plain_follow = [], Simulation._follow
        def follow(self, state, show_frames):
            if state.frames and not arrived:
                arrived.append(time.perf_counter())
            plain_follow(self, state, show_frames)
        Simulation._follow = follow
        bpy.ops.neurok.simulate("INVOKE_DEFAULT")
        """
    )
    scene.await_end(300)
    again = window.ask("Simulation._follow = plain_follow; answer = arrived[0] - began")
    scene.figure("second simulation, from the press to its first frame", again * 1000, "ms")
    scene.sidebar.click("neurok.bake(")
    window.wait_for(
        "the bake",
        "answer = addon('session.state').session.bake is None and bool(bpy.context.object.data.shape_keys)",
        300,
    )
    check(scene.object("len(object.data.shape_keys.key_blocks)") == frames + 1, "it bakes")
    window.screenshot("7-baked")
    calls = window.ask("answer = our_calls")
    for name in sorted({name for name, _, _ in calls}):
        seconds, processor = max(each[1:] for each in calls if each[0] == name)
        scene.figure(f"longest call of {name}", seconds * 1000, "ms")
        scene.figure(f"longest call of {name}, its processor time", processor * 1000, "ms")
    limit = f"{stall * 1000:g} ms"
    check(max(each[2] for each in calls) < stall, f"the add-on never works longer than {limit} at a time")


def quitting(scene: Scene) -> None:
    """Blender is closed in the middle of a simulation."""
    scene.begin(ADD_PLANT)
    window, check = scene.window, scene.check
    scene.change(f"{ENDLESS}; bpy.context.scene.neurok.frame_count = {LONG_TAKE}")
    scene.simulate()
    scene.await_frames(1)
    workers = window.workers()
    code = window.quit()
    check(code == 0, "Blender quits in the middle of a simulation without complaint")
    check(not processes.wait_gone(workers, 2.0), "2 s later no worker process is left")


CHAPTERS: dict[str, Callable[[Scene], None]] = {
    "panel": the_panel,
    "poke": a_poke,
    "take": a_whole_take,
    "escape": escape,
    "kill": a_killed_worker,
    "smoothness": partial(smoothness, segments=448, stall=0.050, frames=72),
    "smoothness-half-a-million": partial(smoothness, segments=1000, stall=0.100, frames=24),
    "quit": quitting,
}
