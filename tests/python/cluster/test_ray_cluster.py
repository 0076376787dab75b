"""p2mpp-eval-on-ray on clusters whose programs, tasks and nodes are killed: the results are a single machine's.

P2MPP_RAY_ADDRESS names a cluster of this machine that runs already; where it is unset, one is started for all tests.
"""

import json
import os
import re
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


def programs(out: Path) -> list:
    """Process ids of the programs that write into a run's shards, and of the tasks that hold them."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().split(b"\0")
            parent = parent_of(int(process.name))
        except (OSError, ValueError):
            continue
        if command[1:2] == [b"eval"] and any(part.startswith(bytes(out) + b"/") for part in command):
            found.append((int(process.name), parent))
    return found


def records(out: Path) -> dict:
    """The whole lines of each shard's manifest."""
    return {path: path.read_bytes().rpartition(b"\n")[0] for path in out.glob("shards/*/manifest.jsonl")}


def wait_until(condition) -> bool:
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


class Killer:
    """Does something to the programs of a run, or to the run, whenever so many more results are recorded."""

    def __init__(self, run: subprocess.Popen, out: Path):
        self._run, self._out = run, out
        self._seen = self._recorded()

    def after(self, results: int) -> bool:
        """Waits for them; False where the run has ended before."""
        wanted = self._seen + results
        while self._run.poll() is None:
            self._seen = self._recorded()
            if self._seen > wanted and programs(self._out):
                return True
            time.sleep(0.01)
        return False

    def signal_program(self, number: int) -> None:
        os.kill(programs(self._out)[0][0], number)

    def kill_task(self) -> None:
        os.kill(programs(self._out)[0][1], signal.SIGKILL)

    def _recorded(self) -> int:
        return sum(lines.count(b"\n") for lines in records(self._out).values())


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
                   "--cpus-per-worker", "1", "--shards", "6", *options, "--",
                   "--batch", "2", "--model", Path(INPUTS) / "models/tiny"]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)

    def assert_equals_a_single_machines(self) -> None:
        alone = self.folder / "alone"
        single = subprocess.run(self.eval_command(alone, "--batch", "2"), capture_output=True, check=False)
        self.assertEqual(single.returncode, 4)
        self.assert_same_run(self.out, alone)
        made = {}
        for shard in (self.out / "shards").iterdir():
            made.update(meshes(shard))
            self.assertEqual(list(shard.glob(".p2mpp-*")), [])
        self.assertEqual(made, meshes(alone))

    def test_a_killed_program_a_killed_task_and_one_that_hangs_cost_nothing(self):
        run = self.start("--patience", "5")
        killer = Killer(run, self.out)
        self.assertTrue(killer.after(6))
        killer.signal_program(signal.SIGKILL)
        self.assertTrue(killer.after(10))
        killer.kill_task()
        self.assertTrue(killer.after(10))
        killer.signal_program(signal.SIGSTOP)
        stdout, log = run.communicate(timeout=600)
        self.assertEqual(run.returncode, 4, log + stdout)
        self.assertGreaterEqual(len(re.findall(r"warning: shard \d/6 ended: ", log)), 3, log)
        self.assertIn("ended: killed by SIGKILL", log)
        self.assertIn("ended: silent for 5 s", log)
        self.assertEqual(programs(self.out), [])
        self.assert_equals_a_single_machines()

    def test_a_lost_node_costs_nothing(self):
        from ray.cluster_utils import Cluster
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
        self.addCleanup(cluster.shutdown)
        nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
        nodes_by_raylet = {node.all_processes["raylet"][0].process.pid: node for node in nodes}
        run = self.start(address=cluster.address)
        self.assertTrue(Killer(run, self.out).after(10))
        raylet = parent_of(programs(self.out)[0][1])
        cluster.remove_node(nodes_by_raylet[raylet], allow_graceful=False)
        stdout, log = run.communicate(timeout=600)
        self.assertEqual(run.returncode, 4, log + stdout)
        self.assertRegex(log, r"warning: shard \d/6 ended: ")
        self.assert_equals_a_single_machines()

    def test_it_goes_on_after_it_was_stopped_and_after_it_was_killed(self):
        run = self.start(address="local")  # a cluster of its own, whose processes see what a terminal sends
        self.assertTrue(Killer(run, self.out).after(6))
        os.killpg(run.pid, signal.SIGINT)
        _, log = run.communicate(timeout=600)
        self.assertEqual(run.returncode, 5, log)
        self.assertNotIn(" ended: ", log)
        self.assertIn("warning: samples are left; run the same command with --resume to continue", log)
        summary = json.loads((self.out / "summary.json").read_text())
        self.assertTrue(summary["stopped"])
        self.assertGreaterEqual(summary["samples"]["reconstructed"], 6)
        run = self.start("--resume")
        self.assertTrue(Killer(run, self.out).after(6))
        run.kill()
        run.communicate()
        self.assertTrue(wait_until(lambda: not programs(self.out)), "programs outlive their run")
        recorded = records(self.out)
        run = self.start("--resume")
        stdout, log = run.communicate(timeout=600)
        self.assertEqual(run.returncode, 4, log + stdout)
        for path, lines in records(self.out).items():
            self.assertTrue(lines.startswith(recorded.get(path, b"")))
        self.assertEqual(sum(lines.count(b'"status":"done"') for lines in records(self.out).values()), self.SAMPLES)
        self.assert_equals_a_single_machines()
