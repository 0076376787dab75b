"""Hands a list's samples out to actors on a Ray cluster until all have a result."""

import sys
import time
from collections import deque
from typing import Deque, Dict, List, NamedTuple, Optional, Sequence, Set

from p2mpp.cluster.run_manifest import RunManifest, differences, failed_result
from p2mpp.cluster.test_list import Entry
from p2mpp.cluster.worker_process import WorkerProcess
from p2mpp.errors import Error, InputError

CHUNKS_IN_WORK = 3  # a worker's: one is read, one computed, one written
MAX_ATTEMPTS = 3  # with a sample whose worker ends
MAX_LOST_WORKERS = 20
MAX_LOST_AT_START = 3  # before one was ready
EXIT_USAGE, EXIT_BAD_INPUT = 2, 3  # of p2mpp
GRACE_SECONDS = 10  # for an end as it should be


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


def warn(text: str) -> None:
    erase = "\r\033[K" if sys.stderr.isatty() else ""  # the bar's line
    print(f"{erase}eval_on_ray: warning: {text}", file=sys.stderr, flush=True)


class Worker:
    """An actor that holds a `p2mpp worker`."""

    def __init__(self, actor):
        self.actor = actor
        self.ready = False
        self.lost = False
        self.chunks = 0  # in work
        self.has_suspect = False  # as its only chunk
        self.heard = 0.0  # when it was given work or answered last


