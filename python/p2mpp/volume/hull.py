"""The baseline without a network: the distance to the masks' hull."""

import numpy as np
import torch

from p2mpp.network.camera import pixels_from_views, views_from_pinholes
from p2mpp.network.mask_evidence import REACH, mask_evidence

from .network import look_up
from .samples import VolumeSample


def hull_field(sample: VolumeSample, factor: int) -> np.ndarray:
    """At the centres of the sample's grid, `factor` times as fine: the largest over the views of the distance to the
    outline, in the scene's unit."""
    centres = sample.grid.centres(factor)
    points, cameras = torch.from_numpy(centres.reshape(1, -1, 3)), sample.cameras.unsqueeze(0)
    seen = views_from_pinholes(points, cameras)
    row, column = pixels_from_views(seen, cameras)
    pixels = look_up(mask_evidence(sample.network_images()[:, 3].unsqueeze(0))[0], row[0], column[0])[:, 0]
    away = -seen[0, ..., 2] / cameras[0, :, 12:13]
    return (pixels * REACH * away).amax(0).numpy().reshape(centres.shape[:3])
