"""p2mpp-generate as a user runs it: layout, determinism, resuming, bad options."""

import json
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

try:
    import manifold3d  # noqa: F401
except ModuleNotFoundError:
    raise unittest.SkipTest(
        "manifold3d is missing; expected scripts/requirements-data.txt"
    ) from None

SMALL = [
    "--categories",
    "bottle,table",
    "--shapes",
    "2",
    "--views",
    "3",
    "--points",
    "200",
    "--supersampling",
    "1",
]
TRUTH = "02876657_p2mpp0001_00_ground.xyz"


def generate(out, *options):
    return subprocess.run(
        [sys.executable, "-m", "p2mpp.commands.generate", "--out", str(out), *options],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )


def contents(folder):
    """Relative path -> bytes of every file."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file()
    }


class GenerateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "out"

    def run_ok(self, *options, out=None):
        result = generate(out or self.out, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_layout(self):
        self.run_ok(*SMALL)
        files = contents(self.out)
        for category in ("02876657", "04379243"):
            for model in ("p2mpp0001", "p2mpp0002"):
                folder = f"{category}/{model}/rendering"
                self.assertEqual(
                    {name for name in files if name.startswith(folder)},
                    {
                        f"{folder}/{name}"
                        for name in ("00.png", "01.png", "02.png", "rendering_metadata.txt")
                    },
                )
                self.assertEqual(len(files[f"{folder}/rendering_metadata.txt"].splitlines()), 3)
        self.assertEqual(
            files["test_list.txt"].decode().split(),
            [
                "02876657_p2mpp0001_00.dat",
                "02876657_p2mpp0002_00.dat",
                "04379243_p2mpp0001_00.dat",
                "04379243_p2mpp0002_00.dat",
            ],
        )
        self.assertEqual(np.loadtxt(self.out / TRUTH).shape, (200, 6))

    def test_same_bytes_again_whatever_the_processes(self):
        other = self.out.with_name("other")
        self.run_ok(*SMALL, "--workers", "1")
        self.run_ok(*SMALL, "--workers", "2", out=other)
        self.assertEqual(contents(self.out), contents(other))

    def test_a_cut_off_run_goes_on_and_ends_in_the_same_bytes(self):
        self.run_ok(*SMALL)
        before = contents(self.out)
        (self.out / TRUTH).unlink()
        (self.out / "02876657/p2mpp0001/rendering/01.png").write_bytes(b"half a pict")
        result = self.run_ok(*SMALL)
        self.assertTrue(result.stdout.startswith("1 shapes in "), result.stdout)
        self.assertEqual(contents(self.out), before)

    def test_other_options_in_the_same_folder_are_refused(self):
        self.run_ok(*SMALL)
        before = contents(self.out)
        result = generate(self.out, *SMALL, "--seed", "2")
        self.assertEqual((result.returncode, result.stdout), (3, ""))
        self.assertIn("generation.json: made with seed = 1, not 2; expected", result.stderr)
        self.assertEqual(contents(self.out), before)

    def test_a_spoilt_record_is_refused(self):
        self.out.mkdir()
        (self.out / "generation.json").write_text("{")
        result = generate(self.out, *SMALL)
        self.assertEqual(result.returncode, 3)
        self.assertIn("generation.json: not JSON", result.stderr)

    def test_kept_views_are_those_of_a_full_run(self):
        full = self.out.with_name("full")
        self.run_ok(*SMALL, "--keep-views", "0,2")
        self.run_ok(*SMALL, out=full)
        kept, everything = contents(self.out), contents(full)
        missing = set(everything) - set(kept)
        self.assertEqual({Path(name).name for name in missing}, {"01.png"})
        del kept["generation.json"]
        self.assertTrue(all(everything[name] == data for name, data in kept.items()))

    def test_pickled_truth_holds_the_points_of_the_text(self):
        pickled = self.out.with_name("pickled")
        self.run_ok(*SMALL)
        self.run_ok(*SMALL, "--format", "dat", out=pickled)
        array = pickle.loads((pickled / "02876657_p2mpp0001_00.dat").read_bytes())
        self.assertEqual(array.dtype, np.float32)
        np.testing.assert_allclose(array, np.loadtxt(self.out / TRUTH), atol=6e-4)

    def test_record_names_options_and_versions(self):
        self.run_ok(*SMALL)
        record = json.loads((self.out / "generation.json").read_text())
        self.assertEqual(record["options"]["points"], 200)
        self.assertEqual(set(record["libraries"]), {"numpy", "manifold3d", "pillow"})

    def test_bad_options_have_one_clear_line(self):
        cases = [
            (["--categories", "teapot"], 3, "no category 'teapot'; expected aeroplane"),
            (["--views", "0"], 2, "0: expected a whole number of 1 or more"),
            (["--views", "3", "--keep-views", "0,6"], 2, "--keep-views 6: expected views below"),
            (["--list", "../list.txt"], 2, "expected a file name without a folder"),
            (["--seed", "-4"], 2, "expected a whole number of 0 or more"),
        ]
        for options, code, message in cases:
            with self.subTest(options=options):
                result = generate(self.out, *options)
                self.assertEqual(result.returncode, code)
                self.assertIn(message, result.stderr)
                self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main()
