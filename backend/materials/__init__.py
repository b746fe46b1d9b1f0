"""Materials: what things are made of, in SI units, and the words by which names of things tell it."""
