"""Every category's shapes: closed, in one piece, outward, coloured, of the right size."""

import unittest

import numpy as np

from runs import require

require("manifold3d")

import manifold3d

from p2mpp.shapes.camera import cam_from_world, project
from p2mpp.shapes.categories import CATEGORIES
from p2mpp.shapes.errors import ShapeError
from p2mpp.shapes.materials import Material
from p2mpp.shapes.sample import SampleOptions, build_shape
from p2mpp.shapes.shading import draw_lights, render
from p2mpp.shapes.shape import WORLD_DIAGONAL, Part, assemble
from p2mpp.shapes.solids import box, ellipsoid
from p2mpp.shapes.viewpoints import draw_view

SEEDS = range(20)
RED, BLUE = Material((1, 0, 0)), Material((0, 0, 1))


def signed_volume(shape):
    a, b, c = np.moveaxis(shape.vertices[shape.triangles], 1, 0)
    return np.einsum("ti,ti->", a, np.cross(b, c)) / 6


def face_normals_and_areas(shape):
    corners = shape.vertices[shape.triangles]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    doubled = np.linalg.norm(cross, axis=1)
    return cross / np.maximum(doubled, 1e-30)[:, None], doubled / 2


def edges_without_partner(shape):
    """Directed edges that do not occur exactly once in each direction."""
    directed = np.concatenate([shape.triangles[:, pair] for pair in ([0, 1], [1, 2], [2, 0])])
    forward = np.sort(directed[:, 0] * len(shape.vertices) + directed[:, 1])
    backward = np.sort(directed[:, 1] * len(shape.vertices) + directed[:, 0])
    return np.count_nonzero(forward != backward) + len(forward) - len(np.unique(forward))


class CategoriesTest(unittest.TestCase):
    def test_twenty_seeds_of_every_category_are_one_closed_outward_surface(self):
        for category in CATEGORIES:
            for seed in SEEDS:
                with self.subTest(category=category.name, seed=seed):
                    shape = build_shape(SampleOptions(seed=seed), category, 1)
                    self.assertEqual(edges_without_partner(shape), 0)
                    self.assertGreater(signed_volume(shape), 1e-5)
                    low, high = shape.vertices.min(0), shape.vertices.max(0)
                    self.assertAlmostEqual(np.linalg.norm(high - low), WORLD_DIAGONAL)
                    np.testing.assert_allclose(low + high, 0, atol=1e-12)
                    self.check_shading_normals(shape)

    def check_shading_normals(self, shape):
        """Unit, and on their triangle's side."""
        normals, areas = face_normals_and_areas(shape)
        solid = areas > 1e-12
        lengths = np.linalg.norm(shape.corner_normals[solid], axis=2)
        np.testing.assert_allclose(lengths, 1, atol=1e-6)
        along = np.einsum("tki,ti->tk", shape.corner_normals, normals)[solid]
        self.assertGreater(along.min(), 0.49)

    def test_seeds_and_indices_give_other_shapes(self):
        for category in CATEGORIES:
            shapes = [
                build_shape(SampleOptions(seed=seed), category, index)
                for seed, index in ((1, 1), (1, 2), (2, 1))
            ]
            extents = {tuple(np.ptp(shape.vertices, axis=0)) for shape in shapes}
            self.assertEqual(len(extents), 3, category.name)

    def test_every_view_holds_the_whole_shape(self):
        for category in CATEGORIES:
            rng = np.random.default_rng(5)
            shape = build_shape(SampleOptions(seed=5), category, 1)
            for _ in range(10):
                view = draw_view(rng, shape.vertices)
                pixels = project(cam_from_world(view, shape.vertices))
                self.assertTrue(pixels.min() > 0 and pixels.max() < 137, category.name)


class AssembleTest(unittest.TestCase):
    def test_hidden_walls_and_cavities_are_gone_and_colors_stay(self):
        shell = box((0, 0, 0), (1, 1, 1)) - box((0.2, 0.2, 0.2), (0.8, 0.8, 0.8))
        knob = ellipsoid((1, 0.5, 0.5), (0.3, 0.3, 0.3))
        shape = assemble([Part(shell, RED), Part(knob, BLUE)])
        built = shape.vertices / shape.build_scale + shape.build_center
        inside = np.all((built > 0.01) & (built < 0.99), axis=1)
        self.assertFalse(inside.any())
        centers = built[shape.triangles].mean(1)
        np.testing.assert_array_equal(shape.material_ids[centers[:, 0] > 1.001], 1)
        np.testing.assert_array_equal(shape.material_ids[centers[:, 0] < 0.999], 0)

    def test_loose_parts_are_refused(self):
        parts = [Part(box((0, 0, 0), (1, 1, 1)), RED), Part(box((2, 0, 0), (3, 1, 1)), BLUE)]
        with self.assertRaisesRegex(ShapeError, "2 loose pieces; expected connected parts"):
            assemble(parts)

    def test_an_empty_part_is_refused(self):
        parts = [Part(box((0, 0, 0), (1, 1, 1)), RED), Part(manifold3d.Manifold(), BLUE)]
        with self.assertRaisesRegex(ShapeError, "part 1: .*expected a closed, non-empty solid"):
            assemble(parts)


class RenderTest(unittest.TestCase):
    def test_a_two_colored_box_shows_both_colors_on_their_sides(self):
        shape = assemble([Part(box((0, 0, 0), (1, 1, 1)), RED), Part(box((0, 0, 1), (1, 1, 2)), BLUE)])
        rng = np.random.default_rng(6)
        view, lights = draw_view(rng, shape.vertices), draw_lights(rng)
        picture = render(shape, view, lights).astype(int)
        rows, columns = np.nonzero(picture[..., 3] == 255)
        red = picture[rows, columns, 0] > picture[rows, columns, 2]
        centers = project(cam_from_world(view, np.array([[0, 0, -0.1], [0, 0, 0.1]])))
        for color, center in ((red, centers[0]), (~red, centers[1])):
            found = np.array([columns[color].mean(), rows[color].mean()])
            other = centers[0] + centers[1] - center
            self.assertLess(np.linalg.norm(found - center), np.linalg.norm(found - other))

    def test_alpha_is_the_covered_share_of_a_pixel(self):
        """More samples a pixel approach the same coverage."""
        shape = build_shape(SampleOptions(seed=3), CATEGORIES[0], 1)
        rng = np.random.default_rng(7)
        view, lights = draw_view(rng, shape.vertices), draw_lights(rng)
        picture = render(shape, view, lights, 3)
        self.assertFalse(picture[picture[..., 3] == 0].any())  # no colour where nothing is
        coarse = picture[..., 3] / 255
        fine = render(shape, view, lights, 8)[..., 3] / 255
        self.assertLess(np.abs(coarse - fine).max(), 0.35)
        self.assertAlmostEqual(coarse.sum() / fine.sum(), 1, delta=0.01)
