"""Train the network on sample folders: stage 1, then stage 2 on top of it."""

import argparse
import signal
import sys
from pathlib import Path
from typing import Callable

from p2mpp.commands import run_train
from p2mpp.errors import InputError
from p2mpp.network.command_line import Parser, natural, print_error
from p2mpp.project_files import project_file

EXIT_FAILED, EXIT_BAD_INPUT, EXIT_STOPPED = 1, 3, 5
BUNDLED_TEMPLATE = project_file("models/p2mpp-shapes/template.obj")
SMALLEST_HIDDEN = 8
DECAY_FROM = 0.7
LEARNING_RATES = {1: 2e-4, 2: 4e-4}  # 4e-4 in stage 1 diverged after 9,000 steps of 4 samples

EXAMPLES = """\
examples:
  p2mpp-generate --out SHAPES --shapes 1000 --views 8 --list all.txt
  p2mpp-train --data SHAPES --list train.txt --held-out held_out.txt --out RUN \\
      --minutes 150 --stage2-minutes 40
  p2mpp-train ... --resume                 the same command continues an interrupted run
  p2mpp-export --out models/mine --state RUN/state.pt

RUN holds stage1.ckpt and stage2.ckpt (to resume), state.pt (to export), log.csv, plot.png and the
packed samples. On a CPU, a resumed run gives the same numbers as an uninterrupted one, if its length
is given in steps.

exit codes: 0 done, 1 failed, 2 usage, 3 bad input, 5 stopped and saved (a signal, --stop-after)
"""


def positive(text: str) -> int:
    if natural(text) == 0:
        raise argparse.ArgumentTypeError("0 is not a whole number from 1 on")
    return int(text)


def number(text: str) -> float:
    """-1 where the text is none: no option takes that."""
    try:
        return float(text)
    except ValueError:
        return -1.0


