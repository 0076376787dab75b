"""The samples in data/: all that `p2mpp eval` reads, in the right frames. NumPy and Pillow only."""

import unittest
from collections import Counter

import numpy as np
from PIL import Image, ImageFilter

from p2mpp.shapes.camera import cam_from_world, parse_row, project, world_from_cam
from runs import ROOT

DATA = ROOT / "data"
SAMPLE_VIEWS = (0, 6, 7)


class Sample:
    """One bundled sample: views of the metadata, ground truth [N,6] and its points [N,3] in the world frame."""

    def __init__(self, line, root):
        category, model, _ = line.removesuffix(".dat").split("_")
        self.rendering = root / category / model / "rendering"
        rows = (self.rendering / "rendering_metadata.txt").read_text().splitlines()
        self.views = [parse_row(row) for row in rows]
        self.truth = np.loadtxt(root / f"{category}_{model}_00_ground.xyz")
        self.points = world_from_cam(self.views[0], self.truth[:, :3])

    def alpha(self, view):
        """[size,size], 0 where nothing is."""
        return np.asarray(Image.open(self.rendering / f"{view:02d}.png"))[..., 3]

    def place(self, view, size):
        """Rows and columns of its points in a picture."""
        columns, rows = np.floor(project(cam_from_world(self.views[view], self.points), size)).astype(int).T
        return rows, columns


def listed(root):
    """id: Sample of each line of a folder's test_list.txt."""
    return {line: Sample(line, root) for line in (root / "test_list.txt").read_text().split()}


def dilated(mask):
    """The mask grown by a pixel in all eight directions."""
    return np.asarray(Image.fromarray(mask.astype(np.uint8)).filter(ImageFilter.MaxFilter(3))) > 0


class BundledSamplesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.samples = listed(DATA)

    def test_three_of_each_of_ten_categories_within_few_megabytes(self):
        counts = Counter(line.split("_")[0] for line in self.samples)
        self.assertEqual(list(counts.values()), [3] * 10)
        files = [path for path in DATA.rglob("*") if path.is_file() and "templates" not in path.parts]
        self.assertLess(sum(path.stat().st_size for path in files), 7_500_000)

    def check_silhouettes(self, samples, size, converse=True):
        """Points fall on the silhouette of every view; and the picture shows nothing that is far from every point."""
        for name, sample in samples.items():
            for view in SAMPLE_VIEWS:
                with self.subTest(sample=name, view=view):
                    alpha = sample.alpha(view)
                    self.assertEqual(alpha.shape, (size, size))
                    rows, columns = sample.place(view, size)
                    self.assertGreaterEqual(dilated(alpha > 0)[rows, columns].mean(), 0.99)
                    if converse:
                        reached = np.zeros((size, size), bool)
                        reached[rows, columns] = True
                        self.assertGreaterEqual(dilated(dilated(reached))[alpha == 255].mean(), 0.97)

    def test_points_and_silhouettes_agree(self):
        self.check_silhouettes(self.samples, 137)

    def test_ten_made_by_people_lie_on_their_silhouettes(self):
        """Of other proportions than the generator's, thin ones too."""
        root = DATA / "people"
        samples = listed(root)
        self.assertEqual(len(samples), 10)
        self.assertIn("Creative Commons Zero", (root / "LICENSE.txt").read_text())
        self.check_silhouettes(samples, 224, converse=False)
        for name, sample in samples.items():
            self.assertAlmostEqual(np.linalg.norm(np.ptp(sample.points, axis=0)), 0.57, delta=0.03, msg=name)

    def test_frame_and_views_are_those_of_the_published_data(self):
        for name, sample in self.samples.items():
            with self.subTest(sample=name):
                self.assertAlmostEqual(np.linalg.norm(np.ptp(sample.points, axis=0)), 0.57, delta=0.015)
                self.assertLess(np.abs(sample.points.min(0) + sample.points.max(0)).max() / 2, 0.008)
                self.assertEqual(len(sample.views), 8)
                for view in sample.views:
                    self.assertTrue(0 <= view.azimuth < 360 and 25 <= view.elevation <= 30)
                    self.assertTrue(0.65 <= view.distance <= 0.9)

    def test_normals_are_unit_and_outward(self):
        """The sum of (point - center) . normal over a closed surface is three times its volume."""
        for name, sample in self.samples.items():
            with self.subTest(sample=name):
                points, normals = sample.truth[:, :3], sample.truth[:, 3:]
                np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, atol=2e-3)
                outward = np.einsum("ni,ni->n", points - points.mean(0), normals)
                self.assertGreater(outward.mean(), 0.002)
                self.assertLess(np.abs(normals.mean(0)).max(), 0.05)

    def test_pictures_are_straight_alpha_with_soft_edges(self):
        for name, sample in self.samples.items():
            for view in SAMPLE_VIEWS:
                with self.subTest(sample=name, view=view):
                    picture = Image.open(sample.rendering / f"{view:02d}.png")
                    self.assertEqual((picture.size, picture.mode), ((137, 137), "RGBA"))
                    alpha = sample.alpha(view)
                    self.assertGreater(np.count_nonzero((alpha > 0) & (alpha < 255)), 60)
                    self.assertFalse(np.asarray(picture)[alpha == 0].any())
                    border = np.concatenate([alpha[0], alpha[-1], alpha[:, 0], alpha[:, -1]])
                    self.assertFalse(border.any() and (border == 255).any())
