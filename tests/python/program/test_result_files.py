"""docs/results.md names every field of summary.json and every column of results.csv, and none that is not there."""

import csv
import json
import re
import subprocess

from runs import ROOT, SharedProgramTest, run_program

FREE = {"by_category", "parts"}  # below them, names are the list's and the network's


def field_names(document, prefix: str = "") -> set:
    """Names of all objects in it."""
    if isinstance(document, list):
        return set().union(*map(field_names, document))
    if not isinstance(document, dict):
        return set()
    names = set(document)
    for name, value in document.items():
        names |= field_names(list(value.values()) if name in FREE and isinstance(value, dict) else value)
    return names


class ResultFilesTest(SharedProgramTest):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make_list(2, ("chair_missing_00",))
        cls.out, merged = cls.folder / "out", cls.folder / "merged"
        subprocess.run(cls.eval_command(cls.out, "--profile", "--batch", "auto"), capture_output=True, check=False)
        run_program("merge", cls.out, "--out", merged)
        cls.single, cls.merged = (json.loads((folder / "summary.json").read_text()) for folder in (cls.out, merged))
        cls.document = (ROOT / "docs/results.md").read_text()

    def test_fields_of_the_summary(self):
        found = field_names(self.single) | field_names(self.merged)
        named = set(re.findall(r"`(\w+)`", self.document))
        self.assertEqual(found - named, set())
        table = self.document[self.document.index("## summary.json"):self.document.index("`profile` of a CUDA device")]
        self.assertEqual(set(re.findall(r"`(\w+)`", table)) - found, {"fit", "merge", "null", "volume"})  # nothing was fitted

    def test_columns_of_the_results(self):
        with open(self.out / "results.csv", newline="") as file:
            columns = next(csv.reader(file))
        metrics = set(self.single["metrics"]["vertices"])
        parts = {f"{name}_ms" for name in self.single["milliseconds_a_sample"]["parts"]}
        others = {"id", "line", "category", "status", "reason", "total_ms", "compute_ms"}
        scores = {f"{side}_{metric}" for side in ("vertices", "surface", "coarse") for metric in metrics}
        self.assertEqual(set(columns), others | parts | scores)
        named = set(re.findall(r"`(\w+)`", self.document))
        self.assertEqual((others | metrics) - named, set())
