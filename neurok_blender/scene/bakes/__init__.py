"""Keeping a take on the timeline: as shape keys, as fewer shape keys, as bones, or as a file."""
