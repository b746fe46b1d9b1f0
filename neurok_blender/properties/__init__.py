"""Properties that are stored in the .blend file."""
