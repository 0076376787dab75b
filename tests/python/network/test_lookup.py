"""Every kind of lookup against plain formulas, beside the image too, and the map of a mask's evidence against its
definition. In whole networks, the tests of the backends compare these, cameras, convolutions and pooling with plain loops
(tests/backends/self_check/plain_network_test.cc)."""

import math
import unittest

from support import torch
from p2mpp.network import sampling
from p2mpp.network.layout import EVIDENCE_CHANNELS
from p2mpp.network.mask_evidence import mask_evidence

SIDE = 224


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


def drawn_masks() -> torch.Tensor:
    """[1,4,SIDE,SIDE]: a disc, single pixels, nothing, noise."""
    generator = torch.Generator().manual_seed(1)
    y, x = torch.meshgrid(torch.arange(SIDE), torch.arange(SIDE), indexing="ij")
    disc = ((y - 100) ** 2 + (x - 60) ** 2 < 55 ** 2).float()
    pixels = torch.zeros(SIDE, SIDE)
    pixels[0, 0] = pixels[120, 90] = pixels[120, 121] = 0.6
    noise = torch.rand(SIDE, SIDE, generator=generator)
    return torch.stack([disc, pixels, torch.zeros(SIDE, SIDE), noise])[None]


class MaskEvidenceTest(unittest.TestCase):

    def test_is_the_distance_to_the_border(self):
        masks = drawn_masks()
        found = mask_evidence(masks)
        self.assertEqual(list(found.shape), [1, 4, EVIDENCE_CHANNELS, SIDE, SIDE])
        places = [(0, 0), (0, 1), (100, 60), (100, 114), (100, 115), (223, 223), (119, 91),
                  (120, 90), (120, 105), (60, 10)]
        for view, mask in enumerate(masks[0]):
            inside = mask > 0.5
            for y, x in places:
                other = (inside != inside[y, x]).nonzero() - torch.tensor([y, x])
                nearest = other.square().sum(1).min().item() ** 0.5 if len(other) else 32.0
                distance = (min(nearest, 32.0) - 0.5) * (-1 if inside[y, x] else 1)
                coarse, fine = found[0, view, :, y, x].tolist()
                self.assertAlmostEqual(coarse, distance / 32, 6, (view, y, x))
                self.assertAlmostEqual(fine, max(-1.0, min(1.0, distance / 4)), 6, (view, y, x))
