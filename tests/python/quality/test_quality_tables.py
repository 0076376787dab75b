"""Tables of bench/quality: initial.py and plane.py on one sample."""

import json
import re
import shutil
import sys
import unittest
from pathlib import Path

from runs import PROGRAM, ROOT, TemporaryTest, run_command

NAME = "02876657_p2mpp0001_00"


def measured(script: str, out: Path, *options: str) -> str:
    command = [sys.executable, ROOT / "bench" / "quality" / script, "--out", out, "--program", PROGRAM, *options]
    return run_command(command, 0).stdout


@unittest.skipIf(PROGRAM is None, "the environment variable P2MPP names no program")
class QualityTablesTest(TemporaryTest):

    def setUp(self):
        super().setUp()
        self.out = self.folder
        data = self.out / "data"  # the sample as it is bundled, as if it had been rendered again
        category, model, _ = NAME.split("_")
        shutil.copytree(ROOT / "data" / category / model, data / category / model)
        shutil.copy(ROOT / "data" / f"{NAME}_ground.xyz", data)
        (data / "test_list.txt").write_text(f"{NAME}.dat\n")

    def test_initial_meshes(self):
        document = self.out / "tables.md"
        document.write_text("before\n<!-- initial: begin -->\nold\n<!-- initial: end -->\nafter\n")
        options = ["--shapes", "1", "--views", "3", "--document", str(document)]
        text = measured("initial.py", self.out, *options)
        row = re.search(r"F1@tau, views .*\n.*\n\| 3 \| (.*) \|", text)[1].split(" | ")
        network, fit, hull, hull_fit, hull_stage2, hull_stage2_fit = map(float, row)
        for score in (network, fit, hull, hull_fit, hull_stage2, hull_stage2_fit):
            self.assertGreater(score, 5)
        self.assertNotEqual(hull, hull_stage2)
        self.assertIn("best F1@tau, category", text)
        self.assertEqual(document.read_text(), f"before\n<!-- initial: begin -->\n{text.rstrip()}\n"
                                               "<!-- initial: end -->\nafter\n")
        self.assertEqual(measured("initial.py", self.out, *options), text)  # from what is there

    def test_overlaps_without_truth(self):
        category, model, _ = NAME.split("_")
        text = measured("plane.py", self.out / "plane", "--sample", str(ROOT / "data" / category / model))
        rows = {row.split(" | ")[0]: [float(iou) for iou in row.rstrip(" |").split(" | ")[1:]]
                for row in text.splitlines()[2:] if row}
        coarse, refined, fitted = rows.values()
        self.assertEqual([len(ious) for ious in (coarse, refined, fitted)], [3] * 3)
        self.assertNotEqual(coarse, refined)
        self.assertTrue(all(0.5 < before < after <= 1 for before, after in zip(refined, fitted)))
        self.assertEqual([round(iou, 3) for iou in json.loads((self.out / "plane/iou.json").read_text())["after stage 2"]],
                         refined)
