"""One `p2mpp worker` and those who wait for its answers."""

import json
import queue
import subprocess
import sys
import threading
from typing import Dict, List, Sequence

from p2mpp.cluster.test_list import Entry


class WorkerEnded(Exception):
    """The process ended before it had answered."""


class WorkerProcess:
    """Starts a worker. After hello(), several threads may call run() at a time."""

    def __init__(self, command: Sequence[str]):
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._last_words = ""
        self._log = threading.Thread(target=self._pass_on_log, daemon=True)
        self._log.start()
        self._lock = threading.Lock()  # of what follows, and of stdin
        self._waiting: Dict[str, queue.SimpleQueue] = {}
        self._ended = False

    def hello(self) -> dict:
        """Waits until its model is warm. Its first line: the identity, which is what the bytes of its results depend on,
        and the description of a run. Where it did not start, exit_code and reason."""
        line = self._process.stdout.readline()
        if line:
            threading.Thread(target=self._listen, daemon=True).start()
            return json.loads(line)
        self._log.join()
        return {"exit_code": self._process.wait(), "reason": self._last_words}

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

    def _pass_on_log(self) -> None:
        with self._process.stderr as lines:
            for line in lines:
                self._last_words = line.decode(errors="replace").rstrip()
                print(self._last_words, file=sys.stderr, flush=True)

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
