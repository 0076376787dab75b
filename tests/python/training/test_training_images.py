"""The pictures and masks that training reads are those of the program."""

import sys
from unittest import mock

import numpy as np
from PIL import Image
from runs import TemporaryTest
from support import DATA, torch

from p2mpp.training import images, samples

sys.path.insert(0, str(DATA / "ops"))
with mock.patch.dict(sys.modules, cv2=mock.Mock()):  # it needs OpenCV only to make the files
    from make_fixtures import MASK_SIZES, ROWS, SIZES, nearly_white, pixels


class ImagesTest(TemporaryTest):

    def test_pictures_are_what_opencv_and_pil_make_of_them(self):
        for width, height in SIZES:
            with self.subTest(width=width, height=height):
                file = DATA / "ops" / f"{width}x{height}_blend_on_white.bin"
                expected = np.fromfile(file, np.uint8).reshape(len(ROWS), 224, 3)
                picture = torch.from_numpy(images.composite_on_white(pixels(width, height)))
                made = images.network_images(picture[None, None])[0, 0]
                found = (made * 255).round().byte().permute(1, 2, 0)[ROWS]
                self.assertTrue(np.array_equal(found.numpy(), expected))

    def test_masks_are_of_alpha_or_of_what_is_not_white(self):
        for width, height in MASK_SIZES:
            rgba = pixels(width, height)
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
        file = self.folder / "00.png"
        Image.fromarray(rgba).save(file)
        found = samples.read_picture(file, image_channels=4)
        self.assertEqual(found[1, 2].tolist(), [255, 249, 255, 255])
        self.assertEqual(found[..., 3].sum(), 255)
        rgba[0, 0, 3] = 90
        Image.fromarray(rgba).save(file)
        self.assertEqual(samples.read_picture(file, image_channels=4)[..., 3].tolist(), rgba[..., 3].tolist())
