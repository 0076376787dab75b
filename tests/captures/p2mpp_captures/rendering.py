"""Pictures of a subject from any camera: lit as the sample's own, with soft edges, through any lens."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple, Optional

import numpy as np

from .lens import Lens
from .pose import Pose
from .raster import NOTHING, seen_triangles
from .shapes import Subject

from p2mpp.shapes.rasterizer import Hits  # shapes has put the folder on the path
from p2mpp.shapes.shading import normals_at, shade

SAMPLES = 3  # each way, where a pixel sees more than one triangle
OF_A_DISTORTED = 1.5  # pixels of the straight picture that is bent, for one of the result
BENT_SAMPLES = 2  # each way, of the straight picture


class Window(NamedTuple):
    """A part of a picture: its upper left pixel and size."""

    left: int
    top: int
    width: int
    height: int

    @property
    def slices(self):
        return slice(self.top, self.top + self.height), slice(self.left, self.left + self.width)


def render(subject: Subject, pose: Pose, lens: Lens, samples: int = SAMPLES) -> np.ndarray:
    """RGBA uint8 [height, width, 4], alpha straight. pose: cam_from_world. samples 1: hard edges."""
    picture = np.zeros((lens.height, lens.width, 4), np.float32)
    if lens.pinhole:
        window = _window(lens.pixels(pose.seen(subject.shape.vertices)), lens)
        if window:
            picture[window.slices] = _straight(subject, pose, lens, window, samples)
    else:
        picture = _bent(subject, pose, lens, samples)
    return straight_alpha(picture)


def straight_alpha(picture: np.ndarray) -> np.ndarray:
    """uint8 of a picture in 0..1 whose colours are multiplied by alpha."""
    alpha = picture[..., 3:]
    colors = np.divide(picture[..., :3], alpha, out=np.zeros_like(picture[..., :3]), where=alpha > 0)
    return np.rint(255 * np.concatenate([colors, alpha], 2).clip(0, 1)).astype(np.uint8)


def _window(pixels: np.ndarray, lens: Lens) -> Optional[Window]:
    """Of the pixels that may see the subject; None if it is outside."""
    low = np.clip(np.floor(pixels.min(0)) - 1, 0, (lens.width, lens.height)).astype(int)
    high = np.clip(np.ceil(pixels.max(0)) + 1, 0, (lens.width, lens.height)).astype(int)
    return Window(*low, *(high - low)) if (high > low).all() else None


def _straight(subject: Subject, pose: Pose, lens: Lens, window: Window, samples: int) -> np.ndarray:
    """[height, width, 4] of the window, colours multiplied by alpha; the lens is a pinhole."""
    shape, seen = subject.shape, pose.seen(subject.shape.vertices)
    pixels = (lens.pixels(seen) - (window.left, window.top)) * samples
    found = seen_triangles(pixels, seen[:, 2], shape.triangles, (window.height * samples, window.width * samples))
    row, column = np.nonzero(_worth_shading(found.triangle, samples))
    nearness = found.inverse_depth[row, column]
    hits = Hits(row, found.triangle[row, column], column + 0.5, row + 0.5, nearness)
    slopes = lens.slopes(np.stack([hits.column, hits.row], 1) / samples + (window.left, window.top))
    rays = np.column_stack([slopes, np.ones(len(slopes))]) @ pose.rotation
    positions = (pose.center + rays / nearness[:, None]).astype(np.float32)
    to_eye = (-rays / np.linalg.norm(rays, axis=1, keepdims=True)).astype(np.float32)
    normals = normals_at(shape, pixels, 1 / seen[:, 2], hits)
    colors = shade(shape, subject.lights, hits.triangle, positions, normals, to_eye)
    pixel = row // samples * window.width + column // samples
    return _mean_of_hits(found.triangle != NOTHING, pixel, colors, window, samples)


def _worth_shading(triangle: np.ndarray, samples: int) -> np.ndarray:
    """All samples that see something; of a pixel that sees a single triangle, the middle one alone."""
    hit = triangle != NOTHING
    if samples == 1:
        return hit
    cells = _cells(triangle, samples)
    single = (cells.min(axis=(1, 3)) == cells.max(axis=(1, 3)))[:, None, :, None]
    worth = _cells(hit, samples).copy()
    middle = np.zeros((1, samples, 1, samples), bool)
    middle[:, samples // 2, :, samples // 2] = True
    worth &= ~single | middle
    return worth.reshape(triangle.shape)


def _cells(values: np.ndarray, samples: int) -> np.ndarray:
    """[H*s, W*s] as [H, s, W, s]."""
    height, width = values.shape
    return values.reshape(height // samples, samples, width // samples, samples)


def _mean_of_hits(hit: np.ndarray, pixel: np.ndarray, colors: np.ndarray, window: Window, samples: int) -> np.ndarray:
    pixels = window.height * window.width
    count = np.maximum(np.bincount(pixel, minlength=pixels), 1)
    picture = np.empty((window.height, window.width, 4), np.float32)
    picture[..., 3] = _cells(hit, samples).mean(axis=(1, 3))
    for channel in range(3):
        mean = np.bincount(pixel, colors[:, channel], minlength=pixels) / count
        picture[..., channel] = mean.reshape(window.height, window.width) * picture[..., 3]
    return picture


def _bent(subject: Subject, pose: Pose, lens: Lens, samples: int) -> np.ndarray:
    """A larger, straight picture of all that the lens shows, looked up where each pixel looks."""
    slopes = _slopes_of_samples(lens)
    low, high = np.nanmin(slopes, axis=(0, 1)), np.nanmax(slopes, axis=(0, 1))
    focal = np.array([lens.fx, lens.fy]) * OF_A_DISTORTED
    size = np.ceil((high - low) * focal).astype(int) + 4
    plate = Lens(*size, *focal, *(2 - low * focal))
    window = _window(plate.pixels(pose.seen(subject.shape.vertices)), plate)
    if window is None:
        return np.zeros((lens.height, lens.width, 4), np.float32)
    straight = np.pad(_straight(subject, pose, plate, window, samples), ((1, 1), (1, 1), (0, 0)))
    at = slopes * (plate.fx, plate.fy) + (plate.cx - window.left + 1, plate.cy - window.top + 1)
    seen = _looked_up(straight, at.reshape(-1, 2)).reshape(*at.shape[:2], 4)
    return seen.reshape(lens.height, BENT_SAMPLES, lens.width, BENT_SAMPLES, 4).mean(axis=(1, 3))


@lru_cache(maxsize=2)
def _slopes_of_samples(lens: Lens) -> np.ndarray:
    """[height * s, width * s, 2]; the same for all pictures of a camera."""
    columns = (np.arange(lens.width * BENT_SAMPLES) + 0.5) / BENT_SAMPLES
    rows = (np.arange(lens.height * BENT_SAMPLES) + 0.5) / BENT_SAMPLES
    grid = np.stack(np.meshgrid(columns, rows), axis=-1)
    return lens.slopes(grid.reshape(-1, 2)).reshape(grid.shape)


def _looked_up(picture: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Bilinear, at continuous pixels [N,2] (column, row); 0 outside and where `at` is NaN."""
    height, width = picture.shape[:2]
    out = np.zeros((len(at), 4), np.float32)
    inside = np.flatnonzero(((at > 0.5) & (at < (width - 0.5, height - 0.5))).all(1))
    column, row = (at[inside] - 0.5).T
    left, top = np.floor(column).astype(int), np.floor(row).astype(int)
    right, down = (column - left)[:, None].astype(np.float32), (row - top)[:, None].astype(np.float32)
    flat, first = picture.reshape(-1, 4), top * width + left
    out[inside] = ((flat[first] * (1 - right) + flat[first + 1] * right) * (1 - down) +
                   (flat[first + width] * (1 - right) + flat[first + width + 1] * right) * down)
    return out


def scaled(lens: Lens, factor: float) -> Lens:
    """The same camera with another number of pixels."""
    return replace(lens, width=round(lens.width * factor), height=round(lens.height * factor), fx=lens.fx * factor,
                   fy=lens.fy * factor, cx=lens.cx * factor, cy=lens.cy * factor)
