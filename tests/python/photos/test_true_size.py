"""The true size of a run: by the mat or by known distances, cameras by the mat alone, and what follows for masks and mesh."""

import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

import cv2
import numpy as np

from runs import TemporaryTest, require, run_here

require("cv2", "pycolmap")

from mats import SIDE, capture, write_model
from stand_ins import quiet_run

from p2mpp.commands import photos
from p2mpp.photos import cameras, structure
from p2mpp.photos.capture import Capture
from p2mpp.photos.known_distance import WrongDistance, parse, scale_of
from p2mpp.photos.lengths import millimetres
from p2mpp.photos.markers import to_json
from p2mpp.photos.mat_fit import Disagreement
from p2mpp.photos.options import Options
from p2mpp.photos.photographs import Photograph
from p2mpp.photos.report import size_table
from p2mpp.photos.run import Run
from p2mpp.photos.scene import Scene, read_colmap, views_of
from p2mpp.photos.seed import Mat, find_seed
from p2mpp.photos.steps import StepError


def whole(**options):
    return capture(np.random.default_rng(7), "whole", paper="A4", most=12, **{"noise": 0.05, "cameras": 0.1, **options})


class LengthsTest(unittest.TestCase):
    def test_units(self):
        for text, value in (("98.5mm", 98.5), ("12 cm", 120), ("0.3m", 300), ("4in", 101.6), (".5mm", 0.5)):
            self.assertAlmostEqual(millimetres(text), value)
        for text in ("98.5", "mm", "-3mm", "0mm", "1e3mm", "3 miles", "1,5mm"):
            with self.assertRaisesRegex(ValueError, "expected a length with its unit, such as 98.5mm"):
                millimetres(text)


class KnownDistanceTest(unittest.TestCase):
    def setUp(self):
        self.shown = whole()
        self.views = {view.name: view for view in self.shown.views}

    def distance(self, first, second, length="100mm", photographs=("0.jpg", "2.jpg"), off=0.0):
        """Between two places in millimetres of the mat's frame, as clicks."""
        words = []
        for place in (first, second):
            for name in photographs:
                x, y = self.views[name].pixels(self.shown.place.points(np.array([place], float)))[0]
                words.append(f"{name}:{x:.3f},{y + (off if name == photographs[1] else 0):.3f}")
        return parse([*words, length])

    def test_its_scale_and_how_sure_it_is(self):
        scale, error = scale_of([self.distance((-50, 0, 5), (50, 0, 5))], self.views)
        self.assertAlmostEqual(scale * self.shown.place.scale, 1, delta=1e-4)
        self.assertTrue(1e-4 < error < 0.03, error)
        several = scale_of([self.distance((-50, 0, 5), (50, 0, 5)), self.distance((0, -60, 5), (0, 60, 5), "12cm")], self.views)
        self.assertLess(several[1], error)

    def test_what_gives_no_scale(self):
        for distances, pattern in (([self.distance((-50, 0, 5), (50, 0, 5), off=150)], "do not show one point there, or look from"),
                                   ([self.distance((0, 0, 5), (0.1, 0, 5))], "too near to each other"),
                                   ([self.distance((-50, 0, 5), (50, 0, 5)), self.distance((0, -60, 5), (0, 60, 5), "14cm")],
                                    "^the distances contradict each other by 1[67].[0-9]%"),
                                   ([parse(["x.jpg:1,2", "2.jpg:3,4", "0.jpg:1,2", "2.jpg:3,4", "1mm"])], "^x.jpg has no camera; expected"),
                                   ([parse(["0.jpg:1,2", "2.jpg:3,4000", "0.jpg:1,2", "2.jpg:3,4", "1mm"])], "^2.jpg:3,4000 is outside of it")):
            with self.assertRaisesRegex(WrongDistance, pattern):
                scale_of(distances, self.views)

    def test_what_is_no_declaration(self):
        good = ["a:b.jpg:1,2", "c.jpg:3,4.5", "a:b.jpg:1,2", "c.jpg:3,4", "12cm"]
        self.assertEqual(parse(good).points[0][0].photograph, "a:b.jpg")
        for place, word, pattern in ((0, "a.jpg", "expected PHOTOGRAPH:x,y"), (1, "c.jpg:3", "expected PHOTOGRAPH:x,y"), (2, "a.jpg:nan,1", "expected"),
                                     (3, "a:b.jpg:1,2", "has both clicks of a point"), (4, "12", "expected a length with its unit")):
            with self.assertRaisesRegex(ValueError, pattern):
                parse([*good[:place], word, *good[place + 1:]])


