"""One Blender with a real window on a virtual screen: look at it, click in it, and ask it questions."""

import json
import os
import shutil
import subprocess
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import processes
from machine import Machine

__all__ = ["BlenderWindow", "SnippetFailed", "WaitedTooLong", "WindowLost"]

Answer = TypeVar("Answer")
Pixel = tuple[int, int]

WIDTH, HEIGHT = 1600, 1000
POLL_SECONDS = 0.01


class WindowLost(Exception):
    """Blender or the screen ended although nobody asked."""


class SnippetFailed(Exception):
    """A snippet raised inside Blender; the text is its traceback."""


class WaitedTooLong(Exception):
    """What was waited for did not happen in time."""


class BlenderWindow:
    """A context manager. Pixels are counted from the top left of the screen, which the window fills."""

    def __init__(self, machine: Machine, pictures: Path) -> None:
        self.machine = machine
        self.pictures = pictures
        self.environment = session_environment(machine)
        self.screen: subprocess.Popen | None = None
        self.blender: subprocess.Popen | None = None
        self.requests = 0

    # Beginning and end

    def __enter__(self) -> "BlenderWindow":
        try:
            self._start_screen()
            self._start_blender()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End Blender, whatever it has started, and the screen."""
        below = list(processes.descendants(self.blender.pid)) if self.blender else []
        for process in (self.blender, self.screen):
            if process is not None:
                processes.end(process)
        for process in processes.wait_gone(below, 2.0):
            os.kill(process, 9)

    def quit(self) -> int:
        """Close Blender as its menu does; returns its exit code. Nothing can be asked afterwards."""
        blender, self.blender = self.blender, None
        mailbox = self.machine.folder / "mailbox"
        # Blender is gone before it could answer.
        (mailbox / "request-999999.py").write_text("bpy.ops.wm.quit_blender()")
        try:
            return blender.wait(20)
        except subprocess.TimeoutExpired:
            processes.end(blender)
            raise WaitedTooLong("waited 20 s for Blender to quit") from None

    def _start_screen(self) -> None:
        # With -displayfd the server itself takes the first free number and writes it there.
        reading, writing = os.pipe()
        words = ["Xvfb", "-displayfd", str(writing), "-nolisten", "tcp"]
        words += ["-screen", "0", f"{WIDTH}x{HEIGHT}x24"]
        command = self.machine.command(*words, environment=self.environment)
        self.screen = processes.start(command, self.pictures / "screen.log", pass_fds=(writing,))
        os.close(writing)
        with os.fdopen(reading) as numbers:
            number = numbers.readline().strip()
        if not number:
            raise WindowLost(f"The virtual screen did not start: read {self.pictures / 'screen.log'}.")
        self.environment["DISPLAY"] = f":{number}"

    def _start_blender(self) -> None:
        remote = self.machine.folder / "remote.py"
        shutil.copy(Path(__file__).with_name("remote.py"), remote)
        mailbox = self.machine.folder / "mailbox"
        words = ["blender", "--window-geometry", "0", "0", str(WIDTH), str(HEIGHT)]
        words += ["--python-exit-code", "3", "--python", self.machine.inside(remote)]
        environment = {**self.environment, "NEUROK_GUI_MAILBOX": self.machine.inside(mailbox)}
        command = self.machine.command(*words, environment=environment)
        self.blender = processes.start(command, self.pictures / "blender.log")
        self.wait_until("Blender's window to open", (mailbox / "listening").exists, 60)
        self.ask("answer = True", seconds=30)

    # Questions

    def ask(self, snippet: str, seconds: float = 20.0) -> Any:
        """Run Python inside Blender, with the names of remote.py in scope; returns its `answer`."""
        self.requests += 1
        mailbox = self.machine.folder / "mailbox"
        request = mailbox / f"request-{self.requests:06d}.py"
        answer = mailbox / f"answer-{self.requests:06d}.json"
        unfinished = request.with_suffix(".unfinished")
        unfinished.write_text(textwrap.dedent(snippet))
        unfinished.rename(request)
        self.wait_until("Blender to answer", answer.exists, seconds)
        reply = json.loads(answer.read_text())
        answer.unlink()
        if reply["error"]:
            raise SnippetFailed(reply["error"])
        return reply["value"]

    def wait_until(self, what: str, happened: Callable[[], Answer], seconds: float) -> Answer:
        """Ask again and again until the answer is true; returns it."""
        deadline = time.monotonic() + seconds
        while True:
            answer = happened()
            if answer:
                return answer
            for process, name in ((self.blender, "Blender"), (self.screen, "The virtual screen")):
                if process is not None and process.poll() is not None:
                    raise WindowLost(f"{name} ended by itself (code {process.returncode}): read {self.pictures}/*.log.")
            if time.monotonic() > deadline:
                raise WaitedTooLong(f"waited {seconds:g} s for {what}")
            time.sleep(POLL_SECONDS)

    def wait_for(self, what: str, snippet: str, seconds: float) -> Any:
        """Wait until the snippet's `answer` is true inside Blender; returns it."""
        return self.wait_until(what, lambda: self.ask(snippet), seconds)

    # Hands and eyes

    def xdotool(self, *words: str | int | float) -> None:
        command = self.machine.command("xdotool", *map(str, words), environment=self.environment)
        subprocess.run(command, check=True, capture_output=True, timeout=60)

    def settle(self) -> None:
        """Wait until Blender has dealt with what the hands did, however slowly it draws just now.

        Its main loop fetches events, runs timers (and so the mailbox), then handles the events. An event that
        comes right after the fetching is handled in the next round, behind that round's timers.
        """
        for _ in range(3):
            self.ask("pass")

    def point_at(self, pixel: Pixel) -> None:
        """Come near first: Blender highlights what the mouse moves over, not what it appears on."""
        x, y = pixel
        self.xdotool("mousemove", x - 6, y - 4, "sleep", 0.1, "mousemove", x, y, "sleep", 0.3)
        self.settle()

    def click(self, pixel: Pixel) -> None:
        self.point_at(pixel)
        self.click_here()

    def click_here(self) -> None:
        self.xdotool("mousedown", 1, "sleep", 0.1, "mouseup", 1)
        self.settle()

    def press(self, pixel: Pixel) -> None:
        """Mouse button down, and keep it down until `release`."""
        self.point_at(pixel)
        self.xdotool("sleep", 0.3, "mousedown", 1)
        self.settle()

    def pull(self, start: Pixel, end: Pixel, moves: int = 8) -> None:
        """Move the mouse in a straight line, in steps as a hand makes them."""
        words: list[str | int | float] = []
        for step in range(1, moves + 1):
            part = step / moves
            place = (round(a + (b - a) * part) for a, b in zip(start, end, strict=True))
            words += ["mousemove", *place, "sleep", 0.08]
        self.xdotool(*words)
        self.settle()

    def release(self) -> None:
        self.xdotool("sleep", 0.2, "mouseup", 1)
        self.settle()

    def drag(self, start: Pixel, end: Pixel) -> None:
        self.press(start)
        self.pull(start, end)
        self.release()

    def key(self, name: str) -> None:
        """A key as xdotool names it ("ctrl+z", "Escape"); it goes to the region under the mouse."""
        self.xdotool("key", name)
        self.settle()

    def screenshot(self, name: str) -> Path:
        """What the screen shows, as pictures/NAME.png."""
        shot = self.machine.folder / "session" / "screenshot.png"
        command = self.machine.command(
            "import", "-window", "root", self.machine.inside(shot), environment=self.environment
        )
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        return Path(shutil.move(shot, self.pictures / f"{name}.png"))

    # The processes of the add-on

    def workers(self) -> list[int]:
        """Ids of the backend workers that this Blender has running."""
        below = processes.descendants(self.blender.pid) if self.blender else {}
        return [process for process, line in below.items() if "-m backend worker" in line]


def session_environment(machine: Machine) -> dict[str, str]:
    """Variables of a session in which nothing lasts longer than this run, drawn in software."""
    return {
        "HOME": machine.inside(machine.folder / "home"),
        "TMPDIR": machine.inside(machine.folder / "session"),
        "XDG_RUNTIME_DIR": machine.inside(machine.folder / "session"),
        "LIBGL_ALWAYS_SOFTWARE": "1",
        "GALLIUM_DRIVER": "llvmpipe",
        "LANG": "C.UTF-8",
    }
