"""scripts/eval_on_ray.py: what it reads and records, and a run on a local cluster one of whose workers is killed.

P2MPP_RAY_ADDRESS names a cluster of this machine that runs already (local where it is unset: one is started).
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import eval_on_ray  # noqa: E402
from p2mpp_cluster.run_manifest import RunError, RunManifest, failed_result  # noqa: E402
from p2mpp_cluster.test_list import Entry, read_entries  # noqa: E402
from p2mpp_cluster.worker_process import WorkerEnded, WorkerProcess  # noqa: E402

try:
    import ray
except ImportError:
    ray = None

PROGRAM = os.environ.get("P2MPP")
INPUTS = os.environ.get("P2MPP_CLI_INPUTS")
ADDRESS = os.environ.get("P2MPP_RAY_ADDRESS", "local")
TIMES = slice(5, 17)  # columns of results.csv that differ from run to run
IDENTITY = {"precision": "fp32", "views": [0, 6, 7]}


class TemporaryTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class ListTest(TemporaryTest):

    def test_only_what_can_be_asked_for(self):
        path = self.folder / "list.txt"
        path.write_bytes(b"\xef\xbb\xbfchair_a_00.dat\r\n\n  chair_b_00.dat \nchair_a_00\n../x_00.dat\nchair_\xff_00.dat\n"
                         b"chair_c d_00.dat\nchair_c_00.dat")
        self.assertEqual(read_entries(path), [Entry(1, "chair_a_00.dat"), Entry(3, "chair_b_00.dat"),
                                              Entry(8, "chair_c_00.dat")])


class ShareTest(unittest.TestCase):

    def test_a_worker_a_gpu_or_a_share_of_the_cpus(self):
        cpu, gpu = {"CPU": 8.0}, {"CPU": 32.0, "GPU": 4.0}
        share = eval_on_ray.share_out
        self.assertEqual(share([gpu, gpu], 0, 0), (8, 8, 1))
        self.assertEqual(share([cpu, {"CPU": 16.0}], 0, 0), (3, 8, 0))
        self.assertEqual(share([cpu], 0, 3), (2, 3, 0))
        self.assertEqual(share([cpu], 4, 0), (4, 2, 0))
        self.assertRaises(RunError, share, [{}], 0, 0)


class OptionsTest(unittest.TestCase):

    def test_what_follows_two_dashes_is_the_workers(self):
        options = eval_on_ray.parse(["list.txt", "--images-root", "i", "--out", "o", "--max-batch", "4", "--",
                                     "--precision", "bf16"])
        self.assertEqual(options.worker_options, ["--precision", "bf16"])
        command = eval_on_ray.worker_command(options, eval_on_ray.Share(1, 3, 0))
        self.assertEqual(command[-2:], ["--precision", "bf16"])
        self.assertEqual(command[command.index("--threads") + 1], "3")
        self.assertNotIn("--truth-root", command)


class ManifestTest(TemporaryTest):

    def done(self, name: str, line: int = 1) -> dict:
        (self.folder / name).write_text("mesh")
        return {**failed_result(line, name, ""), "status": "done", "sha256": {name: "of other bytes"}}

    def test_what_is_recorded_is_finished_where_its_files_are_there(self):
        good, gone = self.done("good"), self.done("gone")
        good["sha256"] = {"good": hashlib.sha256(b"mesh").hexdigest()}
        manifest = RunManifest(self.folder, resume=False)
        self.assertEqual(manifest.begin(IDENTITY), set())
        manifest.record([good, gone, failed_result(3, "bad", "no image")])
        manifest.close()
        with open(self.folder / "manifest.jsonl", "a") as file:
            file.write('{"id": "torn')
        manifest = RunManifest(self.folder, resume=True)
        self.assertEqual(manifest.begin(IDENTITY), {"good"})
        self.assertRaises(RunError, RunManifest, self.folder, True)  # in use
        manifest.close()

    def test_another_identity_and_damage_are_refused(self):
        manifest = RunManifest(self.folder, resume=False)
        manifest.begin(IDENTITY)
        manifest.close()
        manifest = RunManifest(self.folder, resume=True)
        with self.assertRaisesRegex(RunError, 'precision was "fp32", is "bf16"'):
            manifest.begin({**IDENTITY, "precision": "bf16"})
        manifest.close()
        with open(self.folder / "manifest.jsonl", "a") as file:
            file.write("nonsense\n")
        with self.assertRaisesRegex(RunError, "manifest.jsonl:2: is damaged"):
            RunManifest(self.folder, resume=True)


@unittest.skipIf(PROGRAM is None or INPUTS is None, "P2MPP and P2MPP_CLI_INPUTS name no program")
class ProgramTest(TemporaryTest):

    def make_list(self, count: int) -> None:
        inputs = Path(INPUTS)
        (self.folder / "truth").mkdir()
        names = [f"chair_{index:03d}_00" for index in range(count)]
        for index, name in enumerate(names):
            shutil.copytree(inputs / "samples" / "shape", self.folder / f"images/chair/{index:03d}")
            shutil.copy(inputs / "files" / "tetrahedron.obj", self.folder / f"truth/{name}.obj")
        names[5:5] = ["chair_missing_00", "../../etc/passwd_00", "chair_001_00"]
        (self.folder / "list.txt").write_text("".join(f"{name}.dat\n" for name in names))

    def options(self) -> list:
        return ["--images-root", str(self.folder / "images"), "--truth-root", str(self.folder / "truth")]

    def worker_options(self) -> list:
        return ["--model", str(Path(INPUTS) / "models/tiny")]


class WorkerProcessTest(ProgramTest):

    def start(self) -> WorkerProcess:
        return WorkerProcess([PROGRAM, "worker", "--out", str(self.folder / "out"), "--device", "cpu", "--quiet",
                              *self.options(), *self.worker_options()])

    def test_answers_come_back_to_who_asked(self):
        self.make_list(6)
        worker = self.start()
        self.assertEqual(worker.identity()["device"], "cpu")
        entries = read_entries(self.folder / "list.txt")
        results = {}
        threads = [threading.Thread(target=lambda part: results.update((result["line"], result)
                                                                       for result in worker.run(part)),
                                    args=(entries[first::3],)) for first in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(results), [entry.line for entry in entries])
        self.assertEqual([results[entry.line]["id"] for entry in entries], [entry.id for entry in entries])
        self.assertEqual({result["id"] for result in results.values() if result["status"] != "done"},
                         {"chair_missing_00"})
        self.assertEqual(worker.close(), 4)

    def test_its_end_is_told(self):
        self.make_list(3)
        worker = self.start()
        worker._process.kill()
        self.assertRaises(WorkerEnded, worker.run, [Entry(1, "chair_000_00.dat")])
        worker.close()
        with self.assertRaisesRegex(WorkerEnded, "did not start"):
            WorkerProcess(["false"])


def worker_processes(out: Path) -> list:
    """Process ids of the workers that write into a folder, and of the actors that hold them."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().split(b"\0")
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if b"worker" in command[1:2] and bytes(out) in command:
            found.append((int(process.name), parent))
    return found


