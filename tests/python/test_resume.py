"""`p2mpp eval` killed at random moments and gone on with: nothing is lost, nothing half-done stays.

P2MPP_KILLS says how often it is killed (default 12; the long run that the documentation names takes 200).
"""

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ.get("P2MPP")
INPUTS = os.environ.get("P2MPP_CLI_INPUTS")
KILLS = int(os.environ.get("P2MPP_KILLS", "12"))
SAMPLES = 30
BATCH = 3
TIMES = slice(5, 15)  # columns of results.csv that differ from run to run


@unittest.skipIf(PROGRAM is None or INPUTS is None, "P2MPP and P2MPP_CLI_INPUTS name no program")
class KilledRunTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        inputs = Path(INPUTS)
        names = [f"chair_{index:03d}_00" for index in range(SAMPLES)]
        for index, name in enumerate(names):
            shutil.copytree(inputs / "samples" / "shape", self.folder / f"images/chair/{index:03d}")
            (self.folder / "truth").mkdir(exist_ok=True)
            shutil.copy(inputs / "files" / "tetrahedron.obj", self.folder / f"truth/{name}.obj")
        (self.folder / "list.txt").write_text("".join(f"{name}.dat\n" for name in names))

    def command(self, out: Path, *options: str) -> list:
        return [PROGRAM, "eval", "--model", Path(INPUTS) / "models/tiny", "--list",
                self.folder / "list.txt", "--images-root", self.folder / "images", "--truth-root",
                self.folder / "truth", "--out", out, "--batch", str(BATCH), "--threads", "1",
                "--device", "cpu", "--read-threads", "2", "--quiet", *options]

    def start(self, out: Path, *options: str) -> subprocess.Popen:
        return subprocess.Popen(self.command(out, *options), stdout=subprocess.DEVNULL)

    def meshes(self, out: Path) -> dict:
        return {file.name: file.read_bytes() for file in out.glob("*_predict.*")}

    def scores(self, out: Path) -> list:
        rows = [line.split(",") for line in (out / "results.csv").read_text().splitlines()]
        return [row[:TIMES.start] + row[TIMES.stop:] for row in rows]

    def finished(self, out: Path) -> list:
        """Ids that the manifest holds, in its order; a torn last line is left out."""
        manifest = out / "manifest.jsonl"
        lines = manifest.read_text().split("\n")[1:-1] if manifest.exists() else []
        return [json.loads(line)["id"] for line in lines]

    def test_killed_at_random_moments(self):
        clean, killed = self.folder / "clean", self.folder / "killed"
        begun = time.monotonic()
        self.assertEqual(self.start(clean).wait(), 0)
        duration = time.monotonic() - begun
        draw = random.Random(5)
        expected = self.meshes(clean)
        kills = 0
        while kills < KILLS:
            shutil.rmtree(killed, ignore_errors=True)
            while kills < KILLS:
                program = self.start(killed, "--resume")
                time.sleep(draw.uniform(0, 0.6 * duration))
                program.send_signal(signal.SIGKILL)
                if program.wait() == 0:
                    break  # it was done before
                kills += 1
                for name, content in self.meshes(killed).items():
                    self.assertEqual(content, expected[name], name)
            self.assertEqual(self.start(killed, "--resume").wait(), 0)
            self.assertEqual(self.meshes(killed), expected)
            self.assertEqual(self.scores(killed), self.scores(clean))
            ids = self.finished(killed)
            self.assertEqual(len(set(ids)), SAMPLES)
            # Recorded once each: what a kill takes is at most what was not yet recorded.
            self.assertEqual(len(ids), SAMPLES)

    def test_stopped_by_a_signal(self):
        out = self.folder / "stopped"
        program = self.start(out)
        while not self.finished(out) and program.poll() is None:
            time.sleep(0.005)
        program.send_signal(signal.SIGINT)
        code = program.wait()
        self.assertIn(code, (0, 5))
        summary = json.loads((out / "summary.json").read_text())
        self.assertEqual(summary["stopped"], code == 5)
        self.assertEqual(summary["samples"]["reconstructed"], len(self.finished(out)))
        self.assertEqual(self.start(out, "--resume").wait(), 0)
        self.assertEqual(len(self.meshes(out)), 2 * SAMPLES)


if __name__ == "__main__":
    unittest.main()
