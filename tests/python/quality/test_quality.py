"""The model that comes with p2mpp on bundled samples, none of which it was trained on: on those that people made its
scores reach the floor of data/floors.txt, and every precision of a device is as good. test_quality_of_all.py has the
other samples, and looks. P2MPP_QUALITY_DEVICE names the device; the CPU is the default.
P2MPP_QUALITY_CAPABILITY: of a GPU, as 9.0. P2MPP_QUALITY_OUT: a folder that gets the metrics of each precision as
JSON."""

import json
import os
import subprocess
import tempfile
import unittest
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("P2MPP")
DEVICE = os.environ.get("P2MPP_QUALITY_DEVICE", "cpu")
PEOPLES = 10
FLOORS_F1_TAU = {folder: float(floor) for folder, floor in (
    line.split() for line in (ROOT / "data/floors.txt").read_text().splitlines() if line[0] != "#")}
LARGEST_F1_DIFFERENCE = 0.05 if DEVICE == "cpu" else 0.1  # per cent points, of the other precisions against fp32
LARGEST_FP8_DIFFERENCE = 0.1
OTHER_PRECISIONS = ["bf16"] if DEVICE == "cpu" else ["tf32", "bf16", "fp16"]
PRECISIONS_DATA = "data/people" if DEVICE == "cpu" else "data"  # CPUs without instructions for bf16 take twice the time


@lru_cache(maxsize=None)
def metrics(precision: str, folder: str = "data", surface: str = "template") -> dict:
    """The metrics that `p2mpp eval` finds on the samples in a folder of the project."""
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run(
            [PROGRAM, "eval", "--device", DEVICE, "--backend", "fused", "--precision", precision, "--surface", surface,
             "--list", ROOT / folder / "test_list.txt", "--images-root", ROOT / folder, "--truth-root",
             ROOT / folder, "--model", ROOT / "models/p2mpp-shapes", "--out", out, "--json",
             "--quiet"], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    found = json.loads(done.stdout)["metrics"]
    if (kept := os.environ.get("P2MPP_QUALITY_OUT")) and folder == "data":
        (Path(kept) / f"{precision}.json").write_text(json.dumps(found))
    return found


@unittest.skipIf(PROGRAM is None, "the environment variable P2MPP names no program")
class BundledModelTest(unittest.TestCase):

    def test_reconstructs_what_people_made(self):
        found = metrics("fp32", "data/people")
        self.assertEqual(found["count"], PEOPLES)
        self.assertGreaterEqual(found["vertices"]["f1_tau"], FLOORS_F1_TAU["data/people"])

    def test_few_photographs_give_a_surface(self):
        found, templates = metrics("fp32", "data/people", "volume"), metrics("fp32", "data/people")
        self.assertEqual(found["count"], PEOPLES)
        self.assertGreaterEqual(found["surface"]["f1_tau"], FLOORS_F1_TAU["data/people:volume"])
        self.assertGreater(found["surface"]["f1_tau"], templates["surface"]["f1_tau"])
        self.assertGreater(found["surface"]["normal_consistency"], templates["surface"]["normal_consistency"])

    def test_refinement_brings_it_nearer(self):
        found = metrics("fp32", "data/people")
        self.assertLess(found["vertices"]["chamfer_distance"], found["coarse"]["chamfer_distance"])
        self.assertGreater(found["vertices"]["f1_tau"], found["coarse"]["f1_tau"])

    def test_other_precisions_are_as_good(self):
        exact = metrics("fp32", PRECISIONS_DATA)["vertices"]
        for precision in OTHER_PRECISIONS:
            found = metrics(precision, PRECISIONS_DATA)["vertices"]
            for name in ("f1_tau", "f1_2tau"):
                with self.subTest(precision=precision, metric=name):
                    self.assertAlmostEqual(found[name], exact[name], delta=LARGEST_F1_DIFFERENCE)

    @unittest.skipUnless(os.environ.get("P2MPP_QUALITY_CAPABILITY") == "9.0", "fp8 is for Hopper")
    def test_eight_bits_are_as_good(self):
        self.assertAlmostEqual(metrics("fp8")["vertices"]["f1_tau"],
                               metrics("fp32")["vertices"]["f1_tau"], delta=LARGEST_FP8_DIFFERENCE)
