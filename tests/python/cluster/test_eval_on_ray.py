"""p2mpp-eval-on-ray without a cluster: its options, its shards, its tries. test_ray_cluster.py runs it on clusters."""

import functools
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from p2mpp.cluster import shard_task
from p2mpp.cluster.evaluation import Evaluation, Share, share_out
from p2mpp.cluster.shard_task import End, run_shard
from p2mpp.cluster.shards import Shard, open_shards
from p2mpp.commands import eval_on_ray
from p2mpp.errors import Error, InputError, UsageError
from runs import INPUTS, OTHERS, PROGRAM, ProgramTest, TemporaryTest, ends, meshes

# A program that, called with --shard K/N --out FOLDER, begins a manifest if there is none and does what is put in.
BEGIN = """#!/bin/sh
mkdir -p "$4"
[ -e "$4/manifest.jsonl" ] || echo '{{"identity": {{"shard": "{identity}"}}}}' > "$4/manifest.jsonl"
{rest}
echo '{{"status":"done"}}' >> "$4/manifest.jsonl"
echo '{{}}' > "$4/summary.json"
"""


class InThisProcess:
    """Ray without a cluster: a task runs when its result is asked for. The first `lost` results are lost."""

    exceptions = SimpleNamespace(RayError=type("RayError", (Exception,), {}))
    init = shutdown = staticmethod(lambda **_: None)

    def __init__(self, lost: int = 0):
        self._lost = lost
        self.pauses = []

    def nodes(self):
        return [{"Alive": True, "Resources": {"CPU": 2.0}}, {"Alive": False, "Resources": {"CPU": 64.0}}]

    def remote(self, function):
        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=functools.partial(functools.partial, function)))

    def wait(self, references, **_):
        return references[:1], references[1:]

    def cancel(self, reference, force=False):
        pass

    def get(self, reference):
        command, folder, pause, patience = reference.args
        self.pauses.append(pause)
        end = reference.func(command, folder, 0, patience)
        if self._lost > 0:
            self._lost -= 1
            raise self.exceptions.RayError("its node is lost\nand more")
        return end


class ShareTest(unittest.TestCase):

    def test_a_worker_a_gpu_or_a_share_of_the_cpus(self):
        cpu, gpu = {"CPU": 8.0}, {"CPU": 32.0, "GPU": 4.0}
        self.assertEqual(share_out([gpu, gpu], 0, 0), (8, 8, 1))
        self.assertEqual(share_out([cpu, {"CPU": 16.0}], 0, 0), (3, 8, 0))
        self.assertEqual(share_out([cpu], 0, 3), (2, 3, 0))
        self.assertEqual(share_out([cpu], 4, 0), (4, 2, 0))
        self.assertRaises(Error, share_out, [{}], 0, 0)


class OptionsTest(unittest.TestCase):

    def test_what_follows_two_dashes_is_evals(self):
        options = eval_on_ray.parse(["list.txt", "--images-root", "i", "--out", "o", "--shards", "4", "--",
                                     "--precision", "bf16"])
        command = eval_on_ray.eval_command(options, Share(1, 3, 0))
        self.assertEqual(command[-2:], ["--precision", "bf16"])
        self.assertEqual(command[command.index("--threads") + 1], "3")
        self.assertIn("--resume", command)
        self.assertNotIn("--truth-root", command)

    def test_without_the_program_the_message_says_where_to_get_it(self):
        with mock.patch("p2mpp.program.project_file", Path), mock.patch("shutil.which", return_value=None):
            options = eval_on_ray.parse(["list.txt", "--images-root", "i", "--out", "o"])
        with self.assertRaisesRegex(InputError, r"no program p2mpp in the package or on PATH.*docs/installing\.md.*--p2mpp FILE"):
            eval_on_ray.check_program(options.p2mpp)
        for path in (Path("/"), Path("/nowhere")):
            self.assertRaisesRegex(InputError, "is no program that can be run", eval_on_ray.check_program, path)


