"""The truth of an object: the signed distance to the surface of the solid that is closed to the outside.

Everything that cannot be reached from outside through gaps of a voxel is solid, so inner walls do not count and open
bodies stay open. Sheets get a body of SHEET voxels of the network, since thinner ones would vanish from a grid.
"""

from typing import NamedTuple

import numpy as np

from . import kernels

RESOLUTION = 192  # voxels along the longest side of the object's box
STORED = 2  # voxels along the side of a stored voxel
MARGIN = 6  # voxels around the box
REACH = 16.0  # voxels: longer distances are truncated
SHEET = 1.1 * RESOLUTION / 64  # voxels that a thin part has at least: those of a grid of 64 voxels
DETACHED = 3.6  # voxels beyond SHEET / 2 from thick parts, farther than their corners: there a part is thin
LEVELS = 127  # steps of the stored distance to either side


class Distances(NamedTuple):
    """Signed distances int8 [X,Y,Z], positive outside, LEVELS at `reach`; voxel (i,j,k) has its centre at
    low + voxel * (i + 0.5, ...)."""

    values: np.ndarray
    low: np.ndarray
    voxel: float

    @property
    def reach(self) -> float:
        return REACH / STORED * self.voxel


def sheet_distances(outside: np.ndarray) -> np.ndarray:
    """Distances in voxels to bodies of SHEET voxels around the thin parts of what is not outside; REACH where there
    are none."""
    radius = SHEET / 2
    depth = centre_distances(outside, radius + 3)
    thick = depth >= radius + 0.7  # depths count from the centre of the first voxel outside
    thin = (outside == 0) & (centre_distances(thick, radius + DETACHED + 2) > radius + DETACHED)
    spine = kernels.ridge(depth, thin.astype(np.uint8))
    return centre_distances(spine, REACH + radius) - radius if spine.any() else np.full(outside.shape, REACH)


def centre_distances(marked: np.ndarray, reach: float) -> np.ndarray:
    """Distance of each voxel's centre to that of the nearest marked one, at most `reach`."""
    marked = np.ascontiguousarray(marked, np.uint8)
    centres = np.stack(np.indices(marked.shape, np.float32), -1) + np.float32(0.5)
    return kernels.distances_to(kernels.nearest_voxel(marked, reach), centres, reach)


def solid_distances(vertices: np.ndarray, triangles: np.ndarray, resolution: int = RESOLUTION) -> Distances:
    """Of a mesh of any winding, with holes and inner walls: vertices [V,3], triangles [T,3]."""
    low, high = vertices.min(0), vertices.max(0)
    step = float((high - low).max()) / resolution
    sizes = np.ceil((high - low) / step).astype(int) + 2 * MARGIN
    sizes += -sizes % STORED
    origin = (low + high) / 2 - step * sizes / 2
    count, mean = np.zeros(sizes, np.int32), np.zeros((*sizes, 3), np.float32)
    kernels.mark_surface((vertices - origin) / step, triangles, count, mean)
    kind = np.where(count > 0, kernels.WALL, kernels.INSIDE).astype(np.uint8)
    kernels.flood(kind)
    direction = np.zeros((*sizes, 3), np.float32)
    seen = kernels.touched(kind, direction)
    found = kernels.distances_to(kernels.nearest_voxel(seen, REACH), mean, REACH)
    inside = kind != kernels.OUTSIDE
    at = np.nonzero(seen)  # the surface passes through these: a centre may lie on either side
    offset = np.stack(at, -1) + 0.5 - mean[at]
    inside[at] = (offset * direction[at]).sum(-1) <= 0
    found = np.minimum(np.where(inside, -found, found), sheet_distances((kind == kernels.OUTSIDE).astype(np.uint8)))
    blocks = found.reshape(sizes[0] // STORED, STORED, sizes[1] // STORED, STORED, sizes[2] // STORED, STORED)
    values = blocks.mean((1, 3, 5)).clip(-REACH, REACH) * (LEVELS / REACH)
    return Distances(np.rint(values).astype(np.int8), origin.astype(np.float32), STORED * step)
