"""p2mpp-eval-on-ray on clusters whose workers, actors and nodes are killed: the results are a single machine's.

P2MPP_RAY_ADDRESS names a cluster of this machine that runs already; where it is unset, one is started for all tests.
"""

import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path
from typing import Optional

from runs import INPUTS, OTHERS, PROGRAM, ProgramTest, meshes

try:
    import ray
except ImportError:
    ray = None

ADDRESS = os.environ.get("P2MPP_RAY_ADDRESS")
WORKERS = 3


def parent_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def worker_processes(out: Path) -> list:
    """Process ids of the workers that write into a folder, and of the actors that hold them."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().split(b"\0")
            parent = parent_of(int(process.name))
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

    @classmethod
    def setUpClass(cls):
        cls.address = ADDRESS
        if not ADDRESS:
            from ray.cluster_utils import Cluster
            cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": WORKERS})
            cls.addClassCleanup(cluster.shutdown)
            cls.address = cluster.address

    def setUp(self):
        super().setUp()
        self.make_list(self.SAMPLES, OTHERS)
        self.out = self.folder / "cluster"

    def start(self, *options: str, address: Optional[str] = None) -> subprocess.Popen:
        command = [sys.executable, "-m", "p2mpp.commands.eval_on_ray", self.folder / "list.txt", *self.roots(), "--out", self.out,
                   "--p2mpp", PROGRAM, "--address", address or self.address, "--workers", str(WORKERS),
                   "--cpus-per-worker", "1", "--max-batch", "2", *options, *([] if "--" in options else ["--"]),
                   "--model", Path(INPUTS) / "models/tiny"]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)

    def assert_equals_a_single_machines(self) -> None:
        alone = self.folder / "alone"
        single = subprocess.run(self.eval_command(alone, "--batch", "2"), capture_output=True, check=False)
        self.assertEqual(single.returncode, 4)
        self.assert_same_run(self.out, alone)
        self.assertEqual(meshes(self.out), meshes(alone))
        self.assertEqual(list(self.out.glob(".p2mpp-*")), [])

    def test_a_killed_worker_a_killed_actor_and_one_that_hangs_cost_nothing(self):
        program = self.start("--patience", "10")
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
        self.assertIn("it was silent for 10 s", log)
        self.assertEqual(worker_processes(self.out), [])
        self.assert_equals_a_single_machines()

    def test_a_lost_node_costs_nothing(self):
        from ray.cluster_utils import Cluster
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
        self.addCleanup(cluster.shutdown)
        nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
        nodes_by_raylet = {node.all_processes["raylet"][0].process.pid: node for node in nodes}
        program = self.start(address=cluster.address)
        self.assertTrue(Killer(program, self.out).after(10))
        raylet = parent_of(worker_processes(self.out)[0][1])
        cluster.remove_node(nodes_by_raylet[raylet], allow_graceful=False)
        stdout, log = program.communicate(timeout=600)
        self.assertEqual(program.returncode, 4, log + stdout)
        self.assertIn("a worker ended", log)
        self.assert_equals_a_single_machines()

    def test_it_goes_on_after_it_was_stopped_and_after_it_was_killed(self):
        program = self.start()
        self.assertTrue(Killer(program, self.out).after(6))
        os.killpg(program.pid, signal.SIGINT)  # as a terminal does
        _, log = program.communicate(timeout=600)
        self.assertEqual(program.returncode, 5, log)
        self.assertNotIn("a worker ended", log)
        self.assertIn("warning: stopped; run the same command with --resume to continue", log)
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
        program = self.start("--", "--precision", "fp12", address="local")  # which starts a cluster of its own
        _, log = program.communicate(timeout=60)
        self.assertEqual(program.returncode, 3)
        self.assertRegex(log, "p2mpp-eval-on-ray: error: a worker was given what it cannot use: .*--precision")
        self.assertFalse((self.out / "results.csv").exists())
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
