"""Training of the joint network."""
