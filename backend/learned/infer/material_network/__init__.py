"""The network of materials: what a piece of an object is made of, by its names, its look and its shape."""
