"""The parts of p2mpp-photos one by one: its folders, its steps, the program and COLMAP as children."""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
from PIL import Image

from runs import TemporaryTest, ends
from stand_ins import quiet_run

from p2mpp.errors import InputError
from p2mpp.photos import cameras, pairs
from p2mpp.photos.engine import Engine
from p2mpp.photos.output import OutputFolder
from p2mpp.photos.photographs import Photograph
from p2mpp.photos.options import Options
from p2mpp.photos.run import Run, mesh_line
from p2mpp.photos.steps import StepError, StepFailure, Steps


class LinesTest(unittest.TestCase):
    def test_what_no_photograph_saw_is_said(self):
        for texture, line in (({}, "5 vertices, 6 faces"), ({"texture": {"unseen": 0.001}}, "5 vertices, 6 faces"),
                              ({"texture": {"unseen": 0.325}},
                               "5 vertices, 6 faces; no photograph saw 32% of its surface, which is grey (-- --fill-unseen colours it)")):
            self.assertEqual(mesh_line({"vertices": 5, "faces": 6, **texture}), line)


class FoldersTest(TemporaryTest):
    def setUp(self):
        super().setUp()
        self.source = self.folder / "chair"
        self.source.mkdir()

    def save(self, name: str):
        pixels = np.random.default_rng(len(name)).integers(0, 256, (60, 80, 3), np.uint8)
        Image.fromarray(pixels).save(self.source / name)

    def photographs(self, out):
        run = quiet_run(Options(self.source, out))
        with run.output.opened([]):
            return run.photographs()[0]

    def test_out_is_the_photographs_folder_or_in_it(self):
        self.save("a.jpg")
        (self.source / "images").mkdir()
        for out in (self.source, self.source / "out", self.source / "images"):
            for _ in range(2):
                self.assertEqual(self.photographs(out), ["a.jpg"])
        (self.source / "a.jpg").rename(self.source / "images/bb.jpg")
        for _ in range(2):
            self.assertEqual(self.photographs(self.source), ["bb.jpg"])

    def test_names_of_results(self):
        for source, name in (("/images", "images"), ("/chair/images", "chair"), ("/my chair", "my chair"), ("/a\nb", "a_b"),
                             (os.fsdecode(b"/\xff"), "_"), ("/", "photographs")):
            self.assertEqual(Options(Path(source), self.folder).name, name)

    def test_input_in_the_work_folder(self):
        work = self.source / "work/photographs"
        work.mkdir(parents=True)
        for options in ({"source": work}, {"source": self.folder, "masks": work}, {"source": None, "video": work / "a.mp4"}):
            with self.assertRaisesRegex(InputError, f"^{work}.*: is in {self.source}/work, which the command writes; expected another place$"):
                Run(Options(out=self.source, **options), None, None).everything()

    def test_features_of_photographs_that_are_gone(self):
        for number in range(6):
            self.save(f"a{'a' * number}.png")
        out = self.folder / "out"
        for count in (6, 5):
            run = quiet_run(Options(self.source, out, threads=1))
            with run.output.opened([]), self.assertRaises(StepError):
                run.cameras(*run.photographs())
            with contextlib.closing(sqlite3.connect(out / "work/.p2mpp-photos-colmap/database.db")) as database:
                self.assertEqual(database.execute("SELECT count(*) FROM images").fetchone(), (count,))
            (self.source / "aaa.png").unlink(missing_ok=True)


class StepsTest(TemporaryTest):
    def setUp(self):
        super().setUp()
        self.enterContext(self.steps().output.opened([]))

    def steps(self):
        return Steps(OutputFolder(self.folder), lambda line: None)

    def test_a_step_is_kept_while_its_inputs_and_files_are_the_same(self):
        steps = self.steps()
        self.assertIsNone(steps.finished("a", [1]))
        with steps.recording("a", [1]) as record:
            (record.new.folder("work/a") / "file").touch()
            record.new.file("a.jpg").touch()
            record.result = {"x": 1}
        for name in ("work/a/file", "a.jpg"):
            self.assertEqual(self.steps().finished("a", [1]), {"x": 1})
            self.assertIsNone(steps.finished("a", [2]))
            (self.folder / name).rename(self.folder / "elsewhere")
            self.assertIsNone(steps.finished("a", [1]))
            (self.folder / "elsewhere").rename(self.folder / name)
        (self.folder / "work/a.json").write_text("{")
        self.assertIsNone(steps.finished("a", [1]))

    def test_a_step_that_fails_is_not_kept(self):
        steps = self.steps()
        with self.assertRaises(StepError), steps.recording("a", [1]):
            raise StepError("a", "failed")
        self.assertEqual(os.listdir(self.folder / "work"), [])