class SizingTest(TemporaryTest):
    """The step of a run, with cameras that are given."""

    def sized(self, shown, **options):
        write_model(shown, self.folder / "model")
        run = quiet_run(Options(self.folder, self.folder / "out", **options))
        run.sizing.markers = to_json(shown.found)
        found = Capture(self.folder, [], self.folder, [view.name for view in shown.views], self.folder / "model")
        with run.output.opened([]), mock.patch.object(run.sizing, "find_markers"), mock.patch.object(run, "capture_key", return_value=1):
            run.size(found)
        return run, found

    def test_metres_with_y_up_on_the_mat(self):
        shown = whole()
        run, found = self.sized(shown)
        self.assertEqual(found.options[2:], ["--up=0,1,0"])
        self.assertEqual(run.frame(), ["--frame", "source", "--unit", "m"])
        self.assertEqual(found.path, self.folder / "out/work/capture" / self.folder.name)
        for model in (found.path, found.model):
            for view, given in zip(read_colmap(model).views, read_colmap(self.folder / "model").views):
                x, y, z = shown.place.back(given.centre[None])[0] / 1000  # z is up
                np.testing.assert_allclose(view.centre, [x, z, -y], atol=2e-4)
        facts = run.sizing.facts
        self.assertAlmostEqual(facts["millimetres_per_unit"] * shown.place.scale, 1, delta=1e-3)
        np.testing.assert_allclose(facts["up"], shown.place.rotation[:, 2], atol=1e-3)
        self.assertIn("98.5 mm, as measured", size_table({**self.sized(shown, printed_bar=98.5)[0].sizing.facts, "millimetres": [1.0, 2, 3]}))

    def test_the_printed_bar_and_options_of_the_user(self):
        shown = whole()
        run, found = self.sized(shown, printed_bar=98.5, mesh_options=["--frame=world", "--up", "0,0,1"])
        self.assertAlmostEqual(run.sizing.facts["millimetres_per_unit"] * shown.place.scale, 0.985, delta=1e-3)
        self.assertEqual((run.frame(), found.options[2:]), (["--unit", "m"], []))
        self.assertIsNone(run.true_size({"frame": "by format"}, self.folder))

    def test_markers_that_disagree_stop_the_run_with_exit_code_3(self):
        shown = capture(np.random.default_rng(7), "doubled", paper="A4", most=12)
        with self.assertRaisesRegex(StepError, r"^size: marker \d+ is twice in .*; print the mat anew and lay it flat, or go on without a "
                                               r"size: --no-mat; look at .*photographs.jpg$") as stopped:
            self.sized(shown)
        with mock.patch.object(Run, "everything", side_effect=stopped.exception):
            run_here(photos.main, self.folder, "--out", self.folder / "o", "--p2mpp", "/bin/true", code=3)

    def test_too_few_markers_are_said(self):
        shown = whole()
        shown.found = {name: markers[:1] for name, markers in shown.found.items()}
        run, found = self.sized(shown)
        self.assertIsNone(run.sizing.facts)
        self.assertEqual(found.path, self.folder)
        self.assertTrue(any(line.startswith("size: unknown: ") for line in run.notes), run.notes)

    def test_a_known_distance_alone_and_one_that_contradicts_the_mat(self):
        shown = whole()
        ends = [shown.views[k].pixels(shown.place.points(np.array([[x, 0.0, 5]])))[0] for x in (-50, 50) for k in (0, 2)]
        words = [f"{name}:{x},{y}" for name, (x, y) in zip(("0.jpg", "2.jpg") * 2, ends)]
        alone = replace(shown, found={})
        run, _ = self.sized(alone, known_distances=[parse([*words, "100mm"])])
        self.assertAlmostEqual(run.sizing.facts["millimetres_per_unit"] * shown.place.scale, 1, delta=1e-3)
        self.assertIn("mm, by known distances</td>", size_table({**run.sizing.facts, "millimetres": None}))
        self.sized(shown, known_distances=[parse([*words, "100mm"])])
        with self.assertRaisesRegex(StepError, r"^size: the mat's scale and that of --known-distance differ by \d+\.\d%: measure the printed bar"):
            self.sized(shown, known_distances=[parse([*words, "120mm"])])
        with self.assertRaisesRegex(StepError, "^size: --known-distance: x.jpg has no camera"):
            self.sized(shown, known_distances=[parse(["x.jpg:1,2", *words[1:], "1mm"])])


