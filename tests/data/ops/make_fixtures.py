"""Makes NAME.bin: what OpenCV and PIL make of images of several sizes, [rows, 224, 3] BGR, of 224 rows only ROWS; and of
their masks, [rows, 224].

The images themselves are not stored: pixels() is repeated in preprocess_test.cc.
Needs numpy, pillow, opencv-python-headless.
"""
import pathlib

import cv2
import numpy as np
from PIL import Image

OUT = pathlib.Path(__file__).parent
SIZES = [(137, 137), (1000, 600), (3, 5), (224, 224), (448, 448), (2, 300)]
MASK_SIZES = [(137, 137), (1000, 600), (3, 5)]
ROWS = [0, 1, 2, 57, 58, 111, 112, 150, 199, 222, 223]


def mix(h):
    h = h.astype(np.uint64)
    h = (h ^ (h >> np.uint64(15))) * np.uint64(0x2c1b3c6d) & np.uint64(0xffffffff)
    h = (h ^ (h >> np.uint64(12))) * np.uint64(0x297a2d39) & np.uint64(0xffffffff)
    return h ^ (h >> np.uint64(15))


def pixels(width, height):
    """[height, width, 4] RGBA noise: a third of the pixels transparent, a third opaque."""
    y, x, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(4), indexing='ij')
    values = mix((y * width + x) * 4 + c) & np.uint64(255)
    alpha = values[:, :, 3]
    values[:, :, 3] = np.where(alpha < 85, 0, np.where(alpha < 170, 255, alpha))
    return values.astype(np.uint8)


def transparent_to_white(rgba):
    """As the original: on the array that cv2.imread gives."""
    image = rgba[:, :, [2, 1, 0, 3]].copy()
    image[np.where(image[:, :, 3] == 0)] = 255
    return cv2.resize(image, (224, 224))[:, :, :3]


def blend_on_white(rgba):
    """As the PyTorch port: PIL composites, then the same resize."""
    image = Image.fromarray(rgba)
    white = Image.new('RGB', image.size, (255, 255, 255))
    white.paste(image, mask=image.split()[3])
    return cv2.resize(np.ascontiguousarray(np.asarray(white)[:, :, ::-1]), (224, 224))


def nearly_white(rgba):
    """Opaque: colours of 224 to 255, white where the noise is transparent."""
    light = (rgba // 8 + 224).astype(np.uint8)
    light[rgba[:, :, 3] == 0] = 255
    light[:, :, 3] = 255
    return light


def not_white(rgba):
    return np.where(rgba[:, :, :3].min(axis=2) < 250, np.uint8(255), np.uint8(0))


if __name__ == '__main__':
    for width, height in SIZES:
        rgba = pixels(width, height)
        for name, rule in (('transparent_to_white', transparent_to_white), ('blend_on_white', blend_on_white)):
            rows = np.ascontiguousarray(rule(rgba)[ROWS])
            (OUT / ('%dx%d_%s.bin' % (width, height, name))).write_bytes(rows.tobytes())
    for width, height in MASK_SIZES:
        rgba = pixels(width, height)
        for name, mask in (('alpha', rgba[:, :, 3].copy()), ('colours', not_white(nearly_white(rgba)))):
            rows = np.ascontiguousarray(cv2.resize(mask, (224, 224))[ROWS])
            (OUT / ('%dx%d_mask_of_%s.bin' % (width, height, name))).write_bytes(rows.tobytes())
