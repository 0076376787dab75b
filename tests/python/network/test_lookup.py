"""Every kind of lookup against plain formulas, beside the image too. In whole networks, the tests of the backends compare
lookups, cameras, convolutions and pooling with plain loops (tests/backends/pinhole_test.cc)."""

import math
import unittest

from support import torch
from p2mpp.network import sampling


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
