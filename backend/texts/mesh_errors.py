"""Errors about meshes, their parts and their sampling."""

from __future__ import annotations

__all__ = ["ERRORS"]

ERRORS = {
    "bad_indices.not_integers": ("The vertex indices of the faces are not integers.", "Export the mesh again."),
    "bad_labels.shape": (
        "The part numbers have the shape {shape}, not one whole number for each of the {count:,} faces.",
        "Give one part number for each face, or leave them out.",
    ),
    "bad_labels.names": ("There are {names} names for {count} parts.", "Name every part once."),
    "bad_sampling.nodes": (
        "Cannot sample {nodes} nodes on sheets of relative thickness {thickness}.",
        "Ask for at least one node and a thickness between 0 and 1.",
    ),
    "bad_shape.vertices": (
        "The vertices have the shape {shape} where rows of three numbers are needed.",
        "Triangulate the mesh and export it again.",
    ),
    "bad_shape.triangles": (
        "The triangles have the shape {shape} where rows of three numbers are needed.",
        "Triangulate the mesh and export it again.",
    ),
    "bad_slots.shape": (
        "The material slots have the shape {shape} where each of {count:,} triangles needs one.",
        "Give one slot for each triangle, or leave the slots out.",
    ),
    "bad_slots.numbers": (
        "The material slots of the faces are not whole numbers from 0.",
        "Number the materials from 0, or leave the slots out.",
    ),
    "bad_vertices.not_real": ("The vertex coordinates are not real numbers.", "Export the mesh again."),
    "empty_mesh.no_vertices": ("The mesh has no vertices.", "Choose an object that has a mesh with faces."),
    "index_out_of_range.faces": (
        "{outside:,} of {count:,} faces use vertices that do not exist.",
        "Export the mesh again; the file or the selection is incomplete.",
    ),
    "no_area.mesh": (
        "The faces of the mesh have no area: all of them are collapsed to lines or points.",
        "Check the scale of the object, or merge by distance and fill the faces again.",
    ),
    "no_area.surface": ("The faces of the mesh have no area.", "Check the scale of the object."),
    "no_faces.mesh": ("The mesh has no faces.", "Add faces, or convert the curve or points to a mesh with faces."),
    "not_finite.vertices": (
        "{broken:,} of {count:,} vertices have coordinates that are not finite numbers.",
        "Delete these vertices or undo the operation that made them, then try again.",
    ),
    "nothing_free.held": ("Every part of the object is held.", "Hold fewer vertices, or set the anchor to none."),
    "one_vertex.mesh": ("The mesh has a single vertex.", "Choose an object that has faces."),
    "too_large.mesh": ("The mesh is {size:.1e} metres long.", "Apply a scale that brings it to a sensible size."),
    "too_many_parts.object": (
        "The object has {count} parts, and joints are sought among at most {most}.",
        "Join parts that move together.",
    ),
    "too_many_vertices.mesh": (
        "The mesh has {count:,} vertices, fewer than {most:,} are possible.",
        "Simulate a decimated copy and transfer its motion to the full mesh.",
    ),
    "nothing_composed.mesh": (
        "The object is not composed of rigid and soft pieces.",
        "Give some of its pieces another material, or choose the provider elastic or rigid.",
    ),
    "too_small.elastic": ("The mesh is too small to bend.", "Choose the provider rigid."),
}
