"""Named things: ordinary objects whose parts have names, materials, looks and a size in metres."""
