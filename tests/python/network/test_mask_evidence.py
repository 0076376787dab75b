"""The map of a mask's evidence against its definition, and in stage 2. The tests of the backends compare the exported
stage with the engine."""

import unittest

from support import torch

from p2mpp.network.layout import EVIDENCE_CHANNELS, Stage2Sizes
from p2mpp.network.mask_evidence import mask_evidence
from p2mpp.network.semantics import SEMANTICS
from p2mpp.network.stage2 import Stage2

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

    def test_the_stage_reads_it(self):
        sizes = Stage2Sizes((4,) * 8, (3,) * 8, hidden=8, image_channels=4, mask_evidence=True)
        stage = Stage2(sizes, SEMANTICS["clean"]).eval()
        generator = torch.Generator().manual_seed(2)
        for parameter in stage.parameters():
            torch.nn.init.normal_(parameter, std=0.1, generator=generator)
        images = torch.rand(1, 4, 4, SIDE, SIDE, generator=generator)
        images[:, :, 3] = drawn_masks()
        cameras = torch.tensor([[[azimuth, 27.0, 0, 0.8, 25] for azimuth in (0, 90, 180, 250)]])
        coords = 0.2 * torch.randn(1, 9, 3, generator=generator) - torch.tensor([0, 0, 0.8])
        inputs = (images, cameras, coords, 0.02 * torch.randn(5, 3, generator=generator),
                  torch.eye(5))
        with torch.inference_mode():
            projected = stage.project(stage.features(images), *inputs[1:4])
            self.assertEqual(projected.size(-1), 3 + 3 * (4 + 4 + 4 + EVIDENCE_CHANNELS))
            found = stage(*inputs)
            images[:, 0, 3] = 1 - images[:, 0, 3]
            self.assertFalse(torch.equal(found[-1], stage(*inputs)[-1]))


if __name__ == "__main__":
    unittest.main()
