"""The commands of this repository: setup, demo, samples, test, gui-test, browser-test, compare and zip.

Everything made lands in `.venv` and `build`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence

from build_tools.common import BUILD, ROOT, BuildError, read_toml, say
from build_tools.compiled import compiled_directory
from build_tools.environment import (
    BLENDER_GROUPS,
    PYTHON_VERSION,
    in_venv,
    setup,
    setup_apart,
    venv_python,
)
from build_tools.extension_zip import PYTHONS_OF_BLENDER, build_zips, targets, this_platform
from build_tools.stage import stage_tree

__all__ = ["main"]

COMPARE = BUILD / "compare"
BLENDER_TESTS = ("tests/blender", "tests/job")  # what loads Blender
DEBIAN_PYTHONS = ("3.13", "3.14")  # of the Blenders whose windows are driven
# The tests of one file share a process, since fixtures of modules start backends and build zips. Files go by name: else
# those with few tests, which are long ones, come last, and one process waits for the other.
TWO_PROCESSES = ("-n", "2", "--dist", "loadfile", "--no-loadscope-reorder")


def _keeping_compiled() -> dict[str, str]:
    """Variables by which a second run need not compile again."""
    return {"NUMBA_CACHE_DIR": str(compiled_directory())}


def command_setup(_extra: list[str]) -> int:
    setup()
    say(".venv is complete")
    return 0


def command_demo(extra: list[str]) -> int:
    setup()
    stage_tree()
    return in_venv([ROOT / "tests/demo/run_demo.py", *extra], variables=_keeping_compiled())


def command_samples(extra: list[str]) -> int:
    setup()
    stage_tree()
    return in_venv([ROOT / "tests/demo/write_samples.py", *extra], variables=_keeping_compiled())


def command_test(extra: list[str]) -> int:
    began = time.time()
    setup()
    stage_tree()
    # Read by tests/conftest.py, so that pytest's closing line stays the last one.
    return in_venv(["-m", "pytest", *TWO_PROCESSES, *extra], variables={"NEUROK_TEST_BEGAN": str(began)})


def command_gui_test(extra: list[str]) -> int:
    setup()
    stage_tree()
    command_zip([word for version in DEBIAN_PYTHONS for word in ("--python", version)])
    return in_venv([ROOT / "tests/gui/run.py", *extra])


def command_browser_test(extra: list[str]) -> int:
    setup()
    stage_tree()
    return in_venv([ROOT / "tests/browser/run.py", *extra])


def command_test_all_blenders(extra: list[str]) -> int:
    """The tests of Blender's half in every Blender of the matrix; code 0 where all of them ran and passed."""
    setup()
    stage_tree()
    if not any((ROOT / word.partition("::")[0]).exists() for word in extra):
        extra = [*BLENDER_TESTS, *extra]
    outcomes = {}
    for version, group in BLENDER_GROUPS.items():
        venv = BUILD / group
        try:
            setup_apart(venv, group, 400)
        except BuildError as error:
            outcomes[version] = f"not tested: {error}"
            continue
        say(f"testing in Blender {version}")
        # Their own Python lacks PyTorch; the backend's processes run where all its packages are.
        code = in_venv(["-m", "pytest", *extra], venv, {"NEUROK_BACKEND_PYTHON": str(venv_python())})
        outcomes[version] = "passed" if code == 0 else f"failed (exit code {code})"
    for version, outcome in outcomes.items():
        say(f"Blender {version}: {outcome}")
    return int(any(outcome != "passed" for outcome in outcomes.values()))


def command_compare(extra: list[str]) -> int:
    setup()
    setup_apart(COMPARE, "compare", 250)
    return in_venv(["-m", "tests.compare.run_compare", venv_python(COMPARE), *extra])


def command_zip(extra: list[str]) -> int:
    options = zip_options().parse_args(extra)
    setup()
    platforms = tuple(read_toml("pyproject.toml")["tool"]["neurok"]["wheels"])
    wanted = targets(platforms if options.split_platforms else (this_platform(),), options.python or ())
    for _archive in build_zips(wanted):
        pass
    return 0


def zip_options() -> argparse.ArgumentParser:
    default = " and ".join(PYTHONS_OF_BLENDER)
    parser = argparse.ArgumentParser(
        prog="build.py zip",
        description=f"Build and validate the extension's zips in build, one for each Python of Blender ({default}).",
    )
    parser.add_argument("--split-platforms", action="store_true", help="for every platform, not for this one alone")
    parser.add_argument(
        "--python",
        action="append",
        metavar="VERSION",
        help="for a Linux distribution's Blender in this Python instead; may be given again",
    )
    return parser


COMMANDS: dict[str, tuple[Callable[[list[str]], int], str]] = {
    "setup": (command_setup, "make .venv with the pinned packages"),
    "demo": (command_demo, "simulate, bake and render the sample scenes into build/demo"),
    "samples": (command_samples, "write the sample scenes as .blend files into build/samples"),
    "test": (
        command_test,
        "run every test that needs no display, the linter among them (more words go to pytest)",
    ),
    "gui-test": (command_gui_test, "drive a real Blender window on a virtual screen"),
    "browser-test": (command_browser_test, "play the .glb files that are written in three.js, in headless Chromium"),
    "compare": (command_compare, "simulate the same scenes in other solvers and write docs/comparison.md"),
    "zip": (command_zip, "build and validate the extension's zips in build, for this platform"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="build.py", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (_function, text) in COMMANDS.items():
        commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", add_help=name != "zip")
    commands.choices["test"].add_argument(
        "--all-blenders",
        action="store_true",
        help=f"run those of Blender's half only, in Blender {', '.join(BLENDER_GROUPS)} one after the other",
    )
    commands.choices["test"].add_argument("--long", action="store_true", help="run the long sweeps too, for hours")
    chosen, extra = parser.parse_known_args(arguments)
    if getattr(chosen, "long", False):
        extra = ["--long", *extra]
    if extra and chosen.command == "setup":
        parser.error(f"{chosen.command} takes no further words: {' '.join(extra)}")
    if sys.version_info < PYTHON_VERSION:
        print("build.py: Run this with Python 3.11 or newer.", file=sys.stderr)
        return 1
    function = COMMANDS[chosen.command][0]
    if getattr(chosen, "all_blenders", False):
        function = command_test_all_blenders
    try:
        return function(extra)
    except BuildError as error:
        print(f"build.py {chosen.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"build.py {chosen.command}: stopped.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
