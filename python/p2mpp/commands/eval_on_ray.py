"""Evaluate a test list on a Ray cluster: `p2mpp eval` computes its shards, on each GPU or each share of the CPUs."""

import argparse
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import List, Optional

from p2mpp.cluster.evaluation import Evaluation, Share, share_out, warn
from p2mpp.cluster.shards import open_shards
from p2mpp.commands import run_eval_on_ray
from p2mpp.errors import Error, InputError, UsageError
from p2mpp.network.command_line import Parser, print_error
from p2mpp.program import check_program, installed_program

EXIT_FAILED, EXIT_USAGE, EXIT_BAD_INPUT, EXIT_STOPPED, EXIT_INTERRUPTED = 1, 2, 3, 5, 130
SHARDS_A_WORKER = 4  # so that nobody waits long for the slowest

EXAMPLES = """\
examples:
  on this machine, two workers of four cores each:
    p2mpp-eval-on-ray data/test_list.txt --images-root data --truth-root data --out results \\
        --workers 2 --cpus-per-worker 4
  on a cluster that runs already, a worker for each of its GPUs, eight samples a batch, in bf16:
    p2mpp-eval-on-ray list.txt --images-root /shared/images --out /shared/results --address auto \\
        -- --batch 8 --precision bf16

Options behind -- go to `p2mpp eval`. All paths must be the same on every node. OUT/shards/ has the meshes of each
shard, and OUT what `p2mpp merge` makes of them. Exit codes are those of `p2mpp merge`; after 1 or 5, the same command
with --resume continues.
"""
PACKAGES = Path(__file__).parents[2]  # the folder that `import p2mpp` finds the package in


class Options(argparse.Namespace):
    """The command line."""


def parse(arguments: List[str]) -> Options:
    parser = Parser(prog="p2mpp-eval-on-ray", description=__doc__, epilog=EXAMPLES,
                    formatter_class=argparse.RawDescriptionHelpFormatter,
                    usage="%(prog)s LIST --images-root FOLDER --out FOLDER [...] [-- EVAL_OPTION ...]")
    parser.add_argument("list", type=Path, help="an id a line, CATEGORY_MODEL_00.dat")
    parser.add_argument("--images-root", type=Path, required=True, help="as for `p2mpp eval`")
    parser.add_argument("--truth-root", type=Path, help="as for `p2mpp eval`; given, metrics are computed")
    parser.add_argument("--out", type=Path, required=True, help="folder for meshes and results")
    start = parser.add_mutually_exclusive_group()
    start.add_argument("--resume", action="store_true", help="continue the run in OUT")
    start.add_argument("--overwrite", action="store_true",
                       help="replace the run in OUT; without this or --resume, a folder that holds a run is refused")
    parser.add_argument("--p2mpp", type=Path, default=installed_program(), help="the program "
                        "(default: the source tree's build/p2mpp, else the package's, else the one on PATH)")
    parser.add_argument("--address", default="local", help="the cluster's; auto: the one of this machine; "
                        "local (the default): starts one on this machine")
    parser.add_argument("--workers", type=int, default=0, help="default: as many as fit")
    parser.add_argument("--cpus-per-worker", type=int, default=0, help="default: all of the smallest node, "
                        "or its share of a GPU's node")
    parser.add_argument("--shards", type=int, default=0, help="parts of the list, each in a folder of its own "
                        f"(default: {SHARDS_A_WORKER} a worker)")
    parser.add_argument("--patience", type=float, default=600, metavar="SECONDS", help="a shard that finishes no sample "
                        "for so long is tried again (default: 600)")
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:end], namespace=Options())
    options.eval_options = arguments[end + 1:]
    if options.workers < 0 or options.cpus_per_worker < 0 or options.shards < 0 or not options.patience > 0:
        parser.error("--workers, --cpus-per-worker, --shards, --patience: expected positive numbers")
    return options


def eval_command(options: Options, share: Share) -> List[str]:
    """Without --shard and --out. A shard that has not begun yet is begun by --resume, too."""
    command = [str(options.p2mpp.resolve()), "eval", "--list", str(options.list.resolve()), "--images-root",
               str(options.images_root.resolve()), "--resume", "--quiet"]
    if options.truth_root is not None:
        command += ["--truth-root", str(options.truth_root.resolve())]
    command += ["--device", "cuda"] if share.gpus else ["--device", "cpu", "--threads", str(share.cpus)]
    return command + options.eval_options


def count_samples(path: Path) -> int:
    try:
        with open(path, "rb") as lines:
            return sum(bool(line.strip()) for line in lines)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; expected a test list") from None


@contextmanager
def orderly_end(evaluation: Evaluation):
    """The first SIGINT, SIGTERM or SIGHUP asks for it, the next one raises KeyboardInterrupt. What is ignored stays so."""

    def stop(*_):
        evaluation.stop = True
        for number in signals:
            signal.signal(number, signal.default_int_handler)

    signals = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
               if signal.getsignal(number) != signal.SIG_IGN}
    for number in signals:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in signals.items():
            signal.signal(number, handler)


def evaluate(ray, options: Options, samples: int) -> int:
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    share = share_out(nodes, options.workers, options.cpus_per_worker)
    shards = open_shards(options.out.resolve(), options.shards, max(1, min(samples, SHARDS_A_WORKER * share.workers)),
                         options.resume, options.overwrite)
    evaluation = Evaluation(ray, share, eval_command(options, share), options.patience, shards, samples)
    try:
        with orderly_end(evaluation):
            evaluation.run()
    finally:
        evaluation.kill()
    runs = [shard.folder for shard in shards if shard.manifest.exists()]
    merge = [options.p2mpp.resolve(), "merge", *runs, "--list", options.list, "--out", options.out]
    code = subprocess.run(merge, check=False).returncode if runs else EXIT_STOPPED
    if code == EXIT_STOPPED:
        warn("samples are left; run the same command with --resume to continue")
    return code


def connect(ray, options: Options) -> None:
    if options.address == "local":
        # Starts as many workers as asked for, even on fewer cores.
        place = {"address": "local", "num_cpus": max(os.cpu_count() or 1, options.workers * options.cpus_per_worker),
                 "include_dashboard": False}
    else:
        place = {"address": options.address}
    try:
        ray.init(**place, log_to_driver=True, logging_level="warning",
                 runtime_env={"env_vars": {"PYTHONPATH": str(PACKAGES)}})
    except Exception as error:  # Ray has no class of its own for it
        raise Error(f"no Ray cluster at {options.address}: {error}; expected one that starts or runs") from error


def main(arguments: Optional[List[str]] = None) -> int:
    options = parse(sys.argv[1:] if arguments is None else arguments)
    import ray

    try:
        samples = count_samples(options.list)
        check_program(options.p2mpp)
        connect(ray, options)
        return evaluate(ray, options, samples)
    except (Error, OSError) as error:
        print_error("p2mpp-eval-on-ray", error)
        if isinstance(error, UsageError):
            return EXIT_USAGE
        return EXIT_BAD_INPUT if isinstance(error, InputError) else EXIT_FAILED
    except KeyboardInterrupt:
        warn("stopped at once; run the same command with --resume to continue")
        return EXIT_INTERRUPTED
    finally:
        ray.shutdown()


if __name__ == "__main__":
    sys.exit(run_eval_on_ray())
