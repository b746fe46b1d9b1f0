"""Classes of joint kinds and axis places that the network chooses from, and the scales of its offsets."""

from __future__ import annotations

import numpy as np

__all__ = ["DIRECTION_OFFSET", "KINDS", "PLACES", "PLACE_OFFSET"]

# Twists of the kinds of joints: turning about x, -x, y, -y, z, -z, then sliding along these.
KINDS = np.stack([np.eye(6), -np.eye(6)], axis=1).reshape(12, 6)
PLACES = np.array([-1.0, 0.0, 1.0])  # of axes in a box, lower side, middle and upper side
PLACE_OFFSET = 0.3  # what is added to a place, in halves of the box
DIRECTION_OFFSET = 0.3  # of axes that are not along the frame's
