"""The interface of the volume's network to the trainer: a loss, and metrics of held-out samples."""

from typing import Dict, List

import numpy as np
import torch
from torch import Tensor

from p2mpp.training.tasks import Terms, add_up

from .network import ERROR_RANGE, TRUNCATION, VolumeNetwork, coarse_distances
from .predict import FACTOR, predict
from .samples import VolumeDraw, VolumeSample
from .surface import scores

FAR_WEIGHT = 0.3  # of places whose true distance is truncated
THIN_WEIGHT = 4.0  # of places in thin parts: a sheet whose depth is unsure has a median distance outside, and would vanish
ERROR_WEIGHT = 0.05  # of the loss of the certainty
SMALLEST_ERROR = 1e-3


def distance_loss(found: Tensor, true: Tensor, thin: Tensor, limit: float) -> Dict[str, Tensor]:
    """Distances and logarithms of their errors [2,...] against true distances, all in the network's unit and at most
    `limit`. `thin`: of thinness(). The error is a Laplace distribution's scale. Its loss does not change the distances:
    they would give up where they are uncertain."""
    limit = min(limit, 1.0)
    true = true.clamp(-limit, limit)
    weight = torch.where(true.abs() < limit, 1.0, FAR_WEIGHT)
    weight = torch.where(true < 0, 1.0 + (THIN_WEIGHT - 1.0) * thin, 1.0) * weight
    weight = weight / weight.sum()
    off = (found[0].clamp(-limit, limit) - true).abs()
    # Beyond the limit the clamped distance has no gradient, so a wrong side is pulled back by its whole length.
    wrong = (found[0].abs() > limit) & (found[0].sign() != true.sign())
    off = torch.where(wrong, (found[0] - true).abs(), off)
    scale = found[1].clamp(*ERROR_RANGE)
    unsure = (off.detach() + SMALLEST_ERROR) * (-scale).exp() + scale
    return {"distance": (weight * off).sum(), "error": (weight * unsure).sum()}


class VolumeTask:
    """Trains coarse distances on the grid and fine ones at points."""

    stage = 3
    all_blocks = trained_before = True

    def __init__(self, network: VolumeNetwork, voxels: int):
        """`voxels`: coarse voxels of predictions."""
        self.module = self.trained = network
        self.voxels = voxels

    def enter(self, progress: float) -> None:
        """Nothing depends on the share of the training."""

    def prepare(self) -> None:
        """Nothing is needed before predictions."""

    def loss(self, draw: VolumeDraw, _: np.random.Generator) -> Terms:
        total: Terms = {}
        for sample in draw.each:
            add_up(total, self.sample_loss(sample), 1 / len(draw.each))
        return total

    def sample_loss(self, sample: VolumeSample) -> Terms:
        network, grid = self.module, sample.grid
        unit = TRUNCATION * grid.voxel
        low = torch.from_numpy(grid.low).to(sample.cameras.device)
        maps = network.maps(sample.network_images())
        priors = [sample.prior_at(each) for each in (grid.centres(), sample.points.numpy(force=True))]
        volume = network.coarse(maps, sample.cameras, low, grid.voxel, list(grid.shape), priors[0])
        found = network.at_points(maps, volume, sample.cameras, low, grid.voxel, sample.points, priors[1])
        coarse = distance_loss(coarse_distances(volume, priors[0], grid.voxel), sample.coarse.flatten() / unit,
                               sample.coarse_thinness.flatten(), sample.reach / unit)
        fine = distance_loss(found, sample.fine / unit, sample.fine_thinness, sample.reach / unit)
        return {"coarse": coarse["distance"], "fine": fine["distance"],
                "error": ERROR_WEIGHT * (coarse["error"] + fine["error"])}

    def measure(self, draw: VolumeDraw) -> List[Dict[str, float]]:
        """Metrics of each sample: of points of its mesh, and IoU of voxels."""
        found = []
        for sample in draw.each:
            field, grid = predict(self.module, sample, self.voxels)
            found.append(scores(field[0].numpy(force=True), grid, FACTOR, sample))
        return found
