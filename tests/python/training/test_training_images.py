"""The pictures and masks that training reads are those of the program."""

import tempfile
import unittest
from pathlib import Path

import numpy as np
from PIL import Image
from support import DATA, torch

from p2mpp.training import images, samples

ROWS = [0, 1, 2, 57, 58, 111, 112, 150, 199, 222, 223]


def noise(width: int, height: int) -> np.ndarray:
    """The pictures [H,W,4] of tests/data/ops/make_fixtures.py."""
    x = np.arange(height * width * 4, dtype=np.uint64)
    for factor in (0x2c1b3c6d, 0x297a2d39):
        x = (x ^ (x >> np.uint64(15 if factor == 0x2c1b3c6d else 12))) * np.uint64(factor)
        x &= np.uint64(0xffffffff)
    values = ((x ^ (x >> np.uint64(15))) & np.uint64(255)).reshape(height, width, 4)
    alpha = values[..., 3]
    values[..., 3] = np.where(alpha < 85, 0, np.where(alpha < 170, 255, alpha))
    return values.astype(np.uint8)


def nearly_white(rgba: np.ndarray) -> np.ndarray:
    """An opaque picture on white, as make_fixtures.py makes it of noise."""
    light = (rgba // 8 + 224).astype(np.uint8)
    light[rgba[..., 3] == 0] = 255
    light[..., 3] = 255
    return light


class ImagesTest(unittest.TestCase):

    def test_pictures_are_what_opencv_and_pil_make_of_them(self):
        for width, height in ((137, 137), (1000, 600), (3, 5), (224, 224), (448, 448), (2, 300)):
            with self.subTest(width=width, height=height):
                file = DATA / "ops" / f"{width}x{height}_blend_on_white.bin"
                expected = np.fromfile(file, np.uint8).reshape(len(ROWS), 224, 3)
                picture = torch.from_numpy(images.composite_on_white(noise(width, height)))
                made = images.network_images(picture[None, None])[0, 0]
                found = (made * 255).round().byte().permute(1, 2, 0)[ROWS]
                self.assertTrue(np.array_equal(found.numpy(), expected))

    def test_masks_are_of_alpha_or_of_what_is_not_white(self):
        for width, height in ((137, 137), (1000, 600), (3, 5)):
            rgba = noise(width, height)
            for name, picture in (("alpha", rgba), ("colours", nearly_white(rgba))):
                with self.subTest(width=width, height=height, name=name):
                    file = DATA / "ops" / f"{width}x{height}_mask_of_{name}.bin"
                    expected = np.fromfile(file, np.uint8).reshape(-1, 224)
                    mask = torch.from_numpy(images.object_mask(picture).copy())[..., None]
                    made = (images.network_images(mask[None, None])[0, 0, 0] * 255).round().byte()
                    self.assertTrue(np.array_equal(made[ROWS].numpy(), expected))

    def test_a_picture_with_its_mask(self):
        rgba = np.full((5, 5, 4), 255, np.uint8)
        rgba[1, 2] = [255, 249, 255, 255]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "00.png"
            Image.fromarray(rgba).save(file)
            found = samples.read_picture(file, image_channels=4)
            self.assertEqual(found[1, 2].tolist(), [255, 249, 255, 255])
            self.assertEqual(found[..., 3].sum(), 255)
            rgba[0, 0, 3] = 90
            Image.fromarray(rgba).save(file)
            self.assertEqual(samples.read_picture(file, image_channels=4)[..., 3].tolist(),
                             rgba[..., 3].tolist())
