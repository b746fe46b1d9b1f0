"""Training data of the learned provider: objects that move, made on the fly and seeded."""
