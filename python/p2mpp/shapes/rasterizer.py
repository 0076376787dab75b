"""A z-buffer rasteriser in NumPy: which triangle each sample of an image sees. Needs NumPy only.

Triangles become spans (one a row), spans become samples, and the nearest sample of a pixel wins.
All steps run over every triangle at once. Meshes are closed, so faces turned away are left out.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Hits:
    """The M samples that see the mesh."""

    index: np.ndarray  # [M] row * size + column
    triangle: np.ndarray  # [M]
    column: np.ndarray  # [M] sample centres, continuous
    row: np.ndarray  # [M]
    inverse_depth: np.ndarray  # [M]


def plane_coefficients(pixels, triangles, values):
    """Planes [T,3] or [T,A,3] (a, b, c) so that a*column + b*row + c is `values` at each corner.

    pixels [V,2]; values [T,3] or [T,3,A], one for each corner. Degenerate triangles give zeros.
    """
    corners = pixels[triangles]
    u, v = corners[..., 0], corners[..., 1]
    edges = np.stack(
        [
            np.roll(v, -1, 1) - np.roll(v, -2, 1),
            np.roll(u, -2, 1) - np.roll(u, -1, 1),
            np.roll(u, -1, 1) * np.roll(v, -2, 1) - np.roll(u, -2, 1) * np.roll(v, -1, 1),
        ],
        axis=2,
    )
    doubled_area = edges[..., 2].sum(1)
    scale = np.divide(1.0, doubled_area, out=np.zeros_like(doubled_area), where=doubled_area != 0)
    weights = edges * scale[:, None, None]
    return np.einsum("tk...,tkc->t...c", values, weights)


def _front_facing(pixels, triangles):
    a, b, c = (pixels[triangles[:, k]] for k in range(3))
    ab, ac = b - a, c - a
    return np.flatnonzero(ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0] < 0)


def _counts_to_ranges(first, counts):
    """For each i the integers first[i] .. first[i] + counts[i] - 1: (owner, value), flat."""
    owner = np.repeat(np.arange(len(counts)), counts)
    start = np.cumsum(counts) - counts
    return owner, np.arange(len(owner)) - start[owner] + first[owner]


def _row_spans(corners, size):
    """(triangle, row, first column, columns) of each span of the triangles `corners` [T,3,2]."""
    v = corners[..., 1]
    first = np.clip(np.ceil(v.min(1) - 0.5), 0, size).astype(np.int64)
    last = np.clip(np.ceil(v.max(1) - 0.5), 0, size).astype(np.int64)
    triangle, row = _counts_to_ranges(first, np.maximum(last - first, 0))
    low, high = _span_limits(corners, triangle, row + 0.5)
    begin = np.clip(np.ceil(low - 0.5), 0, size).astype(np.int64)
    end = np.clip(np.ceil(high - 0.5), 0, size).astype(np.int64)
    return triangle, row, begin, np.maximum(end - begin, 0)


def _span_limits(corners, triangle, y):
    """Columns (low [S], high [S]) where the line at height y crosses its triangle's edges."""
    low = np.full(len(triangle), np.inf)
    high = np.full(len(triangle), -np.inf)
    for k in range(3):
        start, end = corners[:, k], corners[:, (k + 1) % 3]
        # The same edge gives the same bits in both its triangles: always computed from its top end.
        swap = (start[:, 1] > end[:, 1])[:, None]
        top, bottom = np.where(swap, end, start), np.where(swap, start, end)
        height = bottom[:, 1] - top[:, 1]
        slope = np.divide(
            bottom[:, 0] - top[:, 0], height, out=np.zeros_like(height), where=height > 0
        )
        crossed = (y >= top[triangle, 1]) & (y < bottom[triangle, 1])
        x = top[triangle, 0] + (y - top[triangle, 1]) * slope[triangle]
        low = np.where(crossed, np.minimum(low, x), low)
        high = np.where(crossed, np.maximum(high, x), high)
    return low, high


def rasterize(pixels, inverse_depth, triangles, size):
    """Hits of a closed mesh in a size x size image.

    pixels [V,2] (column, row), inverse_depth [V] (1 / -Z, positive), triangles [T,3] wound outward.
    """
    front = _front_facing(pixels, triangles)
    visible = triangles[front]
    spans = _row_spans(pixels[visible], size)
    owner, column = _counts_to_ranges(spans[2], spans[3])
    triangle, row = spans[0][owner], spans[1][owner]
    planes = plane_coefficients(pixels, visible, inverse_depth[visible])[triangle]
    depth = planes[:, 0] * (column + 0.5) + planes[:, 1] * (row + 0.5) + planes[:, 2]
    index = row * size + column
    nearest = np.zeros(size * size)
    np.maximum.at(nearest, index, depth)
    winner = np.full(size * size, -1, np.int64)
    seen = depth == nearest[index]
    winner[index[seen]] = front[triangle[seen]]
    hit = np.flatnonzero(winner >= 0)
    return Hits(hit, winner[hit], hit % size + 0.5, hit // size + 0.5, nearest[hit])
