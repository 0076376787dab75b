"""The samples in data/: all that `p2mpp eval` reads, in the right frames. NumPy and Pillow only."""

import unittest
from collections import Counter
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[3]

from p2mpp.shapes.camera import (
    IMAGE_SIZE,
    cam_from_world,
    parse_row,
    project,
    world_from_cam,
)

DATA = ROOT / "data"
SAMPLE_VIEWS = (0, 6, 7)


class Sample:
    """One bundled sample: views of the metadata, pictures, ground truth [N,6]."""

    def __init__(self, line, root=DATA):
        category, model, _ = line.removesuffix(".dat").split("_")
        self.rendering = root / category / model / "rendering"
        rows = (self.rendering / "rendering_metadata.txt").read_text().splitlines()
        self.views = [parse_row(row) for row in rows]
        self.truth = np.loadtxt(root / f"{category}_{model}_00_ground.xyz")

    def alpha(self, view):
        """[137,137], 0 where nothing is."""
        return np.asarray(Image.open(self.rendering / f"{view:02d}.png"))[..., 3]

    def world_points(self):
        """Ground-truth points [N,3] in the world frame."""
        return world_from_cam(self.views[0], self.truth[:, :3])


def bundled():
    """(id, Sample) of each line of data/test_list.txt."""
    for line in (DATA / "test_list.txt").read_text().split():
        yield line, Sample(line)


def dilated(mask):
    """The mask grown by a pixel in all eight directions."""
    padded = np.pad(mask, 1)
    size = len(mask)
    return np.any([padded[r : r + size, c : c + size] for r in range(3) for c in range(3)], axis=0)


class BundledSamplesTest(unittest.TestCase):
    def test_three_of_each_of_ten_categories_within_few_megabytes(self):
        lines = (DATA / "test_list.txt").read_text().split()
        counts = Counter(line.split("_")[0] for line in lines)
        self.assertEqual(list(counts.values()), [3] * 10)
        files = [
            path for path in DATA.rglob("*") if path.is_file() and "templates" not in path.parts
        ]
        self.assertLess(sum(path.stat().st_size for path in files), 6_500_000)

    def test_points_fall_on_the_silhouette_of_every_view(self):
        for name, sample in bundled():
            for view in SAMPLE_VIEWS:
                with self.subTest(sample=name, view=view):
                    camera_points = cam_from_world(sample.views[view], sample.world_points())
                    columns, rows = np.floor(project(camera_points)).astype(int).T
                    covered = dilated(sample.alpha(view) > 0)
                    self.assertGreaterEqual(covered[rows, columns].mean(), 0.99)

    def test_silhouettes_are_filled_by_the_points(self):
        """The converse: the picture shows nothing that is far from every point."""
        for name, sample in bundled():
            for view in SAMPLE_VIEWS:
                with self.subTest(sample=name, view=view):
                    camera_points = cam_from_world(sample.views[view], sample.world_points())
                    columns, rows = np.floor(project(camera_points)).astype(int).T
                    reached = np.zeros((IMAGE_SIZE, IMAGE_SIZE), bool)
                    reached[rows, columns] = True
                    solid = sample.alpha(view) == 255
                    self.assertGreaterEqual(dilated(dilated(reached))[solid].mean(), 0.97)

    def test_world_frame_has_the_scale_of_the_published_data(self):
        for name, sample in bundled():
            with self.subTest(sample=name):
                points = sample.world_points()
                self.assertAlmostEqual(np.linalg.norm(np.ptp(points, axis=0)), 0.57, delta=0.015)
                self.assertLess(np.abs(points.min(0) + points.max(0)).max() / 2, 0.008)

    def test_normals_are_unit_and_outward(self):
        """The sum of (point - center) . normal over a closed surface is three times its volume."""
        for name, sample in bundled():
            with self.subTest(sample=name):
                points, normals = sample.truth[:, :3], sample.truth[:, 3:]
                lengths = np.linalg.norm(normals, axis=1)
                np.testing.assert_allclose(lengths, 1, atol=2e-3)
                outward = np.einsum("ni,ni->n", points - points.mean(0), normals)
                self.assertGreater(outward.mean(), 0.002)
                self.assertLess(np.abs(normals.mean(0)).max(), 0.05)

    def test_views_are_drawn_as_in_shapenet_renderings(self):
        for name, sample in bundled():
            with self.subTest(sample=name):
                self.assertEqual(len(sample.views), 8)
                for view in sample.views:
                    self.assertTrue(0 <= view.azimuth < 360 and 25 <= view.elevation <= 30)
                    self.assertTrue(0.65 <= view.distance <= 0.9)

    def test_pictures_are_straight_alpha_with_soft_edges(self):
        for name, sample in bundled():
            for view in SAMPLE_VIEWS:
                with self.subTest(sample=name, view=view):
                    picture = Image.open(sample.rendering / f"{view:02d}.png")
                    self.assertEqual((picture.size, picture.mode), ((137, 137), "RGBA"))
                    alpha = sample.alpha(view)
                    self.assertGreater(np.count_nonzero((alpha > 0) & (alpha < 255)), 60)
                    self.assertFalse(np.asarray(picture)[alpha == 0].any())
                    border = np.concatenate([alpha[0], alpha[-1], alpha[:, 0], alpha[:, -1]])
                    self.assertFalse(border.any() and (border == 255).any())

    def test_ten_made_by_people_lie_on_their_silhouettes(self):
        """Of other proportions than the generator's, thin ones too; 224 pixels."""
        root = DATA / "people"
        lines = (root / "test_list.txt").read_text().split()
        self.assertEqual(len(lines), 10)
        self.assertIn("Creative Commons Zero", (root / "LICENSE.txt").read_text())
        for line in lines:
            sample = Sample(line, root)
            points = sample.world_points()
            self.assertAlmostEqual(np.linalg.norm(np.ptp(points, axis=0)), 0.57, delta=0.03)
            for view in SAMPLE_VIEWS:
                with self.subTest(sample=line, view=view):
                    alpha = sample.alpha(view)
                    self.assertEqual(alpha.shape, (224, 224))
                    pixels = project(cam_from_world(sample.views[view], points), 224)
                    columns, rows = np.floor(pixels).astype(int).T
                    self.assertGreaterEqual(dilated(alpha > 0)[rows, columns].mean(), 0.99)


if __name__ == "__main__":
    unittest.main()
