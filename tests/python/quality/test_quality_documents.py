"""Verdicts on targets of bench/quality, and that the tables in QUALITY.md, in the model's card and in model.json say the
same."""

import json
import re
import sys
import unittest
from typing import List

from runs import ROOT

sys.path.insert(0, str(ROOT / "bench" / "quality"))

from targets import Target  # noqa: E402

MODEL = ROOT / "models/p2mpp-shapes"


class VerdictsTest(unittest.TestCase):

    def test_what_is_printed_is_compared(self):
        for found, form, bound, at_most, verdict in (
                ([72.04], "{:.1f}", 72, False, "met"), ([71.96], "{:.1f}", 72, False, "met"),
                ([71.9], "{:.1f}", 72, False, "**missed**"), ([0.3604, 0.36], "{:.3f}", 0.36, True, "met"),
                ([0.3606, 0.4], "{:.3f}", 0.36, True, "**missed**"), ([12.5, 3.0], "{:.1f}%", 12, False, "met; **missed**")):
            with self.subTest(found=found, bound=bound):
                row = Target("name", "", found, form, bound, at_most).row()
                self.assertEqual(row[2:], ["; ".join(map(form.format, found)), verdict])


class DocumentsTest(unittest.TestCase):
    """Of the weights that are bundled."""

    def setUp(self):
        self.document, self.card = ((ROOT / name).read_text() for name in
                                    ("bench/QUALITY.md", "models/p2mpp-shapes/MODEL_CARD.md"))

    def test_scores_agree(self):
        procedural = float(re.search(r"\*\*after stage 2, fp32\*\* \| [\d.]+ \| ([\d.]+)", self.document)[1])
        people = [float(f1) for f1 in re.findall(r"\*\*after stage 2\*\* \| ([\d.]+)", self.document)]
        kator, kator_others, blend, blend_others = people
        for text, scores in (
                (r"these 240 shapes, F1@tau \|.*", [procedural]), (r"of the ten categories, F1@tau: .*", [kator, blend]),
                (r"outside them, F1@tau: .*", [kator_others, blend_others])):
            with self.subTest(row=text):
                self.compare(re.search(text, self.document)[0].split(" | ")[2].split("; "), scores)
        scores = self.card.split("<!-- scores: begin -->")[1].split("<!-- scores: end -->")[0]
        found = [row.strip("| ").split(" | ")[1] for row in scores.strip().splitlines()[2:]]
        self.compare([*found[:2], *found[3:]], [procedural, kator, kator_others, blend, blend_others])

    def compare(self, found: List[str], scores: List[float]):
        """Scores with one digit and with two, both rounded."""
        self.assertEqual(len(found), len(scores))
        for one_digit, score in zip(found, scores):
            self.assertAlmostEqual(float(one_digit), score, delta=0.056)

    def test_training_is_the_models(self):
        stage1 = json.loads((MODEL / "model.json").read_text())["training"]["stage1"]
        last = [row for row in self.card.splitlines() if row.startswith("| 1 | ")][-1].split(" | ")
        self.assertEqual(last[1:3], [f"{stage1['steps']:,}", f"{stage1['minutes']:.0f}"])
        self.assertEqual(last[4], f"{stage1['groups']['people']['f1_tau']:.1f}")

    def test_typical_iou_is_the_models(self):
        table = self.document.split("<!-- typical-iou: begin -->")[1]
        found = [float(cell) for cell in table.strip().splitlines()[2].strip("| ").split(" | ")[1:3]]
        self.assertEqual(found, json.loads((MODEL / "model.json").read_text())["trained_views"]["typical_iou"])
