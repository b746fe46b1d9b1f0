"""The tab "NeuROK" in the sidebar of the 3D view, top to bottom in the order of the work. Drawing never works."""

from . import backend, bake, conditions, joints, object, pose, simulate

__all__ = ["CLASSES"]

CLASSES = tuple(
    item for module in (object, joints, conditions, simulate, pose, bake, backend) for item in module.CLASSES
)
