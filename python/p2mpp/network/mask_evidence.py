"""What the masks say about a place, as a fourth map of stage 2: two numbers a pixel.

d is the distance in pixels from the pixel's centre to the mask's border, positive outside the
object. Channel 0 is d / REACH, channel 1 is d / NEAR, clamped to -1..1. All steps up to the square
root are in whole numbers, so that every backend finds the same bits.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

REACH = 32  # pixels; distances beyond it count as this one
NEAR = 4.0  # pixels
OBJECT = 0.5  # a pixel with more mask than this is object


def steps_back(marked: Tensor, reach: int = REACH) -> Tensor:
    """Along the last axis [...,W]: pixels from each back to the last marked one, `reach` at most."""
    place = torch.arange(marked.size(-1), device=marked.device)
    last = torch.where(marked, place, -reach).cummax(-1)[0]
    return (place - last).clamp(max=reach)


def squared_distances(marked: Tensor, reach: int = REACH) -> Tensor:
    """[M,H,W] -> squared distance of each pixel to the nearest marked one, in pixels, at most
    reach**2, int16."""
    behind, ahead = steps_back(marked, reach), steps_back(marked.flip(-1), reach).flip(-1)
    along = torch.minimum(behind, ahead).short()
    rows = F.pad(along * along, [0, 0, reach, reach], value=float(reach * reach))
    found = along * along
    height = marked.size(1)
    for step in range(-reach, reach + 1):
        found = torch.minimum(found, rows[:, reach + step:reach + step + height] + step * step)
    return found.clamp(max=reach * reach)


def mask_evidence(mask: Tensor, reach: int = REACH, near: float = NEAR,
                  threshold: float = OBJECT) -> Tensor:
    """Masks [B,V,H,W], 0..1 -> the map [B,V,2,H,W], channels-last in memory, float32."""
    inside = (mask > threshold).flatten(0, 1)
    squared = torch.where(inside, squared_distances(inside.logical_not(), reach),
                          squared_distances(inside, reach))
    distance = squared.float().sqrt() - 0.5
    signed = torch.where(inside, -distance, distance)
    found = torch.stack([signed / reach, (signed / near).clamp(-1.0, 1.0)], -1)
    return found.unflatten(0, [mask.size(0), mask.size(1)]).permute(0, 1, 4, 2, 3)
