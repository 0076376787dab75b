"""Camera geometry as TorchScript functions. Rows of `cameras` hold azimuth and elevation (degrees),
in-plane rotation (unused), distance and field of view (unused).

From the row to the pixel everything is computed in float64, and the pixel is rounded to float32
once: a lookup at a pixel border then depends on its inputs alone and not on the order of
operations, so that backends can agree, and the published network's numbers are met best.
"""

import math
from typing import Tuple

import torch
import torch.nn.functional as F
from torch import Tensor


def camera_frames(cameras: Tensor) -> Tuple[Tensor, Tensor]:
    """[B,V,5] -> float64 (cam_from_world rotations [B,V,3,3], origins in the world [B,V,3])."""
    cameras = cameras.double()
    azimuth = cameras[..., 0] * (math.pi / 180.0)
    elevation = cameras[..., 1] * (math.pi / 180.0)
    distance = cameras[..., 3]
    height = distance * torch.sin(elevation)
    ground = distance * torch.cos(elevation)
    opposite = azimuth + math.pi
    z_axis = torch.stack([ground * torch.cos(azimuth), height, ground * torch.sin(azimuth)], -1)
    y_axis = torch.stack([height * torch.cos(opposite), ground, height * torch.sin(opposite)], -1)
    x_axis = torch.linalg.cross(y_axis, z_axis)
    rotation = F.normalize(torch.stack([x_axis, y_axis, z_axis], -2), dim=-1)
    return rotation, z_axis


def views_from_camera0(points: Tensor, cameras: Tensor) -> Tensor:
    """Points [B,P,3] in camera 0's frame -> the same in each view's camera frame [B,V,P,3]."""
    rotation, origin = camera_frames(cameras)
    world = torch.matmul(points.double(), rotation[:, 0]) + origin[:, :1]
    centred = world.unsqueeze(1) - origin.unsqueeze(2)
    return torch.matmul(centred, rotation.transpose(-1, -2))


def views_with_normalised_origin(points: Tensor, cameras: Tensor) -> Tensor:
    """Points [B,P,3], taken as they are -> R (p - o/|o|) in each view [B,V,P,3], depth at most
    -0.1."""
    rotation, origin = camera_frames(cameras)
    centred = points.double().unsqueeze(1) - F.normalize(origin, dim=-1).unsqueeze(2)
    x, y, z = torch.matmul(centred, rotation.transpose(-1, -2)).unbind(-1)
    return torch.stack([x, y, z.clamp(max=-0.1)], -1)


def pixels_from_view(points: Tensor) -> Tuple[Tensor, Tensor]:
    """[...,3] in a camera's frame -> float32 (row, column) in pixels of a 224x224 image, not
    clamped.

    A point in the camera's centre gives 0/0; it counts as pixel 0, so that no lookup leaves its
    map.
    """
    x, y, z = points.unbind(-1)
    row = torch.nan_to_num(248.0 * (-y / -z) + 112.0, nan=0.0)
    column = torch.nan_to_num(248.0 * (x / -z) + 112.0, nan=0.0)
    return row.float(), column.float()
