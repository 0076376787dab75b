"""p2mpp-export in a folder of the test's own, and the variables of the published checkpoints."""

import csv
import json

from runs import TemporaryTest
from support import DATA, assert_equal, export, load_stages, np
from templates import BUNDLED_OBJ


def published_variables():
    """{checkpoint: {variable: shape}} of the published checkpoints."""
    variables = {}
    with open(DATA / "tf_variables.tsv", encoding="ascii") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            shape = [int(size) for size in row["shape"].split(",")]
            variables.setdefault(row["checkpoint"], {})[row["variable"]] = shape
    return variables


class ExportTest(TemporaryTest):

    def setUp(self):
        super().setUp()
        self.out = self.folder / "models" / "new"

    def succeed(self, *arguments):
        done = export("--out", self.out, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def reject(self, code, *arguments):
        """One line on stderr, but for a list of weights; nothing written."""
        done = export("--out", self.out, *arguments, code=code)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("p2mpp-export: error: "), done.stderr)
        self.assertFalse(self.out.exists())
        if self.out.parent.exists():
            self.assertEqual(list(self.out.parent.iterdir()), [])
        return done.stderr

    def save_npz(self, stage1, stage2):
        files = [self.folder / "one.npz", self.folder / "two.npz"]
        for file, arrays in zip(files, (stage1, stage2)):
            np.savez(file, **arrays)
        return ["--npz", *files, "--template", BUNDLED_OBJ]

    def check_same_as(self, *arguments):
        """The exported model has the semantics and every weight of what these arguments export."""
        other = self.folder / "other"
        export("--out", other, *arguments, code=0)
        for name in ("template.obj", "local_graph.json"):
            self.assertEqual((self.out / name).read_bytes(), (other / name).read_bytes())
        for first, second in zip(load_stages(self.out), load_stages(other)):
            self.assertEqual(first.semantics, second.semantics)
            weights, expected = first.state_dict(), second.state_dict()
            self.assertEqual(list(weights), list(expected))
            assert_equal(weights, expected)

    def model_json(self):
        return json.loads((self.out / "model.json").read_text())
