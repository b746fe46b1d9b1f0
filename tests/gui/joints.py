"""Joints of the sample cabinet in a real window: found, tried out and corrected by their handles, simulated, baked."""

from collections.abc import Callable

from scene import Scene

__all__ = ["CHAPTERS"]

Pixel = tuple[int, int]

CABINET = "bpy.ops.neurok.sample_add(kind='CABINET')"
SESSION = "addon('session.state').session"
FINDING_SECONDS = 60.0
NEAR = 0.01
STEP_BACK = "view_area().spaces[0].region_3d.view_distance *= 1.3"
DOOR = "next(n for n, j in enumerate(settings.joints) if j.kind == 'HINGE' and abs(j.axis[2]) > 0.99)"


def ask(scene: Scene, expression: str):
    """The value of an expression about the active `joint` too, in the `view`, by `places` of its handles."""
    return scene.window.ask(
        f"""
        object = bpy.data.objects[{scene.name!r}]
        settings = object.neurok
        joint = settings.joints[settings.active_joint]
        scale = bpy.context.preferences.system.ui_scale
        view = addon('gizmos.view').View(view_region(), view_area().spaces[0].region_3d, scale)
        places, handles = addon('gizmos.joint_places'), addon('gizmos.joint_handles')
        from mathutils import Vector
        place, axis = places.joint_place(object, joint), places.joint_axis(object, joint)
        reach = places.joint_reach(view, object)
        answer = {expression}
        """
    )


def pixel(scene: Scene, point: str) -> Pixel:
    x, y = ask(scene, f"pixel_of({point})")
    return x, y


def find(scene: Scene) -> None:
    scene.sidebar.click("neurok.joints_find")
    done = f"{SESSION}.one_shot is None and len(settings.joints) > 0"
    scene.window.wait_until("the joints to be found", lambda: scene.object(done), FINDING_SECONDS)
    scene.window.settle()


def on_dial(angle: str) -> str:
    """A place on the dial, at an angle from where it is as drawn."""
    frame = f"places.joint_frame(place, axis, reach) @ Vector((np.cos({angle}), np.sin({angle}), 0))"
    return f"({frame})"


def try_the_door(scene: Scene, original: str) -> None:
    """Dragged by its dial the door opens; let go, or by Esc, it is closed again."""
    window, check = scene.window, scene.check
    scene.change(f"settings.active_joint = {DOOR}")
    window.settle()
    window.screenshot("joints-2-door")
    sign = -1.0 if ask(scene, "joint.upper_angle < -joint.lower_angle") else 1.0
    start, end = pixel(scene, on_dial(f"{sign} * 0.05")), pixel(scene, on_dial(f"{sign} * 0.7"))
    for leave in ("release", "Escape"):
        window.press(start)
        window.pull(start, end, moves=16)
        check(scene.stored() != original, "the door opens while its dial is dragged")
        window.screenshot(f"joints-2-door-{leave.lower()}")
        if leave == "Escape":
            window.key("Escape")
        window.release()
        check(scene.stored() == original, f"{leave}: and is closed again, bit for bit")
        check(not scene.object("[a.name for a in object.data.attributes if 'original' in a.name]"), "nothing is left")


