"""Where the network computes: the frame of a sample's first camera, upright, and a grid over the box of its hull."""

from typing import NamedTuple, Tuple

import numpy as np
import torch
import torch.nn.functional as F

from p2mpp.network.camera import pixels_from_views, views_from_pinholes

CELLS = 48  # along an axis, of the grid that finds the hull's box
NEIGHBOURHOOD = 3  # pixels around one that count as the object: thin parts pass between the centres of cells
MARGIN = 0.04  # of the box's longest side, on each side
MULTIPLE = 4  # sides in coarse voxels: the network halves the grid twice
COARSE_VOXELS = 20_000
LONGEST = 48  # coarse voxels
VIEWS_THAT_MAY_MISS = 4  # with so many views, one may miss a part of the object
SIDE = 224  # pixels


class Grid(NamedTuple):
    """Coarse voxels of size `voxel`; voxel (i,j,k) has its centre at low + voxel * (i + 0.5, ...)."""

    low: np.ndarray
    voxel: float
    shape: Tuple[int, int, int]

    def centres(self, factor: int = 1) -> np.ndarray:
        """Of voxels of 1 / factor the size: [X,Y,Z,3] float64."""
        axes = [self.low[k] + (np.arange(self.shape[k] * factor) + 0.5) * (self.voxel / factor) for k in range(3)]
        return np.stack(np.meshgrid(*axes, indexing="ij"), -1)


def upright_frame(rotation: np.ndarray) -> np.ndarray:
    """The rotation [3,3] from the world, y up, to the frame of a camera with this rotation (x right, y up, looks along
    -z): y stays up, and the camera looks along -z from above or below. One that looks straight down has its picture's
    upper side there."""
    ahead = rotation[2] * [1, 0, 1]
    if np.linalg.norm(ahead) < 1e-3:
        ahead = -np.sign(rotation[2, 1]) * rotation[1] * [1, 0, 1]
    z = ahead / np.linalg.norm(ahead)
    up = np.array([0.0, 1.0, 0.0])
    return np.stack([np.cross(up, z), up, z])


def cells_of_hull(masks: torch.Tensor, cameras: torch.Tensor, low: np.ndarray, side: float) -> np.ndarray:
    """Masks [V,SIDE,SIDE], 0..1, pinholes [V,16] from a frame -> which of CELLS^3 cells of a cube of that frame may be
    the object's [CELLS,CELLS,CELLS]."""
    cube = Grid(np.asarray(low), side / CELLS, (CELLS, CELLS, CELLS))
    points = torch.from_numpy(cube.centres().reshape(1, -1, 3))
    seen = views_from_pinholes(points, cameras.unsqueeze(0))
    row, column = (each[0] for each in pixels_from_views(seen, cameras.unsqueeze(0)))
    wide = F.max_pool2d(masks.unsqueeze(1), 2 * NEIGHBOURHOOD + 1, 1, NEIGHBOURHOOD).flatten(1)
    in_picture = (row >= 0) & (row < SIDE) & (column >= 0) & (column < SIDE)
    at = row.clamp(0, SIDE - 1).long() * SIDE + column.clamp(0, SIDE - 1).long()
    outside = (wide.gather(1, at) < 0.5) | ~in_picture
    missed = outside.sum(0) - (1 if len(masks) >= VIEWS_THAT_MAY_MISS else 0)
    return (missed <= 0).view(CELLS, CELLS, CELLS).numpy()


def box_of_cells(cells: np.ndarray, low: np.ndarray, side: float) -> Tuple[np.ndarray, np.ndarray]:
    """The box around the marked cells, with MARGIN: (low [3], high [3]); the whole cube if none is marked."""
    if not cells.any():
        return np.asarray(low, float), np.asarray(low, float) + side
    marked = [np.flatnonzero(cells.any(tuple({0, 1, 2} - {axis}))) for axis in range(3)]
    size = side / CELLS
    first = low + size * np.array([each[0] for each in marked])
    last = low + size * np.array([each[-1] + 1 for each in marked])
    margin = MARGIN * (last - first).max()
    return first - margin, last + margin


def grid_over(low: np.ndarray, high: np.ndarray, voxels: int = COARSE_VOXELS) -> Grid:
    """A grid of at most `voxels` coarse voxels around a box."""
    sides = high - low
    voxel = max(float((sides.prod() / voxels) ** (1 / 3)), float(sides.max()) / LONGEST)
    while True:
        shape = np.ceil(sides / voxel / MULTIPLE - 1e-9).astype(int) * MULTIPLE
        if shape.prod() <= voxels and shape.max() <= LONGEST:
            break
        voxel *= 1.01
    return Grid((low + high) / 2 - voxel * shape / 2, voxel, tuple(int(each) for each in shape))