def amount(text: str) -> float:
    value = number(text)
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def share(text: str) -> float:
    value = number(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to below 1")
    return value


def make_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="p2mpp-train", description=__doc__, epilog=EXAMPLES, allow_abbrev=False,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    data = parser.add_argument_group("data")
    data.add_argument("--shards", type=Path, metavar="DIR", help="shards of p2mpp-shards; "
                      "the network gets the mask as a fourth channel")
    data.add_argument("--validate", type=Path, metavar="DIR",
                      help="with --shards: shards that are only measured")
    data.add_argument("--data", type=Path, metavar="DIR", help="samples as "
                      "p2mpp-generate writes them, or ShapeNet's with ground-truth .dat")
    data.add_argument("--truth-root", type=Path, metavar="DIR",
                      help="where the ground truth lies (default: --data)")
    data.add_argument("--list", type=Path, metavar="FILE",
                      help="ids to train on; those of --held-out are left out")
    data.add_argument("--held-out", type=Path, metavar="FILE",
                      help="ids that are only measured")
    data.add_argument("--views", type=positive, default=8, help="pictures kept (default 8)")
    data.add_argument("--points", type=positive, default=8000,
                      help="ground-truth points kept (default 8000)")
    data.add_argument("--pack", type=Path, metavar="DIR",
                      help="where packed samples lie (default OUT/packed)")
    data.add_argument("--pack-only", action="store_true", help="pack the samples and end")
    data.add_argument("--template", metavar="FILE", default=str(BUNDLED_TEMPLATE),
                      help="level-0 mesh (default: the bundled ellipsoid)")
    add_run_options(parser.add_argument_group("run"))
    return parser


def add_run_options(run) -> None:
    add = run.add_argument
    add("--out", required=True, type=Path, metavar="DIR", help="folder of the run")
    add("--resume", action="store_true", help="continue the folder's run")
    add("--stage", choices=("1", "2", "both"), default="both",
        help="2 takes stage 1 from the folder's run or else from --start (default both)")
    add("--start", type=Path, metavar="MODEL", help="begin with the weights of an exported model "
        "of the same sizes; the mask and its evidence are added to one that reads none (default: "
        "drawn weights)")
    add("--steps", type=positive, help="of stage 1 (default 30000 where --minutes is not given)")
    add("--samples", type=positive, metavar="N", help="of stage 1, instead of --steps")
    add("--stage2-samples", type=positive, metavar="N", help="instead of --stage2-steps")
    add("--minutes", type=amount, help="of stage 1, evaluations not counted")
    add("--stage2-steps", type=positive, help="(default half of --steps)")
    add("--stage2-minutes", type=amount, help="(default a quarter of --minutes)")
    add("--batch", type=positive, default=4, help="samples a step; stage 2 takes half (default 4)")
    add("--points-a-step", type=positive, default=3000, metavar="N",
        help="ground-truth points a sample and step (default 3000)")
    add("--learning-rate", type=amount, help="(default 2e-4 in stage 1, 4e-4 in stage 2)")
    add("--decay-from", type=share, default=DECAY_FROM, metavar="SHARE", help="share of a stage from "
        f"which the learning rate falls (default {DECAY_FROM})")
    add("--loss", metavar="NAME=NUMBER,...", help="other weights of loss terms, in both stages")
    add("--disturb", type=share, default=0.0, metavar="SHARE",
        help="share of stage 1's meshes that are disturbed before stage 2 (default 0)")
    add("--hidden", type=positive, default=192, metavar="N", help="hidden width (default 192)")
    add("--width", type=amount, default=1.0, metavar="FACTOR",
        help="factor on the CNN's channels (default 1)")
    add("--seed", type=natural, default=1, help="(default 1)")
    add("--device", choices=("auto", "cpu", "cuda"), default="auto", help="(default auto)")
    add("--precision", choices=("auto", "bf16", "fp32"), default="auto",
        help="of features and products; coordinates and weights are fp32 (default auto: bf16 where "
        "the device has instructions for it; with --resume, as before)")
    add("--threads", type=positive, help="of the CPU (default: PyTorch's)")
    add("--eval-every", type=positive, default=1000, metavar="STEPS", help="(default 1000)")
    add("--eval-samples", type=natural, default=64, metavar="N",
        help="held-out samples measured on the way; 0: all (default 64)")
    add("--save-minutes", type=amount, default=5.0, help="between checkpoints (default 5)")
    add("--stop-after", type=natural, default=0, metavar="STEPS",
        help="stop after so many steps of this run, to be resumed")


def parse(arguments=None) -> argparse.Namespace:
    parser = make_parser()
    options = parser.parse_args(arguments)
    if options.hidden < SMALLEST_HIDDEN:
        parser.error(f"argument --hidden: {options.hidden} is less than {SMALLEST_HIDDEN}")
    if options.width > 16:
        parser.error(f"argument --width: {options.width} is not between 0 and 16")
    if options.points_a_step > options.points:
        parser.error(f"--points-a-step {options.points_a_step} is more than --points "
                     f"{options.points}")
    folders = (options.data, options.list, options.held_out)
    if options.shards:
        if not options.validate or any(folders):
            parser.error("--shards goes with --validate, and without --data, --list and --held-out")
    elif not all(folders) or options.validate:
        parser.error("expected --data, --list and --held-out, or --shards and --validate")
    return options


def exit_code_of(program: str, work: Callable[[], None]) -> int:
    """Runs a command that trains, and says why it failed or stopped."""
    from p2mpp.training.trainer import Stopped

    try:
        work()
    except InputError as error:
        print_error(program, error)
        return EXIT_BAD_INPUT
    except OSError as error:
        print_error(program, error)
        return EXIT_FAILED
    except Stopped:
        print(f"{program}: stopped and saved; --resume continues", file=sys.stderr)
        return EXIT_STOPPED
    return 0


def work(options) -> None:
    """Throws InputError and Stopped."""
    from p2mpp.training.run import Run

    run = Run(options)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, run.request_stop)
    run.go(LEARNING_RATES)


def main(arguments=None) -> int:
    options = parse(arguments)
    return exit_code_of("p2mpp-train", lambda: work(options))


if __name__ == "__main__":
    sys.exit(run_train())
