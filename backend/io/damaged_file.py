"""The error of readers whose bytes are not a file of their format."""

__all__ = ["DamagedFileError"]


class DamagedFileError(Exception):
    """The message continues the sentence "The file is not a complete .obj file: ..."."""
