"""`p2mpp merge`: shards give the results, the summary and the report of a single run."""

import json
import shutil
import subprocess
from pathlib import Path

from runs import OTHERS, SharedProgramTest, page_data, run_program


class MergeTest(SharedProgramTest):
    """One run, and the same in three shards."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make_list(14, OTHERS)
        # Else all were the same: a truth, images and a failure of their own.
        (cls.folder / "truth/chair_003_00.obj").unlink()
        for index, scale in enumerate((0.2, 0.5, 0.9)):
            path = cls.folder / f"truth/chair_{3 * index + 4:03d}_00.obj"
            path.write_text("\n".join(scaled(line, scale) for line in path.read_text().splitlines()))
        cls.whole, cls.parts = cls.folder / "whole", [cls.folder / f"part{number}" for number in (1, 2, 3)]
        for out, shard in ((cls.whole, "1/1"), *zip(cls.parts, ("1/3", "2/3", "3/3"))):
            subprocess.run(cls.eval_command(out, "--shard", shard), capture_output=True, check=False)

    def setUp(self):
        self.merged = self.folder / self.id()

    def merge(self, *runs_and_options, out: Path, code: int) -> str:
        """Its log."""
        return run_program("merge", *runs_and_options, "--out", out, code=code).stderr

    def copied(self, run: Path) -> Path:
        """A copy of a run, to be changed."""
        return shutil.copytree(run, self.folder / f"copy-{self.id()}")

    def test_shards_are_one_run(self):
        merged, parts = self.merged, self.parts
        for options in ([], ["--list", self.folder / "list.txt"]):
            self.merge(*reversed(parts), *options, out=merged, code=4)
            self.assert_same_run(self.whole, merged)
        data = page_data(merged)
        self.assertEqual(len(data["failures"]), len(OTHERS) + 1)
        if not data["pictures_note"]:  # this build can draw
            self.assertEqual([len(group["samples"]) for group in data["pictures"]], [4, 4, 4])
        runs = json.loads((merged / "summary.json").read_text())["runs"]
        self.assertEqual(runs, [str(part) for part in reversed(parts)])

    def test_a_folder_that_holds_another_run_is_refused_and_kept(self):
        part = self.copied(self.parts[1])
        before = (part / "results.csv").read_bytes()
        for runs in ([self.parts[0]], [self.parts[0], part]):
            log = self.merge(*runs, out=part, code=2)
            self.assertIn("holds a run; expected another --out, or this folder as the only run", log)
            self.assertEqual((part / "results.csv").read_bytes(), before)
        self.merge(part, out=self.parts[0] / ".." / part.name, code=4)

    def test_two_ids_on_one_line_are_refused(self):
        run = self.copied(self.whole)
        path = run / "manifest.jsonl"
        lines = path.read_text().splitlines()
        other = json.loads(lines[1])
        other["line"] = json.loads(lines[2])["line"]
        path.write_text("\n".join([*lines, json.dumps(other)]) + "\n")
        log = self.merge(run, out=self.merged, code=3)
        self.assertRegex(log, r"line 2 of the list is chair_\w+ in one record and chair_\w+ in another; expected --list")
        self.merge(run, "--list", self.folder / "list.txt", out=self.merged, code=4)

    def test_samples_whose_files_are_elsewhere_are_in_the_tables_alone(self):
        images, elsewhere = self.folder / "images", self.folder / "elsewhere"
        images.rename(elsewhere)
        self.addCleanup(elsewhere.rename, images)
        log = self.merge(*self.parts, out=self.merged, code=4)
        data = page_data(self.merged)
        self.assertEqual(data["pictures"], [])
        self.assertRegex(data["pictures_note"], "12 samples are not shown; the first: chair_.*images|no ray tracer")
        self.assertIn(data["pictures_note"], log)
        self.assertEqual(len(data["samples"]), 17)


def scaled(line: str, scale: float) -> str:
    if not line.startswith("v "):
        return line
    return "v " + " ".join(f"{scale * float(number):g}" for number in line.split()[1:])
