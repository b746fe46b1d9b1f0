"""`python -m backend`: the main jobs without Blender. Problems are one sentence with a remedy and exit code 2."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

from .errors import UserError

__all__ = ["main"]

# The solver's matrices are small: a second BLAS thread only makes them wait for each other (ten times slower on a busy
# machine), and one thread adds up in one order, so the same command gives the same bytes. Read when NumPy is imported.
for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m backend", description="Make any mesh move.")
    commands = parser.add_subparsers(dest="command", required=True)

    simulate = commands.add_parser("simulate", help="simulate a mesh or a scene and write the moving result")
    simulate.add_argument(
        "source",
        type=Path,
        metavar="MESH",
        help=".obj .ply .stl .glb .npz, a robot (.urdf), or a scene of several objects (.json)",
    )
    simulate.add_argument(
        "--conditions", type=Path, metavar="C.json", help="what acts on the object (JSON); a scene has its own"
    )
    simulate.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help=".npz .pc2 .glb .usdc")

    analyze = commands.add_parser("analyze", help="say what was found in a mesh")
    analyze.add_argument("mesh", type=Path, metavar="MESH", help=".obj .ply .stl .glb .npz .urdf")
    analyze.add_argument("--provider", default="auto", choices=["auto", "rigid", "elastic", "learned", "articulated"])
    analyze.add_argument("--json", action="store_true", help="print JSON instead of a table")

    convert = commands.add_parser("convert", help="write a jointed object as a robot for other programs")
    convert.add_argument("source", type=Path, metavar="SOURCE", help="a robot (.urdf), joints (.json) or a mesh")
    convert.add_argument("--joints", type=Path, metavar="FILE", help="the joints of a mesh (.urdf or .json)")
    convert.add_argument("--density", type=float, metavar="KG/M3", help="of parts without a mass (default: 1000)")
    convert.add_argument("--base", choices=["fixed", "free"], default="fixed", help="whether the root is bolted down")
    convert.add_argument("--name", help="of the robot (default: that of the file)")
    convert.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help=".urdf .xml .usda .usdc")

    bench = commands.add_parser("bench", help="measure the speed of this machine")
    bench.add_argument(
        "--peers",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="time Blender's Soft Body and Cloth and Newton's VBD in the same run, where they are installed",
    )
    bench.add_argument("--quick", action="store_true", help="fewer sizes, and the default number of handles alone")
    bench.add_argument(
        "--batch", action="store_true", help="measure takes a minute of 1 and 2 workers, and nothing else"
    )
    bench.add_argument(
        "--pointmap", action="store_true", help="measure pointmaps of an arm with seven joints, and nothing else"
    )
    bench.add_argument("--json", action="store_true", help="print JSON instead of a table")

    from .batch.options import add_batch
    from .evaluate.evaluate_options import add_evaluate
    from .learned.train.train_options import add_train
    from .pointmap.options import add_pointmap

    add_batch(commands)
    add_pointmap(commands)
    add_evaluate(commands)
    add_train(commands)

    from .data.options import add_data

    add_data(commands)
    export = commands.add_parser("export", help="make the graphs that ONNX Runtime computes the network by")
    export.add_argument("what", nargs="?", default="state-space", choices=["state-space", "joints"])
    export.add_argument("--weights", type=Path, metavar="FILE", help="of which network (default: that of the add-on)")
    export.add_argument("-o", "--output", type=Path, metavar="FILE", help="(default: beside the weights)")
    check = commands.add_parser("check", help="compute the network by PyTorch and hold the numbers against exact ones")
    check.add_argument("--device", default="cpu", choices=["cpu", "cuda", "mps"], help="where (default: cpu)")
    check.add_argument("--json", action="store_true", help="print JSON instead of a sentence")
    fit = commands.add_parser("fit-joints", help="fit the scores by which joints of a static mesh are chosen")
    fit.add_argument("--count", type=int, default=1500, metavar="N", help="how many procedural objects to draw")
    fit.add_argument("--data", type=Path, nargs="*", default=[], metavar="DIR", help="folders with real objects too")
    fit.add_argument("-o", "--output", type=Path, metavar="DIR", help="(default: where the shipped ones are)")
    commands.add_parser("worker", help="serve the add-on on standard input and output")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    if options.command == "worker":
        from .worker.server import main as serve

        return serve()
    try:
        if options.command == "simulate":
            from .cli.commands import simulate

            print(simulate(options.source, options.conditions, options.output))
        elif options.command == "analyze":
            from .cli.commands import analyze

            print(analyze(options.mesh, options.provider, options.json))
        elif options.command == "check":
            from .learned.infer.device_check import check_device

            found = check_device(options.device)
            print(json.dumps(asdict(found)) if options.json else found)
        elif options.command == "convert":
            from .cli.convert import convert

            fixed = options.base == "fixed"
            print(convert(options.source, options.joints, options.output, options.density, options.name, fixed))
        elif options.command == "export":
            if options.what == "joints":
                from .learned.train.joint_network.joint_graph_export import export_joint_graph as export_graphs
            else:
                from .learned.train.graph_export import export_graphs

            print(export_graphs(options.weights, options.output))
        elif options.command == "fit-joints":
            from .learned.train.joint_scores import fit_joint_scores

            print(fit_joint_scores(options.output, options.count, options.data))
        elif options.command == "batch":
            from .batch.command import batch

            print(batch(options.jobs, options.workers, options.scheduler))
        elif options.command == "pointmap":
            from .pointmap.command import pointmap
            from .pointmap.make import Wanted

            size = None if options.size is None else (options.size[0], options.size[1])
            wanted = Wanted(options.output, options.exr, options.frames)
            print(pointmap(options.take, options.camera, size, wanted, options.json))
        elif options.command == "train":
            from .learned.train.train_command import train_model

            print(train_model(options))
        elif options.command == "evaluate":
            from .evaluate.evaluate_command import evaluate

            print(evaluate(options))
        elif options.command == "data":
            if options.what == "samples":
                from .data.samples import make_samples

                paths = make_samples(options.out, options.count, options.seed)
            else:
                from .data.simulated import make_pool

                paths = make_pool(options.out, options.count, options.data, options.seed)
            print(f"{options.out}: {len(paths)} {'objects' if options.what == 'samples' else 'takes'}.")
        elif options.batch:
            from .bench.batches import batch_table, run_batches

            measured = run_batches(options.quick)
            print(json.dumps(measured) if options.json else batch_table(measured))
        elif options.pointmap:
            from .bench.pointmaps import pointmap_table, run_pointmaps

            measured = run_pointmaps(options.quick)
            print(json.dumps(measured) if options.json else pointmap_table(measured))
        else:
            from .bench.frames import run, table

            result = run(options.peers, options.quick)
            print(json.dumps(result) if options.json else table(result))
    except UserError as problem:
        print(f"{problem.message} {problem.remedy}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.startswith("backend"):
            raise
        print(
            f"This Python does not have the package {missing.name}. "
            "Run 'python build.py setup' and use the Python of .venv.",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        kept = "what is finished is kept, and the same command goes on" if options.command == "batch" else None
        print(f"Stopped; {kept or 'nothing was written'}.", file=sys.stderr)
        return 130
    except MemoryError:
        print("There is not enough memory for this job. Use fewer frames or a lighter mesh.", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
