"""What a Ray task does: one try at a shard."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple, Sequence

EXIT_STOPPED = 5  # of p2mpp
# The kernel ends the program if this process ends, however it ends.
TIED = "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 9); os.execv(sys.argv[1], sys.argv[1:])"


class End(NamedTuple):
    """How a try at a shard ended."""

    is_whole: bool  # no sample is left
    exit_code: int
    reason: str  # the last line of the program's log, or why it was killed


def run_shard(command: Sequence[str], folder: Path, pause: float, patience: float) -> End:
    """Runs `p2mpp eval`, which writes into the folder, after a pause. SIGINT, which Ray sends to cancel a task, ends it in
    order. If its manifest does not grow for `patience` seconds, it is killed. Call it on the main thread."""
    time.sleep(pause)
    summary = folder / "summary.json"
    summary.unlink(missing_ok=True)  # `p2mpp eval` writes it at the end
    stop = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: stop.set())
    try:
        with subprocess.Popen([sys.executable, "-IS", "-c", TIED, *command], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            log = _Log(process.stderr)
            is_silent = not _wait(process, folder / "manifest.jsonl", stop, patience)
            log.join()
        code = process.returncode
        killed = f"killed by {signal.Signals(-code).name}" if code < 0 else ""
        reason = f"silent for {patience:g} s" if is_silent else killed or log.last_line
        return End(summary.exists() and code != EXIT_STOPPED, code, reason)
    finally:
        signal.signal(signal.SIGINT, before)


class _Log(threading.Thread):
    """Passes the program's log on."""

    def __init__(self, lines):
        super().__init__(daemon=True)
        self._lines = lines
        self.last_line = ""
        self.start()

    def run(self) -> None:
        for line in self._lines:
            self.last_line = line.decode(errors="replace").rstrip()
            print(self.last_line, file=sys.stderr, flush=True)


def _wait(process: subprocess.Popen, manifest: Path, stop: threading.Event, patience: float) -> bool:
    """False if the program was killed because it was silent."""
    heard, size = time.monotonic(), 0
    while True:
        try:
            process.wait(timeout=0.2)
            return True
        except subprocess.TimeoutExpired:
            pass
        if stop.is_set():
            stop.clear()
            process.terminate()
        now = manifest.stat().st_size if manifest.exists() else 0
        if now != size:
            heard, size = time.monotonic(), now
        elif time.monotonic() - heard > patience:
            process.kill()
            return False
