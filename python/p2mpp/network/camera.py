"""Camera geometry as TorchScript functions. The stages take `cameras` in one of two forms:

- rows [B,V,5]: azimuth and elevation (degrees), in-plane rotation (unused), distance and field of
  view (unused). The network's frame is camera 0's, the focal length 248, the principal point the
  middle of the 224x224 image.
- any pinhole [B,V,16], float64: rotation (9, row-major) and translation (3) from the network's
  frame to the view's camera (x right, y up, looks along -z), then fx, fy, cx, cy in pixels of the
  224x224 image, whose upper left corner is (0,0).

From there to the pixel everything is computed in float64, and the pixel is rounded to float32
once: a lookup at a pixel border then depends on its inputs alone and not on the order of
operations, so that backends can agree, and the published network's numbers are met best.
Everything is differentiable in points and pinholes.
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


def are_rows(cameras: Tensor) -> bool:
    """Whether cameras are [B,V,5]; otherwise they must be [B,V,16]."""
    columns = cameras.size(-1)
    assert columns == 5 or columns == 16, "cameras are rows of 5 or pinholes of 16 numbers"
    return columns == 5


def views_from_pinholes(points: Tensor, cameras: Tensor) -> Tensor:
    """Points [B,P,3] in the network's frame, cameras [B,V,16] -> [B,V,P,3]."""
    rotation = cameras[..., :9].double().unflatten(-1, [3, 3])
    translation = cameras[..., 9:12].double()
    turned = torch.matmul(points.double().unsqueeze(1), rotation.transpose(-1, -2))
    return turned + translation.unsqueeze(2)


def views_from_network(points: Tensor, cameras: Tensor) -> Tensor:
    """Points [B,P,3] in the network's frame -> the same in each view's camera frame [B,V,P,3]."""
    if not are_rows(cameras):
        return views_from_pinholes(points, cameras)
    rotation, origin = camera_frames(cameras)
    world = torch.matmul(points.double(), rotation[:, 0]) + origin[:, :1]
    centred = world.unsqueeze(1) - origin.unsqueeze(2)
    return torch.matmul(centred, rotation.transpose(-1, -2))


def views_with_normalised_origin(points: Tensor, cameras: Tensor) -> Tensor:
    """Points [B,P,3], taken as they are -> R (p - o/|o|) in each view [B,V,P,3], depth at most
    -0.1. The rotation and translation of pinholes are R and -R o/|o| already."""
    if are_rows(cameras):
        rotation, origin = camera_frames(cameras)
        centred = points.double().unsqueeze(1) - F.normalize(origin, dim=-1).unsqueeze(2)
        views = torch.matmul(centred, rotation.transpose(-1, -2))
    else:
        views = views_from_pinholes(points, cameras)
    x, y, z = views.unbind(-1)
    return torch.stack([x, y, z.clamp(max=-0.1)], -1)


def pixels_from_views(points: Tensor, cameras: Tensor) -> Tuple[Tensor, Tensor]:
    """Points [B,V,P,3], each in its view's camera frame -> float32 (row, column) [B,V,P] in pixels
    of a 224x224 image, not clamped.

    A point in the camera's centre gives 0/0; it counts as pixel 0, so that no lookup leaves its
    map.
    """
    x, y, z = points.unbind(-1)
    if are_rows(cameras):
        row = 248.0 * (-y / -z) + 112.0
        column = 248.0 * (x / -z) + 112.0
    else:
        fx, fy, cx, cy = cameras[..., 12:].double().unsqueeze(2).unbind(-1)
        row = fy * (-y / -z) + cy
        column = fx * (x / -z) + cx
    return torch.nan_to_num(row, nan=0.0).float(), torch.nan_to_num(column, nan=0.0).float()
