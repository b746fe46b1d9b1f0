"""Pieces of an object in a real window: listed, coloured, made of something else, assigned in edit mode, tied."""

from collections.abc import Callable

from scene import Scene

__all__ = ["CHAPTERS"]

POT = """
                bpy.ops.mesh.primitive_uv_sphere_add(segments=24, ring_count=15)
                ball = bpy.context.object
                for name in ('Clay Pot', 'Leaves'):
                    ball.data.materials.append(bpy.data.materials.new(name))
                for polygon in ball.data.polygons:
                    polygon.material_index = int(polygon.center.z > 0.1)
"""
FOUND = "addon('session.background_analysis').background_analysis"
TOP = """
import bmesh
mesh = bpy.context.object.data
edited = bmesh.from_edit_mesh(mesh)
for face in edited.faces:
    face.select_set(face.calc_center_median().z > 0.7)
bmesh.update_edit_mesh(mesh)
"""


def rows(scene: Scene) -> list[str]:
    return scene.window.ask("answer = [row.name for row in bpy.context.window_manager.neurok.pieces]")


def materials(scene: Scene) -> dict[str, str]:
    """What the last analysis says; empty while there is none that holds."""
    return scene.object(
        f"{{each['name']: each['material'] for each in {FOUND}.finding_of(object).summary['pieces']}} "
        f"if {FOUND}.is_current(object) and {FOUND}.finding_of(object).summary else {{}}"
    )


def await_materials(scene: Scene, expected: dict[str, str]) -> None:
    scene.window.wait_until(f"the analysis to say {expected}", lambda: materials(scene) == expected, 60)
    scene.check(True, f"the analysis says {expected}")


def choose(scene: Scene, action: str, words: str, picture: str) -> None:
    """Click the button, which opens a search, and type the choice."""
    window = scene.window
    scene.sidebar.click(action)
    window.xdotool("sleep", 0.5, "type", "--delay", 60, words)
    window.xdotool("sleep", 0.5)
    window.screenshot(picture)
    window.key("Return")


def pieces(scene: Scene) -> None:
    window, check = scene.window, scene.check
    scene.begin(POT)
    await_materials(scene, {"Clay Pot": "ceramic", "Leaves": "leaf"})
    window.wait_until("the rows", lambda: sorted(rows(scene)) == ["Clay Pot", "Leaves"], 5)
    first = rows(scene)[0]
    plain = scene.sidebar.pixels(window.screenshot("pieces-1-found"))
    choose(scene, "neurok.piece_material", "rubber", "pieces-2-search")
    await_materials(scene, {"Clay Pot": "ceramic", "Leaves": "leaf", first: "rubber"})
    check(scene.sidebar.pixels(window.screenshot("pieces-3-rubber")) != plain, "the row shows it")
    scene.undo()
    await_materials(scene, {"Clay Pot": "ceramic", "Leaves": "leaf"})
    scene.redo()
    await_materials(scene, {"Clay Pot": "ceramic", "Leaves": "leaf", first: "rubber"})
    scene.sidebar.click("neurok.piece_reset")
    await_materials(scene, {"Clay Pot": "ceramic", "Leaves": "leaf"})
    drawn = scene.drawn()
    scene.sidebar.click("show_pieces")
    window.settle()
    window.screenshot("pieces-4-colors")
    check(scene.drawn() == drawn and scene.is_untouched(), "the colors change nothing of the object")
    scene.sidebar.click("show_pieces")
    scene.sidebar.click("neurok.piece_tie")
    window.settle()
    made_of = window.ask(f"answer = bpy.data.materials[{first!r}].neurok.made_of")
    check(made_of == materials(scene).get(first, made_of) != "", f"the Blender material is tied to {made_of}")
    scene.sidebar.click("neurok.piece_tie")
    window.ask(f"with in_view(): bpy.ops.object.mode_set(mode='EDIT')\nexec({TOP!r})")
    choose(scene, "neurok.piece_assign", "metal", "pieces-5-assign")
    window.ask("with in_view(): bpy.ops.object.mode_set(mode='OBJECT')")
    await_materials(scene, {"Clay Pot": "ceramic", "Leaves": "leaf", "Metal": "metal"})
    scene.sidebar.click("show_pieces")
    window.settle()
    window.screenshot("pieces-6-assigned")
    scene.sidebar.click("show_pieces")


CHAPTERS: dict[str, Callable[[Scene], None]] = {"pieces": pieces}
