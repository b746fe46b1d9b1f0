"""Errors about files of meshes, takes, cameras and robots."""

from __future__ import annotations

__all__ = ["ERRORS"]

WRITABLE_FOLDER = "Choose a folder that exists, that you may write to and that has room."

ERRORS = {
    "bad_camera.not_object": (
        "The camera is not a JSON object.",
        'Write {{"matrix_world": [[...], ...], "lens": 50}}.',
    ),
    "bad_camera.unknown_key": ("A camera has no '{key}'.", "Use these: {known}."),
    "bad_camera.size": ("A picture of {height} x {width} pixels cannot be made.", "Use sides from 1 to {most} pixels."),
    "bad_camera.clip": ("The camera's clip_end is not beyond its clip_start.", "Blender's own are 0.1 and 1000."),
    "bad_camera.not_a_choice": ("The camera's {key} is unknown.", "Use one of these: {known}."),
    "bad_camera.resolution": (
        "The camera's resolution is not two whole numbers, or its percentage none.",
        'Write "resolution": [720, 480] (width, height), "resolution_percentage": 100.',
    ),
    "bad_camera.not_a_number": (
        "The camera's {key} is no number.",
        "Write a number, or a list with one for each frame.",
    ),
    "bad_camera.not_positive": ("The camera's {key} is not above 0.", "Write a number above 0."),
    "bad_camera.no_matrix": (
        "The camera has no matrix_world of 4 rows of 4 numbers.",
        "Write the matrix that takes camera space to the world, or a list with one for each frame.",
    ),
    "bad_camera.flat_matrix": (
        "The camera's matrix_world is flat.",
        "Write a matrix whose first three columns are its axes.",
    ),
    "bad_frames.count": ("{count} frames cannot be made.", "Ask for a whole number of frames from 1 to {most}."),
    "bad_take.not_finite": ("A vertex is at no finite place.", "Simulate again, or mend the file."),
    "bad_take.unknown_vertex": ("A triangle has a vertex that does not exist.", "Simulate again, or mend the file."),
    "bad_take.triangles": ("There is not one colour and one object for each triangle.", "Give as many as triangles."),
    "bad_take.file": (
        "The file {path} cannot be read as a take.",
        "Give an .npz that 'python -m backend simulate' wrote.",
    ),
    "broken_file.urdf": (
        "The file {file} is not a complete .urdf file.",
        "Export it again; a .xacro file is made a .urdf file by 'xacro robot.xacro > robot.urdf'.",
    ),
    "broken_file.reason": (
        "The file {file} is not a complete {kind} file: {reason}.",
        "Export the mesh again, or convert it with Blender.",
    ),
    "broken_file.damaged": (
        "The file {file} is not a complete {kind} file: its content is damaged.",
        "Export the mesh again, or convert it with Blender.",
    ),
    "cannot_read.file": ("The file {path} cannot be read: {reason}.", "Check the path and its permissions."),
    "cannot_read.take": ("There is no file {path}.", "Check the path of the take."),
    "cannot_write.no_folder": ("The folder {folder} does not exist.", "Make the folder or choose another one."),
    "cannot_write.is_folder": ("The output {file} is a folder.", "Give the name of a file."),
    "cannot_write.file": ("The file {path} cannot be written: {reason}.", WRITABLE_FOLDER),
    "cannot_write.make_folder": ("The folder {folder} cannot be made: {reason}.", WRITABLE_FOLDER),
    "cannot_write.missing_folder": ("There is no folder {folder}.", "Choose a folder that exists."),
    "cannot_write.usd": ("The file {path} cannot be written as USD.", WRITABLE_FOLDER),
    "empty_file.mesh": ("The file {file} is empty.", "Export the mesh again."),
    "missing_mesh.network": (
        "The mesh '{mesh}' lies on the network, and nothing is fetched.",
        "Save it beside the robot's file and name it there.",
    ),
    "missing_mesh.not_found": (
        "The mesh '{mesh}' is not found.",
        "Put the folder that its path begins with beside the robot's file or above it, or the file into {folder}.",
    ),
    "no_openexr.missing": (
        "This Python cannot write OpenEXR files.",
        "Install the package OpenEXR, or leave the EXR files out.",
    ),
    "no_urdf.missing": (
        "Reading .urdf files needs yourdfpy, which this Python does not have.",
        "Run 'python build.py setup' and use the Python of .venv.",
    ),
    "no_usd.missing": (
        "Writing .usdc files needs usd-core, which this Python does not have.",
        "Run 'python build.py setup' and use the Python of .venv, or write a .glb file.",
    ),
    "one_object_only.pc2": (
        "A .pc2 file holds one object, and there are {count}.",
        "Write a .npz, .glb or .usdc file.",
    ),
    "too_large.glb": (
        "{frames} frames of {vertices:,} vertices do not fit into a .glb file (4 GiB).",
        "Write a .usdc file instead, or fewer frames.",
    ),
    "unknown_format.output": ("The output {file} has no known extension.", "Use one of {known}."),
    "unknown_format.mesh": ("The file {file} has no known mesh extension.", "Use one of {known}."),
    "unknown_format.pointmap": ("A pointmap is written as .npz.", "End the name of the file with .npz."),
    "unknown_format.robot": ("The file {file} has no known extension of a robot.", "Use one of {known}."),
    "unknown_format.link_mesh": (
        "The mesh {file} cannot be read.",
        "Convert it to one of {known} and name that in the robot's file.",
    ),
}
