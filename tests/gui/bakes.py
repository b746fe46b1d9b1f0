"""The ways to bake other than plain shape keys, in a real window: baked, looked at, undone, redone, cleared."""

from collections.abc import Callable
from functools import partial

from scene import Scene

__all__ = ["CHAPTERS"]

FRAMES = 60
LOOKED_AT = (6, 20, 45)
MADE = (
    "[int(object.data.shape_keys is not None), len(object.modifiers), len(object.vertex_groups), "
    "len([thing for thing in bpy.data.objects if thing.type == 'ARMATURE']), len(object.neurok.bakes)]"
)


def bake_as(scene: Scene, kind: str, sample: str, allowed: float, made: list) -> None:
    """`allowed`: how far the baked shape may be off, of the object's size; `made`: what `MADE` finds more of then."""
    scene.begin(f"bpy.ops.neurok.sample_add(kind={sample!r})")
    window, check = scene.window, scene.check
    if kind == "CACHE":
        window.ask(
            """
            import os
            bpy.ops.wm.save_as_mainfile(filepath=os.path.expanduser("~/bakes.blend"), check_existing=False)
            """
        )
    scene.change(f"bpy.context.scene.neurok.frame_count = {FRAMES}")
    original, nothing = scene.stored(), scene.object(MADE)
    made = [before + new for before, new in zip(nothing, made, strict=True)]
    scene.take(120)
    scene.change(f"bpy.context.object.neurok.bake.kind = {kind!r}")
    sizes = "addon('session.state').session.bake_sizes"
    window.wait_for("the sizes of the bakes", f"answer = {sizes}.sizes is not None and not {sizes}.is_working", 20)
    window.screenshot(f"bake-{kind.lower()}-0-panel")
    window.ask("kept = {}")
    for frame in LOOKED_AT:
        window.ask(f"bpy.context.scene.frame_set({frame}); kept[{frame}] = drawn_shape({scene.name!r})")
    scene.sidebar.click("neurok.bake(")
    window.wait_for("the bake", "answer = addon('session.state').session.bake is None", 60)
    check(not scene.notice()["bad"], scene.notice()["message"])
    check(scene.object(MADE) == made, f"{kind.title()} makes {made}")
    _compare(scene, kind, allowed, "the bake")
    window.point_at(scene.middle_of_view())
    window.screenshot(f"bake-{kind.lower()}-1-baked")
    scene.undo()
    check(scene.object(MADE) == nothing, "Ctrl-Z takes everything away that it made")
    scene.redo()
    check(scene.object(MADE) == made, "redo brings it back")
    _compare(scene, kind, allowed, "what redo brings back")
    scene.sidebar.click("neurok.bake_clear")
    check(scene.object(MADE) == nothing, "Clear takes everything away that it made")
    window.screenshot(f"bake-{kind.lower()}-2-cleared")
    scene.discard()
    scene.check_restored(original, "Discard")


def _compare(scene: Scene, kind: str, allowed: float, what: str) -> None:
    errors = []
    for frame in LOOKED_AT:
        scene.window.ask(f"bpy.context.scene.frame_set({frame})")
        errors.append(
            scene.object(f"float(abs(drawn_shape(object.name) - kept[{frame}]).max() / max(object.dimensions))")
        )
    scene.figure(f"{kind.lower()}, baked frames against the simulated ones", max(errors), "of the object's size")
    scene.check(max(errors) <= allowed, f"{what} plays what was simulated")


CHAPTERS: dict[str, Callable[[Scene], None]] = {
    "bake-compressed": partial(bake_as, kind="COMPRESSED", sample="PLANT", allowed=5.1e-4, made=[1, 0, 0, 0, 1]),
    "bake-armature": partial(bake_as, kind="ARMATURE", sample="CABINET", allowed=1e-5, made=[0, 1, 3, 1, 1]),
    "bake-cache": partial(bake_as, kind="CACHE", sample="FLAG", allowed=1e-6, made=[0, 1, 0, 0, 1]),
}
