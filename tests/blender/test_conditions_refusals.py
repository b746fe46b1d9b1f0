"""Mistakes with pins, followers, gravity, wind and colliders: a sentence and what to do."""

import bpy
import pytest

from tests.blender.helpers import add_ball


def two_gravities(_ball):
    bpy.ops.neurok.condition_add(kind="GRAVITY")
    bpy.ops.neurok.condition_add(kind="GRAVITY")


def no_pin_group(ball):
    bpy.ops.neurok.condition_add(kind="PIN")
    ball.neurok.conditions[0].pin_source = "GROUP"


def lost_pin_group(ball):
    no_pin_group(ball)
    ball.neurok.conditions[0].vertex_group = "Ear"


def empty_pin_group(ball):
    lost_pin_group(ball)
    ball.vertex_groups.new(name="Ear")


def nothing_painted(ball):
    bpy.ops.neurok.condition_add(kind="PIN")
    ball.neurok.conditions[0].pin_source = "PAINTED"


def all_erased(ball):
    nothing_painted(ball)
    ball.neurok.conditions[0].painted_group = ball.vertex_groups.new(name="Pin").name


def no_target(_ball):
    bpy.ops.neurok.condition_add(kind="FOLLOW")


def deleted_target(ball):
    bpy.ops.neurok.condition_add(kind="FOLLOW")
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    ball.neurok.conditions[0].target = target
    bpy.context.scene.collection.objects.unlink(target)


def own_target(ball):
    bpy.ops.neurok.condition_add(kind="FOLLOW")
    ball.neurok.conditions[0].target = ball


def flat_target(ball):
    bpy.ops.neurok.condition_add(kind="FOLLOW")
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    target.scale = (1, 0, 1)
    ball.neurok.conditions[0].target = target


def no_field(ball):
    bpy.ops.neurok.condition_add(kind="WIND")
    ball.neurok.conditions[0].use_force_fields = True


def no_collider(_ball):
    bpy.ops.neurok.condition_add(kind="COLLIDERS")


def empty_collection(ball):
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    ball.neurok.conditions[0].collection = bpy.data.collections.new("Walls")


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        (two_gravities, "There are several gravities (Gravity, Gravity.001). Keep the eye open on one of them only."),
        (no_pin_group, "Pin has no vertex group. Choose one in its fields, or hold the base instead."),
        (lost_pin_group, "The vertex group Ear of Pin is not there. Choose one that the object has"),
        (empty_pin_group, "The vertex group Ear is empty. Assign vertices to it, or choose another."),
        (nothing_painted, "Nothing is painted for Pin. Paint with its brush, or hold the base instead."),
        (all_erased, "Nothing is painted for Pin. Paint with its brush, or hold the base instead."),
        (no_target, "Follow has no target to follow. Choose an object of the scene as its target."),
        (deleted_target, "Follow has no target to follow. Choose an object of the scene as its target."),
        (own_target, "Follow follows its own object. Choose another one as its target."),
        (flat_target, "Target is scaled to nothing along some direction, so nobody can follow it. Give it a scale"),
        (no_field, "Wind uses force fields, but the scene has no visible Wind. Add one"),
        (no_collider, "Colliders has nothing to hit: no other visible object has a Collision modifier. Give those"),
        (empty_collection, "The collection Walls of Colliders has no visible object with a Collision modifier. Give"),
    ],
)
def test_mistakes_get_a_sentence(scene, mistake, sentence):
    ball = add_ball()
    mistake(ball)
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.neurok.simulate()
    assert sentence in str(caught.value)
