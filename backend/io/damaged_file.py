"""The reason why a file cannot be understood."""

__all__ = ["DamagedFileError"]


class DamagedFileError(Exception):
    """The message continues the sentence "The file is not a complete .obj file: ..."."""
