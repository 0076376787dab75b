"""bench/quality/recolour.py: what it changes of pictures, and what it says of a model."""

import contextlib
import io
import sys
import unittest

import numpy as np

from runs import INPUTS, PROGRAM, ROOT, TemporaryTest, run_here

sys.path.insert(0, str(ROOT / "bench" / "quality"))

import recolour  # noqa: E402


def disc(radius: float) -> np.ndarray:
    """[41,41,4]: shaded colours, opaque within the radius, transparent outside."""
    y, x = np.mgrid[-20:21, -20:21].astype(float)
    alpha = np.where(np.hypot(x, y) <= radius, 255.0, 0.0)
    return np.dstack([100 + 3 * x, 120 + 2 * y, np.full_like(x, 60), alpha])


def change(variant: str, picture: np.ndarray) -> np.ndarray:
    return recolour.VARIANTS[variant](picture, np.random.default_rng(1))


class ChangesTest(unittest.TestCase):

    def test_looks_keep_the_mask(self):
        picture = disc(12)
        means = {}
        for variant in list(recolour.VARIANTS)[:9]:
            found = change(variant, picture)
            np.testing.assert_array_equal(found[..., 3], picture[..., 3], variant)
            means[variant] = found[picture[..., 3] > 0][:, :3].mean()
        self.assertEqual(list(recolour.VARIANTS)[8], "checkered")
        self.assertLess(means["black"], 20)
        self.assertTrue(230 < means["white on white"] < 255 == means["pure white on white"])
        self.assertAlmostEqual(means["flat mid-grey"], 128)
        self.assertTrue(200 < means["near the background"] < 230)

    def test_opaque_pictures_are_on_white(self):
        found = change("opaque picture", disc(12))
        self.assertEqual(found[..., 3].min(), 255)
        self.assertEqual(found[0, 0].tolist(), [255] * 4)
        self.assertEqual(found[20, 20].tolist(), [100, 120, 60, 255])

    def test_masks_change_by_pixels(self):
        picture = disc(12.5)
        area = (picture[..., 3] > 0).sum()

        def covered(variant: str) -> np.ndarray:
            return change(variant, picture)[..., 3]

        eaten, grown = covered("mask eaten by 1 pixel"), covered("mask grown by 1 pixel")
        self.assertEqual((grown[20] > 0).sum() - (eaten[20] > 0).sum(), 4)
        noisy = covered("mask noisy by 1 pixel")
        self.assertTrue(((noisy >= eaten) & (noisy <= grown)).all())
        self.assertTrue(((noisy > eaten) & (grown > eaten)).any() and (noisy < grown).any())
        self.assertLess((covered("mask eaten by 2 pixels") > 0).sum(), (eaten > 0).sum())
        self.assertGreater((covered("mask grown by 2 pixels") > 0).sum(), area)
        self.assertGreater(len(np.unique(covered("soft mask"))), 10)
        behind = change("mask grown by 1 pixel", picture)[20, 20 + 13]
        self.assertEqual(behind.tolist(), [recolour.BEHIND] * 3 + [255])


@unittest.skipIf(PROGRAM is None or INPUTS is None, "P2MPP and P2MPP_CLI_INPUTS name no program and no inputs")
class RunTest(TemporaryTest):

    def test_a_table_and_a_floor(self):
        document = self.folder / "TABLE.md"
        document.write_text("before\n<!-- recoloured: begin -->\nold\n<!-- recoloured: end -->\nafter\n")
        arguments = ["--out", self.folder, "--shapes", "1", "--variants", "black;hard mask", "--program", PROGRAM,
                     "--model", f"{INPUTS}/models/tiny-masked", "--document", document]
        run_here(recolour.main, *arguments, "--floor", "100", code=0)
        done = run_here(recolour.main, *arguments, "--floor", "-1", code=1)  # its own look costs 0
        self.assertIn("expected at most -1", done.stderr)
        text = document.read_text()
        self.assertIn("| black |", text)
        self.assertIn("| hard mask |", text)
        self.assertNotIn("old", text)

    def test_unknown_variants(self):
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
            recolour.main(["--out", "x", "--variants", "pink"])
