"""Training of the networks; needs torch."""
