"""Robots in MuJoCo: import of our files, 10 seconds under gravity, and swings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UserError
from ..kinematics.articulated import JointTransforms
from ..kinematics.base import Array
from ..robots.mjcf_write import write_mjcf
from ..robots.robot import Robot
from ..robots.urdf_write import write_urdf

__all__ = ["MujocoRobot", "Stand"]


@dataclass(frozen=True)
class Stand:
    """What seconds of gravity did: whether everything stayed finite, how far any joint was beyond its limits (rad or m,
    over one turn or the size), how much energy came from nowhere (over what there was to fall)."""

    finite: bool
    beyond: float
    gained: float

    @property
    def stable(self) -> bool:
        """Limits of MuJoCo are springs, and its steps keep energy but for their own order."""
        return self.finite and self.beyond < 0.05 and self.gained < 0.05


class MujocoRobot:
    """One robot, written as URDF and as MJCF into a folder and read by MuJoCo."""

    def __init__(self, robot: Robot, folder: Path) -> None:
        try:
            import mujoco
        except ModuleNotFoundError as problem:
            raise UserError("no_mujoco.missing") from problem
        mujoco.set_mju_user_warning(lambda text: None)  # else it leaves a file MUJOCO_LOG.TXT wherever we are
        self._mujoco, self.robot = mujoco, robot
        self.urdf, mjcf = folder / "robot.urdf", folder / "robot.xml"
        write_urdf(self.urdf, robot)
        write_mjcf(mjcf, robot)
        try:
            self.model: Any = mujoco.MjModel.from_xml_path(str(mjcf))
            urdf: Any = mujoco.MjModel.from_xml_path(str(self.urdf))
        except ValueError as problem:
            raise UserError("not_loaded.mujoco", robot=robot.name, reason=problem) from problem
        self.same_joints = urdf.njnt == len(robot.tree.moving) == self.model.njnt
        self.same_mass = bool(np.isclose(sum(urdf.body_mass), sum(self.model.body_mass), rtol=1e-9))
        tree = robot.tree
        names = [robot.joints[joint.child] for joint in tree.moving]
        self._place = np.array([self.model.joint(name).qposadr[0] for name in names])
        self._rate = np.array([self.model.joint(name).dofadr[0] for name in names])

    def values(self, data: Any) -> Array:
        """Of the moving joints, Float[n]."""
        return data.qpos[self._place].copy()

    def begun(self, q: Array) -> Any:
        """A state at rest at the coordinates Float[k]."""
        data = self._mujoco.MjData(self.model)
        data.qpos[self._place] = self.robot.tree.coupling @ q
        self._mujoco.mj_forward(self.model, data)
        return data

    def forward_error(self, states: Array) -> float:
        """The largest difference of any entry of any link's pose to ours, states Float[n,k]."""
        ours, robot, worst = JointTransforms(self.robot.tree), self.robot, 0.0
        bodies = [self.model.body(name).id for name in robot.links]
        origins = np.array([robot.origin(part) for part in range(len(robot.links))])
        for q in states:
            data, moved = self.begun(q), ours(q)
            places = np.einsum("hij,hj->hi", moved[:, :, :3], origins) + moved[:, :, 3]
            turns = data.xmat[bodies].reshape(-1, 3, 3)
            worst = max(worst, float(np.abs(data.xpos[bodies] - places).max()))
            worst = max(worst, float(np.abs(turns - moved[:, :, :3]).max()))
        return worst

    def stand(self, q: Array, seconds: float) -> Stand:
        """From rest at the coordinates Float[k], by the model's own gravity, limits and contacts."""
        mujoco, model, tree = self._mujoco, self.model, self.robot.tree
        model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
        data = self.begun(q)
        lower = np.array([joint.lower for joint in tree.moving])
        upper = np.array([joint.upper for joint in tree.moving])
        size = float(np.ptp(self.robot.mesh.vertices, axis=0).max())
        unit = np.array([1.0 if joint.turns else size for joint in tree.moving])
        start, beyond, gained = float(data.energy.sum()), 0.0, 0.0
        fall = 9.81 * float(model.body_mass.sum()) * size
        for _ in range(int(seconds / model.opt.timestep)):
            mujoco.mj_step(model, data)
            values = self.values(data)
            beyond = max(beyond, float((np.maximum(lower - values, values - upper) / unit).max()))
            gained = max(gained, (float(data.energy.sum()) - start) / fall)
        finite = bool(np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all())
        warned = any(data.warning[int(kind)].number for kind in (mujoco.mjtWarning.mjWARN_BADQACC,))
        return Stand(finite and not warned, beyond, gained)

    def passive(self, q: Array, gravity: Array, times: Array) -> Array:
        """Values of the moving joints Float[T,n] at these times (s), from rest, without contacts and limits."""
        mujoco, model = self._mujoco, self.model
        model.opt.gravity[:] = gravity
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
        data, found = self.begun(q), []
        step = float(np.diff(times).min(initial=np.inf))
        parts = int(np.ceil(step / 1e-3))
        for number, _ in enumerate(times):
            if number:
                model.opt.timestep = float(times[number] - times[number - 1]) / parts
                for _ in range(parts):
                    mujoco.mj_step(model, data)
            found.append(self.values(data))
        return np.array(found)
