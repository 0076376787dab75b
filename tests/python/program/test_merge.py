"""`p2mpp merge`: shards give the results, the summary and the report of a single run."""

import json
import shutil
import subprocess
import unittest
from pathlib import Path

from runs import OTHERS, PROGRAM, ProgramTest, page_data


class MergeTest(ProgramTest):

    def setUp(self):
        super().setUp()
        self.make_list(14, OTHERS)
        # Else all were the same: a truth, images and a failure of their own.
        (self.folder / "truth/chair_003_00.obj").unlink()
        for index, scale in enumerate((0.2, 0.5, 0.9)):
            path = self.folder / f"truth/chair_{3 * index + 4:03d}_00.obj"
            path.write_text("\n".join(scaled(line, scale) for line in path.read_text().splitlines()))

    def evaluate(self, out: Path, *options: str) -> None:
        subprocess.run(self.eval_command(out, *options), capture_output=True, check=False)

    def merge(self, *arguments) -> subprocess.CompletedProcess:
        return subprocess.run([PROGRAM, "merge", *arguments], capture_output=True, text=True, check=False)

    def shards(self, count: int) -> list:
        folders = [self.folder / f"part{number}" for number in range(1, count + 1)]
        for number, folder in enumerate(folders, 1):
            self.evaluate(folder, "--shard", f"{number}/{count}")
        return folders

    def test_shards_are_one_run(self):
        whole, merged = self.folder / "whole", self.folder / "merged"
        self.evaluate(whole)
        parts = self.shards(3)
        for options in ([], ["--list", self.folder / "list.txt"]):
            done = self.merge(*reversed(parts), "--out", merged, *options)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assert_same_run(whole, merged)
        data = page_data(merged)
        self.assertEqual(len(data["failures"]), len(OTHERS) + 1)
        if not data["pictures_note"]:  # this build can draw
            self.assertEqual([len(group["samples"]) for group in data["pictures"]], [4, 4, 4])
        runs = json.loads((merged / "summary.json").read_text())["runs"]
        self.assertEqual(runs, [str(part) for part in reversed(parts)])

    def test_a_folder_that_holds_another_run_is_refused_and_kept(self):
        parts = self.shards(2)
        before = (parts[1] / "results.csv").read_bytes()
        for runs in ([parts[0]], parts):
            done = self.merge(*runs, "--out", parts[1])
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, "part2: holds a run; expected another --out, or this folder as the only run")
            self.assertEqual((parts[1] / "results.csv").read_bytes(), before)
        self.assertEqual(self.merge(parts[1], "--out", self.folder / "part1/../part2").returncode, 4)

    def test_two_ids_on_one_line_are_refused(self):
        part = self.shards(1)[0]
        path = part / "manifest.jsonl"
        lines = path.read_text().splitlines()
        other = json.loads(lines[1])
        other["line"] = json.loads(lines[2])["line"]
        path.write_text("\n".join([*lines, json.dumps(other)]) + "\n")
        done = self.merge(part, "--out", self.folder / "merged")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"line 2 of the list is chair_\w+ in one record and chair_\w+ in another; expected --list")
        self.assertEqual(self.merge(part, "--out", self.folder / "merged", "--list", self.folder / "list.txt").returncode, 4)

    def test_samples_whose_files_are_elsewhere_are_in_the_tables_alone(self):
        merged = self.folder / "merged"
        parts = self.shards(2)
        shutil.rmtree(self.folder / "images")
        done = self.merge(*parts, "--out", merged)
        self.assertEqual(done.returncode, 4, done.stderr)
        data = page_data(merged)
        self.assertEqual(data["pictures"], [])
        self.assertRegex(data["pictures_note"], "12 samples are not shown; the first: chair_.*images|no ray tracer")
        self.assertIn(data["pictures_note"], done.stderr)
        self.assertEqual(len(data["samples"]), 17)


def scaled(line: str, scale: float) -> str:
    if not line.startswith("v "):
        return line
    return "v " + " ".join(f"{scale * float(number):g}" for number in line.split()[1:])


if __name__ == "__main__":
    unittest.main()
