"""p2mpp-generate as a user runs it: layout, determinism, resuming, bad options."""

import json
import pickle
import shutil
from pathlib import Path

import numpy as np

from p2mpp.commands.generate import main
from runs import SharedFolderTest, contents, require, run_here

require("manifold3d")

SMALL = ("--categories", "bottle,table", "--shapes", "2", "--views", "3", "--points", "200", "--supersampling", "1")
TRUTH = "02876657_p2mpp0001_00_ground.xyz"


class GenerateTest(SharedFolderTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.whole = cls.folder / "whole"
        run_here(main, "--out", cls.whole, *SMALL, "--workers", "1", code=0)
        cls.files = contents(cls.whole)

    def setUp(self):
        self.out = self.folder / self.id()

    def run_ok(self, *options):
        return run_here(main, "--out", self.out, *SMALL, *options, code=0)

    def test_layout(self):
        rendered = ("00.png", "01.png", "02.png", "rendering_metadata.txt")
        for category in ("02876657", "04379243"):
            for model in ("p2mpp0001", "p2mpp0002"):
                folder = f"{category}/{model}/rendering"
                self.assertEqual({name for name in self.files if name.startswith(folder)},
                                 {f"{folder}/{name}" for name in rendered})
                self.assertEqual(len(self.files[f"{folder}/rendering_metadata.txt"].splitlines()), 3)
        self.assertEqual(self.files["test_list.txt"].decode().split(),
                         ["02876657_p2mpp0001_00.dat", "02876657_p2mpp0002_00.dat",
                          "04379243_p2mpp0001_00.dat", "04379243_p2mpp0002_00.dat"])
        self.assertEqual(np.loadtxt(self.whole / TRUTH).shape, (200, 6))
        record = json.loads(self.files["generation.json"])
        self.assertEqual(record["options"]["points"], 200)
        self.assertEqual(set(record["libraries"]), {"numpy", "manifold3d", "pillow"})

    def test_same_bytes_again_whatever_the_processes(self):
        self.run_ok("--workers", "2")
        self.assertEqual(contents(self.out), self.files)

    def test_a_cut_off_run_goes_on_and_ends_in_the_same_bytes(self):
        shutil.copytree(self.whole, self.out)
        (self.out / TRUTH).unlink()
        (self.out / "02876657/p2mpp0001/rendering/01.png").write_bytes(b"half a pict")
        result = self.run_ok()
        self.assertTrue(result.stdout.startswith("1 shapes in "), result.stdout)
        self.assertEqual(contents(self.out), self.files)

    def test_records_that_do_not_fit_are_refused(self):
        shutil.copytree(self.whole, self.out)
        record = self.out / "generation.json"
        for text, message in ((record.read_text().replace('"seed": 1', '"seed": 2'), "made with seed = 2, not 1; expected"),
                              ("{", "not JSON")):
            record.write_text(text)
            before = contents(self.out)
            result = run_here(main, "--out", self.out, *SMALL, code=3)
            self.assertEqual(result.stdout, "")
            self.assertIn(f"generation.json: {message}", result.stderr)
            self.assertEqual(contents(self.out), before)

    def test_kept_views_are_those_of_a_full_run(self):
        self.run_ok("--keep-views", "0,2")
        kept = contents(self.out)
        missing = set(self.files) - set(kept)
        self.assertEqual({Path(name).name for name in missing}, {"01.png"})
        del kept["generation.json"]
        self.assertTrue(all(self.files[name] == data for name, data in kept.items()))

    def test_pickled_truth_holds_the_points_of_the_text(self):
        self.run_ok("--format", "dat")
        array = pickle.loads((self.out / "02876657_p2mpp0001_00.dat").read_bytes())
        self.assertEqual(array.dtype, np.float32)
        np.testing.assert_allclose(array, np.loadtxt(self.whole / TRUTH), atol=6e-4)

    def test_bad_options_have_one_clear_line(self):
        for options, code, message in (
                (["--categories", "teapot"], 3, "no category 'teapot'; expected aeroplane"),
                (["--views", "0"], 2, "0: expected a whole number of 1 or more"),
                (["--views", "3", "--keep-views", "0,6"], 2, "--keep-views 6: expected views below"),
                (["--list", "../list.txt"], 2, "expected a file name without a folder"),
                (["--seed", "-4"], 2, "expected a whole number of 0 or more")):
            with self.subTest(options=options):
                result = run_here(main, "--out", self.out, *options, code=code)
                self.assertIn(message, result.stderr)
                self.assertFalse(self.out.exists())
