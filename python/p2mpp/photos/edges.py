"""Masks at the photographs' own size: near the outline, the photograph's edges decide."""

from typing import Tuple

import cv2
import numpy as np

from p2mpp.photos.crop import Crop
from p2mpp.photos.cut import fisher, guided
from p2mpp.photos.pictures import read_picture

FINE = 1600  # pixels of the object's longer side: beyond, neither surface nor texture gain by the outline
BAND = 2.5  # pixels of the crop, on either side of its outline
LEAST_ZOOM = 1.3  # below, the crop is as fine as the photograph


def whole_mask(crop: Crop, mask: np.ndarray) -> np.ndarray:
    """[height,width] uint8 of 0 and 255, of the photograph."""
    whole = np.zeros((crop.view.height, crop.view.width), np.uint8)
    if not mask.any():
        return whole
    (left, top), (right, bottom) = _box(crop, mask)
    zoom = min(1.0, max(crop.scale, FINE / max(right - left, bottom - top)))
    fine = moved(crop, mask, (left, top), zoom, (max(1, round(zoom * (right - left))), max(1, round(zoom * (bottom - top)))))
    if zoom > LEAST_ZOOM * crop.scale:
        picture = read_picture(crop.path)[top:bottom, left:right]
        fine = sharpened(cv2.resize(picture, fine.shape[::-1], interpolation=cv2.INTER_AREA), fine, zoom / crop.scale)
    soft = cv2.resize(fine, (right - left, bottom - top), interpolation=cv2.INTER_LINEAR)
    whole[top:bottom, left:right] = np.where(soft > 0.5, 255, 0)
    return whole


def _box(crop: Crop, mask: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """First and last pixel of the photograph that the mask's surroundings cover."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    around = 3 * BAND
    first = np.array([columns[0] + crop.left - around, rows[0] + crop.top - around]) / crop.scale
    last = np.array([columns[-1] + 1 + crop.left + around, rows[-1] + 1 + crop.top + around]) / crop.scale
    size = (crop.view.width, crop.view.height)
    return np.clip(np.floor(first), 0, size).astype(int), np.clip(np.ceil(last), 0, size).astype(int)


def moved(crop: Crop, mask: np.ndarray, first: Tuple[int, int], zoom: float, size: Tuple[int, int]) -> np.ndarray:
    """[size] float32, 0 to 1: the crop's mask in a part of its photograph that begins at `first`, `zoom` times as large."""
    ratio = zoom / crop.scale
    soft = cv2.GaussianBlur(mask.astype(np.float32), (0, 0), 0.7) if ratio > 1 else mask.astype(np.float32)
    shift = [ratio * (offset + 0.5) - zoom * begin - 0.5 for offset, begin in zip((crop.left, crop.top), first)]
    return cv2.warpAffine(soft, np.array([[ratio, 0, shift[0]], [0, ratio, shift[1]]]), size, flags=cv2.INTER_LINEAR,
                          borderMode=cv2.BORDER_REPLICATE)


def sharpened(colours: np.ndarray, soft: np.ndarray, ratio: float) -> np.ndarray:
    """A soft mask [H,W], 0 to 1, that follows the edges of colours [H,W,3] uint8 where it is near 1/2. ratio: how much larger
    it is than the mask of which it was made."""
    lab = cv2.cvtColor(colours, cv2.COLOR_BGR2LAB).astype(np.float32) / 255
    size = 2 * max(1, round(BAND * ratio)) + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    inner, outer = (soft > 0.5).astype(np.uint8), (soft <= 0.5).astype(np.uint8)
    band = (cv2.dilate(inner, kernel) & cv2.dilate(outer, kernel)) > 0
    near = cv2.dilate(band.astype(np.uint8), kernel) > 0
    found = guided(fisher(lab, near & ~band & (inner > 0), near & ~band & (outer > 0)), soft, max(1, round(BAND * ratio)))
    return np.where(band, found, soft).astype(np.float32)