class Evaluation:
    """One run over a list. `command` starts a worker; one that is silent for `patience` seconds is given up."""

    def __init__(self, ray, share: Share, command: Sequence[str], chunk: int, patience: float, manifest: RunManifest,
                 entries: List[Entry]):
        self._ray, self._share, self._command, self._chunk, self._patience = ray, share, list(command), chunk, patience
        self._manifest, self._entries = manifest, entries
        self._pending: Dict[object, tuple] = {}  # Ray's reference: worker, entries (None: its first line)
        self._left: Deque[List[Entry]] = deque()
        self._suspects: Deque[Entry] = deque()  # which were in work when their worker ended
        self._attempts: Dict[int, int] = {}  # by line, of suspects
        self._identity: Optional[dict] = None
        self._bar: Optional[Bar] = None
        self._workers: Set[Worker] = set()
        self._lost = self._done = self._failed = 0
        self.stop = False

    @property
    def has_begun(self) -> bool:
        """Whether a worker was ready, so that the manifest says what is run."""
        return self._identity is not None

    def run(self) -> bool:
        """False where samples are left."""
        for _ in range(max(1, min(self._share.workers, len(self._entries)))):
            self._start()
        while self._pending and not self._is_over():
            ready, _ = self._ray.wait(list(self._pending), num_returns=1, timeout=0.5)
            for reference in ready:
                if reference in self._pending:
                    self._finish(reference, *self._pending.pop(reference))
            self._give_up_silent_ones()
            self._show()
        self._show(last=True)
        return self.has_begun and not self._has_work()

    def close(self) -> None:
        """Ends the workers, which have nothing in work."""
        for worker in self._workers:
            if worker.ready:
                try:
                    self._ray.get(worker.actor.close.remote(), timeout=GRACE_SECONDS)
                except self._ray.exceptions.RayError:
                    pass

    def kill(self) -> None:
        """Ends all actors at once."""
        for worker in self._workers:
            self._ray.kill(worker.actor)

    def _is_over(self) -> bool:
        """Workers that are still on their way are not waited for."""
        is_idle = all(entries is None for _, entries in self._pending.values())
        return is_idle and (self.stop or (self.has_begun and not self._has_work()))

    def _show(self, last: bool = False) -> None:
        if self._bar is not None:
            self._bar.show(self._done, self._failed, sum(worker.ready for worker in self._workers), last)

    def _start(self) -> None:
        remote = self._ray.remote(WorkerProcess)
        # One thread more than for chunks: kill() must get through.
        actor = remote.options(num_cpus=self._share.cpus, num_gpus=self._share.gpus, max_restarts=0,
                               max_concurrency=CHUNKS_IN_WORK + 1).remote(self._command)
        worker = Worker(actor)
        self._workers.add(worker)
        self._pending[actor.hello.remote()] = (worker, None)

    def _finish(self, reference, worker: Worker, entries) -> None:
        try:
            value = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            self._lose(worker, error)
            self._redo(entries)
            self._feed_all()
            return
        worker.heard = time.monotonic()
        if entries is None:
            self._meet(worker, value)
        else:
            worker.chunks -= 1
            self._manifest.record(value)
            self._done += len(value)
            self._failed += sum(result["status"] != "done" for result in value)
        self._feed(worker)

    def _meet(self, worker: Worker, hello: dict) -> None:
        """The first one says what of an earlier run is finished; the others must agree with it."""
        if "exit_code" in hello:
            self._lose_at_start(worker, **hello)
            return
        identity = hello["identity"]
        if self._identity is None:
            finished = self._manifest.begin(identity, hello["description"])
            self._identity = identity
            left = [entry for entry in self._entries if entry.id not in finished]
            self._left.extend(left[first:first + self._chunk] for first in range(0, len(left), self._chunk))
            self._done = len(self._entries) - len(left)
            self._bar = Bar(len(self._entries), self._done)
        elif text := differences(self._identity, identity):
            raise Error(f"two workers differ: {text}; expected one kind of machine, or options that make them agree")
        worker.ready = True

    def _lose_at_start(self, worker: Worker, exit_code: int, reason: str) -> None:
        if exit_code in (EXIT_USAGE, EXIT_BAD_INPUT):
            raise InputError(f"a worker was given what it cannot use: {reason}")
        self._lose(worker, Error(f"it did not start: exit code {exit_code}: {reason}"))

    def _feed(self, worker: Worker) -> None:
        while worker.ready and not worker.lost and not self.stop and self._has_work():
            if worker.chunks >= (1 if self._suspects or worker.has_suspect else CHUNKS_IN_WORK):
                return
            worker.has_suspect = bool(self._suspects)
            entries = [self._suspects.popleft()] if self._suspects else self._left.popleft()
            if worker.chunks == 0:
                worker.heard = time.monotonic()
            worker.chunks += 1
            self._pending[worker.actor.run.remote(entries)] = (worker, entries)

    def _has_work(self) -> bool:
        return bool(self._suspects or self._left)

    def _give_up_silent_ones(self) -> None:
        for worker in list(self._workers):
            if worker.chunks == 0 or time.monotonic() - worker.heard < self._patience:
                continue
            # Ray knows nothing of the program, which might hang on without its actor.
            self._ray.wait([worker.actor.kill.remote()], timeout=GRACE_SECONDS)
            self._lose(worker, TimeoutError(f"it was silent for {self._patience:g} s"))
            for reference in [each for each, (owner, _) in self._pending.items() if owner is worker]:
                self._redo(self._pending.pop(reference)[1])
        self._feed_all()

    def _lose(self, worker: Worker, error: Exception) -> None:
        """Starts another one in its place."""
        if not worker.lost:
            worker.lost = True
            self._workers.discard(worker)
            self._lost += 1
            cause = str(error).strip().splitlines()[-1]
            if self._lost > MAX_LOST_WORKERS or (not self.has_begun and self._lost >= MAX_LOST_AT_START):
                raise Error(f"{self._lost} workers ended; expected them to live; the last: {cause}")
            warn(f"a worker ended: {cause}")
            self._ray.kill(worker.actor)
            if not self.stop:
                self._start()

    def _redo(self, entries: Optional[List[Entry]]) -> None:
        """Each sample of a lost worker is given to another one by itself, so that a fatal one takes no other with it."""
        for entry in entries or []:
            self._attempts[entry.line] = self._attempts.get(entry.line, 0) + 1
            if self._attempts[entry.line] < MAX_ATTEMPTS:
                self._suspects.append(entry)
            else:
                self._manifest.record([failed_result(entry.line, entry.id, f"its worker ended {MAX_ATTEMPTS} times")])
                self._done += 1
                self._failed += 1

    def _feed_all(self) -> None:
        for worker in list(self._workers):
            self._feed(worker)
