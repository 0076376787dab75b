"""`p2mpp eval` killed at random moments: nothing is lost, nothing half-done stays. test_faults.py has the full disk and
files that cannot be opened.

P2MPP_KILLS says how often it is killed (6 where it is unset).
"""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

from runs import SharedProgramTest, meshes, results

KILLS = int(os.environ.get("P2MPP_KILLS", "6"))
SAMPLES = 18
BATCH = 3


class RunTest(SharedProgramTest):

    def start(self, out: Path, *options: str, **how) -> subprocess.Popen:
        return subprocess.Popen(self.eval_command(out, "--batch", str(BATCH), *options), stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True, **how)

    def run_to_the_end(self, out: Path, *options: str, **how):
        """Its exit code and log."""
        program = self.start(out, *options, **how)
        _, log = program.communicate()
        return program.returncode, log

    def finished(self, out: Path) -> list:
        """Ids that the manifest holds, in its order; a torn last line is left out."""
        manifest = out / "manifest.jsonl"
        lines = manifest.read_text().split("\n")[1:-1] if manifest.exists() else []
        return [json.loads(line)["id"] for line in lines]

    def wait_for_results(self, out: Path, program: subprocess.Popen, number: int = 1) -> None:
        while len(self.finished(out)) < number and program.poll() is None:
            time.sleep(0.005)


class DisturbedRunTest(RunTest):
    """Beside a run that nothing disturbs."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make_list(SAMPLES)
        cls.clean = cls.folder / "clean"
        begun = time.monotonic()
        subprocess.run(cls.eval_command(cls.clean, "--batch", str(BATCH)), stdout=subprocess.DEVNULL, check=True)
        cls.duration = time.monotonic() - begun
        cls.expected = meshes(cls.clean)

    def assert_undisturbed(self, out: Path) -> None:
        self.assertEqual(meshes(out), self.expected)
        self.assertEqual(results(out), results(self.clean))
        self.assertEqual(list(out.glob(".p2mpp-*")), [])

    def test_killed_at_random_moments(self):
        killed = self.folder / "killed"
        self.assertEqual(len(self.expected), 2 * SAMPLES)
        self.draw = random.Random(5)
        kills = 0
        while kills < KILLS:
            shutil.rmtree(killed, ignore_errors=True)
            while kills < KILLS and self.kill_one(killed):
                kills += 1
            self.assertEqual(self.run_to_the_end(killed, "--resume"), (0, ""))
            self.assert_undisturbed(killed)
            # Recorded once each: what a kill takes is at most what was not yet recorded.
            self.assertEqual(sorted(self.finished(killed)), sorted(name.removesuffix("_predict.obj") for name in
                                                                   self.expected if name.endswith(".obj")))

    def kill_one(self, out: Path) -> bool:
        """False where it was done before."""
        program = self.start(out, "--resume")
        time.sleep(self.draw.uniform(0, 0.6 * self.duration))
        program.send_signal(signal.SIGKILL)
        program.communicate()
        written = meshes(out)
        for name, content in written.items():
            self.assertEqual(content, self.expected[name], name)
        lost = {name.partition("_predict")[0] for name in written} - set(self.finished(out))
        self.assertLessEqual(len(lost), BATCH)  # written, and to be written again
        return program.returncode != 0

    def test_meshes_that_cannot_be_written_are_named(self):
        out = self.folder / "out"
        (out / "chair_004_00_predict.obj").mkdir(parents=True)
        code, log = self.run_to_the_end(out, "--limit", "6")
        self.assertEqual(code, 4)
        self.assertIn("chair_004_00_predict.obj: is a folder", log)
        self.assertEqual(len(self.finished(out)), 6)


class StoppedRunTest(RunTest):

    def test_a_signal_stops_in_order_and_a_second_one_at_once(self):
        long = 36  # far from done when its first results are recorded
        self.make_list(long)
        out = self.folder / "stopped"
        program = self.start(out)
        self.wait_for_results(out, program)
        program.send_signal(signal.SIGINT)
        program.communicate()
        self.assertEqual(program.returncode, 5)
        summary = json.loads((out / "summary.json").read_text())
        self.assertTrue(summary["stopped"])
        before = len(self.finished(out))
        self.assertEqual(summary["samples"]["reconstructed"], before)
        self.assertLess(before, long)
        program = self.start(out, "--resume")
        self.wait_for_results(out, program, before + 1)
        while program.poll() is None:
            program.send_signal(signal.SIGINT)
            time.sleep(0.001)
        program.communicate()
        self.assertEqual(program.returncode, -signal.SIGINT)
        self.assertEqual(self.run_to_the_end(out, "--resume")[0], 0)
        self.assertEqual(len(meshes(out)), 2 * long)
        self.assertEqual(list(out.glob(".p2mpp-*")), [])
