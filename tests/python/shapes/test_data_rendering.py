"""Camera, rasteriser and surface sampling of the data generator. NumPy only."""

import pickle
import unittest

import numpy as np

from p2mpp.shapes.camera import View, parse_row, project
from p2mpp.shapes.ground_truth import dat_bytes, sample_surface, xyz_text
from p2mpp.shapes.rasterizer import rasterize

TETRAHEDRON = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def tetrahedra(rng, count):
    """Loose, outward-wound tetrahedra in pixel space: pixels [4n,2], inverse depths, triangles."""
    points = rng.uniform([4, 4, 1], [28, 28, 3], (count, 4, 3))
    edges = points[:, 1:] - points[:, :1]
    inside_out = np.linalg.det(edges) > 0  # rows point down, so the winding reads mirrored
    points[inside_out] = points[inside_out][:, [1, 0, 2, 3]]
    triangles = (TETRAHEDRON + 4 * np.arange(count)[:, None, None]).reshape(-1, 3)
    flat = points.reshape(-1, 3)
    return flat[:, :2], flat[:, 2], triangles


def brute_force(pixels, inverse_depth, triangles, size):
    """Largest inverse depth at each sample centre over all triangles, 0 where there is none."""
    centers = np.arange(size) + 0.5
    x, y = np.meshgrid(centers, centers)
    nearest = np.zeros((size, size))
    for triangle in triangles:
        basis = np.vstack([pixels[triangle].T, np.ones(3)])
        if abs(np.linalg.det(basis)) < 1e-12:
            continue
        weights = np.einsum("kc,cij->kij", np.linalg.inv(basis), np.stack([x, y, np.ones_like(x)]))
        inside = (weights >= 0).all(0)
        depth = np.tensordot(inverse_depth[triangle], weights, 1)
        nearest = np.where(inside, np.maximum(nearest, depth), nearest)
    return nearest


class CameraTest(unittest.TestCase):
    def test_projection_has_the_published_focal_length(self):
        point = np.array([[0.1, 0.05, -0.8]])
        np.testing.assert_allclose(project(point, 224), [[248 * 0.125 + 112, 112 - 248 * 0.0625]])

    def test_a_row_is_read_as_it_was_written(self):
        view = View(159.474051, 26.097052, 0.77037687)
        self.assertEqual(parse_row(view.row()), view)
        self.assertEqual(view.row(), "159.474051 26.097052 0 0.77037687 25")


class RasterizerTest(unittest.TestCase):
    def test_random_solids_agree_with_testing_every_sample_against_every_triangle(self):
        rng = np.random.default_rng(2)
        for _ in range(25):
            pixels, inverse_depth, triangles = tetrahedra(rng, 5)
            hits = rasterize(pixels, inverse_depth, triangles, 32)
            image = np.zeros(32 * 32)
            image[hits.index] = hits.inverse_depth
            expected = brute_force(pixels, inverse_depth, triangles, 32)
            np.testing.assert_allclose(image.reshape(32, 32), expected, atol=1e-9)

    def test_neighbouring_triangles_leave_no_gap(self):
        """A fan around points that lie exactly on sample centres covers its outline once."""
        angle = np.linspace(0, 2 * np.pi, 17)[:-1]
        rim = np.stack([16.5 + 12 * np.cos(angle), 16.5 + 12 * np.sin(angle)], axis=1)
        pixels = np.vstack([rim, [[16.5, 16.5]]])
        triangles = np.array([[16, (k + 1) % 16, k] for k in range(16)])
        hits = rasterize(pixels, np.ones(17), triangles, 33)
        center = np.stack([hits.column, hits.row], axis=1)
        inner = np.hypot(*(np.indices((33, 33)) + 0.5 - 16.5)) < 11.5
        covered = np.zeros((33, 33), bool)
        covered[center[:, 1].astype(int), center[:, 0].astype(int)] = True
        self.assertTrue(covered[inner].all())
        self.assertEqual(len(np.unique(hits.index)), len(hits.index))

    def test_what_lies_outside_the_image_is_cut_off(self):
        pixels = np.array([[-50.0, -50.0], [-50.0, 200.0], [200.0, -50.0]])
        hits = rasterize(pixels, np.ones(3), np.array([[0, 1, 2]]), 16)
        self.assertEqual(len(hits.index), 256)
        self.assertEqual(len(rasterize(pixels + 500, np.ones(3), np.array([[0, 1, 2]]), 16).index), 0)

    def test_faces_turned_away_are_not_seen(self):
        pixels = np.array([[2.0, 2.0], [2.0, 12.0], [12.0, 2.0]])
        self.assertGreater(len(rasterize(pixels, np.ones(3), np.array([[0, 1, 2]]), 16).index), 30)
        self.assertEqual(len(rasterize(pixels, np.ones(3), np.array([[0, 2, 1]]), 16).index), 0)


class GroundTruthTest(unittest.TestCase):
    def test_points_are_uniform_by_area_and_lie_on_their_faces(self):
        vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 3.0]])
        points, normals = sample_surface(vertices, TETRAHEDRON, 20000, np.random.default_rng(3))
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1)
        areas = {(0, 0, -1): 0.5, (0, -1, 0): 1.5, (-1, 0, 0): 1.5}
        total = sum(areas.values()) + np.sqrt(9 + 9 + 1) / 2
        for normal, area in areas.items():
            on_face = np.all(np.isclose(normals, normal), axis=1)
            self.assertAlmostEqual(on_face.mean(), area / total, delta=0.002)
            np.testing.assert_allclose(points[on_face] @ normal, 0, atol=1e-12)
        bottom = points[np.all(np.isclose(normals, (0, 0, -1)), axis=1)]
        np.testing.assert_allclose(bottom.mean(0), [1 / 3, 1 / 3, 0], atol=0.02)

    def test_both_formats_hold_the_points(self):
        array = np.random.default_rng(4).normal(size=(30, 6))
        text = xyz_text(array)
        np.testing.assert_allclose(np.loadtxt(text.splitlines())[:, :3], array[:, :3], atol=5.1e-6)
        np.testing.assert_allclose(np.loadtxt(text.splitlines())[:, 3:], array[:, 3:], atol=5.1e-4)
        blob = dat_bytes(array)
        self.assertEqual(blob[:2], b"\x80\x02")
        self.assertIn(b"cnumpy.core.multiarray\n_reconstruct\n", blob)
        self.assertNotIn(b"numpy._core", blob)
        loaded = pickle.loads(blob)
        self.assertEqual((loaded.dtype, loaded.shape), (np.float32, (30, 6)))
        np.testing.assert_array_equal(loaded, array.astype(np.float32))