class EngineTest(TemporaryTest):
    def program(self, text: str) -> Engine:
        path = self.folder / "program"
        path.write_text(f"#!{sys.executable}\n{text}")
        path.chmod(0o700)
        return Engine(path, lambda line: None)

    def test_much_output_before_the_errors_end(self):
        engine = self.program("import sys\nprint('1' * 300000)\nsys.stdout.flush()\nprint('done', file=sys.stderr)\n")
        signal.alarm(20)
        self.addCleanup(signal.alarm, 0)
        self.assertEqual(len(engine.run("check", ["check"])), 300001)

    def test_photographs_that_the_program_refuses(self):
        """The program is asked for ever smaller groups; at least two photographs are in one."""
        engine = self.program("import os, sys\nfolder = sys.argv[2]\nnames = [each for each in sorted(os.listdir(folder)) if '.jpg' in each]\n"
                              "assert len(names) > 1\nfor name in names:\n"
                              "    if 'bad' in os.readlink(folder + '/' + name):\n"
                              "        sys.exit(sys.stderr.write(f'p2mpp: error: {folder}/{name}: damaged JPEG: a hole\\n') and 3)\n")
        photographs = [self.folder / name for name in ("a.jpg", "bad.jpg", "c.jpg", "d.jpg", "bad2.jpg")]
        self.assertEqual(engine.refused(photographs), {"bad.jpg": "damaged JPEG: a hole", "bad2.jpg": "damaged JPEG: a hole"})

    def test_the_program_ends_with_a_command_that_is_killed(self):
        told = self.folder / "told"
        script = ("import sys; from pathlib import Path; from p2mpp.photos.engine import Engine; "
                  "Engine(Path(sys.argv[1]), print).run('mesh', [])")
        self.program(f"import os, time\nopen({str(told)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)\n")
        with subprocess.Popen([sys.executable, "-c", script, self.folder / "program"]) as running:
            while not told.exists() or not told.read_text():
                time.sleep(0.02)
            running.kill()
        self.assertTrue(ends(told.read_text()), "the program still runs")


class CamerasTest(TemporaryTest):
    def setUp(self):
        super().setUp()
        self.folder = self.folder / "all #1"
        self.folder.mkdir()

    def photographs(self, kinds):
        """Photographs of noise, each another, or of one grey."""
        facts = []
        for number, kind in enumerate(kinds):
            rng = np.random.default_rng(number)
            small = rng.integers(0, 256, (24, 32), np.uint8) if kind == "noise" else np.full((24, 32), 128, np.uint8)
            Image.fromarray(small).resize((320, 240), Image.Resampling.BICUBIC).save(self.folder / f"{number}.png")
            facts.append(Photograph(f"{number}.png", "", 320, 240, "one", False, 1.0))
        return facts

    def find(self, kinds):
        (self.folder / "new").mkdir()
        return cameras.find_cameras(self.photographs(kinds), self.folder, self.folder, self.folder / "new", 1, lambda line: None,
                                    Path("sheet.jpg"), {})

    def test_photographs_that_do_not_belong_together(self):
        with self.assertRaisesRegex(StepError, r"^cameras: 0 of 6 photographs have a camera \(2 show little pattern, 4 match no other\); "
                                    r"put the object on newspaper .*; look at sheet.jpg$"):
            self.find(["noise"] * 4 + ["grey"] * 2)

    def test_eight_cameras_of_many_photographs_are_enough(self):
        for registered, expected in ((8, contextlib.nullcontext()),
                                     (7, self.assertRaisesRegex(StepError, "^cameras: 7 of 30 photographs have a camera"))):
            found = [f"{number}.png" for number in range(registered)]
            with mock.patch.multiple(cameras, _run=lambda *_: {"models": [registered], "database": "database.db", "mat": False},
                                     registered_names=lambda _: found, _reasons=lambda *_: {}), expected:
                self.assertEqual(self.find(["noise"] * 30)["registered"], found)
            shutil.rmtree(self.folder / "new")

    def test_a_failure_of_colmap_is_its_last_line(self):
        (self.folder / "database.db").write_bytes(b"no database" * 100)
        with self.assertRaisesRegex(StepFailure, r"^cameras: COLMAP failed: .*; look at .*colmap.log$"):
            self.find(["noise"] * 5)


class PairsTest(unittest.TestCase):
    def test_neighbours_and_those_that_look_alike(self):
        rng = np.random.default_rng(2)
        kinds = rng.integers(0, 256, (60, 200, 128), np.uint8)
        kinds[41] = kinds[7]
        found = pairs.similar_pairs(list(kinds))
        self.assertIn((7, 41), found)
        self.assertIn((0, 59), found)  # a ring
        self.assertTrue(all((k, k + step) in found for k in range(50) for step in range(1, pairs.NEIGHBOURS + 1)))
        self.assertLess(len(found), 60 * 59 / 2)
        self.assertEqual(len(found), len(set(found)))
