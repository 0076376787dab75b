"""Where the object is: the scene, the ground, the object's points, and crops of photographs."""

import unittest
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from unittest import mock

import numpy as np
from PIL import Image

from runs import TemporaryTest
from studio import studio

from p2mpp.photos import masks
from p2mpp.photos.crop import make_crop
from p2mpp.photos.hull import Hull
from p2mpp.photos.scene import View
from p2mpp.photos.seed import Seed, box_corners, find_ground, find_seed


def with_points(*points):
    """The studio with other points, whose colours do not matter."""
    points = np.concatenate(points)
    return replace(studio()[0], points=points, colours=np.zeros((len(points), 3), np.uint8))


class SceneTest(unittest.TestCase):
    def test_the_cameras_look_at_the_object(self):
        scene = studio()[0]
        self.assertLess(np.linalg.norm(scene.focus()), 0.1)
        self.assertGreater(scene.up[1], 0.9)

    def test_pixels_and_rays_are_opposites(self):
        view = studio()[0].views[0]
        pixels = np.array([[10.5, 20.5], [200.0, 90.0]])
        again = view.pixels(view.centre + 2 * view.rays(pixels, 0.5), 0.5)
        np.testing.assert_allclose(again, pixels, atol=1e-6)
        self.assertTrue(np.isnan(view.pixels(view.centre[None] - view.axis)).all())


class SeedTest(unittest.TestCase):
    def test_the_ground_and_what_stands_on_it(self):
        scene, _, _ = studio()
        seed = find_seed(scene)
        self.assertGreater(seed.ground.normal[1], 0.99)
        heights = seed.ground.height(scene.points)
        self.assertLess(np.abs(heights[400:]).max(), 0.02)  # the ground's points
        self.assertGreater((seed.members < 400).mean(), 0.99)
        along = scene.points[:400] @ seed.axes.T
        inside = ((along >= seed.low - 0.02) & (along <= seed.high + 0.02)).all(1)
        self.assertGreater(inside.mean(), 0.98)

    def test_the_ground_below_cameras_on_their_side(self):
        scene, _, _ = studio()
        turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
        views = [replace(view, rotation=turn @ view.rotation, translation=turn @ view.translation) for view in scene.views]
        turned = replace(scene, views=views)
        self.assertLess(turned.up[1], 0.5)
        focus = turned.focus()
        self.assertGreater(find_ground(turned, focus, turned.extent(focus), turned.points).normal[1], 0.99)

    def test_an_object_without_a_ground(self):
        seed = find_seed(with_points(studio()[0].points[:400]))
        self.assertIsNone(seed.ground)
        self.assertGreater(len(seed.members), 380)

    def test_a_second_object_is_no_part_of_it(self):
        scene, _, _ = studio()
        narrow = np.argmin(np.ptp(scene.points[:400], axis=0) + (0, 1, 0))
        moved = scene.points[:400:4] + 0.35 * np.eye(3)[narrow]
        seed = find_seed(with_points(scene.points, moved))
        self.assertGreater((seed.members < 400).mean(), 0.99)
        self.assertGreater(len(np.intersect1d(seed.others, np.arange(550, 650))), 30)

    def test_the_ground_that_stands_out_with_the_object_is_no_part_of_it(self):
        """A box below the object, which a learned model takes for a part of it in most photographs."""
        scene, _, _ = studio()
        salience = np.where(np.arange(len(scene.points)) < 400, 1.0, 0.0)
        box = np.linalg.norm(scene.points[:, [0, 2]], axis=1) < 0.45
        salience[box & (salience == 0)] = 0.8
        self.assertGreater((salience == 0.8).sum(), 15)
        seed = find_seed(scene, salience)
        self.assertGreater(seed.ground.normal[1], 0.99)
        self.assertEqual((seed.members >= 400).sum(), 0)

    def test_what_stands_out_far_away_says_nothing_of_the_ground(self):
        scene, _, _ = studio()
        deep = np.array([4.0, -1.5, 0]) + 0.1 * np.random.default_rng(1).normal(size=(200, 3))
        salience = np.concatenate([np.ones(400), np.zeros(len(scene.points) - 400), np.ones(200)])
        self.assertGreater(find_seed(with_points(scene.points, deep), salience).ground.normal[1], 0.99)

    def test_an_object_that_stands_out_needs_no_points(self):
        scene, _, _ = studio()
        few = np.arange(len(scene.points)) % 400 >= 390  # of the object: ten
        few[400:] = True
        sparse = with_points(scene.points[few])
        self.assertIsNone(find_seed(sparse))
        seed = find_seed(sparse, np.where(np.arange(len(sparse.points)) < 10, 1.0, 0.0))
        self.assertGreater(seed.ground.normal[1], 0.99)
        along = scene.points[:400] @ seed.axes.T
        self.assertTrue(((along > seed.low) & (along < seed.high)).all())
        self.assertLessEqual(set(seed.members), set(range(10)))
        self.assertFalse(masks.has_points(seed))
        self.assertTrue(masks.has_points(find_seed(scene)))

    def test_no_points_no_object(self):
        self.assertIsNone(find_seed(with_points(studio()[0].points[400:])))


class CropTest(TemporaryTest):
    def crop(self, distance, width=200, height=100):
        """Of a photograph taken from a distance before a box of side 1."""
        def project(points):
            return 100 * points[:, :2] / points[:, 2:] + (width / 2, height / 2)

        Image.new("RGB", (width, height)).save(self.folder / "a.png")
        view = View("a.png", width, height, np.eye(3), np.array([0, 0, distance]), project, None)
        low, high = np.full(3, -0.5), np.full(3, 0.5)
        seed = Seed(np.arange(0), np.arange(0), np.zeros(3), box_corners(low, high, np.eye(3)), np.eye(3), low, high, None, 1.0)
        return seed, make_crop(view, seed, self.folder / "a.png")

    def test_a_close_up_is_as_large_as_what_it_shows(self):
        _, far = self.crop(3.0)
        self.assertEqual((far.scale, far.left > 0), (1.0, True))
        with mock.patch("p2mpp.photos.crop.SIDE", 100):
            _, near = self.crop(0.7)  # the box is 500 pixels wide
            self.assertEqual((near.scale, near.shape), (0.5, (50, 100)))
        _, within = self.crop(0.4)  # a part of the box is behind the camera
        self.assertEqual(within.shape, (100, 200))
        self.assertTrue(within.inside.all())
        self.assertIsNone(self.crop(-1.0)[1])

    def test_what_a_photograph_does_not_show_has_no_vote(self):
        seed, whole = self.crop(3.0)
        _, close = self.crop(1.0, 40, 40)  # shows the middle alone
        mask, pool = np.ones(whole.shape, bool), ThreadPoolExecutor(1)
        hull = Hull(seed, [whole] * 3 + [close] * 3, pool)
        shares = hull.vote([mask] * 3 + [np.ones(close.shape, bool)] * 3)
        self.assertEqual(shares.min(), 1.0)
        self.assertGreater(hull.vote([mask] * 3 + [np.zeros(close.shape, bool)] * 3, [1, 1, 1, 0.1, 0.1, 0.1]).min(), 0.9)
        alone = Hull(seed, [whole] + [close] * 7, pool).vote([mask] + [np.ones(close.shape, bool)] * 7)
        self.assertEqual((alone.min(), alone.max()), (0.0, 1.0))  # what one of eight shows is not known
