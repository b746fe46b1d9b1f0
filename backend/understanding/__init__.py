"""Understanding: from a mesh to what it is, and how it can move."""
