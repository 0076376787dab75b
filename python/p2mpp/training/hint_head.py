"""An auxiliary head, used only in training: it predicts a picture's normals and depth from the
feature maps of its view.

It makes the CNN read shading, although silhouettes are enough for a coarse mesh. Exported models do
not have it.
"""

from typing import List

import torch
import torch.nn.functional as F
from torch import Tensor, nn

WIDTH = 32
NUMBERS = 4  # normal and depth
SCALE = 127.0


class HintHead(nn.Module):
    """Maps [B,V,C_k,h,w], finest first -> [B*V,4,h,w] of the finest map's size."""

    def __init__(self, channels: List[int], seed: int):
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.narrow = nn.ModuleList(nn.Conv2d(each, WIDTH, 1) for each in channels)
            self.mix = nn.Conv2d(WIDTH, WIDTH, 3, padding=1)
            self.last = nn.Conv2d(WIDTH, NUMBERS, 1)

    def forward(self, maps: List[Tensor]) -> Tensor:
        x = torch.zeros(())
        for number in reversed(range(len(maps))):
            each = self.narrow[number](maps[number].flatten(0, 1))
            if number + 1 < len(maps):
                each = each + F.interpolate(x, size=each.shape[-2:], mode="bilinear",
                                            align_corners=False)
            x = each
        return self.last(self.mix(x.relu()).relu())


def hint_loss(found: Tensor, hints: Tensor) -> Tensor:
    """1 - cosine of normals plus the difference of depths, over pixels that are object; hints
    [B,V,h,w,4] int8."""
    wanted = hints.flatten(0, 1).permute(0, 3, 1, 2).float() / SCALE
    there = (wanted[:, :3].square().sum(1) > 0.25).float()
    found = found.float()
    normal = F.normalize(found[:, :3], dim=1, eps=1e-4)
    cosine = (normal * wanted[:, :3]).sum(1)
    depth = (found[:, 3] - wanted[:, 3]).abs()
    return ((1 - cosine + 2 * depth) * there).sum() / there.sum().clamp(min=1.0)
