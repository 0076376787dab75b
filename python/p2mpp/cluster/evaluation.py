"""Runs the shards of an evaluation as tasks on a Ray cluster."""

import sys
import time
from collections import deque
from typing import Dict, List, NamedTuple, Optional, Sequence

from p2mpp.cluster.shard_task import End, run_shard
from p2mpp.cluster.shards import Shard
from p2mpp.errors import Error, InputError, first_line

MAX_VAIN_TRIES = 3  # at a shard, in sequence, that finish no sample
EXIT_USAGE, EXIT_BAD_INPUT = 2, 3  # of p2mpp


class Share(NamedTuple):
    """The cluster's resources for a worker."""

    workers: int
    cpus: int
    gpus: int


def share_out(nodes: List[dict], workers: int, cpus: int) -> Share:
    """From Ray's resources of each node: a worker a GPU, or, where there is none, one for so many CPUs."""
    cores = [int(node.get("CPU", 0)) for node in nodes if node.get("CPU", 0) >= 1]
    gpus = sum(int(node.get("GPU", 0)) for node in nodes)
    if not cores:
        raise Error("the cluster has no CPU; expected one a worker at least")
    if gpus:
        return Share(workers or gpus, cpus or max(1, sum(cores) // gpus), 1)
    cpus = cpus or (max(1, sum(cores) // workers) if workers else min(cores))
    return Share(workers or max(1, sum(count // cpus for count in cores)), cpus, 0)


class Bar:
    """Progress in one line of a terminal, or a line now and then."""

    def __init__(self, samples: int, done: int):
        self._samples, self._earlier, self._begin, self._shown = samples, done, time.monotonic(), 0.0

    def show(self, done: int, shards: str, last: bool) -> None:
        now = time.monotonic()
        terminal = sys.stderr.isatty()
        if not last and now - self._shown < (0.5 if terminal else 10):
            return
        self._shown = now
        rate = (done - self._earlier) / max(now - self._begin, 1e-9)
        text = f"{done} of {self._samples} samples, {rate:.2f}/s, {shards}"
        print(f"\r{text}\033[K" if terminal else text, end="\n" if last or not terminal else "", file=sys.stderr,
              flush=True)


def warn(text: str) -> None:
    erase = "\r\033[K" if sys.stderr.isatty() else ""  # the bar's line
    print(f"{erase}eval_on_ray: warning: {text}", file=sys.stderr, flush=True)


class Evaluation:
    """One run over a list of so many samples. `command` is that of `p2mpp eval` without --shard and --out. A program that
    is silent for `patience` seconds is ended. `stop` asks for an orderly end."""

    def __init__(self, ray, share: Share, command: Sequence[str], patience: float, shards: List[Shard], samples: int):
        self._ray, self._share, self._command, self._patience = ray, share, list(command), patience
        self._shards, self._left = shards, deque(shards)
        self._running: Dict[object, Shard] = {}  # by Ray's reference
        self._is_stopping = False
        self._over = 0
        self._identity: Optional[dict] = None
        for shard in shards:
            self._look(shard)
        self._bar = Bar(samples, sum(shard.done for shard in shards))
        self.stop = False

    def run(self) -> None:
        """Returns when no shard is left, but for those that were given up, or after a stop."""
        self._start()
        while self._running:
            ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=0.5)
            if self.stop and not self._is_stopping:
                self._cancel()
            for shard in self._running.values():
                self._look(shard)
            for reference in ready:
                self._finish(reference, self._running.pop(reference))
            self._start()
            self._show()
        self._show(last=True)

    def kill(self) -> None:
        """Ends all tasks at once."""
        for reference in self._running:
            self._ray.cancel(reference, force=True)

    def _start(self) -> None:
        task = self._ray.remote(run_shard).options(num_cpus=self._share.cpus, num_gpus=self._share.gpus, max_retries=0)
        while self._left and len(self._running) < self._share.workers:
            shard = self._left.popleft()
            shard.done_before = shard.done
            command = [*self._command, "--shard", shard.name, "--out", str(shard.folder)]
            self._running[task.remote(command, shard.folder, shard.pause, self._patience)] = shard

    def _cancel(self) -> None:
        self._is_stopping = True
        self._left.clear()
        for reference in self._running:
            self._ray.cancel(reference)

    def _look(self, shard: Shard) -> None:
        """Shards of unlike machines could not be merged."""
        shard.look()
        if self._identity is None:
            self._identity = shard.identity
        elif shard.identity not in (None, self._identity):
            names = [name for name in self._identity if self._identity[name] != shard.identity.get(name)]
            raise Error(f"{shard.folder} is of another run: {', '.join(names)} differ; expected one kind of machine, or "
                        "options that make them agree")

    def _finish(self, reference, shard: Shard) -> None:
        try:
            end: End = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:  # its worker or its node is lost
            end = End(False, 0, first_line(error))
        self._look(shard)
        if end.is_whole:
            self._over += 1
        elif end.exit_code in (EXIT_USAGE, EXIT_BAD_INPUT):
            raise InputError(f"`p2mpp eval` was given what it cannot use: {end.reason}")
        elif not self._is_stopping:
            self._try_again(shard, end)

    def _try_again(self, shard: Shard, end: End) -> None:
        shard.vain_tries = 0 if shard.done > shard.done_before else shard.vain_tries + 1
        shard.pause = 4 ** shard.vain_tries  # a program whose task is lost may still be about to end
        warn(f"shard {shard.name} ended: {end.reason or f'exit code {end.exit_code}'}")
        if shard.vain_tries < MAX_VAIN_TRIES:
            self._left.appendleft(shard)
        elif any(each.done for each in self._shards):
            warn(f"shard {shard.name} was given up after {MAX_VAIN_TRIES} tries that finished no sample")
        else:
            raise Error(f"shard {shard.name} ended {MAX_VAIN_TRIES} times, and no sample is done; the last: {end.reason}")

    def _show(self, last: bool = False) -> None:
        self._bar.show(sum(shard.done for shard in self._shards), f"{self._over} of {len(self._shards)} shards", last)
