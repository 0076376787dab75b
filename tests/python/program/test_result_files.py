"""docs/results.md names every field of summary.json and every column of results.csv, and none that is not there."""

import csv
import json
import re
import subprocess
import unittest
from pathlib import Path

from runs import PROGRAM, ProgramTest

DOCUMENT = Path(__file__).resolve().parents[3] / "docs/results.md"
FREE = {"by_category"}  # below it, names are the list's


def field_names(document, prefix: str = "") -> set:
    """Names of all objects in it."""
    if isinstance(document, list):
        return set().union(*map(field_names, document))
    if not isinstance(document, dict):
        return set()
    names = set(document)
    for name, value in document.items():
        names |= field_names(list(value.values()) if name in FREE else value)
    return names


class ResultFilesTest(ProgramTest):

    def setUp(self):
        super().setUp()
        self.make_list(2, ("chair_missing_00",))
        self.out, merged = self.folder / "out", self.folder / "merged"
        subprocess.run(self.eval_command(self.out, "--profile", "--batch", "auto"), capture_output=True, check=False)
        subprocess.run([PROGRAM, "merge", self.out, "--out", merged], capture_output=True, check=False)
        self.single, self.merged = (json.loads((folder / "summary.json").read_text()) for folder in (self.out, merged))
        self.document = DOCUMENT.read_text()

    def test_fields_of_the_summary(self):
        # The names of the network's parts are keys there.
        for document in (self.single, self.merged):
            document["milliseconds_a_sample"]["parts"] = list(document["milliseconds_a_sample"]["parts"].values())
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


if __name__ == "__main__":
    unittest.main()
