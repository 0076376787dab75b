"""Bilinear lookup in all views' maps and pooling over the views as one operation.

Pixel positions are constants: gradients flow to the maps alone.
"""

from typing import Iterator, List, Tuple

import torch
import torch.nn.functional as F
from p2mpp.network.sampling import bilinear_corners, channel_rows, first_rows
from torch import Tensor

from . import compiled

VARIANCE_FLOOR = 1e-6
CPU_PANEL = 256  # points


def bilinear_taps(maps: Tensor, row: Tensor, column: Tensor) -> Tuple[Tensor, Tensor]:
    """Rows of channel_rows(maps) around each pixel [B,V,P] and their weights, [B*V*P,4] both."""
    indices, weights = bilinear_corners(maps, row, column)
    index = torch.stack(indices, -1) + first_rows(maps).unsqueeze(-1)
    weight = torch.stack(weights, -1)
    return index.view(-1, 4), weight.view(-1, 4)


def spread(index: Tensor, weight: Tensor, grad: Tensor, rows: int) -> Tensor:
    """The lookup's transpose: grad [K,C] -> [rows,C], in a fixed order of summation.

    Taps are sorted by the row that they read, so that each row is one weighted sum.
    """
    taps = index.size(1)
    order = index.flatten().argsort(stable=True)
    counts = torch.bincount(index.flatten(), minlength=rows)
    return F.embedding_bag(order // taps, grad, counts.cumsum(0) - counts, mode="sum",
                           per_sample_weights=weight.flatten()[order].to(grad.dtype))


def panels(row: Tensor) -> Iterator[Tuple[int, slice]]:
    """(sample, points) that cover all of [B,V,P]. On a CPU the panels are so small that their
    intermediate results stay in the cache."""
    batch, _, points = row.shape
    size = CPU_PANEL if row.device.type == "cpu" else max(points, 1)
    for sample in range(batch):
        for start in range(0, points, size):
            yield sample, slice(start, start + size)


class Lookup:
    """The positions at which one map [B,V,C,h,w] is read for pixels [B,V,P]."""

    def __init__(self, maps: Tensor, row: Tensor, column: Tensor):
        self.table = channel_rows(maps)
        self.index, self.weight = bilinear_taps(maps, row, column)
        self.shape = (*row.shape, 4)

    def samples(self, sample: int, points: slice) -> Tensor:
        """Samples of some points in each view, [V,points,C], at least in fp32."""
        index, weight = (each.view(self.shape)[sample, :, points].flatten(0, 1)
                         for each in (self.index, self.weight))
        found = F.embedding_bag(index, self.table, mode="sum",
                                per_sample_weights=weight.to(self.table.dtype))
        found = found.view(self.shape[1], -1, self.table.size(1))
        return found.to(working_type(found))


class PooledLookup(torch.autograd.Function):
    """See pooled_lookup. The backward looks up again, which costs less than keeping samples."""

    @staticmethod
    def forward(ctx, row, column, *maps):
        total = sum(each.size(2) for each in maps)
        out = maps[0].new_empty(row.size(0), row.size(2), 3 * total)
        first = 0
        for each in maps:
            lookup, channels = Lookup(each, row, column), each.size(2)
            for sample, points in panels(row):
                samples = lookup.samples(sample, points)
                parts = (samples.amax(0), *moments(samples))
                for number, part in enumerate(parts):
                    start = number * total + first
                    out[sample, points, start:start + channels] = part
            first += channels
        ctx.save_for_backward(row, column, out, *maps)
        return out

    @staticmethod
    def backward(ctx, grad):
        row, column, out, *maps = ctx.saved_tensors
        total, first, grads = grad.size(-1) // 3, 0, []
        for each in maps:
            lookup = Lookup(each, row, column)
            batch, views, channels, height, width = each.shape
            wide = grad.new_empty(*row.shape, channels, dtype=working_type(each))
            for sample, points in panels(row):
                found, slopes = ([each[sample, points, start:start + channels].to(wide.dtype)
                                  for start in range(first, 3 * total, total)]
                                 for each in (out, grad))
                samples_grad(lookup.samples(sample, points), found, slopes,
                             wide[sample, :, points])
            rows = spread(lookup.index, lookup.weight, wide.flatten(0, 2), len(lookup.table))
            grads.append(rows.to(each.dtype).view(batch, views, height, width, channels)
                         .permute(0, 1, 4, 2, 3))
            first += channels
        return None, None, *grads


def working_type(maps: Tensor) -> torch.dtype:
    """The type in which samples and their gradients are computed."""
    return torch.float32 if maps.dtype == torch.bfloat16 else maps.dtype


def moments(samples: Tensor) -> Tuple[Tensor, Tensor]:
    """Mean and sqrt(population variance + 1e-6) over the views of [V,P,C]."""
    average = samples.mean(0)
    variance = (samples - average).square_().mean(0)
    return average, variance.add_(VARIANCE_FLOOR).sqrt_()


def samples_grad(samples: Tensor, pooled: List[Tensor], slopes: List[Tensor],
                 out: Tensor) -> None:
    """Gradient of samples [V,P,C] into `out`, from the three pooled values and their gradients,
    [P,C] each. Views that share the maximum share its gradient. The mean is computed again, because
    the one rounded to bf16 may differ from the samples by more than they differ from each other."""
    views = len(samples)
    is_largest = (samples == pooled[0]).to(samples.dtype)
    share = slopes[0] / is_largest.sum(0)
    grad = samples.sub_(samples.mean(0)).mul_(slopes[2] / (views * pooled[2]))
    torch.addcmul(grad.add_(slopes[1] / views), share, is_largest, out=out)


class CompiledLookup(torch.autograd.Function):
    """The same for maps of bf16 on the CPU, in compiled loops."""

    @staticmethod
    def forward(ctx, row, column, *maps):
        total = sum(each.size(2) for each in maps)
        out = torch.empty(row.size(0), row.size(2), 3 * total, dtype=torch.bfloat16)
        first, places = 0, [each.contiguous().numpy() for each in (row, column)]
        for each in maps:
            height, width = each.shape[-2:]
            compiled.pool(wide_table(each), height, width, *places, first, total,
                          out.view(torch.uint16).numpy())
            first += each.size(2)
        ctx.save_for_backward(row, column, *maps)
        return out

    @staticmethod
    def backward(ctx, grad):
        row, column, *maps = ctx.saved_tensors
        total, first, grads = grad.size(-1) // 3, 0, []
        places, slopes = [each.contiguous().numpy() for each in (row, column)], compiled.bits(grad)
        for each in maps:
            batch, views, channels, height, width = each.shape
            wide = torch.zeros(batch, views, height * width, channels)
            compiled.pool_gradient(wide_table(each), height, width, *places, first, total, slopes,
                                   wide.numpy())
            grads.append(wide.to(each.dtype).view(batch, views, height, width, channels)
                         .permute(0, 1, 4, 2, 3))
            first += channels
        return None, None, *grads


def wide_table(maps: Tensor):
    """[B,V,C,h,w] -> fp32 [B,V,h*w,C]."""
    return channel_rows(maps.detach()).float().view(*maps.shape[:2], -1, maps.size(2)).numpy()


def pooled_lookup(maps: List[Tensor], row: Tensor, column: Tensor) -> Tensor:
    """Maps [B,V,C_k,h,w] at pixels [B,V,P] of the 224x224 image -> [max, mean, std] over the views
    of all maps' channels, [B,P,3*sumC]."""
    if compiled.suits(*maps):
        return CompiledLookup.apply(row, column, *maps)
    return PooledLookup.apply(row, column, *maps)
