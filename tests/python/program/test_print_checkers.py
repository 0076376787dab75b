"""The meshes of all bundled samples, finished for a printer, as five programs that are not ours judge
them."""

import unittest
from pathlib import Path

import outside_checkers
from runs import ROOT, TemporaryTest, run_program

SIZE = 100  # millimetres of a unit of the world


def samples():
    return sorted({each.parent for each in (ROOT / "data").glob("**/rendering")})


@unittest.skipUnless(outside_checkers.lib3mf, outside_checkers.MISSING)
@unittest.skipUnless(outside_checkers.SLICER, "PrusaSlicer is missing; expected the Debian package prusa-slicer")
class PrintCheckersTest(TemporaryTest):

    def test_all_bundled_samples(self):
        found = samples()
        self.assertGreaterEqual(len(found), 40)
        for folder in found:
            with self.subTest(sample=folder.name):
                self.check(folder)

    def check(self, folder: Path):
        out = self.folder / "out"
        done = run_program("predict", folder, "--surface", "volume", "--finish", "print", "--unit", f"{SIZE}mm", "--format",
                           "usdz", "--id", "mesh", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        in_millimetres, complaints = outside_checkers.read_3mf(out / "mesh_print.3mf")
        more, mesh = outside_checkers.solid(in_millimetres)
        complaints += more + outside_checkers.sliced(out / "mesh_print.3mf", self.folder)
        whole, metres = outside_checkers.read_usd(out / "mesh_predict.usdz")
        more, predicted = outside_checkers.solid(whole)
        self.assertEqual(complaints + more, [])
        self.assertEqual(metres, 1)
        self.assertLess(mesh.volume, 1.001e9 * predicted.volume)
        self.assertGreater(mesh.volume, 0.5e9 * predicted.volume)
