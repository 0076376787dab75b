"""A field of distances from photographs, in two passes: over the hull's box, then over what the first pass found."""

from typing import Tuple

import numpy as np
import torch
from torch import Tensor

from .grid import COARSE_VOXELS, MARGIN, Grid, grid_over
from .network import TRUNCATION, VolumeNetwork
from .samples import VolumeSample, hull_grid

FACTOR = 2  # fine voxels along the side of a coarse one
FIRST_VOXELS = COARSE_VOXELS // 2  # of the first pass
NEAR_OBJECT = 0.5  # coarse voxels: closer than this to the solid of the first pass belongs to the box


def tightened(network: VolumeNetwork, maps: list, cameras: Tensor, grid: Grid, voxels: int = COARSE_VOXELS) -> Grid:
    """A grid over what the coarse distances of `grid` say is the object, within `grid`; `grid` itself if nothing is."""
    volume = network.coarse(maps, cameras, torch.from_numpy(grid.low), grid.voxel, list(grid.shape))
    solid = (volume[0, -2] * TRUNCATION < NEAR_OBJECT).numpy(force=True)
    if not solid.any():
        return grid
    spans = [np.flatnonzero(solid.any(tuple({0, 1, 2} - {axis})))[[0, -1]] for axis in range(3)]
    low, high = grid.low + grid.voxel * np.array([[first, last + 1] for first, last in spans]).T
    margin = MARGIN * (high - low).max()
    return grid_over(np.maximum(low - margin, grid.low), np.minimum(high + margin, end_of(grid)), voxels)


def end_of(grid: Grid) -> np.ndarray:
    return grid.low + grid.voxel * np.array(grid.shape)


@torch.no_grad()
def predict(network: VolumeNetwork, sample: VolumeSample, voxels: int = COARSE_VOXELS) -> Tuple[Tensor, Grid]:
    """Distance in the scene's unit and logarithm of its error in units of distance [2,X,Y,Z], on a grid FACTOR times
    as fine as the one returned."""
    images = sample.network_images()
    maps = network.maps(images)
    first = hull_grid(images[:, 3].cpu(), sample.cameras.cpu(), min(FIRST_VOXELS, voxels))
    grid = tightened(network, maps, sample.cameras, first, voxels)
    low = torch.from_numpy(grid.low).to(sample.cameras.device)
    found = network(images, sample.cameras, low, grid.voxel, list(grid.shape), FACTOR)
    return found * torch.tensor([TRUNCATION * grid.voxel, 1.0]).view(2, 1, 1, 1).to(found), grid
