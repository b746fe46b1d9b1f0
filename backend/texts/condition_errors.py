"""Errors about conditions, scene files and choices of providers."""

from __future__ import annotations

__all__ = ["ERRORS"]

ERRORS = {
    "bad_choice.not_learned": (
        "An object that is not of the provider learned has no choices.",
        "Leave out 'choices', or choose the provider learned.",
    ),
    "bad_choice.unknown": (
        "The object has {count} choices, and none with the number {number}.",
        "Look at 'choices' in 'analyze --json'; they count from 0.",
    ),
    "bad_choice.same_joint": ("Two choices are of the same joint.", "Keep one of them."),
    "bad_conditions.joints_unused": (
        "The condition 'joints' says nothing to the provider {provider}.",
        "Choose the provider articulated, or leave the joints out.",
    ),
    "bad_conditions.separate_and_joints": (
        "What is separated into loose things has no joints, no sliders and no provider but rigid, elastic or composed.",
        "Leave 'separate' out, or joints, sliders and the provider.",
    ),
    "bad_conditions.size_and_joints": (
        "What has joints whose places are known is as large as it is drawn.",
        "Leave 'size' out, or scale the mesh and its joints.",
    ),
    "bad_conditions.size_of_several": (
        "Several objects cannot be simulated in another size.",
        "Leave 'size' out and scale the objects, or simulate it alone.",
    ),
    "bad_conditions.not_object": ("The conditions are not a JSON object.", "Write them as {{ ... }} with named keys."),
    "bad_conditions.vertex_out_of_range": (
        "The condition '{where}' names vertex {vertex}, but the mesh has {count}.",
        "Name vertices of this mesh, counted from 0.",
    ),
    "bad_conditions.anchor": ("The condition '{where}' is {value}.", 'Write "auto", "none" or {{"vertices": [...]}}.'),
    "bad_conditions.impulse_or_speed": (
        "The condition '{where}' must have either 'impulse' or 'speed'.",
        "Give one of the two, as [x, y, z].",
    ),
    "bad_conditions.rigid_or_frequency": (
        "The condition '{where}' is {value}.",
        'Write "rigid" or a number of Hz from 0.01 to 1000.',
    ),
    "bad_conditions.auto_or_frequency": (
        "The condition '{where}' is {value}.",
        'Write "auto", true, false or a number of Hz from 0.01 to 1000.',
    ),
    "bad_piece.unknown": ("{where}: there is no piece '{piece}'.", "Choose one of {known}."),
    "bad_piece.number": (
        "{where}: there is no piece {piece} among {count}.",
        "Count from 0, or give a name; 'analyze --json' lists them.",
    ),
    "bad_piece.vertices": (
        "{where} names vertices that do not exist.",
        "Give numbers from 0 to below {count:,}.",
    ),
    "bad_piece.faces": (
        "{where} names faces that the mesh does not have.",
        "Give numbers of faces from 0 to {last}.",
    ),
    "bad_piece.renamed": (
        "{where} has a name, but names a piece that has one.",
        "Give a name to a piece of vertices or faces only.",
    ),
    "bad_piece.no_face": ("{where} has no face with all its corners.", "Give the vertices of whole faces."),
    "bad_piece.which": (
        '{where} must be a name, a number, {{"vertices": [..]}} or {{"faces": [..]}}, not {value}.',
        "Take one of those that 'analyze --json' lists.",
    ),
    "bad_material.unknown": ("There is no material '{material}'.", "Choose one of {known}."),
    "bad_conditions.changes_nothing": (
        "The condition '{where}' changes nothing.",
        "Give it a density, young, stiffness or poisson.",
    ),
    "bad_conditions.young_and_stiffness": (
        "The condition '{where}' has both 'young' and 'stiffness'.",
        "Give one of the two.",
    ),
    "bad_conditions.mesh_and_arrays": (
        "The condition '{where}' has both a 'mesh' and arrays.",
        "Give a file or the arrays.",
    ),
    "bad_conditions.no_mesh": (
        "The condition '{where}' has no mesh.",
        "Give the path of a mesh file as 'mesh', or its 'vertices' and 'triangles'.",
    ),
    "bad_conditions.collider_vertex": (
        "The condition '{where}' names vertex {vertex}, but the collider has {count}.",
        "Name vertices of this collider, counted from 0.",
    ),
    "bad_conditions.motion_and_frames": (
        "The condition '{where}' has both a 'motion' and vertices for each frame.",
        "Leave out one of the two.",
    ),
    "bad_conditions.pose_and_sliders": (
        "The condition '{where}' stands beside a 'pose', and both say where to start.",
        "Leave out one of the two.",
    ),
    "bad_conditions.not_a_number": (
        "The condition '{where}' must be a finite number, not {value}.",
        "Give a number from {low:g} to {high:g}.",
    ),
    "bad_conditions.out_of_range": (
        "The condition '{where}' is {value}, out of range.",
        "Give a number from {low:g} to {high:g}.",
    ),
    "bad_conditions.not_whole": (
        "The condition '{where}' is {value:g}, not a whole number.",
        "Give a whole number from {low} to {high}.",
    ),
    "bad_conditions.not_three_numbers": ("The condition '{where}' must be three numbers.", "Write it as [x, y, z]."),
    "bad_conditions.not_true_or_false": (
        "The condition '{where}' must be true or false, not {value}.",
        "Write true or false.",
    ),
    "bad_conditions.not_a_text": ("The condition '{where}' must be a text, not {value}.", 'Write it as "...".'),
    "bad_conditions.not_a_choice": ("The condition '{where}' is {value}.", "Choose one of: {known}."),
    "bad_conditions.unknown_key": ("The condition '{where}' is not known.", "Known: {known}."),
    "bad_conditions.not_an_object": (
        "The condition '{where}' must be an object with named entries.",
        "Its keys are: {known}.",
    ),
    "bad_conditions.missing_key": ("The condition '{where}' is missing.", "Add it."),
    "bad_conditions.not_a_list": ("The condition '{where}' must be a list.", "Write it as [ ... ]."),
    "bad_conditions.keys_out_of_order": (
        "The condition '{where}' is not after the key before it.",
        "List the keys from the first frame to the last, one for a frame.",
    ),
    "bad_conditions.not_vertex_indices": (
        "The condition '{where}' must be a list of vertex indices.",
        "Write it as [0, 1, 2], counted from 0.",
    ),
    "bad_conditions.no_vertex_indices": (
        "The condition '{where}' is empty.",
        "Name at least one vertex, or leave the key out.",
    ),
    "bad_conditions.impossible_vertices": (
        "The condition '{where}' names vertices that no mesh has.",
        "Name vertices of this mesh, counted from 0.",
    ),
    "bad_conditions.no_points": ("The condition '{where}' is empty.", "Give at least one point, or leave the key out."),
    "bad_conditions.not_finite": (
        "The condition '{where}' holds a coordinate that is not a finite number.",
        "Repair the mesh it comes from.",
    ),
    "bad_conditions.no_triangles": ("The condition '{where}' is empty.", "Give at least one triangle."),
    "bad_conditions.not_six_numbers": (
        "The condition '{where}' is not six finite numbers.",
        "Write it as [xx, yy, zz, xy, xz, yz].",
    ),
    "bad_conditions.not_a_part": (
        "The condition '{where}' is not a part.",
        'Write it as {{"name": "...", "vertices": [...]}}.',
    ),
    "bad_conditions.not_joints": (
        "The condition '{where}' is neither the name of a file nor parts and joints.",
        'Write "object.urdf".',
    ),
    "bad_conditions.no_parts_and_joints": (
        "The condition '{where}' is not an object with parts and joints.",
        'Write {{"parts": [...], "joints": [...]}}.',
    ),
    "bad_conditions.parts_of_one_name": (
        "The condition '{where}' has two parts of the same name.",
        "Give every part its own name.",
    ),
    "bad_conditions.unknown_part": (
        "The condition '{where}' names the part {part}, which there is not.",
        "Choose one of: {known}.",
    ),
    "bad_conditions.moves_without_axis": (
        "The condition '{where}' moves, but has no axis or no origin.",
        "Give both as [x, y, z].",
    ),
    "bad_conditions.joints_file": (
        "The condition '{where}' names a file, and nobody reads files here.",
        "Give the parts and joints themselves.",
    ),
    "bad_conditions.parts_without_vertices": (
        "The condition '{where}' does not say which vertices belong to which part.",
        "Give every part its 'vertices', or a 'mesh' in a file of joints.",
    ),
    "bad_conditions.young_missing": (
        "A material has 'young', but the object's own Young's modulus is not given.",
        "Give the object 'young' too, or the material a 'stiffness', which is a factor.",
    ),
    "bad_conditions.object_name": (
        "The condition '{where}' is {value}.",
        "Give a short name without slashes that does not begin with a dot.",
    ),
    "bad_conditions.shared_key": ("The condition '{where}' belongs to the whole scene.", "Write it beside 'objects'."),
    "bad_conditions.object_name_twice": ("The condition '{where}' is {value} again.", "Give every object its own."),
    "bad_conditions.beside_scene": (
        "A scene file has its conditions inside.",
        "Write those of '{path}' into it, and leave out --conditions.",
    ),
    "bad_conditions.pose_file": (
        "The file {file} has {count:,} vertices, and the mesh has {vertices:,}.",
        "Save the pose from the same mesh, with all its vertices in the same order.",
    ),
    "bad_conditions.unreadable_file": (
        "The {what} file '{path}' cannot be read.",
        "Give the path of a JSON text file.",
    ),
    "bad_conditions.not_json": ("The {what} file '{path}' is not JSON (line {line}: {reason}).", "Correct it there."),
    "bad_conditions.beyond_measure": (
        "The {what} file '{path}' holds numbers or brackets beyond all measure.",
        "Write it as {{ ... }} with named keys and ordinary numbers.",
    ),
    "bad_conditions.slider_count": (
        "The pose to start from has {given} numbers, and the object has {count} sliders now.",
        "Pose the object anew, or start from the drawn shape.",
    ),
    "bad_conditions.settled": (
        "The condition 'settled' is true, but nothing holds the object against gravity.",
        "Hold its base or some vertices, or leave 'settled' out.",
    ),
    "bad_conditions.pose_count": (
        "The condition 'pose' has {given} positions for {count} vertices.",
        "Give one position for each vertex of this mesh.",
    ),
    "bad_conditions.collider_file": (
        "The collider {number} names the file '{file}', which has not been read.",
        "Give its 'vertices' and 'triangles', or simulate with the command line, which reads files.",
    ),
    "bad_conditions.differs": (
        "The condition '{name}' of object {number} differs from that of the first.",
        "Give all objects of a take the same one.",
    ),
    "bad_conditions.no_key": (
        "The condition '{where}' has {count} keys, too few.",
        "Give at least one key, or leave it out.",
    ),
    "bad_conditions.too_few_keys": (
        "The condition '{where}' has {count} keys, too few.",
        "Give at least {least} keys, or leave it out.",
    ),
    "bad_conditions.not_points": (
        "The condition '{where}' must be rows of three numbers.",
        "Write it as [[x, y, z], ...].",
    ),
    "bad_conditions.not_moving_points": (
        "The condition '{where}' must be rows of three numbers, or such rows for each frame.",
        "Write it as [[x, y, z], ...] or [[[x, y, z], ...], ...].",
    ),
    "bad_conditions.too_many_points": (
        "The condition '{where}' has {count:,} points, fewer than {most:,} are possible.",
        "Simplify the mesh (Decimate modifier).",
    ),
    "bad_conditions.far_point": (
        "The condition '{where}' holds a coordinate of {value:g} m, out of range.",
        "Keep coordinates within {limit:g} m of the origin.",
    ),
    "bad_conditions.not_triangles": (
        "The condition '{where}' must be rows of three vertex indices.",
        "Write it as [[0, 1, 2], ...], counted from 0.",
    ),
    "bad_conditions.joints": ("The condition '{where}' cannot be used: {problem:lower}", "{problem.remedy}"),
    "bad_provider.unknown": ("The provider '{provider}' is not known.", "Choose one of: {known}."),
    "bad_scene.not_object": ("The scene file '{path}' is not a JSON object.", 'Write {{"objects": [...]}}.'),
    "bad_scene.no_objects": (
        "The scene file '{path}' has no objects.",
        'Name at least one: {{"objects": [{{"mesh": "..."}}]}}.',
    ),
    "result_too_large.take": (
        "{frames} frames of {vertices:,} vertices would take {size:.0f} GB.",
        "Ask for fewer frames or simulate a lighter mesh.",
    ),
    "rigid_and_held.anchor": (
        "A rigid object that is held cannot move.",
        "Remove the anchor and pins, or choose elastic.",
    ),
}
