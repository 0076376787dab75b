"""Pictures as the network sees them, bit by bit as the engine's backends/common/preprocess computes
them."""

import numpy as np
import torch
from torch import Tensor

SIDE = 224  # pixels
WEIGHT_SCALE = 2048  # cv2's weights have 11 bits
NOT_WHITE = 250  # an opaque picture's pixel is object where a channel is below this


def composite_on_white(rgba: np.ndarray) -> np.ndarray:
    """[H,W,4] uint8 RGBA -> [H,W,3] uint8 BGR on white, blended by alpha as PIL rounds it."""
    colour, alpha = rgba[..., 2::-1].astype(np.uint32), rgba[..., 3:].astype(np.uint32)
    biased = colour * alpha + 255 * (255 - alpha) + 128
    return ((biased + (biased >> 8)) >> 8).astype(np.uint8)


def not_white(colours: np.ndarray) -> np.ndarray:
    """[H,W,3] uint8 -> [H,W] uint8: 255 where the object is in an opaque picture, else 0."""
    return np.where((colours < NOT_WHITE).any(-1), 255, 0).astype(np.uint8)


def object_mask(rgba: np.ndarray) -> np.ndarray:
    """[H,W,4] uint8 RGBA -> [H,W] uint8, how much of a pixel is object: its alpha or, where every
    pixel is opaque, whether it is not white."""
    alpha = rgba[..., 3]
    return not_white(rgba[..., :3]) if (alpha == 255).all() else alpha


def taps(source: int, clamp_weights: bool) -> tuple:
    """The source pixels of the SIDE output pixels along an axis of `source` pixels: (first pixel, second
    pixel, weight of the first, weight of the second), int32 [SIDE] each.

    With half-pixel centres. cv2 gives columns beyond the border the border's pixel with all the
    weight, and clamps rows only.
    """
    scale = 1.0 / (SIDE / source)
    position = ((np.arange(SIDE) + 0.5) * scale - 0.5).astype(np.float32)
    first = np.floor(position)
    fraction = position - first
    weights = [np.rint((1 - fraction) * np.float32(WEIGHT_SCALE)).astype(np.int32),
               np.rint(fraction * np.float32(WEIGHT_SCALE)).astype(np.int32)]
    first = first.astype(np.int32)
    if clamp_weights:
        outside = (first < 0) | (first >= source - 1)
        weights = [np.where(outside, WEIGHT_SCALE, weights[0]), np.where(outside, 0, weights[1])]
    pixels = [first.clip(0, source - 1), (first + 1).clip(0, source - 1)]
    return tuple(torch.from_numpy(np.asarray(each, np.int32)) for each in (*pixels, *weights))


def network_images(pictures: Tensor) -> Tensor:
    """[B,V,H,W,C] uint8, BGR or BGR and mask -> [B,V,C,224,224] float32 in 0..1: cv2's 8-bit
    bilinear resize."""
    height, width = pictures.shape[2:4]
    x0, x1, left, right = (tap.to(pictures.device) for tap in taps(width, True))
    y0, y1, upper, lower = (tap.to(pictures.device) for tap in taps(height, False))
    source = pictures.permute(0, 1, 4, 2, 3).int()
    rows = source[..., x0] * left + source[..., x1] * right
    rows = rows >> 4
    upper, lower = upper[:, None], lower[:, None]
    mixed = ((rows[..., y0, :] * upper) >> 16) + ((rows[..., y1, :] * lower) >> 16)
    return ((mixed + 2) >> 2).float() / 255.0
