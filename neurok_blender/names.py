"""Every name by which Blender knows a part of this add-on."""

from enum import StrEnum

__all__ = ["CATEGORY", "PACKAGE", "GizmoGroup", "Menu", "Operator", "Panel", "UserList"]

PACKAGE = __package__
"""`neurok_blender` in the staged tree, `bl_ext.<repository>.neurok` once installed."""

CATEGORY = "NeuROK"
"""Tab of the 3D view's sidebar."""


class Operator(StrEnum):
    SIMULATE = "neurok.simulate"
    CANCEL = "neurok.cancel"
    WAY_NEXT = "neurok.way_next"
    JOINTS_FIND = "neurok.joints_find"
    JOINTS_CLEAR = "neurok.joints_clear"
    JOINT_NEXT = "neurok.joint_next"
    JOINT_ASSIGN = "neurok.joint_assign"
    JOINT_SELECT = "neurok.joint_select"
    JOINT_ADD = "neurok.joint_add"
    JOINT_REMOVE = "neurok.joint_remove"
    FINDING = "neurok.finding"
    PIECE_MATERIAL = "neurok.piece_material"
    PIECE_BEHAVIOUR = "neurok.piece_behaviour"
    PIECE_RESET = "neurok.piece_reset"
    PIECE_ASSIGN = "neurok.piece_assign"
    PIECE_TIE = "neurok.piece_tie"
    REACH_ADD = "neurok.reach_add"
    REACH_REMOVE = "neurok.reach_remove"
    REACH_BAKE = "neurok.reach_bake"
    LIVE = "neurok.live"
    POSE = "neurok.pose"
    POSE_END = "neurok.pose_end"
    POSE_RESET = "neurok.pose_reset"
    POSE_RANDOM = "neurok.pose_random"
    POSE_EXPLORE = "neurok.pose_explore"
    POSE_CHOOSE = "neurok.pose_choose"
    POSE_KEY = "neurok.pose_key"
    POSE_FILM = "neurok.pose_film"
    BAKE = "neurok.bake"
    BAKE_ALL = "neurok.bake_all"
    BAKE_CLEAR = "neurok.bake_clear"
    BAKE_PLAY = "neurok.bake_play"
    DISCARD_TAKE = "neurok.discard_take"
    TAKE_RANGE = "neurok.take_range"
    POINTMAP = "neurok.pointmap"
    POINTMAP_EXPORT = "neurok.pointmap_export"
    ROBOT_WRITE = "neurok.robot_write"
    ROBOT_EXPORT = "neurok.robot_export"
    ROBOT_READ = "neurok.robot_read"
    ROBOT_IMPORT = "neurok.robot_import"
    CONDITION_ADD = "neurok.condition_add"
    CONDITION_REMOVE = "neurok.condition_remove"
    CONDITION_DUPLICATE = "neurok.condition_duplicate"
    CONDITION_MOVE = "neurok.condition_move"
    CONDITION_CHOOSE = "neurok.condition_choose"
    PIN_BRUSH = "neurok.pin_brush"
    POKE_PLACE = "neurok.poke_place"
    BACKEND_SETUP = "neurok.backend_setup"
    BACKEND_BROWSE = "neurok.backend_browse"
    BACKEND_CANCEL = "neurok.backend_cancel"
    BACKEND_REMOVE = "neurok.backend_remove"
    BACKEND_CHECK = "neurok.backend_check"
    SAMPLE_ADD = "neurok.sample_add"
    PRESET_APPLY = "neurok.preset_apply"
    PRESET_ADD = "neurok.preset_add"
    RELEASE_MEMORY = "neurok.release_memory"
    LOG_OPEN = "neurok.log_open"
    LOG_REVEAL = "neurok.log_reveal"
    DIAGNOSTICS_COPY = "neurok.diagnostics_copy"


class Panel(StrEnum):
    OBJECT = "NEUROK_PT_object"
    OBJECT_PRESETS = "NEUROK_PT_object_presets"
    JOINTS = "NEUROK_PT_joints"
    CONDITIONS = "NEUROK_PT_conditions"
    SIMULATE = "NEUROK_PT_simulate"
    PARTICIPANTS = "NEUROK_PT_participants"
    POSE = "NEUROK_PT_pose"
    TAKES = "NEUROK_PT_takes"
    BAKE = "NEUROK_PT_bake"
    BACKEND = "NEUROK_PT_backend"


class Menu(StrEnum):
    CONDITION_ADD = "NEUROK_MT_condition_add"
    SAMPLE_ADD = "NEUROK_MT_sample_add"


class UserList(StrEnum):
    CONDITIONS = "NEUROK_UL_conditions"
    BAKES = "NEUROK_UL_bakes"
    TAKES = "NEUROK_UL_takes"
    JOINTS = "NEUROK_UL_joints"
    PIECES = "NEUROK_UL_pieces"


class GizmoGroup(StrEnum):
    CONDITIONS = "NEUROK_GGT_conditions"
    ARROW = "NEUROK_GT_arrow"
    AXIS = "NEUROK_GT_axis"
    DIAL = "NEUROK_GT_dial"
    FLOOR = "NEUROK_GT_floor"
    GRIP = "NEUROK_GT_grip"
    RING = "NEUROK_GT_ring"
    JOINTS = "NEUROK_GGT_joints"
    JOINT_AXIS = "NEUROK_GT_joint_axis"
    JOINT_DIAL = "NEUROK_GT_joint_dial"
    JOINT_PIVOT = "NEUROK_GT_joint_pivot"
    JOINT_SLIDE = "NEUROK_GT_joint_slide"
