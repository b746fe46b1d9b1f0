"""Interactive use of one object: live stepping, posing and sliders."""
