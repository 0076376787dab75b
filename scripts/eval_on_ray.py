#!/usr/bin/env python3
"""Evaluate a test list on a Ray cluster: a warm `p2mpp worker` for each GPU, or each share of the CPUs."""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from typing import Deque, Dict, List, NamedTuple, Set

SCRIPTS = Path(__file__).resolve().parent
sys.path.insert(0, str(SCRIPTS))

from p2mpp_cluster.run_manifest import RunError, RunManifest, differences, failed_result  # noqa: E402
from p2mpp_cluster.test_list import Entry, read_entries  # noqa: E402
from p2mpp_cluster.worker_process import WorkerProcess  # noqa: E402

EXIT_FAILED, EXIT_USAGE, EXIT_BAD_INPUT, EXIT_STOPPED = 1, 2, 3, 5
CHUNKS_IN_WORK = 3  # a worker's: one is read, one computed, one written
MAX_ATTEMPTS = 3  # with a sample whose worker ends
MAX_LOST_WORKERS = 20

EXAMPLES = """\
examples:
  on this machine, two workers of four cores each:
    scripts/eval_on_ray.py data/test_list.txt --images-root data --truth-root data --out results \\
        --workers 2 --cpus-per-worker 4
  on a cluster that runs already, a worker for each of its GPUs, eight samples a batch, in bf16:
    scripts/eval_on_ray.py list.txt --images-root /shared/images --out /shared/results --address auto \\
        --max-batch 8 -- --precision bf16

Options behind -- go to `p2mpp worker`. All paths must be the same on every node. Exit codes are those of
`p2mpp eval`; after 1 or 5 the same command with --resume goes on.
"""


class Options(argparse.Namespace):
    """The command line."""


def parse(arguments: List[str]) -> Options:
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage="%(prog)s LIST --images-root FOLDER --out FOLDER [...] [-- WORKER_OPTION ...]")
    parser.add_argument("list", type=Path, help="an id a line, CATEGORY_MODEL_00.dat")
    parser.add_argument("--images-root", type=Path, required=True, help="as for `p2mpp eval`")
    parser.add_argument("--truth-root", type=Path, help="as for `p2mpp eval`; given, metrics are computed")
    parser.add_argument("--out", type=Path, required=True, help="folder for meshes and results")
    parser.add_argument("--resume", action="store_true", help="go on with the run in OUT")
    parser.add_argument("--p2mpp", type=Path, default=SCRIPTS.parent / "build" / "p2mpp", help="the program")
    parser.add_argument("--address", default="local", help="the cluster's; auto: the one of this machine; "
                        "local (the default): starts one on this machine")
    parser.add_argument("--workers", type=int, default=0, help="default: as many as fit")
    parser.add_argument("--cpus-per-worker", type=int, default=0, help="default: all of the smallest node, "
                        "or its share of a GPU's node")
    parser.add_argument("--max-batch", type=int, default=1, help="samples computed together")
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:end], namespace=Options())
    options.worker_options = arguments[end + 1:]
    if options.workers < 0 or options.cpus_per_worker < 0 or options.max_batch < 1:
        parser.error("--workers, --cpus-per-worker, --max-batch: expected positive numbers")
    return options


class Share(NamedTuple):
    """What one worker gets of the cluster."""

    workers: int
    cpus: int
    gpus: int