class ShardsTest(TemporaryTest):

    def test_a_run_is_continued_or_replaced_on_request_alone(self):
        first, second = open_shards(self.folder, 0, 2, False, False)
        self.assertEqual((first.name, second.folder), ("1/2", self.folder / "shards/2-of-2"))
        second.folder.mkdir(parents=True)
        second.manifest.write_text("{}\n")
        (self.folder / "results.csv").write_text("of this run")
        with self.assertRaisesRegex(UsageError, "holds a run; expected --resume.*--overwrite"):
            open_shards(self.folder, 0, 2, False, False)
        self.assertEqual(len(open_shards(self.folder, 0, 7, True, False)), 2)
        with self.assertRaisesRegex(UsageError, "holds a run of 2 shards; expected that number of --shards"):
            open_shards(self.folder, 7, 7, True, False)
        self.assertTrue(second.manifest.exists())
        self.assertEqual(len(open_shards(self.folder, 0, 7, False, True)), 7)
        self.assertFalse(second.folder.exists() or (self.folder / "results.csv").exists())
        (self.folder / "manifest.jsonl").touch()
        self.assertRaisesRegex(UsageError, "holds a run of `p2mpp eval`", open_shards, self.folder, 0, 2, True, False)

    def test_whole_lines_are_counted_once(self):
        shard = Shard(self.folder, 1, 1)
        shard.look()
        self.assertEqual((shard.done, shard.identity), (0, None))
        shard.folder.mkdir(parents=True)
        with open(shard.manifest, "a") as file:
            for text, done in (('{"identity": {"precision": "fp32"}}\n{"status":"done"}\n{"status":"failed"}\n', 1),
                               ('{"status":"do', 1), ('ne"}\n{"status":"done"}\n', 3)):
                file.write(text)
                file.flush()
                shard.look()
                self.assertEqual((shard.done, shard.identity), (done, {"precision": "fp32"}))


class TriesTest(TemporaryTest):

    def evaluate(self, rest: str, shards: int, lost: int = 0, identity: str = "none") -> tuple:
        """The evaluation, Ray and the warnings."""
        program = self.folder / "program"
        program.write_text(BEGIN.format(identity=identity, rest=rest))
        program.chmod(0o755)
        ray, warnings = InThisProcess(lost), []
        evaluation = Evaluation(ray, Share(2, 1, 0), [str(program)], 60, open_shards(self.folder, shards, 0, True, False), 9)
        with mock.patch("p2mpp.cluster.evaluation.warn", warnings.append):
            evaluation.run()
        return evaluation, ray, warnings

    def summaries(self) -> int:
        return len(list(self.folder.glob("shards/*/summary.json")))

    def test_a_shard_whose_result_is_lost_is_tried_again(self):
        _, ray, warnings = self.evaluate("", shards=3, lost=2)
        self.assertEqual(self.summaries(), 3)
        self.assertEqual(warnings, ["shard 1/3 ended: its node is lost", "shard 2/3 ended: its node is lost"])
        self.assertEqual(ray.pauses, [0, 0, 1, 1, 0])

    def test_a_shard_is_given_up_when_its_tries_finish_no_sample(self):
        _, ray, warnings = self.evaluate('[ "$2" != 1/3 ] || kill -9 $$', shards=3)
        self.assertEqual(self.summaries(), 2)
        self.assertEqual(warnings[:3], 3 * ["shard 1/3 ended: killed by SIGKILL"])
        self.assertIn("1/3 was given up after 3 tries", warnings[3])
        self.assertEqual(ray.pauses, [0, 0, 4, 0, 16])

    def test_tries_that_finish_samples_are_not_counted(self):
        more = """[ $(wc -l < "$4/manifest.jsonl") -gt 5 ] || { echo '{"status":"done"}' >> "$4/manifest.jsonl"; exit 1; }"""
        _, _, warnings = self.evaluate(more, shards=1)
        self.assertEqual((self.summaries(), len(warnings)), (1, 5))

    def test_where_no_shard_does_anything_it_ends(self):
        with self.assertRaisesRegex(Error, "shard ./9 ended 3 times, and no sample is done; the last: no library"):
            self.evaluate("echo no library >&2; exit 1", shards=9)

    def test_what_eval_refuses_is_not_tried_again(self):
        for code in (2, 3):
            with self.assertRaisesRegex(InputError, "was given what it cannot use: --odd: unknown"):
                self.evaluate(f"echo --odd: unknown >&2; exit {code}", shards=2)

    def test_shards_of_unlike_machines_are_refused_early(self):
        with self.assertRaisesRegex(Error, "shards/2-of-3 is of another run: shard differ; expected one kind of machine"):
            self.evaluate("", shards=3, identity="'$2'")
        self.assertFalse((self.folder / "shards/3-of-3").exists())


