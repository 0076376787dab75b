"""Cameras, convolution padding and every kind of lookup against plain formulas."""

import math
import unittest

from support import np, random_cameras, torch
from p2mpp_model import camera, sampling
from p2mpp_model.cnn import SameConvolution


class CameraTest(unittest.TestCase):

    def setUp(self):
        self.generator = torch.Generator().manual_seed(3)
        self.cameras = random_cameras(2, 4, self.generator)
        self.points = torch.rand(2, 9, 3, generator=self.generator) - 0.5

    def test_frames_are_rotations_that_look_at_the_world_origin(self):
        rotation, origin = camera.camera_frames(self.cameras)
        identity = torch.eye(3, dtype=torch.float64).expand(2, 4, 3, 3)
        torch.testing.assert_close(rotation @ rotation.transpose(-1, -2), identity)
        torch.testing.assert_close(torch.linalg.det(rotation), torch.ones(2, 4).double())
        distance = self.cameras[..., 3].double()
        centre = (rotation @ -origin.unsqueeze(-1)).squeeze(-1)
        expected = torch.stack([0 * distance, 0 * distance, -distance], -1)
        torch.testing.assert_close(centre, expected, atol=1e-7, rtol=0)

    def test_camera_0_sees_its_own_frame(self):
        views = camera.views_from_camera0(self.points, self.cameras)
        torch.testing.assert_close(views[:, 0], self.points.double(), atol=1e-12, rtol=0)

    def test_a_view_by_hand(self):
        """Azimuth 0, elevation 0, distance 1: the camera stands at (1,0,0), its axes -z, y, x."""
        cameras = torch.tensor([[[90.0, 0, 0, 1, 25], [0.0, 0, 0, 1, 25]]])
        views = camera.views_from_camera0(torch.tensor([[[0.1, 0.2, -1.0]]]), cameras)
        torch.testing.assert_close(views[0, 1, 0], torch.tensor([0.0, 0.2, -0.9]).double(),
                                   atol=1e-6, rtol=0)

    def test_normalised_origin_keeps_points_before_the_camera(self):
        views = camera.views_with_normalised_origin(self.points * 10, self.cameras)
        self.assertLessEqual(views[..., 2].max().item(), -0.1)
        rotation, origin = camera.camera_frames(self.cameras)
        unit = origin / origin.norm(dim=-1, keepdim=True)
        expected = (rotation[1, 2] @ (self.points[1, 5].double() * 10 - unit[1, 2]))[:2]
        torch.testing.assert_close(views[1, 2, 5, :2], expected)

    def test_pixels(self):
        points = torch.tensor([[0.0, 0.0, -1.0], [0.1, 0.2, -0.8], [0.0, 0.0, 0.0]]).double()
        row, column = camera.pixels_from_view(points)
        self.assertEqual(row.dtype, torch.float32)
        np.testing.assert_allclose(row, [112, 112 - 62, 0])
        np.testing.assert_allclose(column, [112, 112 + 31, 0])


class ConvolutionTest(unittest.TestCase):

    def test_same_padding_puts_the_odd_pixel_right_and_below(self):
        image = torch.arange(1.0, 65.0).view(1, 1, 8, 8)
        for kernel, stride, before in ((3, 1, 1), (3, 2, 0), (5, 2, 1), (5, 1, 2)):
            with self.subTest(kernel=kernel, stride=stride), torch.no_grad():
                layer = SameConvolution(1, 1, kernel, stride)
                layer.weight.copy_(torch.rand(1, 1, kernel, kernel))
                layer.bias.fill_(0.5)
                padded = torch.zeros(16, 16)
                padded[before:before + 8, before:before + 8] = image[0, 0]
                size = 8 // stride
                expected = torch.stack([
                    (padded[i:i + kernel, j:j + kernel] * layer.weight[0, 0]).sum() + 0.5
                    for i in range(0, 8, stride) for j in range(0, 8, stride)]).view(size, size)
                torch.testing.assert_close(layer(image)[0, 0], expected)

    def test_relu(self):
        layer = SameConvolution(1, 1, 3, 1)
        with torch.no_grad():
            layer.weight.fill_(-1)
            layer.bias.zero_()
            self.assertEqual(layer(torch.ones(1, 1, 4, 4)).max().item(), 0)


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

    def test_pooling_over_views(self):
        points = torch.rand(2, 40, 3, generator=self.generator)
        samples = [torch.rand(2, 5, 40, c, generator=self.generator) for c in (4, 7)]
        pooled = sampling.pool_views(points, samples).numpy()
        joined = torch.cat(samples, -1).double().numpy()
        expected = np.concatenate([points, joined.max(1), joined.mean(1),
                                   np.sqrt(joined.var(1) + 1e-6)], -1)
        np.testing.assert_allclose(pooled, expected, atol=1e-6)


if __name__ == "__main__":
    unittest.main()
