"""The meshes of all bundled samples, finished for a printer, as five programs that are not ours judge
them."""

import unittest
from pathlib import Path

import outside_checkers
from runs import ROOT, TemporaryTest, run_program

SIZE = 200  # millimetres of a unit of the cameras: objects have a diagonal of 114


def samples():
    return sorted({each.parent for each in (ROOT / "data").glob("**/rendering")})


@unittest.skipUnless(outside_checkers.lib3mf, outside_checkers.MISSING)
@unittest.skipUnless(outside_checkers.SLICER, "PrusaSlicer is missing; expected the Debian package prusa-slicer")
class PrintCheckersTest(TemporaryTest):

    def test_all_bundled_samples(self):
        found = samples()
        self.assertGreaterEqual(len(found), 40)
        for folder in found:
            with self.subTest(sample=str(folder.relative_to(ROOT))):
                self.check(folder)

    def check(self, folder: Path):
        out = self.folder / "out"
        run_program("predict", folder, "--surface", "volume", "--finish", "print", "--unit", f"{SIZE}mm", "--format", "usdz",
                    "--id", "mesh", "--out", out, code=0)
        in_millimetres, complaints = outside_checkers.read_3mf(out / "mesh_print.3mf")
        more, mesh = outside_checkers.solid(in_millimetres)
        complaints += more + [each for each in outside_checkers.sliced(out / "mesh_print.3mf", self.folder)
                              if mesh.body_count == 1 or "printable" not in each]  # bodies may be one above the other
        whole, metres = outside_checkers.read_usd(out / "mesh_predict.usdz")
        more, predicted = outside_checkers.solid(whole)
        self.assertEqual(complaints + more, [])
        self.assertEqual(metres, 1)
        share = mesh.volume / (predicted.volume * 1000**3)
        self.assertGreater(share, 0.5)
        self.assertLess(share, 2)  # walls that were thin are thicker
