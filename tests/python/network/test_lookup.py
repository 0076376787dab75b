"""Cameras and every kind of lookup against plain formulas, beside the image and behind the camera too. In whole networks,
the tests of the backends compare them, convolutions and pooling with plain loops (tests/backends/pinhole_test.cc)."""

import itertools
import math
import unittest

from support import np, random_cameras, random_pinholes, torch
from p2mpp.network import camera, sampling


class CameraTest(unittest.TestCase):

    def setUp(self):
        self.generator = torch.Generator().manual_seed(3)
        self.cameras = random_cameras(2, 4, self.generator)
        self.points = torch.rand(2, 9, 3, generator=self.generator) - 0.5

    def test_normalised_origin_keeps_points_before_the_camera(self):
        views = camera.views_with_normalised_origin(self.points * 10, self.cameras)
        self.assertLessEqual(views[..., 2].max().item(), -0.1)
        rotation, origin = camera.camera_frames(self.cameras)
        unit = origin / origin.norm(dim=-1, keepdim=True)
        expected = (rotation[1, 2] @ (self.points[1, 5].double() * 10 - unit[1, 2]))[:2]
        torch.testing.assert_close(views[1, 2, 5, :2], expected)

    def test_pixels(self):
        points = torch.tensor([[0.0, 0.0, -1.0], [0.1, 0.2, -0.8], [0.0, 0.0, 0.0]]).double()
        row, column = camera.pixels_from_views(points.view(1, 1, 3, 3), self.cameras[:1, :1])
        self.assertEqual(row.dtype, torch.float32)
        np.testing.assert_allclose(row[0, 0], [112, 112 - 62, 0])
        np.testing.assert_allclose(column[0, 0], [112, 112 + 31, 0])


class PinholeTest(unittest.TestCase):

    def setUp(self):
        self.generator = torch.Generator().manual_seed(11)
        self.pinholes = random_pinholes(2, 4, self.generator)
        self.points = torch.rand(2, 9, 3, generator=self.generator) - torch.tensor([.5, .5, 1.3])

    def test_projection_by_hand(self):
        """Each pixel against the formula in plain Python numbers."""
        found = camera.pixels_from_views(
            camera.views_from_network(self.points, self.pinholes), self.pinholes)
        clamped = camera.pixels_from_views(
            camera.views_with_normalised_origin(self.points, self.pinholes), self.pinholes)
        for b, v, p in itertools.product(range(2), range(4), range(9)):
            numbers = self.pinholes[b, v].tolist()
            point = self.points[b, p].tolist()
            x, y, z = (sum(numbers[3 * i + j] * point[j] for j in range(3)) + numbers[9 + i]
                       for i in range(3))
            fx, fy, cx, cy = numbers[12:]
            for (row, column), depth in ((found, -z), (clamped, max(-z, 0.1))):
                np.testing.assert_allclose(row[b, v, p], np.float32(cy - fy * y / depth), 1e-6)
                np.testing.assert_allclose(column[b, v, p], np.float32(cx + fx * x / depth), 1e-6)

    def test_any_other_number_of_columns_is_refused(self):
        with self.assertRaises(AssertionError):
            camera.views_from_network(self.points, self.pinholes[..., :12])


class LookupTest(unittest.TestCase):

    def setUp(self):
        self.generator = torch.Generator().manual_seed(5)
        self.maps = torch.rand(2, 5, 3, 56, 56, generator=self.generator)
        shape = (2, 5, 40)
        self.row = torch.rand(shape, generator=self.generator) * 260 - 20
        self.column = torch.rand(shape, generator=self.generator) * 260 - 20
        self.row[0, 0, :3] = torch.tensor([8.0, 223.0, 0.0])

    def each(self):
        for b in range(2):
            for v in range(5):
                for p in range(40):
                    yield b, v, p, self.row[b, v, p].item(), self.column[b, v, p].item()

    def test_nearest_with_and_without_the_scaled_view_index(self):
        for scaled in (False, True):
            found = sampling.sample_nearest(self.maps, self.row, self.column, scaled)
            for b, v, p, row, column in self.each():
                y, x = (int(min(max(value, 0), 223) / 4) for value in (row, column))
                view = int(v / 4) if scaled else v
                self.assertTrue(torch.equal(found[b, v, p], self.maps[b, view, :, y, x]))

    def test_bilinear_is_grid_sample_with_border_and_aligned_corners(self):
        found = sampling.sample_bilinear(self.maps, self.row, self.column)
        grid = torch.stack([self.column, self.row], -1) / 4 / 55 * 2 - 1
        expected = torch.nn.functional.grid_sample(
            self.maps.flatten(0, 1), grid.flatten(0, 1).unsqueeze(1), padding_mode="border",
            align_corners=True)
        expected = expected.squeeze(2).transpose(1, 2).view(2, 5, 40, 3)
        torch.testing.assert_close(found, expected, atol=1e-4, rtol=0)

    def test_floor_and_ceil_corners(self):
        found = sampling.sample_floor_ceil(self.maps, self.row, self.column)
        for b, v, p, row, column in self.each():
            y, x = (min(max(value, 0), 223) / 4 for value in (row, column))
            expected = torch.zeros(3)
            for i, wi in ((math.floor(y), math.ceil(y) - y), (math.ceil(y), y - math.floor(y))):
                for j, wj in ((math.floor(x), math.ceil(x) - x), (math.ceil(x), x - math.floor(x))):
                    if i < 56 and j < 56:
                        expected += wi * wj * self.maps[b, v, :, i, j]
            torch.testing.assert_close(found[b, v, p], expected, atol=1e-4, rtol=0)
        self.assertTrue((found[0, 0, 0] == 0).all())

    def test_lookups_do_not_depend_on_the_maps_memory_layout(self):
        maps = self.maps.flatten(0, 1).contiguous(memory_format=torch.channels_last)
        maps = maps.unflatten(0, [2, 5])
        for lookup in (sampling.sample_bilinear, sampling.sample_floor_ceil):
            self.assertTrue(torch.equal(lookup(maps, self.row, self.column),
                                        lookup(self.maps, self.row, self.column)))
