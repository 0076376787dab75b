"""Damage to the masks of a training sample that shows in several pixels: pieces that are missing, and masks that are
too narrow or too wide. Pictures are uint8 [V,H,W,4], RGBA with straight alpha."""

import numpy as np

from p2mpp.training.augment import neighbours

PIECES, NARROW, WIDE = 0.15, 0.1, 0.1  # shares of the draws
PIECE_SIZES = 0.01, 0.08  # of the mask's area
SPOILT_VIEWS = 0.5  # share of the views that miss a piece, if one does
MOST_PIXELS = 3


def spoilt(random, pictures: np.ndarray) -> np.ndarray:
    kind, pixels = random.random(), int(random.integers(2, MOST_PIXELS + 1))
    if kind < PIECES:
        return np.stack([without_piece(random, each) if random.random() < SPOILT_VIEWS else each for each in pictures])
    if kind < PIECES + NARROW:
        return np.stack([narrowed(each, pixels) for each in pictures])
    if kind < PIECES + NARROW + WIDE:
        fill = random.integers(0, 256, 3)
        return np.stack([widened(each, pixels, fill) for each in pictures])
    return pictures


def without_piece(random, rgba: np.ndarray) -> np.ndarray:
    """Removes an ellipse around a pixel of the object."""
    rows, columns = np.nonzero(rgba[..., 3] > 127)
    if len(rows) == 0:
        return rgba
    at = int(random.integers(len(rows)))
    area = len(rows) * np.exp(random.uniform(*np.log(PIECE_SIZES)))
    long, angle = np.exp(random.uniform(0, 0.8)), random.uniform(0, np.pi)
    y, x = np.indices(rgba.shape[:2])
    y, x = y - rows[at], x - columns[at]
    along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    out = rgba.copy()
    out[..., 3][(along / long) ** 2 + (across * long) ** 2 < area / np.pi] = 0
    return out


def narrowed(rgba: np.ndarray, pixels: int) -> np.ndarray:
    alpha = rgba[..., 3]
    for _ in range(pixels):
        alpha = neighbours(alpha).min(0)
    return np.dstack([rgba[..., :3], alpha])


def widened(rgba: np.ndarray, pixels: int, fill: np.ndarray) -> np.ndarray:
    """`fill`: the colour of what is added."""
    alpha = rgba[..., 3]
    for _ in range(pixels):
        alpha = neighbours(alpha).max(0)
    return np.dstack([np.where(rgba[..., 3:] == 0, fill, rgba[..., :3]).astype(np.uint8), alpha])
