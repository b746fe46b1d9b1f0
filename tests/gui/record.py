"""What a run has shown: each check as it happens, each figure measured, and the verdict."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from window import BlenderWindow, WindowLost

__all__ = ["CheckFailed", "Record"]


class CheckFailed(Exception):
    """Something is not as it should be; the text is the check that failed."""


class Record:
    """Prints as it goes. A failed check ends its chapter, and the next chapter starts on a fresh file."""

    def __init__(self, pictures: Path) -> None:
        self.pictures = pictures
        self.started = time.monotonic()
        self.checks = 0
        self.failures: list[str] = []
        self.figures: dict[str, float] = {}

    def check(self, holds: object, what: str) -> None:
        """One fact that must hold."""
        if not holds:
            raise CheckFailed(f"not so: {what}")
        self.checks += 1
        print(f"  ok      {what}", flush=True)

    def figure(self, name: str, value: float, unit: str) -> None:
        """A measured figure, for the eye and for build/gui/figures.json."""
        self.figures[f"{name} [{unit}]"] = round(value, 3)
        print(f"  figure  {name}: {value:.3g} {unit}", flush=True)

    @contextmanager
    def chapter(self, title: str, window: BlenderWindow) -> Iterator[None]:
        """A part of the run; whatever goes wrong in it is reported with a screenshot, and the run goes on."""
        print(title, flush=True)
        try:
            yield
        except WindowLost:
            raise
        except Exception as error:
            picture = f"failure-{title.replace(' ', '-')}"
            self.failures.append(f"{title}: {error}")
            print(f"  FAILED  {error} (see {picture}.png)", flush=True)
            if window.blender is not None:
                window.screenshot(picture)

    def verdict(self) -> int:
        """The last line and the exit code."""
        figures = json.dumps(self.figures, indent=2)
        (self.pictures / "figures.json").write_text(figures + "\n")
        seconds = time.monotonic() - self.started
        if self.failures:
            parts = "chapter" if len(self.failures) == 1 else "chapters"
            print(f"FAILED: {len(self.failures)} {parts} in {seconds:.0f} s; screenshots in {self.pictures}")
            return 1
        print(f"PASSED: {self.checks} checks in {seconds:.0f} s; screenshots in {self.pictures}")
        return 0
