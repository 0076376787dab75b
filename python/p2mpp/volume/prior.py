"""The prior of the volume's network: distances to the mesh of stage 2, which may pass through itself.

They are made once on a grid around the origin, signed and unsigned, and looked up linearly. Sheets that are thinner
than its voxels show in the unsigned ones alone.
"""

import numpy as np
import torch
from torch import Tensor

from . import kernels
from .network import look_up_volume

HALF = 0.42  # half the side of the cube, in the unit of the scene: grids of samples lie in it
VOXELS = 144  # along its side
REACH = 18.0  # voxels: longer distances are truncated
VOXEL = 2 * HALF / VOXELS


def prior_field(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Of a closed mesh in the cube: float16 [2,VOXELS,VOXELS,VOXELS], signed (positive outside) and unsigned."""
    places = np.clip((np.asarray(vertices, np.float64) + HALF) / VOXEL, 0.01, VOXELS - 0.01)
    count, mean = np.zeros((VOXELS,) * 3, np.int32), np.zeros((VOXELS, VOXELS, VOXELS, 3), np.float32)
    kernels.mark_surface(places, triangles, count, mean)
    found = kernels.distances_to(kernels.nearest_voxel((count > 0).astype(np.uint8), REACH), mean, REACH)
    inside = kernels.winding(places, triangles, VOXELS) > 0
    return np.stack([np.where(inside, -found, found), found]).astype(np.float16) * np.float16(VOXEL)


def prior_at(field: np.ndarray, points: np.ndarray) -> Tensor:
    """At points [...,3]: [2,P] float32."""
    places = torch.from_numpy(((points.reshape(-1, 3) + HALF) / VOXEL).astype(np.float32))
    return look_up_volume(torch.from_numpy(field.astype(np.float32))[None], places)
