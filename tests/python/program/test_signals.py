"""SIGHUP, SIGINT and SIGTERM end commands with exit code 5, also while a model is loaded, and no temporary file is left."""

import json
import signal
import subprocess
import threading
import time
import unittest
from pathlib import Path
from typing import Dict, List

from runs import INPUTS, PROGRAM, ProgramTest

SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
STOPPED = 5
FIRST = b"p2mpp: stop"  # of both lines


class SignalsTest(ProgramTest):

    def setUp(self):
        super().setUp()
        self.make_list(4)
        self.samples = [str(self.folder / f"images/chair/{number:03d}") for number in range(4)]
        self.model = ["--model", str(Path(INPUTS) / "models/tiny"), "--device", "cpu", "--threads", "1"]
        self.mesh = self.folder / "sphere.obj"
        self.mesh.write_text(grid(700))

    def out(self) -> List[str]:
        return ["--out", str(self.folder / "out")]

    def many(self) -> List[str]:
        """Samples under so many names that they take long."""
        names = [self.folder / f"again{number}" for number in range(1200)]
        for number, name in enumerate(names):
            if not name.exists():
                name.symlink_to(self.samples[number % len(self.samples)])
        return list(map(str, names))

    def at_work(self) -> Dict[str, List[str]]:
        """Commands that take seconds at least."""
        mesh = str(self.mesh)
        return {
            "predict": [*self.model, *self.many(), *self.out()],
            "bench": [*self.model, "--repeats", "100000", "--no-baseline"],
            "metrics": [mesh, mesh, "--threads", "1"],
            "morph": [mesh, mesh, "--frames", "400", *self.out()],
        }

    def loading(self) -> Dict[str, List[str]]:
        """Commands that load a model, which takes long because of its warm-up passes."""
        model = [*self.model, "--warmup", "1000", "--batch", "16"]
        return {
            "predict": [*model, self.samples[0], *self.out()],
            "eval": [*model, "--list", str(self.folder / "list.txt"), *map(str, self.roots()), *self.out()],
            "check": [*model, self.samples[0]],
            "bench": [*model, "--no-baseline"],
            "worker": [*model, *self.out()],
            "serve": [*model, "--port", "0"],
        }

    def start(self, name: str, arguments: List[str], **how) -> subprocess.Popen:
        return subprocess.Popen([PROGRAM, name, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **how)

    def end(self, program: subprocess.Popen, number: signal.Signals) -> bytes:
        """Its log. It ends soon."""
        program.send_signal(number)
        _, log = program.communicate(timeout=60)
        return log

    def check_ends(self, name: str, arguments: List[str]) -> None:
        """One process for each signal, side by side, each with an output folder of its own."""
        programs = {}
        for number in SIGNALS:
            out = str(self.folder / f"out-{number.name}")
            programs[number] = self.start(name, [out if each == self.out()[1] else each for each in arguments])
        time.sleep(0.7)
        for number, program in programs.items():
            with self.subTest(f"{name}: {number.name}"):
                self.assertIsNone(program.poll(), "the test itself: it has ended before")
                log = self.end(program, number)
                self.assertEqual(program.returncode, STOPPED, log)
                self.assertIn(FIRST, log)
                self.assertEqual(list(self.folder.glob(f"out-{number.name}/.p2mpp-*")), [])

    def test_at_work(self):
        for name, arguments in self.at_work().items():
            self.check_ends(name, arguments)

    def test_while_a_model_is_loaded(self):
        for name, arguments in self.loading().items():
            self.check_ends(name, arguments)
        self.assertEqual(list(self.folder.glob("out-*/manifest.jsonl")), [])

    def test_who_waits_for_requests_has_dropped_none(self):
        for name, arguments in (("worker", self.out()), ("serve", ["--port", "0"])):
            for number in SIGNALS:
                with self.subTest(f"{name}: {number.name}"):
                    program = self.start(name, [*self.model, *arguments])
                    program.stdout.readline()  # it is ready
                    log = self.end(program, number)
                    self.assertEqual(program.returncode, 0, log)
                    self.assertIn(FIRST, log)

    def test_ctrl_c_says_what_happens(self):
        program = self.start("predict", self.at_work()["predict"])
        program.stdout.readline()  # a sample is done
        log = self.end(program, signal.SIGINT).decode()
        self.assertEqual(program.returncode, STOPPED)
        self.assertIn("p2mpp: stopping after the samples in progress; once more ends at once\n", log)
        self.assertRegex(log, r"p2mpp: warning: stopped; \d+ of 1200 samples are done")

    def test_an_ignored_signal_stays_ignored(self):
        program = self.start("worker", [*self.model, *self.out()],
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        program.stdout.readline()
        program.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(program.poll())
        program.communicate(timeout=60)
        self.assertEqual(program.returncode, 0)

    def test_an_idle_worker_ends_once_nobody_reads_its_answers(self):
        program = self.start("worker", [*self.model, *self.out()])
        self.assertTrue(json.loads(program.stdout.readline())["ready"])
        watcher = threading.Timer(30, program.kill)
        watcher.start()
        program.stdout.close()
        self.assertEqual(program.wait(), 0)
        watcher.cancel()
        program.stdin.close()
        program.stderr.close()


def grid(side: int) -> str:
    """A square of so many vertices a side."""
    vertices = "".join(f"v {x / side} {y / side} {(x * y % 7) / side}\n" for y in range(side) for x in range(side))
    faces = "".join(f"f {y * side + x + 1} {y * side + x + 2} {(y + 1) * side + x + 1}\n"
                    for y in range(side - 1) for x in range(side - 1))
    return vertices + faces


if __name__ == "__main__":
    unittest.main()
