"""Objects with an animation of their own in a real window: a keyframed antenna and a parented hat whip and settle."""

from collections.abc import Callable

from scene import Scene

__all__ = ["CHAPTERS"]

FRAMES = 72
DASH = """
                for frame, x in ((1, 0.0), (10, 0.0), (18, 1.0)):
                    led.location.x = x
                    led.keyframe_insert('location', frame=frame)
"""
ANTENNA = f"""
                import mathutils
                bpy.ops.mesh.primitive_cylinder_add(vertices=8, radius=0.05, depth=2)
                led = bpy.context.object
                bpy.ops.object.mode_set(mode='EDIT')
                bpy.ops.mesh.subdivide(number_cuts=6)
                bpy.ops.object.mode_set(mode='OBJECT')
                led.data.transform(mathutils.Matrix.Translation((0, 0, 1)))
                {DASH}
"""
HAT = f"""
                bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5)
                led = bpy.context.object
                led.name = 'Head'
                {DASH}
                bpy.ops.mesh.primitive_cone_add(vertices=24, radius1=0.4, depth=1.4, location=(0, 0, 1.05))
                hat = bpy.context.object
                hat.name = 'rubber hat'
                bpy.ops.object.mode_set(mode='EDIT')
                bpy.ops.mesh.subdivide(number_cuts=5)
                bpy.ops.object.mode_set(mode='OBJECT')
                hat.parent = led
"""
WHIPS = """
                frames = []
                rest = None
                for frame in range(1, LAST + 1):
                    bpy.context.scene.frame_set(frame)
                    shape = drawn_shape(NAME)
                    rest = shape if rest is None else rest
                    tall = rest[:, 2] > rest[:, 2].max() - 0.1
                    low = rest[:, 2] < rest[:, 2].min() + 0.01
                    change = shape - rest
                    frames.append([float(change[tall, 0].mean()), float(abs(change[low]).max())])
                answer = frames
"""


def whip(scene: Scene, name: str, build: str) -> None:
    window, check = scene.window, scene.check
    scene.begin(f"{build}\n                bpy.context.scene.neurok.frame_count = {FRAMES}")
    scene.take(240)
    said = window.ask("answer = addon('session.state').session.notice.kept")
    check("own animation" in said, said)
    check(scene.object("len(object.neurok.conditions)") == 0, "it has no condition")
    frames = window.ask(WHIPS.replace("LAST", str(FRAMES)).replace("NAME", repr(scene.name)), 60)
    tip, foot = [each[0] for each in frames], max(each[1] for each in frames)
    most, late = max(map(abs, tip)), max(map(abs, tip[-10:]))
    check(min(tip[10:17]) < -0.01, f"the tip lags {-min(tip[10:17]):.2f} m behind while it is pulled along")
    check(max(tip[15:26]) > 0.01, f"and overshoots by {max(tip[15:26]):.2f} m")
    check(late < 0.25 * most, f"and settles: {late:.3f} m of {most:.2f} m are left")
    check(foot < 0.02, f"what holds it goes along, within {1000 * foot:.1f} mm")
    for frame in (9, 13, 19, 24):
        window.ask(f"bpy.context.scene.frame_set({frame})")
        window.settle()
        window.screenshot(f"whip-{name}-{frame}")


def whips(scene: Scene) -> None:
    whip(scene, "antenna", ANTENNA)
    whip(scene, "hat", HAT)


CHAPTERS: dict[str, Callable[[Scene], None]] = {"whip": whips}
