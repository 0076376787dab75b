"""Cameras, convolution padding and every kind of lookup against plain formulas."""

import itertools
import math
import unittest

from support import (SEMANTICS, hierarchy, local_graph_tensors, np, pinholes_of_rows,
                     random_cameras, random_pinholes, small_stages, torch)
from templates import octahedron
from p2mpp.network import camera, sampling
from p2mpp.network.cnn import SameConvolution


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
        views = camera.views_from_network(self.points, self.cameras)
        torch.testing.assert_close(views[:, 0], self.points.double(), atol=1e-12, rtol=0)

    def test_a_view_by_hand(self):
        """Azimuth 0, elevation 0, distance 1: the camera stands at (1,0,0), its axes -z, y, x."""
        cameras = torch.tensor([[[90.0, 0, 0, 1, 25], [0.0, 0, 0, 1, 25]]])
        views = camera.views_from_network(torch.tensor([[[0.1, 0.2, -1.0]]]), cameras)
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
        row, column = camera.pixels_from_views(points.view(1, 1, 3, 3), self.cameras[:1, :1])
        self.assertEqual(row.dtype, torch.float32)
        np.testing.assert_allclose(row[0, 0], [112, 112 - 62, 0])
        np.testing.assert_allclose(column[0, 0], [112, 112 + 31, 0])


class PinholeTest(unittest.TestCase):

    def setUp(self):
        self.generator = torch.Generator().manual_seed(11)
        self.rows = random_cameras(2, 4, self.generator)
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

    def test_rows_said_as_pinholes_give_the_same_pixels(self):
        for normalised in (False, True):
            pinholes = pinholes_of_rows(self.rows, normalised)
            by_form = []
            for cameras in (self.rows, pinholes):
                views = (camera.views_with_normalised_origin if normalised
                         else camera.views_from_network)(self.points, cameras)
                by_form.append(torch.stack(camera.pixels_from_views(views, cameras)))
            torch.testing.assert_close(*by_form, rtol=1e-6, atol=1e-5)

    def test_stages_take_both_forms(self):
        images = torch.rand(2, 4, 3, 64, 64, generator=self.generator)
        mesh, (hypotheses, support) = hierarchy(octahedron()), local_graph_tensors()
        coords = mesh.coords.expand(2, -1, -1)
        for semantics in SEMANTICS:
            stage1, stage2 = small_stages(semantics)
            refined, moved = [], []
            normalised = SEMANTICS[semantics].normalised_origin
            both = (self.rows, self.rows), (pinholes_of_rows(self.rows),
                                            pinholes_of_rows(self.rows, normalised))
            with self.subTest(semantics=semantics), torch.inference_mode():
                for coarse_cameras, fine_cameras in both:
                    features = stage1.features(images)
                    moved.append(stage1.project(features, coarse_cameras, coords))
                    refined.append(stage2(images, fine_cameras, coords, hypotheses, support)[-1])
                # Nearest pixels may change where a pixel's border is met; here none is.
                torch.testing.assert_close(*moved, rtol=1e-4, atol=1e-4)
                torch.testing.assert_close(*refined, rtol=1e-4, atol=1e-4)
                stage1(images, self.pinholes, *mesh)

    def test_any_other_number_of_columns_is_refused(self):
        with self.assertRaises(AssertionError):
            camera.views_from_network(self.points, self.pinholes[..., :12])

    def test_pixels_have_gradients_of_points_and_pinholes(self):
        points, pinholes = self.points.double(), self.pinholes
        points.requires_grad_()
        pinholes.requires_grad_()

        def double_pixels(points, pinholes):
            row, column = camera.pixels_from_views(
                camera.views_from_network(points, pinholes), pinholes)
            return (row.double() + 3 * column.double()).sum()

        for index, given in enumerate((points, pinholes)):
            gradient, = torch.autograd.grad(double_pixels(points, pinholes), given)
            step = torch.randn(given.shape, generator=self.generator).double() * 1e-3
            moved = [tuple(each + sign * step if k == index else each
                           for k, each in enumerate((points, pinholes))) for sign in (-1, 1)]
            difference = (double_pixels(*moved[1]) - double_pixels(*moved[0])).item() / 2
            self.assertAlmostEqual(difference, (gradient * step).sum().item(),
                                   delta=0.02 * abs(difference))


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