def share_out(nodes: List[dict], workers: int, cpus: int) -> Share:
    """From Ray's resources of each node: a worker a GPU, or, where there is none, one for so many CPUs."""
    cores = [int(node.get("CPU", 0)) for node in nodes if node.get("CPU", 0) >= 1]
    gpus = sum(int(node.get("GPU", 0)) for node in nodes)
    if not cores:
        raise RunError("the cluster has no CPU; expected one a worker at least")
    if gpus:
        return Share(workers or gpus, cpus or max(1, sum(cores) // gpus), 1)
    cpus = cpus or (max(1, sum(cores) // workers) if workers else min(cores))
    return Share(workers or max(1, sum(count // cpus for count in cores)), cpus, 0)


def worker_command(options: Options, share: Share) -> List[str]:
    command = [str(options.p2mpp.resolve()), "worker", "--images-root", str(options.images_root.resolve()), "--out",
               str(options.out.resolve()), "--max-batch", str(options.max_batch), "--quiet"]
    if options.truth_root is not None:
        command += ["--truth-root", str(options.truth_root.resolve())]
    command += ["--device", "cuda"] if share.gpus else ["--device", "cpu", "--threads", str(share.cpus)]
    return command + options.worker_options


class Bar:
    """Progress in one line of a terminal, or a line now and then."""

    def __init__(self, total: int, done: int):
        self._total, self._earlier, self._begin, self._shown = total, done, time.monotonic(), 0.0

    def show(self, done: int, failed: int, workers: int, last: bool = False) -> None:
        now = time.monotonic()
        terminal = sys.stderr.isatty()
        if not last and now - self._shown < (0.2 if terminal else 10):
            return
        self._shown = now
        rate = (done - self._earlier) / max(now - self._begin, 1e-9)
        text = f"{done} of {self._total} samples, {failed} failed, {rate:.2f}/s, {workers} workers"
        print(f"\r{text}\033[K" if terminal else text, end="\n" if last or not terminal else "", file=sys.stderr,
              flush=True)


class Worker:
    """An actor that holds a `p2mpp worker`."""

    def __init__(self, actor):
        self.actor = actor
        self.ready = False
        self.lost = False
        self.chunks = 0  # in work


class Evaluation:
    """Hands samples out to workers until all have a result."""

    def __init__(self, ray, options: Options, manifest: RunManifest, entries: List[Entry]):
        self._ray, self._options, self._manifest, self._entries = ray, options, manifest, entries
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        self._share = share_out(nodes, options.workers, options.cpus_per_worker)
        self._pending: Dict[object, tuple] = {}  # Ray's reference: worker, entries (None: whether it is warm)
        self._left: Deque[List[Entry]] = deque()
        self._attempts: Dict[int, int] = {}  # by line, of samples whose worker ended
        self._identity = None
        self._workers: Set[Worker] = set()
        self._lost = self._done = self._failed = 0
        self.stop = False

    def run(self) -> bool:
        """False where samples are left."""
        for _ in range(max(1, min(self._share.workers, len(self._entries)))):
            self._start()
        while self._pending:
            ready, _ = self._ray.wait(list(self._pending), num_returns=1, timeout=0.5)
            for reference in ready:
                self._finish(reference, *self._pending.pop(reference))
            if self._identity is not None:
                self._bar.show(self._done, self._failed, sum(worker.ready for worker in self._workers))
            if self._is_over():
                break
        if self._identity is None:
            return False
        self._bar.show(self._done, self._failed, sum(worker.ready for worker in self._workers), last=True)
        return not self._left

    def _is_over(self) -> bool:
        """Workers that are still on their way are not waited for."""
        is_idle = all(entries is None for _, entries in self._pending.values())
        return is_idle and (self.stop or (self._identity is not None and not self._left))

    def close(self) -> None:
        for worker in self._workers:
            if worker.ready:
                try:
                    self._ray.get(worker.actor.close.remote(), timeout=60)
                except self._ray.exceptions.RayError:
                    pass
            self._ray.kill(worker.actor)

    def _start(self) -> None:
        remote = self._ray.remote(WorkerProcess)
        actor = remote.options(num_cpus=self._share.cpus, num_gpus=self._share.gpus, max_restarts=0,
                               max_concurrency=CHUNKS_IN_WORK + 1).remote(worker_command(self._options, self._share))
        worker = Worker(actor)
        self._workers.add(worker)
        self._pending[actor.identity.remote()] = (worker, None)

    def _finish(self, reference, worker: Worker, entries) -> None:
        try:
            value = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            self._lose(worker, entries, error)
            return
        if entries is None:
            self._meet(worker, value)
        else:
            worker.chunks -= 1
            self._manifest.record(value)
            self._done += len(value)
            self._failed += sum(result["status"] != "done" for result in value)
        self._feed(worker)

    def _meet(self, worker: Worker, identity: dict) -> None:
        """The first one says what of an earlier run is finished; the others must agree with it."""
        if self._identity is None:
            finished = self._manifest.begin(identity)
            self._identity = identity
            left = [entry for entry in self._entries if entry.id not in finished]
            size = self._options.max_batch
            self._left.extend(left[first:first + size] for first in range(0, len(left), size))
            self._done = len(self._entries) - len(left)
            self._bar = Bar(len(self._entries), self._done)
        elif text := differences(self._identity, identity):
            raise RunError(f"two workers differ: {text}; expected one kind of machine, or options that make them agree")
        worker.ready = True

    def _feed(self, worker: Worker) -> None:
        while worker.ready and not worker.lost and not self.stop and self._left and worker.chunks < CHUNKS_IN_WORK:
            entries = self._left.popleft()
            worker.chunks += 1
            self._pending[worker.actor.run.remote(entries)] = (worker, entries)

    def _lose(self, worker: Worker, entries, error: Exception) -> None:
        """Its unfinished samples are done again by others, one by one, so that a fatal one takes no other with it."""
        if not worker.lost:
            worker.lost = True
            self._workers.discard(worker)
            self._lost += 1
            cause = str(error).strip().splitlines()[-1]
            print(f"eval_on_ray: warning: a worker ended: {cause}", file=sys.stderr)
            self._ray.kill(worker.actor)
            if self._lost > MAX_LOST_WORKERS or (self._identity is None and self._lost >= MAX_ATTEMPTS):
                raise RunError(f"{self._lost} workers ended; expected them to live: {cause}")
            if not self.stop:
                self._start()
        for entry in entries or []:
            self._attempts[entry.line] = self._attempts.get(entry.line, 0) + 1
            if self._attempts[entry.line] < MAX_ATTEMPTS:
                self._left.appendleft([entry])
            else:
                self._manifest.record([failed_result(entry.line, entry.id, f"its worker ended {MAX_ATTEMPTS} times")])
                self._done += 1
                self._failed += 1
        for other in list(self._workers):
            self._feed(other)


def evaluate(ray, options: Options) -> int:
    entries = read_entries(options.list)
    options.out.mkdir(parents=True, exist_ok=True)
    manifest = RunManifest(options.out, options.resume)
    evaluation = Evaluation(ray, options, manifest, entries)

    def stop(*_):
        evaluation.stop = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, stop)
    try:
        complete = evaluation.run()
    finally:
        evaluation.close()
        manifest.close()
    if not complete:
        print("eval_on_ray: warning: stopped; the same command with --resume goes on", file=sys.stderr)
    merge = [options.p2mpp, "merge", options.out, "--list", options.list, "--out", options.out]
    code = subprocess.run(merge, check=False).returncode
    return code if complete else EXIT_STOPPED


def connect(ray, options: Options) -> None:
    if options.address == "local":
        # What was asked for is started, on fewer cores, too.
        place = {"num_cpus": max(os.cpu_count() or 1, options.workers * options.cpus_per_worker),
                 "include_dashboard": False}
    else:
        place = {"address": options.address}
    try:
        ray.init(**place, log_to_driver=True, logging_level="warning",
                 runtime_env={"env_vars": {"PYTHONPATH": str(SCRIPTS)}})
    except Exception as error:  # Ray has no class of its own for it
        raise RunError(f"no Ray cluster at {options.address}: {error}; expected one that starts or runs") from error


def main(arguments: List[str]) -> int:
    options = parse(arguments)
    try:
        import ray
    except ImportError:
        print("eval_on_ray: error: Ray is missing; expected: pip install -r scripts/requirements-ray.txt",
              file=sys.stderr)
        return EXIT_FAILED
    try:
        connect(ray, options)
        return evaluate(ray, options)
    except (RunError, OSError) as error:
        print(f"eval_on_ray: error: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT if isinstance(error, FileNotFoundError) else EXIT_FAILED
    finally:
        ray.shutdown()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