@unittest.skipIf(ray is None, "Ray is missing: pip install -r scripts/requirements-ray.txt")
class ClusterTest(ProgramTest):
    SAMPLES = 60

    def start(self, out: Path) -> subprocess.Popen:
        command = [sys.executable, SCRIPTS / "eval_on_ray.py", self.folder / "list.txt", "--out", out, "--p2mpp", PROGRAM,
                   "--address", ADDRESS, "--workers", "3", "--cpus-per-worker", "1", "--max-batch", "2", *self.options(), "--",
                   *self.worker_options()]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def results(self, out: Path) -> list:
        rows = [line.split(",") for line in (out / "results.csv").read_text().splitlines()]
        return [row[:TIMES.start] + row[TIMES.stop:] for row in rows]

    def test_a_killed_worker_and_a_killed_actor_cost_nothing(self):
        self.make_list(self.SAMPLES)
        out, alone = self.folder / "cluster", self.folder / "alone"
        program = self.start(out)
        killed = 0
        manifest = out / "manifest.jsonl"
        while program.poll() is None and killed < 2:
            time.sleep(0.01)
            if manifest.exists() and manifest.read_text().count("\n") > 5 + 15 * killed:
                workers = worker_processes(out)
                if workers:
                    os.kill(workers[0][killed], signal.SIGKILL)  # first the program, then an actor
                    killed += 1
        stdout, log = program.communicate(timeout=600)
        self.assertEqual(program.returncode, 4, log + stdout)
        self.assertGreater(killed, 0, "it was over before one could be killed")
        self.assertIn("a worker ended", log)
        single = subprocess.run([PROGRAM, "eval", "--list", self.folder / "list.txt", "--out", alone, "--device", "cpu",
                                 "--quiet", *self.options(), *self.worker_options()], capture_output=True, check=False)
        self.assertEqual(single.returncode, 4)
        self.assertEqual(self.results(out), self.results(alone))
        self.assertEqual((out / "categories.csv").read_text(), (alone / "categories.csv").read_text())
        for file in alone.glob("*_predict.*"):
            self.assertEqual((out / file.name).read_bytes(), file.read_bytes(), file.name)
        ours, theirs = (json.loads((folder / "summary.json").read_text()) for folder in (out, alone))
        for key in ("metrics", "failures", "stopped"):
            self.assertEqual(ours[key], theirs[key])


if __name__ == "__main__":
    unittest.main()
