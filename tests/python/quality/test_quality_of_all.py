"""The bundled model on all samples of data, and on recoloured pictures and usual masks, where it must not lose much.
Slow: two minutes of two cores. scripts/verify_gpu.sh runs it on a GPU; test_quality.py has the variables that it reads."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[3] / "bench" / "quality")]

from test_quality import DEVICE, FLOORS_F1_TAU, PROGRAM, ROOT, metrics  # noqa: E402
from recolour import LOOKS, USUAL_MASKS  # noqa: E402

SAMPLES = 30
LARGEST_LOOK_LOSS = 3.0  # per cent points of F1@tau, of a look or a usual mask


@unittest.skipIf(PROGRAM is None, "the environment variable P2MPP names no program")
class AllSamplesTest(unittest.TestCase):

    def test_reconstructs_the_bundled_samples(self):
        found = metrics("fp32")
        self.assertEqual(found["count"], SAMPLES)
        self.assertGreaterEqual(found["vertices"]["f1_tau"], FLOORS_F1_TAU["data"])
        self.assertGreater(found["vertices"]["f1_tau"], found["coarse"]["f1_tau"])

    @unittest.skipUnless(DEVICE == "cpu", "the same pictures are shown on every device")
    def test_looks_and_soft_and_noisy_masks_are_as_good(self):
        with tempfile.TemporaryDirectory() as out:
            done = subprocess.run([sys.executable, ROOT / "bench/quality/recolour.py", "--program", PROGRAM, "--out", out,
                                   "--shapes", "4", "--variants", ";".join(LOOKS + USUAL_MASKS), "--floor", str(LARGEST_LOOK_LOSS)],
                                  check=False, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
