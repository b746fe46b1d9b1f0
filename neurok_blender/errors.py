"""The error of the add-on: a sentence and its remedy, shown in the status bar and the panel."""

__all__ = ["Refusal"]


class Refusal(Exception):
    """Error with a remedy; `str()` gives both sentences."""

    def __init__(self, message: str, remedy: str):
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy
