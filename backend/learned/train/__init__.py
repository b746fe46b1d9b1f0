"""The learned kinematic state space: network, training and the encoding of a mesh. The one part that needs torch."""
