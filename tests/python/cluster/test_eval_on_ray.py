"""p2mpp-eval-on-ray: what it reads and records, and its worker processes. test_ray_cluster.py runs it."""

import hashlib
import json
import os
import threading
import unittest
from pathlib import Path
from unittest import mock

from p2mpp.cluster.run_manifest import RunManifest, failed_result
from p2mpp.cluster.test_list import Entry, read_entries
from p2mpp.cluster.worker_process import WorkerEnded, WorkerProcess
from p2mpp.commands import eval_on_ray
from p2mpp.errors import Error, InputError, UsageError
from runs import INPUTS, OTHERS, PROGRAM, ProgramTest, TemporaryTest

MANIFESTS = Path(__file__).resolve().parents[2] / "data/manifests.json"
IDENTITY = {"precision": "fp32", "views": [0, 6, 7], "formats": ["obj"], "truth_root": ""}


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
        self.assertRaises(Error, share, [{}], 0, 0)


class OptionsTest(unittest.TestCase):

    def test_what_follows_two_dashes_is_the_workers(self):
        options = eval_on_ray.parse(["list.txt", "--images-root", "i", "--out", "o", "--max-batch", "4", "--",
                                     "--precision", "bf16"])
        self.assertEqual(options.worker_options, ["--precision", "bf16"])
        command = eval_on_ray.worker_command(options, eval_on_ray.Share(1, 3, 0))
        self.assertEqual(command[-2:], ["--precision", "bf16"])
        self.assertEqual(command[command.index("--threads") + 1], "3")
        self.assertNotIn("--truth-root", command)

    def test_without_the_program_the_message_says_where_to_get_it(self):
        with mock.patch.object(eval_on_ray, "project_file", Path), mock.patch("shutil.which", return_value=None):
            options = eval_on_ray.parse(["list.txt", "--images-root", "i", "--out", "o"])
        with self.assertRaisesRegex(InputError, r"no program p2mpp on PATH.*docs/installing\.md.*--p2mpp FILE"):
            eval_on_ray.check_program(options.p2mpp)
        for path in (Path("/"), Path("/nowhere")):
            self.assertRaisesRegex(InputError, "is no program that can be run", eval_on_ray.check_program, path)


