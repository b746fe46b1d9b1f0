"""What `build.py` does its commands by. Standard library only, so that a bare Python can start it."""
