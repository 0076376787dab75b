"""The map of a mask's evidence against its definition. The tests of the backends compare the exported stage, which reads
it, with the engine."""

import unittest

from support import torch

from p2mpp.network.layout import EVIDENCE_CHANNELS
from p2mpp.network.mask_evidence import mask_evidence

SIDE = 224


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