class ManifestTest(TemporaryTest):

    def done(self, name: str, line: int = 1) -> dict:
        (self.folder / f"{name}_predict.obj").write_text("mesh")
        return {**failed_result(line, name, ""), "status": "done",
                "sha256": {f"{name}_predict.obj": hashlib.sha256(b"other bytes").hexdigest()}}

    def test_what_is_recorded_is_finished_where_its_files_are_there(self):
        good, gone = self.done("good"), self.done("gone")
        good["sha256"] = {"good_predict.obj": hashlib.sha256(b"mesh").hexdigest()}
        manifest = RunManifest(self.folder, resume=False)
        self.assertEqual(manifest.begin(IDENTITY, {}), set())
        manifest.record([good, gone, failed_result(3, "bad", "no image")])
        manifest.close()
        with open(self.folder / "manifest.jsonl", "a") as file:
            file.write('{"id": "torn')
        with self.assertRaisesRegex(UsageError, "3 recorded samples.*--resume.*--overwrite"):
            RunManifest(self.folder, resume=False)
        manifest = RunManifest(self.folder, resume=True)
        self.assertEqual(manifest.begin(IDENTITY, {}), {"good"})
        self.assertRaises(Error, RunManifest, self.folder, True)  # in use
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

    def test_a_record_that_its_run_cannot_have_written_is_refused(self):
        good = self.done("good")
        for change in ({"sha256": {}}, {"sha256": {"../good_predict.obj": 64 * "0"}}, {"id": "../good"}, {"line": 0},
                       {"line": True}, {"status": "failed"}, {"status": "not_scored"}, {"status": "odd"}, {"scores": {}},
                       {"sha256": {"good_predict.obj": "12"}},
                       {"sha256": {**good["sha256"], "/etc/passwd": 64 * "0"}}):
            manifest = RunManifest(self.folder, resume=False, overwrite=True)
            manifest.begin(IDENTITY, {})
            manifest.record([{**good, **change}])
            manifest.close()
            with self.assertRaisesRegex(InputError, "manifest.jsonl:2: is damaged: ", msg=change):
                RunManifest(self.folder, resume=True)

    def test_a_foreign_file_is_refused_and_kept(self):
        path = self.folder / "manifest.jsonl"
        for content in ("notes\nof mine\n", "notes", '{"format": "of another"}\n', "\0\0", "{", " ",
                        '{"format": "p2mpp-run", my notes', 200_000 * "[" + "\n"):
            path.write_text(content)
            for how in ({"resume": True}, {"resume": False}, {"resume": False, "overwrite": True}):
                with self.assertRaises(InputError):
                    RunManifest(self.folder, **how)
                self.assertEqual(path.read_text(), content)
        link = self.folder / "linked"
        link.mkdir()
        (link / "manifest.jsonl").symlink_to(path)
        with self.assertRaisesRegex(Error, "is a symbolic link"):
            RunManifest(link, resume=True)
        pipe = self.folder / "piped"
        pipe.mkdir()
        os.mkfifo(pipe / "manifest.jsonl")
        with self.assertRaisesRegex(Error, "is a device or a pipe"):
            RunManifest(pipe, resume=True)

    def test_no_other_name_of_the_file_is_changed(self):
        path, other = self.folder / "manifest.jsonl", self.folder / "kept"
        for overwrite in (False, True):
            for file in (path, other):
                file.unlink(missing_ok=True)
            manifest = RunManifest(self.folder, resume=False)
            manifest.begin(IDENTITY, {})
            manifest.close()
            os.link(path, other)
            before = other.read_bytes()
            manifest = RunManifest(self.folder, resume=not overwrite, overwrite=overwrite)
            manifest.begin(IDENTITY, {"another": "description"})
            manifest.record([failed_result(1, "bad", "no image")])
            manifest.close()
            self.assertEqual(other.read_bytes(), before)
            self.assertEqual(len(path.read_text().splitlines()), 2)

    def test_verdicts_are_those_of_the_program(self):
        """tests/pipeline/run_manifest_test.cc reads the same table, where a character is a byte."""
        (self.folder / "a_predict.obj").write_text("a")
        path = self.folder / "manifest.jsonl"
        for case in json.loads(MANIFESTS.read_text()):
            with self.subTest(case["name"]):
                content = "".join(case["manifest"]).encode("latin-1")
                path.write_bytes(content)
                if "finished" in case:
                    manifest = RunManifest(self.folder, resume=True)
                    self.assertEqual(manifest.begin(case["identity"], {}), set(case["finished"]))
                    manifest.close()
                    continue
                with self.assertRaises(InputError) as refusal:
                    RunManifest(self.folder, resume=True)
                self.assertIn(case["refused"], str(refusal.exception))
                self.assertEqual(path.read_bytes(), content)

    def test_an_earlier_run_is_overwritten_on_request(self):
        manifest = RunManifest(self.folder, resume=False)
        manifest.begin(IDENTITY, {})
        manifest.record([failed_result(1, "bad", "no image")])
        manifest.close()
        manifest = RunManifest(self.folder, resume=False, overwrite=True)
        (self.folder / "results.csv").write_text("of the earlier run")
        self.assertEqual(manifest.begin({**IDENTITY, "precision": "bf16"}, {}), set())
        self.assertFalse((self.folder / "results.csv").exists())
        self.assertRaises(Error, RunManifest, self.folder, True)  # the new file is held, too
        manifest.close()
        self.assertEqual(len((self.folder / "manifest.jsonl").read_text().splitlines()), 1)
        self.assertEqual(list(self.folder.glob(".p2mpp-*")), [])


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
        worker.hello()
        worker.kill()
        self.assertRaises(WorkerEnded, worker.run, [Entry(1, "chair_000_00.dat")])
        self.assertNotEqual(worker.close(), 0)

    def test_why_it_did_not_start_is_told(self):
        hello = WorkerProcess([PROGRAM, "worker", "--model", str(self.folder / "none")]).hello()
        self.assertEqual(hello["exit_code"], 3)
        self.assertRegex(hello["reason"], "^p2mpp: error: .*none")


if __name__ == "__main__":
    unittest.main()
