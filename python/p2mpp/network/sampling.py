"""Feature lookup at projected points and pooling over the views, as TorchScript functions.

Maps are [B,V,C,h,w]; rows and columns are [B,V,P] in pixels of a 224x224 image; a lookup gives
[B,V,P,C]. Every lookup reads whole rows of a table [B*V*h*w, C], which costs no copy where a map
lies channels-last in memory, as the CNN leaves it.
"""

from typing import List, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor


def map_coordinate(pixel: Tensor, size: int) -> Tensor:
    """A row or column of the 224x224 image -> the same in a map of so many rows or columns."""
    return pixel / (224.0 / size)


def clamp_to_image(pixel: Tensor) -> Tensor:
    return pixel.clamp(0.0, 223.0)


def channel_rows(maps: Tensor) -> Tensor:
    """[B,V,C,h,w] -> [B*V*h*w, C]."""
    return maps.permute(0, 1, 3, 4, 2).reshape(-1, maps.size(2))


def first_rows(maps: Tensor) -> Tensor:
    """Where each view's pixels begin in the table of channel_rows: [B,V,1]."""
    batch, views, pixels = maps.size(0), maps.size(1), maps.size(3) * maps.size(4)
    starts = torch.arange(batch * views, device=maps.device) * pixels
    return starts.view(batch, views, 1)


def sample_nearest(maps: Tensor, row: Tensor, column: Tensor, view_index_scaled: bool) -> Tensor:
    """The pixel at the floor of the clamped coordinate, scaled to the map."""
    batch, views, height, width = maps.size(0), maps.size(1), maps.size(3), maps.size(4)
    y = map_coordinate(clamp_to_image(row), height).long()
    x = map_coordinate(clamp_to_image(column), width).long()
    starts = first_rows(maps)
    if view_index_scaled:
        view = torch.arange(views, device=maps.device)
        starts = starts[:, map_coordinate(view, height).long()]
    index = starts + y * width + x
    rows = channel_rows(maps).index_select(0, index.flatten())
    return rows.view(batch, views, row.size(2), maps.size(2))


def weighted_rows(maps: Tensor, indices: List[Tensor], weights: List[Tensor]) -> Tensor:
    """Sum of a few table rows a point; indices (within a view) and weights are lists of [B,V,P]."""
    starts = first_rows(maps)
    index = torch.stack(indices, -1) + starts.unsqueeze(-1)
    weight = torch.stack(weights, -1)
    rows = F.embedding_bag(index.flatten(0, 2), channel_rows(maps), mode="sum",
                           per_sample_weights=weight.flatten(0, 2))
    return rows.view(index.size(0), index.size(1), index.size(2), maps.size(2))


def bilinear_corners(maps: Tensor, row: Tensor, column: Tensor) -> Tuple[List[Tensor],
                                                                         List[Tensor]]:
    """Indices (within a view) and weights, lists of [B,V,P], of the four pixels around each
    point."""
    height, width = maps.size(3), maps.size(4)
    y = map_coordinate(row, height).clamp(0.0, height - 1.0)
    x = map_coordinate(column, width).clamp(0.0, width - 1.0)
    top, left = y.floor(), x.floor()
    down, right = y - top, x - left
    y0, x0 = top.long() * width, left.long()
    y1 = (top + 1.0).clamp(max=height - 1.0).long() * width
    x1 = (left + 1.0).clamp(max=width - 1.0).long()
    up, back = 1.0 - down, 1.0 - right
    return ([y0 + x0, y0 + x1, y1 + x0, y1 + x1],
            [up * back, up * right, down * back, down * right])


def sample_bilinear(maps: Tensor, row: Tensor, column: Tensor) -> Tensor:
    """Bilinear between pixel centres at whole coordinates; beyond the border the border's value."""
    indices, weights = bilinear_corners(maps, row, column)
    return weighted_rows(maps, indices, weights)


def sample_floor_ceil(maps: Tensor, row: Tensor, column: Tensor) -> Tensor:
    """The published stage 2 lookup: weights are distances to the floor and ceil corners, so a whole
    coordinate (and with it every clamped one) gives 0; a corner beyond the map reads 0."""
    height, width = maps.size(3), maps.size(4)
    y = map_coordinate(clamp_to_image(row), height)
    x = map_coordinate(clamp_to_image(column), width)
    top, bottom, left, right = y.floor(), y.ceil(), x.floor(), x.ceil()
    up, back = bottom - y, right - x
    down = torch.where(bottom < height, y - top, 0.0)
    forth = torch.where(right < width, x - left, 0.0)
    y0, x0 = top.long() * width, left.long()
    y1 = bottom.clamp(max=height - 1.0).long() * width
    x1 = right.clamp(max=width - 1.0).long()
    return weighted_rows(maps, [y0 + x0, y0 + x1, y1 + x0, y1 + x1],
                         [up * back, up * forth, down * back, down * forth])


def pool_views(points: Tensor, samples: List[Tensor]) -> Tensor:
    """[B,P,3] and lookups [B,V,P,C], one a map -> [xyz, max, mean, std] over the views,
    [B,P,3+3*sumC].

    std is sqrt(population variance + 1e-6).
    """
    largest: List[Tensor] = [points]
    mean: List[Tensor] = []
    deviation: List[Tensor] = []
    for sample in samples:
        average = sample.mean(1)
        largest.append(sample.amax(1))
        mean.append(average)
        variance = (sample - average.unsqueeze(1)).square_().mean(1)
        deviation.append(variance.add_(1e-6).sqrt_())
    return torch.cat(largest + mean + deviation, -1)