class CamerasByTheMatTest(TemporaryTest):
    """Photographs without any feature: a white table, and an object without a pattern."""

    def model(self, shown):
        photographs, database = self.folder / "photographs", self.folder / "database.db"
        photographs.mkdir(exist_ok=True)
        names = [view.name for view in shown.views]
        for name in names:
            cv2.imwrite(str(photographs / name), np.full(SIDE[::-1], 230, np.uint8))
        job = structure.Job(photographs, database, self.folder, [names], True, 320, 1, shown.found)
        with mock.patch("sys.stdout"):
            structure.extract(job)
            return structure.by_mat(job, 2)

    def test_all_photographs_get_one(self):
        shown = whole(noise=0.2, cameras=0.0)
        model = self.model(shown)
        self.assertEqual(model.num_reg_images(), len(shown.views))
        for view, given in zip(views_of(model), sorted(shown.views, key=lambda view: view.name)):
            np.testing.assert_allclose(view.centre, shown.place.back(given.centre[None])[0], atol=1.5)  # millimetres
        self.assertAlmostEqual(next(iter(model.cameras.values())).params[0] / shown.views[0].focal, 1, delta=0.005)

    def test_colmap_tries_harder_where_too_few_have_a_camera(self):
        job = structure.Job(self.folder, self.folder / "database.db", self.folder, [[f"{k}.jpg" for k in range(10)]], True, 320, 1, {})
        for counts, tried, best in (((8,), ["database"], "database"), ((7, 9), ["database", "thorough"], "thorough"),
                                    ((6, 5), ["database", "thorough"], "database"),
                                    ((4, 3, 2, 5), ["database", "thorough", "database patient", "thorough patient"], "thorough"),
                                    ((0, 0, 0, 0), ["database", "thorough", "database patient", "thorough patient"], "database")):
            calls, left = [], list(counts)

            def mapped(each, patient, calls=calls, left=left):
                calls.append(each.database.stem + " patient" * patient)
                count = left.pop(0)
                return [mock.Mock(**{"num_reg_images.return_value": count})] if count else []

            with mock.patch.multiple(structure, extract=mock.DEFAULT, match=mock.DEFAULT, mapped=mapped):
                chosen, models, by_the_mat = structure.best_models(job)
            self.assertEqual((calls, chosen.database.stem, by_the_mat), (tried, best, False))
            self.assertEqual(structure.registered(models), max(counts))

    def test_a_bent_mat_gives_none(self):
        shown = whole(noise=0.1, cameras=0.0)
        bend = {k: places + (0, 0, 1) * (places[:, :1] / 80) ** 2 * 20 for k, places in shown.mat.corners.items()}
        shown.found = {view.name: [(k, view.pixels(shown.place.points(bend[k]))) for k, _ in shown.found[view.name]] for view in shown.views}
        with self.assertRaises(Disagreement):
            self.model(shown)

    def test_markers_that_disagree_end_the_step(self):
        facts = [Photograph(f"{number}.jpg", "", 320, 240, "one", False, 1.0) for number in range(5)]
        (self.folder / "new").mkdir()
        with mock.patch.object(cameras, "_run", return_value={"disagreement": "marker 3 is elsewhere"}), \
                self.assertRaisesRegex(StepError, "^cameras: marker 3 is elsewhere; print the mat anew and lay it flat, or .*; look at sheet.jpg$"):
            cameras.find_cameras(facts, self.folder, self.folder, self.folder / "new", 1, lambda line: None, Path("sheet.jpg"), {})

    def test_colmap_s_cameras_stay_if_they_are_as_many(self):
        shown = whole()
        job = structure.Job(self.folder, self.folder, self.folder, [], True, 320, 1, shown.found)
        self.assertIsNone(structure.by_mat(job, len(shown.views)))
        self.assertIsNone(structure.by_mat(replace(job, markers={}), 0))


class MasksTest(unittest.TestCase):
    def test_a_plain_object_stands_in_the_free_centre(self):
        """The mat's own points lie on the ground: no cluster of points stands on it."""
        shown = whole()
        views = [replace(view, rotation=view.rotation @ shown.place.rotation @ np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
                         translation=np.array(view.translation)) for view in shown.views]
        centres = [shown.place.back(view.centre[None])[0][[0, 2, 1]] * (1, 1, -1) / 1000 for view in shown.views]
        views = [replace(view, translation=-view.rotation @ centre) for view, centre in zip(views, centres)]
        points = np.concatenate([places for places in shown.mat.corners.values()])[:, [0, 2, 1]] * (1, 1, -1) / 1000
        scene = Scene(views, points, np.zeros((len(points), 3), np.uint8), {view.name: np.arange(len(points)) for view in views})
        self.assertIsNone(find_seed(scene))
        seed = find_seed(scene, mat=Mat(tuple(shown.mat.free / 1000)))
        np.testing.assert_allclose(seed.ground.normal, [0, 1, 0])
        inside = ((seed.axes @ (0, 0.03, 0) > seed.low) & (seed.axes @ (0, 0.03, 0) < seed.high)).all()
        self.assertTrue(inside)
        self.assertFalse(((points @ seed.axes.T > seed.low) & (points @ seed.axes.T < seed.high)).all(1).any())
