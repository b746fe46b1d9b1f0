"""Blender's camera as a pinhole or orthographic projection: from its lens, sensor, shift and resolution to pixels.

Camera space here is that of computer vision: x to the right, y down, z forward, in metres; Blender's camera looks
along its own -Z with Y up, so y and z change their sign. Pixel coordinates begin at the upper left corner of the
picture, u to the right and v down; the centre of the first pixel is (0.5, 0.5). A point x of the world is seen at

    perspective    [u z, v z, z] = K T x
    orthographic   [u, v, 1]     = K [X, Y, 1]    with [X, Y, z] = T x
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Camera"]

Float64 = NDArray[np.float64]

# Blender's camera axes to those of camera space.
_TURN = np.diag([1.0, -1.0, -1.0, 1.0])


@dataclass(frozen=True, eq=False)
class Camera:
    """One frame of a camera. Names and units are those of Blender: millimetres of lens and sensor, else metres."""

    width: int
    """Pixels of the picture."""
    height: int
    matrix_world: Float64
    """[4,4]; a scale in it does not count, as in Blender."""
    orthographic: bool = False
    lens: float = 50.0
    ortho_scale: float = 6.0
    sensor_fit: str = "AUTO"
    """Or HORIZONTAL, VERTICAL: along which side of the picture the sensor or `ortho_scale` is measured."""
    sensor_width: float = 36.0
    sensor_height: float = 24.0
    shift_x: float = 0.0
    shift_y: float = 0.0
    pixel_aspect_x: float = 1.0
    pixel_aspect_y: float = 1.0
    clip_start: float = 0.1
    clip_end: float = 1000.0

    @cached_property
    def intrinsics(self) -> Float64:
        """K, Float[3,3]: pixels a unit of X/z, for an orthographic camera pixels a metre.

        `fitted` is how many pixel widths the fitted side of the picture has; shift counts in parts of it.
        """
        tallness = self.pixel_aspect_y / self.pixel_aspect_x  # of a pixel, in pixel widths
        fit = self.sensor_fit
        if fit == "AUTO":
            fit = "HORIZONTAL" if self.width >= tallness * self.height else "VERTICAL"
        fitted = self.width if fit == "HORIZONTAL" else tallness * self.height
        if self.orthographic:
            scale = fitted / self.ortho_scale
        else:
            # Fitted automatically it is the width of the sensor that counts, along whichever side.
            sensor = self.sensor_height if self.sensor_fit == "VERTICAL" else self.sensor_width
            scale = fitted * self.lens / sensor
        u = self.width / 2.0 - self.shift_x * fitted
        v = self.height / 2.0 + self.shift_y * fitted / tallness
        return np.array([[scale, 0.0, u], [0.0, scale / tallness, v], [0.0, 0.0, 1.0]])

    @cached_property
    def extrinsics(self) -> Float64:
        """T, Float[4,4]: from the world to camera space."""
        matrix = np.array(self.matrix_world, dtype=np.float64)
        matrix[:3, :3] /= np.linalg.norm(matrix[:3, :3], axis=0)
        return _TURN @ np.linalg.inv(matrix)

    def to_camera(self, points: Float64) -> Float64:
        """Points of the world Float[N,3] in camera space."""
        return points @ self.extrinsics[:3, :3].T + self.extrinsics[:3, 3]

    def project(self, seen: Float64) -> Float64:
        """Pixel coordinates (u, v), Float[N,2], of points in camera space Float[N,3]; in perspective with z > 0."""
        K = self.intrinsics
        across = seen[:, :2] if self.orthographic else seen[:, :2] / seen[:, 2:]
        return across * (K[0, 0], K[1, 1]) + K[:2, 2]
