"""Reads the output of pip: its progress, and why it failed."""

from __future__ import annotations

import errno
import importlib.util
import os
import re
import sysconfig
import time
from collections import deque
from pathlib import Path

from .plan import DOWNLOADING, INSTALLING, Trouble, tell

__all__ = ["PipReader", "last_line", "pip_variables"]

KEPT_LINES = 12  # of what pip prints last


class PipReader:
    """Parser of pip's output; it prints the progress as JSON lines."""

    def __init__(self) -> None:
        self.package = ""
        self._last: deque[str] = deque(maxlen=KEPT_LINES)
        self._errors: list[str] = []
        self._reported_at = 0.0

    def take(self, line: str) -> bool:
        """True where the line is progress, of which a log would be full."""
        if counted := re.fullmatch(r"Progress (\d+) of (\d+)", line.strip()):
            now = time.monotonic()
            if now - self._reported_at > 0.1 or counted[1] == counted[2]:
                self._reported_at = now
                tell(stage=DOWNLOADING, done=int(counted[1]), total=int(counted[2]), package=self.package)
            return True
        if loading := re.match(r"\s*(?:Downloading|Using cached|Processing) (\S+)", line):
            self.package = re.split(r"-\d", loading[1].replace("\\", "/").rpartition("/")[2], maxsplit=1)[0]
            tell(stage=DOWNLOADING, done=0, total=0, package=self.package)
        elif installing := re.match(r"Installing collected packages: (.+)", line):
            tell(stage=INSTALLING, done=0, total=0, package=str(len(installing[1].split(","))))
        if line.startswith("ERROR:"):
            self._errors.append(line.removeprefix("ERROR:").strip())
        elif line.strip():
            self._last.append(line.strip())
        return False

    def trouble(self) -> tuple[str, str]:
        """What went wrong, by the words that pip has for it."""
        printed = " ".join([*self._last, *self._errors])
        reason = self._errors[-1] if self._errors else (self._last[-1] if self._last else "")
        if os.strerror(errno.ENOSPC) in printed or "No space left" in printed:
            return "no_room", reason
        if os.strerror(errno.EACCES) in printed or "Permission denied" in printed:
            return "not_writable", reason
        if re.search(
            r"Retrying \(|Max retries|ConnectionError|ConnectTimeout|ReadTimeout|SSLError|ProxyError", printed
        ):
            return "no_network", reason
        if "No matching distribution" in printed or "Could not find a version" in printed:
            return "no_packages", reason
        return "pip", reason


def pip_variables() -> dict[str, str]:
    """Where this Python has no pip, the one that it carries for new environments is found by its path."""
    if importlib.util.find_spec("pip") is not None:
        return {}
    places = [Path(sysconfig.get_path("stdlib")) / "ensurepip" / "_bundled"]
    if (others := sysconfig.get_config_var("WHEEL_PKG_DIR")) is not None:
        places.append(Path(others))
    wheels = [wheel for place in places for wheel in sorted(place.glob("pip-*.whl"))]
    if not wheels:
        raise Trouble("no_pip")
    return {"PYTHONPATH": str(wheels[-1])}


def last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
