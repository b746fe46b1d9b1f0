"""The kinds of joints and the places of axes that the network chooses from, and how far it may depart from them."""

from __future__ import annotations

import numpy as np

__all__ = ["KINDS", "PLACES", "REST_OF_DIRECTION", "REST_OF_PLACE"]

# Twists of the kinds of joints: turning about x, -x, y, -y, z, -z, then sliding along these.
KINDS = np.stack([np.eye(6), -np.eye(6)], axis=1).reshape(12, 6)
PLACES = np.array([-1.0, 0.0, 1.0])  # of axes in a box, lower side, middle and upper side
REST_OF_PLACE = 0.3  # what is added to a place, in halves of the box
REST_OF_DIRECTION = 0.3  # of axes that are not along the frame's
