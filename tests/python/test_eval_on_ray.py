"""scripts/eval_on_ray.py: what it reads and records, and runs on a local cluster whose workers are killed.

P2MPP_RAY_ADDRESS names a cluster of this machine that runs already (local where it is unset: one is started).
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import eval_on_ray  # noqa: E402
from p2mpp_cluster.run_manifest import InputError, RunError, RunManifest, failed_result  # noqa: E402
from p2mpp_cluster.test_list import Entry, read_entries  # noqa: E402
from p2mpp_cluster.worker_process import WorkerEnded, WorkerProcess  # noqa: E402
from runs import INPUTS, PROGRAM, ProgramTest, TemporaryTest, meshes  # noqa: E402

try:
    import ray
except ImportError:
    ray = None

ADDRESS = os.environ.get("P2MPP_RAY_ADDRESS", "local")
IDENTITY = {"precision": "fp32", "views": [0, 6, 7]}
OTHERS = ("chair_missing_00", "../../etc/passwd_00", "chair_001_00")  # lines that give no mesh


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
        self.assertEqual(manifest.begin(IDENTITY, {}), set())
        manifest.record([good, gone, failed_result(3, "bad", "no image")])
        manifest.close()
        with open(self.folder / "manifest.jsonl", "a") as file:
            file.write('{"id": "torn')
        manifest = RunManifest(self.folder, resume=True)
        self.assertEqual(manifest.begin(IDENTITY, {}), {"good"})
        self.assertRaises(RunError, RunManifest, self.folder, True)  # in use
        manifest.close()

    def test_another_identity_and_damage_are_refused(self):
        manifest = RunManifest(self.folder, resume=False)
        manifest.begin(IDENTITY, {})
        manifest.close()
        manifest = RunManifest(self.folder, resume=True)
        with self.assertRaisesRegex(InputError, 'precision was "fp32", is "bf16"'):
            manifest.begin({**IDENTITY, "precision": "bf16"}, {})
        manifest.close()
        with open(self.folder / "manifest.jsonl", "a") as file:
            file.write("nonsense\n")
        with self.assertRaisesRegex(InputError, "manifest.jsonl:2: is damaged"):
            RunManifest(self.folder, resume=True)


class WorkerProcessTest(ProgramTest):

    def start(self) -> WorkerProcess:
        return WorkerProcess([PROGRAM, "worker", "--out", str(self.folder / "out"), "--device", "cpu", "--quiet",
                              *map(str, self.roots()), "--model", str(Path(INPUTS) / "models/tiny")])

    def test_answers_come_back_to_who_asked(self):
        self.make_list(6, OTHERS)
        worker = self.start()
        self.assertEqual(worker.hello()["identity"]["device"], "cpu")
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
        worker.kill()
        self.assertRaises(WorkerEnded, worker.run, [Entry(1, "chair_000_00.dat")])
        self.assertNotEqual(worker.close(), 0)
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


class Killer:
    """Does something to the workers of a run, or to the run, whenever so many more results are recorded."""

    def __init__(self, program: subprocess.Popen, out: Path):
        self._program, self._out = program, out
        self._manifest = out / "manifest.jsonl"
        self._seen = self._recorded()

    def after(self, results: int) -> bool:
        """Waits for them; False where the run has ended before."""
        wanted = self._seen + results
        while self._program.poll() is None:
            self._seen = self._recorded()
            if self._seen > wanted and worker_processes(self._out):
                return True
            time.sleep(0.01)
        return False

    def signal_worker(self, number: int) -> None:
        os.kill(worker_processes(self._out)[0][0], number)

    def kill_actor(self) -> None:
        os.kill(worker_processes(self._out)[0][1], signal.SIGKILL)

    def _recorded(self) -> int:
        return self._manifest.read_bytes().count(b"\n") if self._manifest.exists() else 0


@unittest.skipIf(ray is None, "Ray is missing: pip install -r scripts/requirements-ray.txt")
class ClusterTest(ProgramTest):
    SAMPLES = 80

    def setUp(self):
        super().setUp()
        self.make_list(self.SAMPLES, OTHERS)
        self.out = self.folder / "cluster"

    def start(self, *options: str) -> subprocess.Popen:
        command = [sys.executable, SCRIPTS / "eval_on_ray.py", self.folder / "list.txt", *self.roots(), "--out", self.out,
                   "--p2mpp", PROGRAM, "--address", ADDRESS, "--workers", "3", "--cpus-per-worker", "1", "--max-batch", "2",
                   *options, "--", "--model", Path(INPUTS) / "models/tiny"]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)

    def assert_equals_a_single_machines(self) -> None:
        alone = self.folder / "alone"
        single = subprocess.run(self.eval_command(alone, "--batch", "2"), capture_output=True, check=False)
        self.assertEqual(single.returncode, 4)
        self.assert_same_run(self.out, alone)
        self.assertEqual(meshes(self.out), meshes(alone))
        self.assertEqual(list(self.out.glob(".p2mpp-*")), [])

    def test_a_killed_worker_a_killed_actor_and_one_that_hangs_cost_nothing(self):
        program = self.start("--patience", "4")
        killer = Killer(program, self.out)
        self.assertTrue(killer.after(6))
        killer.signal_worker(signal.SIGKILL)
        self.assertTrue(killer.after(10))
        killer.kill_actor()
        self.assertTrue(killer.after(10))
        killer.signal_worker(signal.SIGSTOP)
        stdout, log = program.communicate(timeout=600)
        self.assertEqual(program.returncode, 4, log + stdout)
        self.assertEqual(log.count("a worker ended: "), 3, log)
        self.assertIn("it was silent for 4 s", log)
        self.assertEqual(worker_processes(self.out), [])
        self.assert_equals_a_single_machines()

    def test_it_goes_on_after_it_was_stopped_and_after_it_was_killed(self):
        program = self.start()
        self.assertTrue(Killer(program, self.out).after(6))
        os.killpg(program.pid, signal.SIGINT)  # as a terminal does
        _, log = program.communicate(timeout=600)
        self.assertEqual(program.returncode, 5, log)
        self.assertNotIn("a worker ended", log)
        self.assertIn("warning: stopped; the same command with --resume goes on", log)
        summary = json.loads((self.out / "summary.json").read_text())
        self.assertTrue(summary["stopped"])
        self.assertGreaterEqual(summary["samples"]["reconstructed"], 6)
        program = self.start("--resume")
        self.assertTrue(Killer(program, self.out).after(6))
        program.kill()
        program.communicate()
        recorded = (self.out / "manifest.jsonl").read_bytes()
        program = self.start("--resume")
        stdout, log = program.communicate(timeout=600)
        self.assertEqual(program.returncode, 4, log + stdout)
        self.assertTrue((self.out / "manifest.jsonl").read_bytes().startswith(recorded[:recorded.rfind(b"\n") + 1]))
        self.assertEqual((self.out / "manifest.jsonl").read_text().count('"status": "done"'), self.SAMPLES)
        self.assert_equals_a_single_machines()

    def test_what_cannot_run_is_named(self):
        program = self.start("--p2mpp", str(self.folder / "none"))
        _, log = program.communicate(timeout=60)
        self.assertEqual(program.returncode, 3)
        self.assertRegex(log, "error: .*none: is no program that can be run; expected p2mpp")
        (self.folder / "list.txt").unlink()
        program = self.start()
        _, log = program.communicate(timeout=60)
        self.assertEqual(program.returncode, 3)
        self.assertRegex(log, "error: .*list.txt: cannot be read: No such file or directory; expected a test list")


if __name__ == "__main__":
    unittest.main()