def correct_an_axis(scene: Scene) -> None:
    """The ball at the end of the axis turns it, the pivot goes where it is dragged; undo takes both back."""
    window, check = scene.window, scene.check
    for name, grip, value in (
        ("axis", "place + axis * handles.AXIS_REACH * reach", "list(joint.axis)"),
        ("pivot", "place", "list(joint.origin)"),
    ):
        before = ask(scene, value)
        start = pixel(scene, grip)
        centre = pixel(scene, "place + axis * 0.3 * reach + Vector((0.1, 0, 0))")
        end = (start[0] + (centre[0] - start[0]) // 4 + 12, start[1] + (centre[1] - start[1]) // 4)
        window.drag(start, end)
        moved = max(abs(one - other) for one, other in zip(ask(scene, value), before, strict=True))
        check(moved > NEAR, f"the {name} follows its handle by {moved:.3f}")
        window.screenshot(f"joints-3-{name}")
        scene.undo()
        check(ask(scene, value) == before, f"Ctrl-Z takes the {name} back")


def put_the_drawer_together(scene: Scene) -> None:
    """Its front is assigned to the tray in edit mode, the top to the body; then the joints are found anew."""
    window, check = scene.window, scene.check
    assign_front_and_top(scene)
    remove_parts_without_faces(scene)
    scene.change("settings.joint_source = 'LISTED'")
    find(scene)
    slide = "settings.joints[drawer_name]"
    check(scene.object(f"{slide}.kind") == "SLIDE", "the drawer slides")
    travel = scene.object(f"max(-{slide}.lower_distance, {slide}.upper_distance)")
    check(travel > 0.15, f"by {travel:.2f} m")
    window.screenshot("joints-4-found-anew")


def assign_front_and_top(scene: Scene) -> None:
    """In edit mode; the drawer's name is left in Blender as `drawer_name`."""
    window = scene.window
    window.ask(
        f"""
        import bmesh
        from mathutils import Vector
        object = bpy.data.objects[{scene.name!r}]
        settings = object.neurok
        # The tray is the one thing whose middle is inside of the body.
        inside = min(object.data.polygons, key=lambda face: (face.center - Vector((0.0, 0.16, 0.66))).length)
        settings.active_joint = object.data.attributes['.neurok_part'].data[inside.index].value
        drawer_name = settings.joints[settings.active_joint].name
        with in_view():
            bpy.ops.object.mode_set(mode='EDIT')
        edited = bmesh.from_edit_mesh(object.data)
        for face in edited.faces:
            middle = face.calc_center_median()
            # Before the body and above the door.
            face.select_set(middle.y < -0.001 and 0.625 < middle.z < 0.7795)
        bmesh.update_edit_mesh(object.data)
        bpy.ops.ed.undo_push(message='Selected')
        """
    )
    window.settle()
    scene.sidebar.click("neurok.joint_assign")
    window.screenshot("joints-4-assigned")
    window.ask(
        f"""
        object = bpy.data.objects[{scene.name!r}]
        settings = object.neurok
        edited = bmesh.from_edit_mesh(object.data)
        layer = edited.faces.layers.int['.neurok_part']
        bottom = min(edited.faces, key=lambda face: (face.calc_center_median() - Vector((0.0, 0.17, 0.17))).length)
        settings.active_joint = bottom[layer]
        for face in edited.faces:
            face.select_set(face.calc_center_median().z > 0.781)  # the top, which is no lid
        bmesh.update_edit_mesh(object.data)
        bpy.ops.ed.undo_push(message='Selected')
        """
    )
    window.settle()
    scene.sidebar.click("neurok.joint_assign")
    window.ask("with in_view(): bpy.ops.object.mode_set(mode='OBJECT')")


def remove_parts_without_faces(scene: Scene) -> None:
    scene.window.ask(
        f"""
        object = bpy.data.objects[{scene.name!r}]
        settings = object.neurok
        parts = [entry.value for entry in object.data.attributes['.neurok_part'].data]
        for number in reversed(range(len(settings.joints))):
            if number not in parts:
                settings.active_joint = number
                with in_view():
                    bpy.ops.neurok.joint_remove()
                parts = [entry.value for entry in object.data.attributes['.neurok_part'].data]
        """
    )


def poke_and_bake(scene: Scene) -> None:
    """The pokes of the sample pull the drawer and swing the door; bones are named as the parts."""
    window, check = scene.window, scene.check
    window.ask(f"rest_shape = drawn_shape({scene.name!r})")
    scene.change("bpy.context.scene.neurok.frame_count = 60")
    scene.take(120)
    window.ask("bpy.context.scene.frame_set(40)")
    moved = scene.object("float(abs(drawn_shape(object.name) - rest_shape).max())")
    check(moved > 0.03, f"parts of the cabinet move by {moved:.2f} m")
    window.screenshot("joints-5-simulated")
    window.ask(f"simulated = drawn_shape({scene.name!r})")
    scene.change("settings.bake.kind = 'ARMATURE'")
    scene.sidebar.click("neurok.bake(")
    window.wait_for("the bake", f"answer = {SESSION}.bake is None", 60)
    names = scene.object(
        "sorted(bone.name for thing in bpy.data.objects if thing.type == 'ARMATURE' for bone in thing.data.bones)"
    )
    check(names == scene.object("sorted(joint.name for joint in settings.joints)"), f"bones: {', '.join(names)}")
    window.ask("bpy.context.scene.frame_set(40)")
    error = scene.object("float(abs(drawn_shape(object.name) - simulated).max() / max(object.dimensions))")
    check(error < 1e-4, f"the bones play what was simulated, to {error:.1e} of the size")
    window.screenshot("joints-5-baked")


def joints(scene: Scene) -> None:
    scene.begin(CABINET)
    window, check = scene.window, scene.check
    window.ask(STEP_BACK)
    original = scene.stored()
    find(scene)
    count = scene.object("len(settings.joints)")
    check(count > 2, f"{count} parts are listed")
    check(scene.object("settings.provider") == "ARTICULATED", "the object moves by its joints")
    window.screenshot("joints-1-found")
    scene.undo()
    check(scene.object("len(settings.joints)") == 0, "Ctrl-Z takes all of them back")
    scene.redo()
    check(scene.object("len(settings.joints)") == count, "redo brings them back")
    try_the_door(scene, original)
    correct_an_axis(scene)
    put_the_drawer_together(scene)
    poke_and_bake(scene)


CHAPTERS: dict[str, Callable[[Scene], None]] = {"joints": joints}
