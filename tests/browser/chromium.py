"""Plays files in headless Chromium: a server on this machine's own address gives the page out and takes its answers."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from three_js import NoBrowser

__all__ = ["Job", "Played", "play_all"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PAGE = Path(__file__).resolve().parent / "page"
PATIENCE_SECONDS = 120.0  # for one file
ENDING_SECONDS = 10.0
OPTIONS = (
    "--headless=new",
    "--no-sandbox",  # as root it does not start with one; it opens nothing but our own page
    "--no-first-run",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)


@dataclass(frozen=True)
class Job:
    """A file and the moments (s) of its animation that are asked for; the last one is the picture's."""

    name: str
    url: str
    times: tuple[float, ...]


@dataclass(frozen=True)
class Played:
    """`meshes`: what three.js says of each; `frames`: for each moment and mesh 3V numbers, Y up; a PNG."""

    meshes: list[dict[str, Any]]
    frames: list[list[list[float]]]
    picture: bytes


class _Handler(SimpleHTTPRequestHandler):
    """/page, /three and /files are folders; /jobs.json is what to do; what is posted goes into a queue."""

    def __init__(self, *arguments: Any, folders: dict[str, Path], jobs: bytes, answers: queue.Queue, **more: Any):
        self._folders, self._jobs, self._answers = folders, jobs, answers
        super().__init__(*arguments, **more)

    def translate_path(self, path: str) -> str:
        first, _, rest = path.partition("?")[0].lstrip("/").partition("/")
        folder = self._folders.get(first)
        wanted = None if folder is None else (folder / rest).resolve()
        return str(wanted) if wanted is not None and wanted.is_relative_to(folder) else os.devnull + "/nothing"

    def do_GET(self) -> None:
        if self.path != "/jobs.json":
            super().do_GET()
            return
        self._reply(self._jobs)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._answers.put((self.path, body))
        self._reply(b"")

    def _reply(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: Any) -> None:
        """The terminal is for what is tested."""


def play_all(jobs: Sequence[Job], files: Path, three: Path) -> dict[str, Played]:
    """What three.js makes of each file in `files`. Raises NoBrowser; leaves no process behind."""
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        raise NoBrowser("There is no Chromium here: install it, on Debian as `apt install chromium`.")
    answers: queue.Queue[tuple[str, bytes]] = queue.Queue()
    folders = {"page": PAGE, "three": three.resolve(), "files": files.resolve()}
    told = json.dumps([asdict(job) for job in jobs]).encode()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, folders=folders, jobs=told, answers=answers))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        address = f"http://127.0.0.1:{server.server_port}/page/index.html"
        command = [program, *OPTIONS, f"--user-data-dir={profile}", address]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        browser = subprocess.Popen(command, start_new_session=True, **quiet)
        try:
            return _collect(answers, browser)
        finally:
            _end(browser)
            server.shutdown()
            server.server_close()


def _end(browser: subprocess.Popen) -> None:
    """Ends it with its helpers: those that are told to go by it, and those of its session that do not."""
    browser.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        browser.wait(ENDING_SECONDS)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(browser.pid, signal.SIGKILL)
    browser.wait()


def _collect(answers: queue.Queue[tuple[str, bytes]], browser: subprocess.Popen) -> dict[str, Played]:
    positions: dict[str, dict] = {}
    played = {}
    while True:
        try:
            path, body = answers.get(timeout=PATIENCE_SECONDS)
        except queue.Empty:
            code = browser.poll()
            state = "does not answer" if code is None else f"ended with code {code}"
            raise NoBrowser(f"Chromium {state}; start it by hand with {' '.join(OPTIONS)}.") from None
        kind, name = path.lstrip("/").partition("/")[::2]
        if kind == "end":
            if body:
                raise RuntimeError(f"The page ended with: {body.decode()}")
            return played
        if kind == "played":
            positions[name] = json.loads(body)
        else:
            picture = base64.b64decode(body.partition(b",")[2])
            played[name] = Played(**positions[name], picture=picture)
