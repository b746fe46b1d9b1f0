"""Training of the network of materials."""
