"""The output folder of p2mpp-photos: what it did not write stays, whatever it is and whenever the command is killed."""

import json
import os
import shutil
from pathlib import Path
from unittest import mock

from runs import TemporaryTest, contents

from p2mpp.errors import InputError
from p2mpp.photos import output
from p2mpp.photos.output import LIST, OutputFolder

NAMES = ["report.html"]


class OutputTest(TemporaryTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"

    def write(self, **masks: str) -> None:
        """A run that makes these masks, with a record and a report."""
        out = OutputFolder(self.out)
        with out.opened(NAMES), out.writing() as new:
            folder = new.folder("work/masks")
            for name, text in masks.items():
                (folder / name).write_text(text)
            new.file("report.html").write_text("report of " + " ".join(masks.values()))
            new.file("work/masks.json").write_text(json.dumps(masks))

    def assert_stops(self, path: Path, why: str) -> None:
        """The next run stops with this file's name, and changes nothing."""
        before = contents(self.folder)
        with self.assertRaisesRegex(InputError, f"^--out: {path} {why}"):
            self.write(a="new")
        self.assertEqual(contents(self.folder), before)

    def test_a_later_run_replaces_what_an_earlier_one_wrote(self):
        self.write(a="1", b="2")
        self.write(a="3")
        found = contents(self.out)
        del found[LIST]
        self.assertEqual(found, {"work/masks/a": b"3", "report.html": b"report of 3", "work/masks.json": b'{"a": "3"}'})
        self.assertEqual([entry["path"] for entry in json.loads((self.out / LIST).read_text())["files"]],
                         ["report.html", "work/masks.json", "work/masks/a"])

    def test_a_file_that_a_user_added_stops_the_run(self):
        self.write(a="1")
        for name in ("work/masks/mine", "work/notes", "work/photographs/mine"):
            mine = self.out / name
            mine.parent.mkdir(exist_ok=True)
            mine.write_text("mine")
            self.assert_stops(mine, f"is not in {self.out / LIST}")
            mine.unlink()
        self.write(a="2")

    def test_a_file_that_a_user_changed_stops_the_run(self):
        self.write(a="1")
        for name in ("work/masks/a", "report.html"):
            kept = (self.out / name).read_text()
            (self.out / name).write_text("x" * len(kept))
            self.assert_stops(self.out / name, "was changed after p2mpp-photos wrote it; move it away")
            (self.out / name).write_text(kept)
        self.write(a="2")  # their times have changed, but not what is in them

    def test_a_folder_of_the_user_or_of_an_older_version(self):
        for name in ("work/photographs/1.jpg", "work/masks/a", "report.html"):
            mine = self.out / name
            mine.parent.mkdir(parents=True)
            mine.write_text("mine")
            self.assert_stops(mine, f"is not in {self.out / LIST}")
            shutil.rmtree(self.out)
        (self.out / "elsewhere").mkdir(parents=True)
        (self.out / "elsewhere/report.html").write_text("mine")
        self.write(a="1")
        self.assertEqual((self.out / "elsewhere/report.html").read_text(), "mine")

    def test_links_are_not_followed(self):
        mine = self.folder / "mine"
        mine.mkdir()
        (mine / "a").write_text("mine")
        self.out.mkdir()
        (self.out / "work").symlink_to(mine)
        self.assert_stops(self.out / "work", "is not a folder")
        (self.out / "work").unlink()
        self.write(a="1")
        for name in ("work/masks/link", "work/frames", f"work/{output.NEW}1", f"work/{output.PRIVATE}colmap"):
            (self.out / name).symlink_to(mine)
            self.assert_stops(self.out / name, f"is not in {self.out / LIST}")
            (self.out / name).unlink()
        shutil.rmtree(self.out / "work/masks")
        (self.out / "work/masks").symlink_to(mine)  # has an "a", as the list says
        self.assert_stops(self.out / "work/masks", f"is not in {self.out / LIST}")
        (self.out / "work/masks").unlink()
        (self.out / "report.html").unlink()
        (self.out / "report.html").symlink_to(mine / "a")
        self.assert_stops(self.out / "report.html", "was changed after p2mpp-photos wrote it")

    def test_a_link_in_the_folder_of_a_program(self):
        out = OutputFolder(self.out)
        mine = self.folder / "mine"
        mine.write_text("mine")
        with out.opened(NAMES):
            (out.private("colmap", {}) / "database.db").symlink_to(mine)
            self.assertRaisesRegex(InputError, "database.db is not a file that p2mpp-photos wrote", out.private, "colmap", {})

    def test_a_file_that_comes_during_the_run(self):
        out = OutputFolder(self.out)
        with self.assertRaisesRegex(InputError, "work/masks/mine is not in"), out.opened(NAMES), out.writing() as new:
            (new.folder("work/masks") / "a").write_text("1")
            (self.out / "work/masks").mkdir()
            (self.out / "work/masks/mine").write_text("mine")
        self.assertEqual(contents(self.out), {"work/masks/mine": b"mine"})

    def test_a_step_that_fails_leaves_what_was_there(self):
        self.write(a="1")
        before = contents(self.out)
        out = OutputFolder(self.out)
        with self.assertRaises(KeyboardInterrupt), out.opened(NAMES), out.writing() as new:
            (new.folder("work/masks") / "a").write_text("2")
            raise KeyboardInterrupt
        self.assertEqual(contents(self.out), before)

    def test_killed_at_any_moment(self):
        """The next run takes nothing for the user's, and a record tells of the masks that are there."""
        moments = 0
        while self.killed_after(moments):
            found = contents(self.out)
            if "work/masks.json" in found:
                masks = json.loads(found["work/masks.json"])
                self.assertEqual({name: found[f"work/masks/{name}"].decode() for name in masks}, masks)
            self.write(a="5")
            found = contents(self.out)
            self.assertEqual(set(found), {LIST, "report.html", "work/masks.json", "work/masks/a"})
            moments += 1
        self.assertGreater(moments, 8)

    def killed_after(self, calls: int) -> bool:
        """Whether a second run was, at so many calls that change the folder."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.write(a="1", b="2")
        left = [calls]

        def counted(call):
            def before(*arguments, **options):
                if not left[0]:
                    os._exit(9)
                left[0] -= 1
                return call(*arguments, **options)
            return before

        child = os.fork()
        if child == 0:
            with mock.patch.object(os, "replace", counted(os.replace)), mock.patch.object(Path, "unlink", counted(Path.unlink)), \
                    mock.patch.object(Path, "write_text", counted(Path.write_text)):
                self.write(a="3", c="4")
            os._exit(0)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9

    def test_a_program_s_folder_stays_while_its_input_grows(self):
        def features(of: dict) -> bool:
            with out.opened(NAMES):
                database = out.private("colmap", of) / "database"
                there = database.exists()
                database.write_text("features")
            return there

        out = OutputFolder(self.out)
        self.assertEqual([features(of) for of in ({"a": "1"}, {"a": "1", "b": "2"}, {"a": "1", "b": "3"}, {"a": "1"}, {"a": "1"})],
                         [False, True, False, False, True])
        (self.out / "work" / f"{output.PRIVATE}colmap" / output.MADE_OF).write_text("{")
        self.assertFalse(features({"a": "1"}))

    def test_two_runs_at_once(self):
        one, other = OutputFolder(self.out), OutputFolder(self.out)
        with one.opened(NAMES):
            with self.assertRaisesRegex(InputError, f"^--out: another p2mpp-photos is writing into {self.out}; expected one at a time$"):
                with other.opened(NAMES):
                    pass
        with other.opened(NAMES):
            pass

    def test_what_was_written(self):
        self.write(a="1")
        out = OutputFolder(self.out)
        link = self.folder / "link"
        link.symlink_to(self.out)
        with out.opened(NAMES):
            for path in (self.out / "report.html", link / "report.html", self.out / "work/anything"):
                self.assertTrue(out.wrote(path), path)
            for path in (self.out / "photographs.jpg", self.folder / "report.html", self.out / "images/report.html"):
                self.assertFalse(out.wrote(path), path)

    def test_lists_that_no_run_wrote(self):
        mine = self.folder / "mine"
        mine.write_text("mine")
        good = {"size": 4, "mtime_ns": 0, "sha256": output._hash(mine)}
        self.out.mkdir()
        for text in ("", "[]", "{}", "3", '{"files": [3]}', '{"files": [{"path": "a"}]}',
                     *(json.dumps({"files": [{"path": name, **good}]})
                       for name in ("../mine", str(mine), "work/../../mine", "images/a", "", ".", "..", "work//a", "a\0b"))):
            (self.out / LIST).write_text(text)
            with self.assertRaisesRegex(InputError, f"^{self.out / LIST} is not a list of what p2mpp-photos wrote; move it away$"):
                self.write(a="new")
        self.assertEqual(mine.read_text(), "mine")
