"""One `p2mpp worker` and those who wait for its answers."""

import json
import queue
import subprocess
import threading
from typing import Dict, List, Sequence

from p2mpp_cluster.test_list import Entry


class WorkerEnded(Exception):
    """The process ended before it had answered."""


class WorkerProcess:
    """Starts a worker and waits until its model is warm. Several threads may call run() at a time."""

    def __init__(self, command: Sequence[str]):
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        hello = self._process.stdout.readline()
        if not hello:
            self._process.communicate()
            raise WorkerEnded(f"{command[0]} worker did not start: exit code {self._process.returncode}")
        self._hello = json.loads(hello)
        self._lock = threading.Lock()  # of what follows, and of stdin
        self._waiting: Dict[str, queue.SimpleQueue] = {}
        self._ended = False
        threading.Thread(target=self._listen, daemon=True).start()

    def hello(self) -> dict:
        """Its first line: the identity, which is what the bytes of its results depend on, and the description of a run."""
        return self._hello

    def run(self, entries: Sequence[Entry]) -> List[dict]:
        """The answers' results, in the order in which they come. Raises WorkerEnded."""
        box: queue.SimpleQueue = queue.SimpleQueue()
        lines = [json.dumps({"id": str(line), "entry": text, "line": line}) + "\n" for line, text in entries]
        with self._lock:
            if self._ended:
                raise WorkerEnded("the worker has ended")
            self._waiting.update((str(line), box) for line, _ in entries)
            try:
                self._process.stdin.write("".join(lines).encode())
                self._process.stdin.flush()
            except OSError:
                raise WorkerEnded("the worker has ended") from None
        answers = [box.get() for _ in entries]
        if None in answers:
            raise WorkerEnded("the worker ended before it had answered")
        for answer in answers:
            if "result" not in answer:
                raise WorkerEnded(f"the worker did not take request {answer.get('id')}: {answer.get('reason')}")
        return [answer["result"] for answer in answers]

    def close(self) -> int:
        """Lets it finish; its exit code."""
        with self._lock:
            try:
                self._process.stdin.close()
            except BrokenPipeError:
                pass  # it ended before it had read all
        return self._process.wait()

    def kill(self) -> None:
        """Ends it at once."""
        self._process.kill()

    def _take(self, answer: dict) -> None:
        with self._lock:
            box = self._waiting.pop(answer.get("id"), None)
        if box is not None:
            box.put(answer)

    def _listen(self) -> None:
        with self._process.stdout as lines:
            for line in lines:
                self._take(json.loads(line))
        with self._lock:
            self._ended = True
            left, self._waiting = self._waiting, {}
        for box in left.values():
            box.put(None)
