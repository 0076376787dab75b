"""SIGHUP, SIGINT and SIGTERM end commands with exit code 5, also while a model is loaded, and no temporary file is left.

All commands catch the three signals in one place (src/cli/support/interrupt.h): `predict` gets each, the others one."""

import itertools
import signal
import subprocess
import time
from pathlib import Path
from typing import Dict, List

from runs import INPUTS, PROGRAM, ProgramTest

SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
STOPPED = 5
SIDE_BY_SIDE = 4  # commands
FIRST = b"p2mpp: stop"  # of both lines


class SignalsTest(ProgramTest):

    def setUp(self):
        super().setUp()
        self.make_list(4)
        self.samples = [str(self.folder / f"images/chair/{number:03d}") for number in range(4)]
        self.model = ["--model", str(Path(INPUTS) / "models/tiny"), "--device", "cpu", "--threads", "1"]

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
        mesh = str(self.folder / "sheet.obj")
        Path(mesh).write_text(grid(700))
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

    def check_ends(self, commands: Dict[str, List[str]]) -> None:
        """Each command with a signal and an output folder of its own; `predict` with each signal."""
        others = itertools.cycle(SIGNALS)
        runs = [(name, number, arguments) for name, arguments in commands.items()
                for number in (SIGNALS if name == "predict" else (next(others),))]
        for begin in range(0, len(runs), SIDE_BY_SIDE):
            self.check_some(runs[begin:begin + SIDE_BY_SIDE])

    def check_some(self, runs: list) -> None:
        programs = []
        for name, number, arguments in runs:
            out = self.folder / f"out-{name}-{number.name}"
            programs.append((out, self.start(name, [str(out) if each == self.out()[1] else each for each in arguments])))
        time.sleep(0.7)
        for (name, number, _), (out, program) in zip(runs, programs):
            with self.subTest(f"{name}: {number.name}"):
                self.assertIsNone(program.poll(), "the test itself: it has ended before")
                log = self.end(program, number)
                self.assertEqual(program.returncode, STOPPED, log)
                self.assertIn(FIRST, log)
                self.assertEqual(list(out.glob(".p2mpp-*")), [])

    def test_at_work(self):
        self.check_ends(self.at_work())

    def test_while_a_model_is_loaded(self):
        self.check_ends(self.loading())
        self.assertEqual(list(self.folder.glob("out-*/manifest.jsonl")), [])

    def test_who_waits_for_requests_has_dropped_none(self):
        for name, number, arguments in (("worker", signal.SIGHUP, self.out()), ("serve", signal.SIGTERM, ["--port", "0"])):
            with self.subTest(f"{name}: {number.name}"):
                program = self.start(name, [*self.model, *arguments])
                program.stdout.readline()  # it is ready
                log = self.end(program, number)
                self.assertEqual(program.returncode, 0, log)
                self.assertIn(FIRST, log)

    def test_ctrl_c_says_what_happens(self):
        program = self.start("predict", [*self.model, *self.many(), *self.out()])
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


def grid(side: int) -> str:
    """A square of so many vertices a side."""
    vertices = "".join(f"v {x / side} {y / side} {(x * y % 7) / side}\n" for y in range(side) for x in range(side))
    faces = "".join(f"f {y * side + x + 1} {y * side + x + 2} {(y + 1) * side + x + 1}\n"
                    for y in range(side - 1) for x in range(side - 1))
    return vertices + faces
