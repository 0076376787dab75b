"""Train the network of the learned volume, and what belongs to it: its truth, its figures, its file."""

import argparse
import os
import signal
import sys
from pathlib import Path

from p2mpp.commands import run_volume
from p2mpp.commands.train import amount, exit_code_of, positive, share
from p2mpp.network.command_line import Parser, natural
from p2mpp.network.layout import STORED_TYPES

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

GROUPS = ("people", "other", "procedural")

EXAMPLES = """\
examples, with shards of p2mpp-shards:
  p2mpp-volume truth --shards SHARDS/train --libraries LIBRARIES
  p2mpp-volume truth --shards SHARDS/validate --libraries LIBRARIES
  p2mpp-volume meshes --shards SHARDS/train --model models/p2mpp-shapes
  p2mpp-volume train --shards SHARDS/train --validate SHARDS/validate --model models/p2mpp-shapes --out RUN
  p2mpp-volume train ... --resume          the same command continues an interrupted run
  p2mpp-volume measure --validate SHARDS/validate --model models/p2mpp-shapes --run RUN
  p2mpp-volume export --run RUN --model models/mine

RUN holds stage3.ckpt (to resume, to measure and to export), log.csv and plot.png. truth and meshes leave finished shards as they
are, so that the same command continues them.

exit codes: 0 done, 1 failed, 2 usage, 3 bad input, 5 stopped and saved (a signal, --stop-after)
"""


def make_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="p2mpp-volume", description=__doc__, epilog=EXAMPLES,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    truth = kinds.add_parser("truth", help="make the true distances of shards")
    truth.add_argument("--shards", type=Path, required=True, metavar="DIR")
    truth.add_argument("--libraries", type=Path, metavar="DIR", help="of p2mpp-shards unpack, for objects of people")
    truth.add_argument("--seed", type=natural, default=1, help="of p2mpp-shards people (default 1)")
    meshes = kinds.add_parser("meshes", help="make stage 2's meshes of drawn samples, which the network corrects")
    meshes.add_argument("--shards", type=Path, required=True, metavar="DIR")
    meshes.add_argument("--model", type=Path, required=True, metavar="DIR", help="that computes them")
    meshes.add_argument("--draws", type=positive, default=2, metavar="N", help="samples of each record (default 2)")
    meshes.add_argument("--exact", type=share, default=0.0, metavar="SHARE",
                        help="of samples without errors of poses, masks and frame (default 0)")
    meshes.add_argument("--seed", type=natural, default=1, help="(default 1)")
    add_train(kinds.add_parser("train", help="train the network"))
    measure = kinds.add_parser("measure", help="measure the network, stage 2's mesh and the masks' hull on held-out shards")
    measure.add_argument("--validate", type=Path, required=True, metavar="DIR")
    measure.add_argument("--model", type=Path, required=True, metavar="DIR", help="whose stage 2 makes the meshes")
    measure.add_argument("--run", type=Path, metavar="DIR", help="a run (default: the model's network, if it has one)")
    measure.add_argument("--objects", type=natural, default=0, metavar="N", help="of each group; 0: all (default)")
    measure.add_argument("--groups", nargs="+", choices=GROUPS, default=GROUPS, help="(default all)")
    measure.add_argument("--voxels", type=positive, default=20000, metavar="N", help="coarse voxels (default 20000)")
    measure.add_argument("--threads", type=positive, help="(default: PyTorch's)")
    export = kinds.add_parser("export", help="write volume.pt into a model folder")
    export.add_argument("--run", type=Path, required=True, metavar="DIR")
    export.add_argument("--model", type=Path, required=True, metavar="DIR", help="a folder of p2mpp-export")
    export.add_argument("--store", choices=STORED_TYPES, default="fp16", help="type of the weights (default fp16)")
    return parser


def add_train(train) -> None:
    add = train.add_argument
    add("--shards", type=Path, required=True, metavar="DIR")
    add("--validate", type=Path, required=True, metavar="DIR", help="shards that are only measured")
    add("--model", type=Path, required=True, metavar="DIR", help="whose stage 2 makes the meshes of --validate")
    add("--out", type=Path, required=True, metavar="DIR", help="folder of the run")
    add("--resume", action="store_true", help="continue the folder's run")
    add("--start", type=Path, metavar="MODEL", help="begin with the weights of a model's volume.pt (default: drawn weights)")
    add("--samples", type=positive, default=40000, metavar="N", help="(default 40000)")
    add("--batch", type=positive, default=4, help="samples a step (default 4)")
    add("--points", type=positive, default=6144, metavar="N", help="fine points of a sample (default 6144)")
    add("--voxels", type=positive, default=20000, metavar="N", help="of the largest coarse grids (default 20000)")
    add("--people-share", type=share, default=0.42, metavar="SHARE", help="of objects that people made (default 0.42)")
    add("--learning-rate", type=amount, default=1e-3, help="(default 1e-3)")
    add("--decay-from", type=share, default=0.7, metavar="SHARE",
        help="share of the run from which the learning rate falls (default 0.7)")
    add("--seed", type=natural, default=1, help="(default 1)")
    add("--device", choices=("auto", "cpu", "cuda"), default="auto", help="(default auto)")
    add("--threads", type=positive, help="of the CPU (default: PyTorch's)")
    add("--eval-every", type=positive, default=500, metavar="STEPS", help="(default 500)")
    add("--eval-samples", type=natural, default=16, metavar="N",
        help="held-out samples of a group measured on the way; 0: all (default 16)")
    add("--save-minutes", type=amount, default=5.0, help="between checkpoints (default 5)")
    add("--stop-after", type=natural, default=0, metavar="STEPS", help="stop after so many steps, to be resumed")


def work(options) -> None:
    """Throws InputError and Stopped."""
    if options.kind == "truth":
        from p2mpp.volume.distance_files import make_distances

        make_distances(options.shards, options.libraries, options.seed)
        return
    if options.kind == "meshes":
        from p2mpp.volume.template_files import make_meshes

        make_meshes(options.shards, options.model, options.draws, options.exact, options.seed)
        return
    import torch

    from p2mpp.volume import run

    if options.kind == "train":
        training = run.Run(options)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, training.request_stop)
        training.go()
    elif options.kind == "measure":
        if options.threads:
            torch.set_num_threads(options.threads)
        print("\n".join(run.measure(options)))
    else:
        digest = run.export(options.run, options.model, options.store)
        print(f"{options.model / run.FILE}: sha256 {digest}")


def main(arguments=None) -> int:
    options = make_parser().parse_args(arguments)
    return exit_code_of("p2mpp-volume", lambda: work(options))


if __name__ == "__main__":
    sys.exit(run_volume())
