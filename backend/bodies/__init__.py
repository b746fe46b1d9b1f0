"""Bodies: a mesh with its kinematics, material points and weights, for one anchor and one material."""
