"""Which triangle each sample of a window sees: a z-buffer that draws one triangle after the other."""

from typing import NamedTuple, Tuple

import numpy as np

NOTHING = -1


class Seen(NamedTuple):
    """Of a window [rows, columns]: triangle (NOTHING where there is none) and inverse depth at the samples' centres."""

    triangle: np.ndarray
    inverse_depth: np.ndarray


def seen_triangles(pixels: np.ndarray, depths: np.ndarray, triangles: np.ndarray, shape: Tuple[int, int]) -> Seen:
    """pixels [V,2] (column, row) within the window, depths [V] > 0, triangles [T,3] of a closed mesh, wound outward."""
    seen = Seen(np.full(shape, NOTHING, np.int32), np.zeros(shape))
    corners, nearness = pixels[triangles], 1 / depths[triangles]
    (ab, ac) = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    areas = ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0]
    # Rows point down: what faces the camera turns the other way round.
    for number in np.flatnonzero(areas < 0):
        _draw(seen, number, corners[number], nearness[number])
    return seen


def _draw(seen: Seen, number: int, corners: np.ndarray, nearness: np.ndarray) -> None:
    first = np.maximum(np.ceil(corners.min(0) - 0.5), 0).astype(int)
    last = np.minimum(np.floor(corners.max(0) - 0.5), np.array(seen.triangle.shape[::-1]) - 1).astype(int)
    if (last < first).any():
        return
    columns = np.arange(first[0], last[0] + 1) + 0.5
    rows = np.arange(first[1], last[1] + 1)[:, None] + 0.5
    # Weights of the corners as planes over the window: the columns of the inverse of (column, row, 1) a corner.
    planes = np.linalg.inv(np.column_stack([corners, np.ones(3)]))
    inside = np.ones((len(rows), len(columns)), bool)
    for plane in planes.T:
        inside &= plane[0] * columns + (plane[1] * rows + plane[2]) >= -1e-9
    plane = planes @ nearness
    depth = plane[0] * columns + (plane[1] * rows + plane[2])
    window = (slice(first[1], last[1] + 1), slice(first[0], last[0] + 1))
    inside &= depth > seen.inverse_depth[window]
    seen.inverse_depth[window][inside] = depth[inside]
    seen.triangle[window][inside] = number
