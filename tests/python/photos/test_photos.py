"""The command p2mpp-photos with the real program on captures that have cameras: steps that are kept, errors of one line, Ctrl-C."""

import errno
import json
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from PIL import Image

from runs import INPUTS, PROGRAM, ProgramTest, ends, run_here
from stand_ins import noise, quiet_run

from p2mpp.commands import photos
from p2mpp.photos.output import Batch
from p2mpp.photos.options import Options
from p2mpp.photos.capture import Capture
from p2mpp.photos.run import Run
from p2mpp.photos.seed import Mat
from p2mpp.photos.steps import StepFailure

DONE = 4  # the test model's mesh is far from the object: poor


class PhotosTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.captures = Path(INPUTS) / "captures"
        self.out = self.folder / "out"

    def run_photos(self, *arguments, code=None):
        end = arguments.index("--") if "--" in arguments else len(arguments)
        return run_here(photos.main, *arguments[:end], "--out", self.out, "--p2mpp", PROGRAM, "--threads", "1", "--", "--model",
                        Path(INPUTS) / "models/tiny", "--no-fit", "--surface", "template", "--quiet", *arguments[end + 1:], code=code)

    def document(self):
        return json.loads((self.out / "photos.json").read_text())

    def reused(self):
        return {step["step"]: step["reused"] for step in self.document()["steps"]}

    def assert_line(self, done, code: int, pattern: str):
        self.assertEqual(done.returncode, code, done.stderr)
        lines = [line for line in done.stderr.splitlines() if line.startswith("p2mpp-photos: error: ")]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertRegex(lines[0], f"^p2mpp-photos: error: {pattern}; then go on with: p2mpp-photos ")

    def test_a_capture_with_a_plain_background_and_every_step_is_kept(self):
        capture = self.folder / "chair"
        shutil.copytree(self.captures / "colmap_txt", capture)
        done = self.run_photos(capture, code=DONE)
        self.assertEqual(done.stdout.split(), [str(self.out / name) for name in ("chair.glb", "chair_view.html", "report.html")])
        self.assertEqual((self.out / "chair.glb").read_bytes()[:4], b"glTF")
        self.assertEqual(self.reused(), {"mat": False, "masks": False, "check": False, "mesh": False})
        self.assertIn("p2mpp-photos: masks: a plain background", done.stderr)
        page = (self.out / "report.html").read_text()
        self.assertIn("<h2>As a solid</h2>", page)
        self.assertIn("<td>closed</td><td>yes</td>", page)
        certificate = self.document()["certificate"]
        self.assertEqual((certificate["closed"], certificate["unit"]), (True, None), "the size is not known")
        self.assertIn(f"<td>faces through others</td><td>{certificate['intersecting_faces']}</td>", page)  # the tiny model's
        self.assertEqual(page.count('<img alt="The mesh from around'), 8)
        self.assertEqual(self.document()["grade"]["grade"], "poor")
        self.assertRegex(done.stderr, r"p2mpp-photos: grade: poor: the mesh's silhouettes have an IoU of 0\.\d\d with the masks; ")
        self.assertIn("<p class=poor><strong>Poor</strong>: the mesh&#x27;s silhouettes have an IoU of 0.", page)
        for title in ("Masks", "Over its views", "Steps"):
            self.assertIn(f"<h2>{title}</h2>", page)
        with Image.open(self.out / "masks.jpg") as sheet:
            self.assertEqual(sheet.size, (6 * 180, 196))
        self.run_photos(capture, code=DONE)
        self.assertEqual(self.reused(), {"mat": True, "masks": True, "check": True, "mesh": True})
        self.run_photos(capture, "--", "--normals", code=DONE)
        self.assertEqual(self.reused(), {"mat": True, "masks": True, "check": False, "mesh": False})

    def test_a_background_that_only_looks_plain(self):
        """Its masks contradict the cameras, or a mat is on it."""
        warning = {"code": "poses", "message": "the masks contradict the cameras"}
        for warnings, free, why in (([], None, None), ([{"code": "other"}], None, None),
                                    ([warning], None, "the masks of it contradict the cameras: they are not used"),
                                    ([], [0.06, 0.09], "the mat is on it: the masks of it are not used")):
            run = quiet_run(Options(self.folder, self.out), mock.Mock(json=mock.Mock(return_value={"warnings": warnings})))
            run.sizing.free = free
            capture = Capture(self.folder, [], self.folder, ["a.jpg"], self.folder)
            with mock.patch.object(Run, "masks_of_p2mpp", return_value="plain"), \
                    mock.patch("p2mpp.photos.run.read_colmap"), \
                    mock.patch("p2mpp.photos.run.masks_step.has_rembg", return_value=False), \
                    mock.patch("p2mpp.photos.run.masks_step.own_masks", return_value={"agreement": {}, "model": None}) as own:
                self.assertEqual(run.new_masks(capture, Batch(self.folder))["kind"], "own" if why else "plain")
            self.assertEqual(run.notes, [f"masks: the background looks plain, but {why}"] if why else [])
            if why:
                self.assertEqual(own.call_args.args[-1], free and Mat(tuple(free)))

    def test_masks_that_contradict_the_cameras_do_not_stop_it(self):
        photographs = [{"name": "a.jpg", "contradicts": False, "unexplained": 0.3}, {"name": "b.jpg", "contradicts": False, "unexplained": 0}]
        warning = {"code": "poses", "message": "the masks contradict the cameras (15% of a mask on average; a.jpg 30%); expected masks"}
        engine = mock.Mock(json=mock.Mock(return_value={"warnings": [warning], "capture": {"photographs": photographs}}))
        run = quiet_run(Options(self.folder, self.out), engine)
        run.made = {"held": {"a.jpg": 0.9, "b.jpg": 0.9}, "ground": {"a.jpg": 0.0, "b.jpg": 0.1}}
        capture = Capture(self.captures / "colmap_txt", [], self.folder, ["a.jpg", "b.jpg"], self.folder)
        with run.output.opened([]):
            run.check(capture, [])
        self.assertEqual(run.notes, ["check: doubtful: the masks contradict the cameras (15% of a mask on average; a.jpg 30%): if the object "
                                     "was moved, leave one part of the photographs out, else give masks (--masks FOLDER); look at a.jpg in "
                                     f"{self.out}/masks.jpg"])

    def test_the_object_s_points_of_own_masks_reach_the_grade(self):
        names = [f"{number}.jpg" for number in range(6)]
        found = {"kind": "own", "says": "6 cut out", "agreement": dict.fromkeys(names, 0.9), "held": dict.fromkeys(names, 0.9),
                 "ground": dict.fromkeys(names, 0.0), "unseen": [], "elsewhere": [], "without": [], "up": None, "points": [[1.0, 2.0, 3.0]]}
        run = quiet_run(Options(self.folder, self.out))
        capture = Capture(self.captures / "colmap_txt", [], self.folder, names, self.folder)
        (self.folder / "a_predict.ply").touch()
        with mock.patch.object(run.steps, "finished", return_value=found):
            run.made_masks(capture, self.folder / "masks.jpg", ["3.jpg"])
        self.assertNotIn("3.jpg", run.made["held"])
        with mock.patch("p2mpp.photos.run.read_colmap"), mock.patch("p2mpp.photos.run.nearness", return_value=0.5) as near:
            self.assertEqual(run.nearness(capture, {"frame": "source", "samples": [{}]}, self.folder), 0.5)
            self.assertEqual(near.call_args.args[0].tolist(), [[1.0, 2.0, 3.0]])
            self.assertIsNone(run.nearness(capture, {"frame": "camera0", "samples": [{}]}, self.folder))

    def test_masks_that_are_there(self):
        capture = self.captures / "colmap_busy"
        done = self.run_photos(capture, "--json", code=DONE)
        self.assertIn(f"masks: those of {capture / 'masks'}", done.stderr)
        self.assertEqual(json.loads(done.stdout), self.document())

    def test_some_masks_are_replaced(self):
        folder = self.folder / "better"
        folder.mkdir()
        shutil.copy(self.captures / "colmap_busy/masks/IMG_0002.png", folder / "IMG_0002.png")
        white = Image.new("L", (10, 10), 255)
        white.save(folder / "IMG_9999.png")  # of no photograph
        done = self.run_photos(self.captures / "colmap_txt", "--masks", folder, code=DONE)
        self.assertIn("masks: 1 given, the others: a plain background\n", done.stderr)
        used = self.out / "work/all-masks"
        self.assertEqual(sorted(path.name for path in used.iterdir()),
                         ["IMG_0001.png.png", "IMG_0002.png", *(f"IMG_000{number}.png.png" for number in range(3, 7))])
        self.run_photos(self.captures / "colmap_txt", "--masks", folder, code=DONE)
        self.assertEqual(self.reused(), {"mat": True, "masks": True, "check": True, "mesh": True})

    def test_a_turntable_and_a_name_for_the_files(self):
        done = self.run_photos(self.captures / "turntable", "--turntable", "--elevation", "25", "--name", "chair", code=DONE)
        self.assertEqual(self.reused(), {"photographs": False, "masks": False, "check": False, "mesh": False})
        self.assertEqual(done.stdout.split(), [str(self.out / name) for name in ("chair.glb", "chair_view.html", "report.html")])

    def test_a_photograph_that_only_pillow_reads(self):
        """A piece before its end is missing. Of a turntable, none may be left out."""
        folder = noise(self.folder / "photographs", 6)
        whole = (folder / "4.jpg").read_bytes()
        (folder / "4.jpg").write_bytes(whole[:-500] + whole[-2:])
        reason = r"4.jpg.* cannot be read: damaged JPEG: .*; expected a complete one"
        done = self.run_photos(folder)
        self.assert_line(done, 3, "cameras: 0 of 5 photographs have a camera .*")
        self.assertRegex(done.stderr, f"p2mpp-photos: photographs: {reason}\n")
        self.assert_line(self.run_photos(folder, "--turntable", "--elevation", "25"), 3,
                         f"photographs: {reason}; expected all of a turntable's photographs, .*")

    def test_photographs_that_do_not_suffice(self):
        folder = self.folder / "photographs"
        folder.mkdir()
        self.assert_line(self.run_photos(folder), 3, "photographs: .*: has no photographs; expected JPEG, .*")
        noise(folder, 2)
        (folder / "damaged.jpg").write_bytes(b"no picture")
        done = self.run_photos(folder)
        self.assert_line(done, 3, "cameras: 2 photographs; expected at least 5.*; look at .*photographs.jpg")
        self.assertIn("photographs: damaged.jpg is left out: cannot be read", done.stderr)
        self.assertIn("photographs: as in the earlier run", self.run_photos(folder).stderr)
        self.assert_line(self.run_photos(self.folder / "nowhere"), 3, ".*nowhere: does not exist; expected .*")

    def test_masks_that_cannot_be_used(self):
        self.assert_line(self.run_photos(self.captures / "colmap_busy", "--masks", self.folder / "none"), 3, "masks: .*: is no folder; .*")
        empty = self.folder / "empty"
        empty.mkdir()
        self.assert_line(self.run_photos(self.captures / "colmap_busy", "--masks", empty), 3, "check: .*has no mask for IMG_000.*")

    def test_stopped_and_full_disk(self):
        for error, code, pattern in ((KeyboardInterrupt(), 130, r"stopped in the step start; nothing that is done is lost; then go on with: "),
                                     (StepFailure("start", "no space left on the disk of here"), 1,
                                      r"error: start: no space left on the disk of here; then go on with: "),
                                     (OSError(errno.ENOSPC, "full"), 1, r"error: start: no space left on the disk of .*; then go on with: ")):
            with mock.patch.object(Run, "everything", side_effect=error):
                done = self.run_photos(self.captures / "colmap_txt", code=code)
            self.assertRegex(done.stderr, pattern + rf"p2mpp-photos {re.escape(str(self.captures))}/colmap_txt --out ")

    @contextmanager
    def while_colmap_works(self, folder):
        """The command, at COLMAP's first news."""
        command = [sys.executable, "-m", "p2mpp.commands.photos", folder, "--out", self.out, "--p2mpp", PROGRAM, "--threads", "1"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
            for line in running.stderr:
                if line.startswith("p2mpp-photos: cameras: features: "):
                    break
            yield running

    def test_ctrl_c_while_colmap_works(self):
        folder = noise(self.folder / "noise", 8)
        with self.while_colmap_works(folder) as running:
            running.send_signal(signal.SIGINT)
            rest = running.stderr.read()
        self.assertEqual(running.returncode, 130, rest)
        self.assertIn("p2mpp-photos: stopped in the step cameras; nothing that is done is lost; then go on with: ", rest)
        again = self.run_photos(folder)
        self.assertIn("p2mpp-photos: photographs: as in the earlier run", again.stderr)
        self.assert_line(again, 3, "cameras: 0 of 8 photographs have a camera .*")

    def test_colmap_ends_with_a_command_that_is_killed(self):
        with self.while_colmap_works(noise(self.folder / "noise", 8)) as running:
            child = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()[0]
            self.assertIn("structure", Path(f"/proc/{child}/cmdline").read_text())
            running.kill()
        self.assertTrue(ends(child), "COLMAP still runs")

    def test_files_of_the_user_stop_it_before_any_work(self):
        mine = self.out / "work/masks/IMG_0001.png"
        mine.parent.mkdir(parents=True)
        mine.write_text("mine")
        done = self.run_photos(self.captures / "colmap_txt")
        self.assert_line(done, 3, f"--out: {mine} is not in .*p2mpp-photos.json, the list of what p2mpp-photos wrote; move it away, .*")
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertEqual([path for path in self.out.rglob("*") if path.is_file()], [mine])
        mine.unlink()
        self.run_photos(self.captures / "colmap_txt", code=DONE)
        mesh = self.out / "colmap_txt.glb"
        mesh.write_text("edited")
        self.assert_line(self.run_photos(self.captures / "colmap_txt"), 3, f"--out: {mesh} was changed after p2mpp-photos wrote it; .*")
        self.assertEqual(mesh.read_text(), "edited")

    def test_options_that_do_not_go_together(self):
        for arguments in (("a", "--name", ".."), ("a", "--name", "b/c"), ("a", "--name", "b\n"), (), ("a", "--video", "b"), ("a", "--turntable"),
                          ("a", "--elevation", "3"), ("a", "--clockwise"), ("--video", "a", "--frames", "0"), ("a", "--printed-bar", "98"),
                          ("a", "--known-distance", "a.jpg:1,2", "b.jpg:1,2", "a.jpg:3,4", "a.jpg:3,4", "1mm"),
                          ("a", "--turntable", "--elevation", "20", "--printed-bar", "98mm"), ("a", "--no-mat", "--printed-bar", "98mm")):
            with self.subTest(arguments=arguments):
                self.run_photos(*arguments, code=2)
