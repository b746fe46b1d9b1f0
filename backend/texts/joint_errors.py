"""Errors about joints, robots, poses and sliders."""

from __future__ import annotations

__all__ = ["ERRORS"]

ERRORS = {
    "bad_rig.arrays": ("The arrays of the rig do not belong together.", "Export the object with its armature again."),
    "bad_rig.numbers": ("The rig names bones that do not exist.", "Export the object with its armature again."),
    "bad_rig.weights": (
        "The weights of a vertex of the rig do not add up to one.",
        "Normalize the vertex groups and export the object again.",
    ),
    "bad_rig.none": (
        "The object has no rig.",
        "Take a .glb with a skin, or choose another provider.",
    ),
    "bad_rig.other_mesh": (
        "The rig carries {given:,} vertices, but the mesh has {count:,}.",
        "Leave out the mesh, or export it with its own armature.",
    ),
    "bad_rig.one_link": (
        "A single bone carries all of the object.",
        "Choose the provider elastic or rigid.",
    ),
    "bad_rig.unknown_clip": (
        "The file has no clip {clip}.",
        "Choose one of {known}.",
    ),
    "bad_rig.unknown_bone": (
        "The rig has no bone {bone}.",
        "Choose one of {known}.",
    ),
    "bad_rig.no_motion": (
        "Bones follow an animation, and the object is in none.",
        "Name a clip of its file in the condition 'rig'.",
    ),
    "bad_rig.no_clips": (
        "The file has no clips.",
        "Leave 'clip' out, or export the object with its animations.",
    ),
    "bad_joints.unknown_kind": ("{joint} is of the kind '{kind}', which is not known.", "Choose one of: {known}."),
    "bad_joints.not_three_numbers": (
        "{joint} has an {what} that is not three finite numbers.",
        "Write it as [x, y, z].",
    ),
    "bad_joints.axis_without_length": (
        "{joint} has an axis of no length.",
        "Give the direction in which it turns or slides.",
    ),
    "bad_joints.limits": (
        "{joint} has the limits {lower:g} to {upper:g}, which leave it no place to be.",
        "Give a lower limit that is not above the upper one.",
    ),
    "bad_joints.friction_or_damping": (
        "{joint} has a friction or a damping that is not a finite number from zero up.",
        "Give both as numbers that are not negative.",
    ),
    "bad_joints.effort_or_velocity": (
        "{joint} has an effort or a velocity that is not above zero.",
        "Give both above zero, or leave them out.",
    ),
    "bad_joints.own_parent": ("{joint} hangs on itself.", "Name another part as its parent."),
    "bad_joints.no_parts": ("There are no parts.", "Name at least one part."),
    "bad_joints.unknown_parts": (
        "A joint is between the parts {parent} and {child}, of {count}.",
        "Count the parts from 0; -1 as a parent is the world.",
    ),
    "bad_joints.two_parents": (
        "The part '{part}' hangs on two joints; only trees of joints can be moved.",
        "Keep one of the joints of every part.",
    ),
    "bad_joints.ring": (
        "The part '{part}' hangs on itself by way of others.",
        "Take out one of the joints that close the ring.",
    ),
    "bad_joints.cannot_follow": (
        "The joint of part {follower} cannot follow that of part {leader}.",
        "Both must be joints that move, and the ratio a number.",
    ),
    "bad_joints.follows_two": (
        "A joint follows two others, or one that follows itself.",
        "Let each follow one joint that moves by itself.",
    ),
    "bad_joints.vertices_and_parts": (
        "The vertices and the parts do not fit each other.",
        "Give each vertex one of the parts.",
    ),
    "bad_joints.none_moves": ("None of the joints can move.", "Give a joint that turns or slides, or leave them out."),
    "bad_joints.other_mesh": (
        "The joints are of a mesh with {given:,} vertices, and this one has {count:,}.",
        "Use the mesh that they were made for.",
    ),
    "bad_joints.part_vertex": (
        "The part '{part}' names a vertex that is none of {count:,}.",
        "Name vertices of this mesh, counted from 0.",
    ),
    "bad_joints.shared_vertices": (
        "The parts '{part}' and '{other}' have vertices in common.",
        "Give every vertex to one part.",
    ),
    "bad_joints.without_part": (
        "{missing:,} of {count:,} vertices belong to no part.",
        "Give every vertex to one part.",
    ),
    "bad_joints.part_without_mesh": ("A part has no mesh file.", "Give every part of the file a 'mesh'."),
    "bad_joints.links_of_one_name": ("Two of its links have the same name.", "Give every link its own name."),
    "bad_joints.unknown_link": (
        "The joint '{joint}' names the link '{link}', which there is not.",
        "Correct the name, or add the link.",
    ),
    "bad_joints.unknown_type": (
        "The joint '{joint}' is of the type '{type}', which cannot be moved here.",
        "Use one of {known}.",
    ),
    "bad_joints.leader_moves_not": (
        "The joint '{joint}' follows '{leader}', which does not move by itself.",
        "Let it follow a joint that moves and follows no other.",
    ),
    "bad_joints.link_ring": (
        "The link '{link}' hangs on itself by way of others.",
        "Take out one of the joints that close the ring.",
    ),
    "bad_joints.link_inertia": (
        "The link '{link}' has an inertia that is not six finite numbers.",
        "Correct it, or leave the inertial out.",
    ),
    "bad_option.density": ("--density {density:g} is no density.", "Give kg/m³ above zero."),
    "bad_pose.no_joints": (
        "Only an object with joints has links that reach for targets.",
        "Find its joints first, or let it move as Joints.",
    ),
    "bad_pose.unknown_part": ("A target is of a part that there is not.", "Choose a part of the object."),
    "bad_pose.out_of_world": ("A vertex is dragged out of this world.", "Keep targets within 1e6 m of the origin."),
    "bad_pose.link_cannot_move": ("No joint moves the link '{link}'.", "Choose a link that hangs on a joint."),
    "bad_pose.not_a_pose": (
        "A target of a link is not a pose.",
        "Give four rows of four finite numbers, a turn and a place.",
    ),
    "bad_pose.no_vertex": ("No vertex is dragged.", "Drag vertices of this mesh, counted from 0."),
    "bad_pose.unknown_vertex": (
        "A vertex is dragged that is none of {count:,}.",
        "Drag vertices of this mesh, counted from 0.",
    ),
    "bad_values.joint_count": (
        "{given} slider values do not fit an object with {count} joints.",
        "Ask for the coordinates again.",
    ),
    "bad_values.shape": (
        "Slider values of the shape {shape} do not fit an object with {count} sliders.",
        "Give 1 to {most} rows with a value for each slider; ask for the coordinates again.",
    ),
    "bad_values.not_finite": ("A slider value is not a finite number.", "Give values within the ranges."),
    "bad_values.rigid": (
        "A rigid object has one shape only.",
        "Choose the provider elastic or learned for random poses.",
    ),
    "bad_values.random": (
        "{count} random poses with the seed {seed} cannot be drawn.",
        "Ask for 1 to {most} poses with a seed from 0 to {last}.",
    ),
    "empty_mesh.robot": ("None of its links has a surface.", "Give the links visual or collision geometry."),
    "no_kinematics.own_solver": (
        "The object is moved by a solver of its own and has no coordinates.",
        "Simulate it, or choose another provider to pose it and to pull at it live.",
    ),
    "no_joints.found": (
        "No part of the mesh was found to move.",
        "Name its joints in the condition 'joints', or choose another provider.",
    ),
    "no_joints.file": ("The file {file} says nothing of joints.", "Name a file with its joints by --joints."),
}