class RunShardTest(TemporaryTest):

    def test_one_that_is_silent_is_killed(self):
        before = time.monotonic()
        end = run_shard(["/bin/sleep", "100"], self.folder, 0, 0.5)
        self.assertEqual(end, End(False, -signal.SIGKILL, "silent for 0.5 s"))
        self.assertLess(time.monotonic() - before, 50)

    def test_one_that_is_stopped_in_order_is_not_whole(self):
        def interrupt():
            while not (self.folder / "begun").exists():
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)

        (self.folder / "summary.json").touch()  # of the try before
        thread = threading.Thread(target=interrupt)
        thread.start()
        script = "trap 'touch summary.json; echo stopped >&2; exit 5' TERM; touch begun; while true; do sleep 0.05; done"
        end = run_shard(["/bin/sh", "-c", f"cd {self.folder}; {script}"], self.folder, 0, 60)
        thread.join()
        self.assertEqual(end, End(False, 5, "stopped"))
        self.assertEqual(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_the_program_ends_with_its_task(self):
        note = self.folder / "process"
        code = f"from pathlib import Path; {shard_task.__name__}.run_shard({['/bin/sh', '-c', f'echo $$ > {note}; exec sleep 100']!r}, Path({str(self.folder)!r}), 0, 60)"
        with subprocess.Popen([sys.executable, "-c", f"import {shard_task.__name__}; {code}"]) as task:
            while not (note.exists() and note.read_text()):
                time.sleep(0.01)
            task.kill()
        self.assertTrue(ends(note.read_text().strip()), "the program still runs")


class CommandTest(ProgramTest):

    def run_here(self, *options: str, behind: tuple = (), lost: int = 0) -> int:
        out = self.folder / "cluster"
        with mock.patch.dict(sys.modules, ray=InThisProcess(lost)):
            return eval_on_ray.main([str(each) for each in (
                self.folder / "list.txt", *self.roots(), "--out", out, "--p2mpp", PROGRAM, "--workers", "2", *options, "--",
                "--batch", "2", "--model", Path(INPUTS) / "models/tiny", *behind)])

    def assert_refused(self, message: str, *options: str, behind: tuple = ()) -> None:
        with mock.patch("p2mpp.commands.eval_on_ray.print_error") as printed:
            self.assertEqual(self.run_here(*options, behind=behind), 3)
        self.assertRegex(str(printed.call_args.args[1]), message)

    def test_shards_are_one_run(self):
        self.make_list(8, OTHERS)
        out, alone = self.folder / "cluster", self.folder / "alone"
        single = subprocess.run(self.eval_command(alone, "--batch", "2"), capture_output=True, check=False)
        self.assertEqual(single.returncode, 4)
        for options, lost in ((("--shards", "3"), 1), (("--resume",), 0), (("--overwrite", "--shards", "2"), 0)):
            self.assertEqual(self.run_here(*options, lost=lost), 4)
            self.assert_same_run(out, alone)
            made = [meshes(folder) for folder in (out / "shards").iterdir()]
            self.assertEqual({name: mesh for part in made for name, mesh in part.items()}, meshes(alone))
            self.assertEqual(len(made), 2 if "--overwrite" in options else 3)
        self.assertEqual(self.run_here(), 2)

    def test_what_cannot_run_is_named(self):
        self.make_list(2)
        self.assert_refused("`p2mpp eval` was given what it cannot use: .*--precision", behind=("--precision", "fp12"))
        self.assert_refused("none: is no program that can be run; expected p2mpp", "--p2mpp", self.folder / "none")
        (self.folder / "list.txt").unlink()
        self.assert_refused("list.txt: cannot be read: No such file or directory; expected a test list")
        self.assertFalse((self.folder / "cluster/results.csv").exists())
