"""How many functions a poke goes through; tests/house/walk.py says what is counted."""

from tests.house.walk import MOST_TO_FILE, MOST_TO_SHAPE_KEY, table, walk_to_file, walk_to_shape_key


def test_the_walk_from_gizmo_to_shape_key_is_short(scene):
    walk = walk_to_shape_key()
    assert len(walk) <= MOST_TO_SHAPE_KEY, table("From gizmo to shape key", walk)


def test_the_walk_from_file_to_file_is_short():
    walk = walk_to_file()
    assert len(walk) <= MOST_TO_FILE, table("From file to file", walk)
