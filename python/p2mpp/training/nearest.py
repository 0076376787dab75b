"""Exact nearest neighbours: in a grid if Numba is installed, else by brute force, in pieces that
stay in the cache."""

from typing import Tuple

import torch
from torch import Tensor

from . import compiled

CPU_ROWS, GPU_ROWS = 64, 1024
INFINITE = 0x7F800000  # the bits of an infinite float32


def augmented(points: Tensor, left: bool) -> Tensor:
    """Points [N,3] as rows [N,5]: the product of a left and a right row is the squared distance."""
    square = points.square().sum(1, keepdim=True)
    ones = torch.ones_like(square)
    return torch.cat([points * -2, ones, square] if left else [points, square, ones], 1)


def pieces(first: Tensor, second: Tensor):
    """Squared distances [rows,M] between some of first [N,3] and all of second [M,3]; yields them
    with the first row's number."""
    centre = second.mean(0)
    left, right = augmented(first - centre, True), augmented(second - centre, False).t()
    rows = CPU_ROWS if first.device.type == "cpu" else GPU_ROWS
    for start in range(0, len(first), rows):
        yield start, torch.mm(left[start:start + rows], right).clamp_min_(0.0)


@torch.no_grad()
def nearest_indices(first: Tensor, second: Tensor) -> Tuple[Tensor, Tensor]:
    """[N,3], [M,3] -> (for each of first the nearest of second [N], the other way round [M]).

    Bits of a positive float order as the number does. The lowest give way to the index, so that
    one minimum finds both; of points whose squared distances agree to about 1e-3, any may come.
    """
    if can_use_grid(first, second):
        return nearest_in_grid(first, second), nearest_in_grid(second, first)
    bits = max(len(first), len(second)).bit_length()
    low = (1 << bits) - 1
    columns = torch.arange(len(second), dtype=torch.int32, device=first.device)
    rows = torch.arange(len(first), dtype=torch.int32, device=first.device).unsqueeze(1)
    of_first = []
    of_second = torch.full_like(columns, INFINITE)
    for start, distances in pieces(first.float(), second.float()):
        keys = distances.view(torch.int32).bitwise_and_(~low)
        of_first.append((keys | columns).amin(1))
        keys |= rows[start:start + len(keys)]
        torch.minimum(of_second, keys.amin(0), out=of_second)
    return (torch.cat(of_first) & low).long(), (of_second & low).long()


def can_use_grid(*sets: Tensor) -> bool:
    """The grid needs finite fp32 coordinates on the CPU."""
    return compiled.AVAILABLE and all(
        each.device.type == "cpu" and each.dtype == torch.float32
        and bool(each.isfinite().all()) for each in sets)


def nearest_in_grid(queries: Tensor, points: Tensor) -> Tensor:
    """The nearest of points [M,3] to each of queries [N,3]: [N]."""
    index = torch.empty(len(queries), dtype=torch.int64)
    compiled.nearest(queries.detach().contiguous().numpy(), points.detach().contiguous().numpy(),
                     index.numpy())
    return index


@torch.no_grad()
def nearest_distances(first: Tensor, second: Tensor) -> Tuple[Tensor, Tensor]:
    """[N,3], [M,3] -> squared distances to the nearest of the other set, [N] and [M]."""
    of_first = []
    of_second = torch.full((len(second),), float("inf"), device=first.device)
    for _, distances in pieces(first.float(), second.float()):
        of_first.append(distances.amin(1))
        torch.minimum(of_second, distances.amin(0), out=of_second)
    return torch.cat(of_first), of_second


def nearest_in_batch(first: Tensor, second: Tensor) -> Tuple[Tensor, Tensor]:
    """nearest_indices of each sample: [B,N,3], [B,M,3] -> [B,N], [B,M]."""
    found = [nearest_indices(*pair) for pair in zip(first.detach(), second.detach())]
    return torch.stack([each[0] for each in found]), torch.stack([each[1] for each in found])


def pick(points: Tensor, index: Tensor) -> Tensor:
    """Points [B,N,3] by index [B,M] -> [B,M,3]."""
    return points.gather(1, index.unsqueeze(-1).expand(-1, -1, points.size(-1)))
