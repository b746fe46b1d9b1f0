"""Builds every sample in a Blender of its own and prints what it found as one line of JSON."""

from __future__ import annotations

import json

import bpy


def part_volumes(mesh: bpy.types.Mesh) -> list[float]:
    """Signed volume (m^3) of each loose part."""
    number = list(range(len(mesh.vertices)))

    def root(vertex: int) -> int:
        while number[vertex] != vertex:
            number[vertex] = number[number[vertex]]
            vertex = number[vertex]
        return vertex

    for edge in mesh.edges:
        first, second = edge.vertices
        number[root(first)] = root(second)
    mesh.calc_loop_triangles()
    volumes = dict.fromkeys(map(root, number), 0.0)
    for triangle in mesh.loop_triangles:
        a, b, c = (mesh.vertices[vertex].co for vertex in triangle.vertices)
        volumes[root(triangle.vertices[0])] += a.dot(b.cross(c)) / 6.0
    return list(volumes.values())


def measure(kind: str) -> dict:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.neurok.sample_add(kind=kind)
    sample = bpy.context.object
    import bmesh  # Blender's own; it can be found once bpy is imported

    shape = bmesh.new()
    shape.from_mesh(sample.data)
    return {
        "vertices": len(shape.verts),
        "size": max(sample.dimensions),
        "open_edges": sum(not edge.is_manifold for edge in shape.edges),
        "turned_edges": sum(edge.is_manifold and not edge.is_contiguous for edge in shape.edges),
        "flat_faces": sum(face.calc_area() < 1e-10 for face in shape.faces),
        "volume": shape.calc_volume(signed=True),
        "part_volumes": part_volumes(sample.data),
        "conditions": sorted(condition.kind for condition in sample.neurok.conditions),
        "anchor": sample.neurok.anchor,
        "group": [group.name for group in sample.vertex_groups],
        "lowest": min((sample.matrix_world @ vertex.co).z for vertex in sample.data.vertices),
        "camera": bpy.context.scene.camera is not None,
    }


if __name__ == "__main__":
    bpy.ops.preferences.addon_enable(module="neurok_blender")
    from neurok_blender.samples import SAMPLES

    print(json.dumps({kind: measure(kind) for kind in SAMPLES}))
