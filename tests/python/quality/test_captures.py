"""The writers of captures (tests/captures), against which p2mpp's reader is tested: each file, read back as
its format's page says, puts the truth where the pictures show the object."""

import json
import sys
import unittest
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from runs import ROOT, SharedFolderTest, require

require("manifold3d")
sys.path.insert(0, str(ROOT / "tests" / "captures"))

from p2mpp_captures import turntable  # noqa: E402
from p2mpp_captures.capture import KINDS, draw_capture, write_capture  # noqa: E402
from p2mpp_captures.lens import Lens  # noqa: E402
from p2mpp_captures.pose import Pose, disturbed, looking_at  # noqa: E402
from p2mpp_captures.rendering import render  # noqa: E402
from p2mpp_captures.shapes import folder_of, names, subject  # noqa: E402

SHAPE = "02958343_p2mpp0003"
LENSES = {
    "barrel": Lens(300, 225, 270, 268, 152, 110, "opencv", (-0.15, 0.05, 0.004, -0.004)),
    "rational": Lens(300, 225, 270, 268, 152, 110, "opencv", (0.1, -0.05, 0.003, 0.002, 0.02, 0.05, -0.02, 0.01)),
    "fisheye": Lens(300, 225, 170, 172, 152, 110, "fisheye", (0.05, -0.02, 0.003, -0.0005)),
}


def small(kind):
    """The kind's options with few and small pictures."""
    options = KINDS[kind]
    share = 300 / options.rig.width
    return replace(options, rig=replace(options.rig, width=300, height=round(options.rig.height * share), views=4))


def covered(pixels, alpha, beside=1):
    """The share of pixels [N,2] that fall on the object or so many pixels beside it."""
    grown, steps = np.pad(alpha > 0, beside), range(-beside, beside + 1)
    grown = np.any([np.roll(grown, (r, c), (0, 1)) for r in steps for c in steps], axis=0)
    grown = grown[beside:-beside, beside:-beside]
    columns, rows = np.floor(pixels).astype(int).T
    return grown[rows.clip(0, alpha.shape[0] - 1), columns.clip(0, alpha.shape[1] - 1)].mean()


class ShapesTest(unittest.TestCase):
    def test_bundled_shapes_come_back(self):
        for name in (names()[4], SHAPE):
            with self.subTest(shape=name):
                shown = subject(name)
                view = shown.views[0]
                rotation, origin = view.rotation_and_origin()
                flipped = np.diag([1, -1, -1]) @ rotation
                focal = 137 * 248 / 224
                picture = render(shown, Pose(flipped, -flipped @ origin), Lens(137, 137, focal, focal, 68.5, 68.5))
                with Image.open(folder_of(name) / "rendering" / "00.png") as file:
                    published = np.asarray(file)
                np.testing.assert_array_equal(picture[..., 3], published[..., 3])
                self.assertLess(np.abs(picture.astype(int) - published).mean(), 0.1)


class LensTest(unittest.TestCase):
    def test_values_by_hand(self):
        """x = 0.5, y = 0: r2 = 0.25."""
        point = np.array([[0.5, 0.0, 1.0]])
        lens = Lens(10, 10, 1, 1, 0, 0, "opencv", (0.1, 0.2, 0.01, 0.02))
        np.testing.assert_allclose(lens.pixels(point), [[0.5 * (1 + 0.025 + 0.0125) + 0.02 * 0.75, 0.01 * 0.25]])
        angle = np.arctan(0.5)
        lens = Lens(10, 10, 1, 1, 0, 0, "fisheye", (0.1,))
        np.testing.assert_allclose(lens.pixels(point), [[angle * (1 + 0.1 * angle**2), 0]])

    def test_pictures_are_bent_as_points_are(self):
        shown = subject(SHAPE)
        pose = looking_at(np.array([0.5, 0.3, 0.45]), np.array([0.03, 0, -0.02]), 10)
        for name, lens in LENSES.items():
            with self.subTest(lens=name):
                alpha = render(shown, pose, lens)[..., 3]
                pixels = lens.pixels(pose.seen(shown.truth))
                self.assertGreater(covered(pixels, alpha), 0.995)
                reached = np.zeros(alpha.shape, bool)
                columns, rows = np.floor(pixels).astype(int).T
                reached[rows, columns] = True
                self.assertGreater(covered(np.argwhere(alpha == 255)[:, ::-1], reached, 2), 0.97)


