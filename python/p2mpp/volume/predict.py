"""A field of distances from photographs, in two passes: over the hull's box, then over what the first pass found."""

from typing import Tuple

import numpy as np
import torch
from torch import Tensor

from . import kernels
from .grid import COARSE_VOXELS, MARGIN, Grid, grid_over
from .network import ERROR_RANGE, TRUNCATION, VolumeNetwork, coarse_distances
from .samples import VolumeSample, hull_grid

FACTOR = 4  # fine voxels along the side of a coarse one
FIRST_VOXELS = COARSE_VOXELS // 2  # of the first pass
NEAR_PRIOR = 0.5  # coarse voxels: connected parts that are nowhere so near to the prior's solid are ghosts of the hull
THIN_SHARE, MOST_UNSURE = 0.35, 0.12  # thin parts weigh more in training: see predicted_distances.cc
NEAR_OBJECT = 0.5  # coarse voxels: closer than this to the solid of the first pass belongs to the box


def tightened(network: VolumeNetwork, maps: list, sample: VolumeSample, grid: Grid, voxels: int = COARSE_VOXELS) -> Grid:
    """A grid over what the coarse distances of `grid` say is the object, within `grid`; `grid` itself if nothing is."""
    prior, low = sample.prior_at(grid.centres()), torch.from_numpy(grid.low).to(sample.cameras.device)
    volume = network.coarse(maps, sample.cameras, low, grid.voxel, list(grid.shape), prior)
    distances = coarse_distances(volume, prior, grid.voxel)[0].view(grid.shape)
    solid = (distances * TRUNCATION < NEAR_OBJECT).numpy(force=True)
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
    grid = tightened(network, maps, sample, first, voxels)
    low = torch.from_numpy(grid.low).to(sample.cameras.device)
    priors = [sample.prior_at(grid.centres(factor)) for factor in (1, FACTOR)]
    found = network(images, sample.cameras, low, grid.voxel, list(grid.shape), FACTOR, *priors)
    found[0] += THIN_SHARE * found[1].clamp(*ERROR_RANGE).exp().clamp(max=MOST_UNSURE)
    solid, near = found[0].numpy(force=True) < 0, priors[1][0].numpy(force=True) < NEAR_PRIOR * grid.voxel
    ghosts = torch.from_numpy(kernels.parts_without(solid, near.reshape(solid.shape))).to(found.device)
    found[0] = torch.where(ghosts, -found[0], found[0])
    return found * torch.tensor([TRUNCATION * grid.voxel, 1.0]).view(2, 1, 1, 1).to(found), grid
