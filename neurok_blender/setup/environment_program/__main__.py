"""Makes, checks and removes the environment of the GPU backend. Runs as a program of its own, by Blender's Python:

    python environment_program PLAN

PLAN is the JSON text of a `Plan`. stdout has one JSON line for each step, {"stage", "done", "total", "package"}, the
last of which is {"chosen": {..}} or {"trouble", "reason"}; everything else goes to stderr, which is a log.

Packages are installed into a folder that ends in `.part` and is renamed when it has computed what it should. Then the
file RECORD, replaced in one go, says what is in use: until then nothing has changed for anybody. Whoever started this
says with a line on stdin that nothing runs from the folder before any more, which is removed then.

When stdin ends, whoever started this is gone or has changed their mind. Then what this has started ends, and what is
half made is removed. The processes that this starts end likewise when it is gone itself.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    # Python takes this folder for the place of modules; the package is found in the folder around it.
    sys.path[0] = str(Path(__file__).parent.parent)
    from environment_program.installation import main

    sys.exit(main(sys.argv[1:]))