class PoseTest(unittest.TestCase):
    def test_noise_is_as_large_as_it_says(self):
        rng = np.random.default_rng(3)
        pose = looking_at(np.array([3.0, 1, 2]), np.zeros(3))
        angles, shares = [], []
        for _ in range(500):
            other = disturbed(pose, rng, 1.0, 0.01, np.zeros(3))
            cosine = (np.trace(other.rotation @ pose.rotation.T) - 1) / 2
            angles.append(np.degrees(np.arccos(np.clip(cosine, -1, 1))))
            shares.append(np.linalg.norm(other.center - pose.center) / np.linalg.norm(pose.center))
        self.assertAlmostEqual(np.sqrt(np.mean(np.square(angles))), 1, delta=0.1)
        self.assertAlmostEqual(np.sqrt(np.mean(np.square(shares))), 0.01, delta=0.001)


class WritersTest(SharedFolderTest):
    """The truth, in the source's coordinates, through what the files say, falls on the object in the pictures. COLMAP
    itself reads its models (test_colmap.py). cli/captures.cmake compares places in the source's coordinates."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shown = subject(SHAPE)

    def written(self, kind):
        """(folder, the truth in the source's coordinates)."""
        options, folder = small(kind), self.folder / kind
        capture = draw_capture(self.shown, options, 1)
        folder.mkdir(exist_ok=True)
        write_capture(capture, options, folder, 1)
        return folder, capture.source_from_world.points(self.shown.truth)

    def check(self, folder, image, seen, pixels_of):
        """seen [N,3] in OpenCV's camera frame; pixels_of takes (x / z, y / z) [N,2]."""
        mask = folder / "masks" / f"{Path(image).stem}.png"
        with Image.open(mask if mask.exists() else folder / image) as picture:
            alpha = np.asarray(picture if mask.exists() else picture.getchannel("A"))
        self.assertTrue((seen[:, 2] > 0).all())
        self.assertGreater(covered(pixels_of(seen[:, :2] / seen[:, 2:]), alpha), 0.99, image)

    def seen_of_matrix(self, matrix, truth):
        """In OpenCV's camera frame, of a frame's 4x4: camera to world, y up, looking along -z."""
        found = np.linalg.inv(np.array(matrix)) @ np.column_stack([truth, np.ones(len(truth))]).T
        return (np.diag([1, -1, -1]) @ found[:3]).T

    def distorted(self, values):
        """Of a transforms.json's numbers, OpenCV's model: (x / z, y / z) to pixels."""
        def pixels(at):
            x, y = at.T
            r2 = x**2 + y**2
            radial = 1 + values["k1"] * r2 + values["k2"] * r2**2
            p1, p2 = values["p1"], values["p2"]
            bent = np.stack([x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x**2),
                             y * radial + p1 * (r2 + 2 * y**2) + 2 * p2 * x * y], 1)
            return bent * (values["fl_x"], values["fl_y"]) + (values["cx"], values["cy"])
        return pixels

    def test_nerfstudio(self):
        folder, truth = self.written("nerfstudio")
        frames = json.loads((folder / "transforms.json").read_text())["frames"]
        self.assertEqual(len({frame["fl_x"] for frame in frames}), len(frames))
        for frame in frames:
            self.assertTrue((folder / frame["mask_path"]).exists())
            seen = self.seen_of_matrix(frame["transform_matrix"], truth)
            self.check(folder, frame["file_path"], seen, self.distorted(frame))

    def test_noise_moves_poses_and_not_pictures(self):
        folder, _ = self.written("colmap_noise")
        exact, _ = self.written("colmap_bin")
        for file in sorted((exact / "images").iterdir()):
            self.assertEqual(file.read_bytes(), (folder / "images" / file.name).read_bytes())
        name = Path("sparse") / "0" / "images.bin"
        self.assertNotEqual((exact / name).read_bytes(), (folder / name).read_bytes())

    def test_turntable_goes_the_way_it_says(self):
        """Seen from above, a table that turns clockwise brings what is on the right (of the first picture) to the front
        a quarter turn later: the second camera stands there."""
        first, second = turntable.poses(4, 20, 0.8, clockwise=True)[:2]
        right = first.rotation[0]
        np.testing.assert_allclose(second.center[[0, 2]] / np.linalg.norm(second.center[[0, 2]]), right[[0, 2]],
                                   atol=1e-12)
