"""Compiled loops for training on a CPU. They read and write bf16 in one pass, for which PyTorch's
operations take several. Arrays of bf16 are uint16 here. Without Numba, PyTorch's operations are
used.

Sums are in fp32 and in a fixed order, so that a run can be repeated to the bit.
"""

import torch
from torch import Tensor

try:
    import numpy as np
    from numba import njit
    AVAILABLE = True
except ModuleNotFoundError:
    AVAILABLE = False

VARIANCE_FLOOR = 1e-6
CELLS_ALONG = 14  # of a grid's longest side


def suits(*tensors: Tensor) -> bool:
    """Whether the loops support these tensors: bf16, on the CPU."""
    return AVAILABLE and all(each.device.type == "cpu" and each.dtype == torch.bfloat16
                             for each in tensors)


def bits(tensor: Tensor) -> "np.ndarray":
    """A contiguous bf16 tensor as uint16, without a copy where it is contiguous."""
    return tensor.detach().contiguous().view(torch.uint16).numpy()


if AVAILABLE:
    @njit(nogil=True, fastmath=True, inline="always")
    def load(source, wide):
        """bf16 -> the bits of fp32."""
        for c in range(len(source)):
            wide[c] = np.uint32(source[c]) << np.uint32(16)

    @njit(nogil=True, fastmath=True, inline="always")
    def store(wide, target):
        """The bits of fp32 -> bf16, rounded to even."""
        for c in range(len(target)):
            u = wide[c]
            odd = (u >> np.uint32(16)) & np.uint32(1)
            target[c] = np.uint16((u + np.uint32(0x7fff) + odd) >> np.uint32(16))

    @njit(cache=True, nogil=True, fastmath=True)
    def combine(own, other, columns, values, bias, residual, share, rectify, rows, out, result):
        """out = own + T1 other + bias, rectified; result = (out + residual) * share, where there is
        a residual. own, other, out, result, residual [batch*rows,C]; columns, values [rows,most]
        are T1's entries."""
        channels, most = own.shape[1], columns.shape[1]
        line = np.empty(channels, np.float32)
        some = np.empty(channels, np.float32)
        line_bits, some_bits = line.view(np.uint32), some.view(np.uint32)
        for r in range(len(own)):
            start = r // rows * rows
            load(own[r], line_bits)
            for c in range(channels):
                line[c] += bias[c]
            for k in range(most):
                value = values[r - start, k]
                if value == 0.0:
                    continue
                load(other[start + columns[r - start, k]], some_bits)
                for c in range(channels):
                    line[c] += value * some[c]
            if rectify:
                for c in range(channels):
                    line[c] = max(line[c], np.float32(0))
            store(line_bits, out[r])
            if len(residual):
                load(residual[r], some_bits)
                for c in range(channels):
                    some[c] = (line[c] + some[c]) * share
                store(some_bits, result[r])

    @njit(cache=True, nogil=True, fastmath=True)
    def spread_gradient(grad, out, columns, values, share, rectify, rows, residual, both, bias):
        """both [batch*rows,2C] = [g, T1 g] with g = grad * share where out > 0; residual = grad *
        share, where it is wanted; bias [C] gets the sum of g."""
        channels, most = grad.shape[1], columns.shape[1]
        line = np.empty(channels, np.float32)
        some = np.empty(channels, np.float32)
        line_bits, some_bits = line.view(np.uint32), some.view(np.uint32)
        for r in range(len(grad)):
            load(grad[r], line_bits)
            if len(residual):
                for c in range(channels):
                    line[c] *= share
                store(line_bits, residual[r])
            if rectify:
                for c in range(channels):
                    if out[r, c] == 0 or out[r, c] >= 0x8000:
                        line[c] = 0.0
            for c in range(channels):
                bias[c] += line[c]
            store(line_bits, both[r, :channels])
        for r in range(len(grad)):
            start = r // rows * rows
            for c in range(channels):
                line[c] = 0.0
            for k in range(most):
                value = values[r - start, k]
                if value == 0.0:
                    continue
                load(both[start + columns[r - start, k], :channels], some_bits)
                for c in range(channels):
                    line[c] += value * some[c]
            store(line_bits, both[r, channels:])

    @njit(nogil=True, fastmath=True, inline="always")
    def taps(row, column, height, width, places, weights):
        """The four pixels around a pixel of the 224x224 image, as sampling.bilinear_corners has
        them."""
        y = min(max(row * (height / np.float32(224.0)), np.float32(0.0)), np.float32(height - 1))
        x = min(max(column * (width / np.float32(224.0)), np.float32(0.0)), np.float32(width - 1))
        top, left = int(y), int(x)
        down, right = y - top, x - left
        below, beside = min(top + 1, height - 1), min(left + 1, width - 1)
        places[0], places[1] = top * width + left, top * width + beside
        places[2], places[3] = below * width + left, below * width + beside
        weights[0], weights[1] = (1 - down) * (1 - right), (1 - down) * right
        weights[2], weights[3] = down * (1 - right), down * right

    @njit(nogil=True, fastmath=True, inline="always")
    def read(table, places, weights, buffer):
        """Interpolates one view's map: table [h*w,C] -> buffer [C]."""
        a, b, c, d = weights[0], weights[1], weights[2], weights[3]
        first, second = table[places[0]], table[places[1]]
        third, fourth = table[places[2]], table[places[3]]
        for k in range(len(buffer)):
            buffer[k] = a * first[k] + b * second[k] + c * third[k] + d * fourth[k]

    @njit(cache=True, nogil=True, fastmath=True)
    def pool(table, height, width, row, column, first, total, out):
        """Largest, mean and deviation over the views of a map's lookups: table [B,V,h*w,C], row and
        column [B,V,P] -> channels first, total + first, 2 total + first of out [B,P,3 total]."""
        batch, views, points = row.shape
        channels = table.shape[3]
        buffer = np.empty((views, channels), np.float32)
        places, weights = np.empty(4, np.int64), np.empty(4, np.float32)
        most, mean, spread = (np.empty(channels, np.float32), np.empty(channels, np.float32),
                              np.empty(channels, np.float32))
        for b in range(batch):
            for p in range(points):
                for v in range(views):
                    taps(row[b, v, p], column[b, v, p], height, width, places, weights)
                    read(table[b, v], places, weights, buffer[v])
                summarise(buffer, most, mean, spread)
                line = out[b, p]
                store(most.view(np.uint32), line[first:first + channels])
                store(mean.view(np.uint32), line[total + first:total + first + channels])
                store(spread.view(np.uint32), line[2 * total + first:2 * total + first + channels])

    @njit(nogil=True, fastmath=True, inline="always")
    def summarise(buffer, most, mean, spread):
        views, channels = buffer.shape
        for c in range(channels):
            most[c] = buffer[0, c]
            mean[c] = buffer[0, c]
            spread[c] = 0.0
        for v in range(1, views):
            for c in range(channels):
                most[c] = max(most[c], buffer[v, c])
                mean[c] += buffer[v, c]
        for c in range(channels):
            mean[c] /= views
        for v in range(views):
            for c in range(channels):
                off = buffer[v, c] - mean[c]
                spread[c] += off * off
        for c in range(channels):
            spread[c] = np.sqrt(spread[c] / views + np.float32(VARIANCE_FLOOR))

    @njit(cache=True, nogil=True, fastmath=True)
    def pool_gradient(table, height, width, row, column, first, total, grad, out):
        """The transpose: grad [B,P,3 total] bf16, added to out [B,V,h*w,C] fp32. Views that share
        the maximum share its gradient."""
        batch, views, points = row.shape
        channels = table.shape[3]
        buffer = np.empty((views, channels), np.float32)
        places, weights = np.empty((views, 4), np.int64), np.empty((views, 4), np.float32)
        most, mean, spread = (np.empty(channels, np.float32), np.empty(channels, np.float32),
                              np.empty(channels, np.float32))
        of_most, of_mean, of_spread = (np.empty(channels, np.float32),
                                       np.empty(channels, np.float32),
                                       np.empty(channels, np.float32))
        ties = np.empty(channels, np.float32)
        for b in range(batch):
            for p in range(points):
                for v in range(views):
                    taps(row[b, v, p], column[b, v, p], height, width, places[v], weights[v])
                    read(table[b, v], places[v], weights[v], buffer[v])
                summarise(buffer, most, mean, spread)
                line = grad[b, p]
                load(line[first:first + channels], of_most.view(np.uint32))
                load(line[total + first:total + first + channels], of_mean.view(np.uint32))
                load(line[2 * total + first:2 * total + first + channels],
                     of_spread.view(np.uint32))
                for c in range(channels):
                    ties[c] = 0.0
                for v in range(views):
                    for c in range(channels):
                        ties[c] += np.float32(buffer[v, c] == most[c])
                for c in range(channels):
                    of_most[c] /= ties[c]
                    of_mean[c] /= views
                    of_spread[c] /= views * spread[c]
                for v in range(views):
                    own = buffer[v]
                    for c in range(channels):
                        share = of_most[c] if own[c] == most[c] else np.float32(0.0)
                        own[c] = share + of_mean[c] + (own[c] - mean[c]) * of_spread[c]
                    for k in range(4):
                        weight = weights[v, k]
                        if weight == 0.0:
                            continue
                        target = out[b, v, places[v, k]]
                        for c in range(channels):
                            target[c] += weight * own[c]

    @njit(cache=True, nogil=True, fastmath=True)
    def nearest(queries, points, index):
        """The nearest of points [M,3] to each of queries [N,3] into index [N]: points lie in a grid
        of cells, which are searched from a query's own outwards."""
        count = len(points)
        low, high = np.empty(3, np.float32), np.empty(3, np.float32)
        for k in range(3):
            low[k], high[k] = points[:, k].min(), points[:, k].max()
        extent = max(high[0] - low[0], max(high[1] - low[1], high[2] - low[2]))
        side = extent / CELLS_ALONG + np.float32(1e-9)
        sides = np.empty(3, np.int64)
        for k in range(3):
            sides[k] = int((high[k] - low[k]) / side) + 1
        cells = np.empty(count, np.int64)
        starts = np.zeros(sides[0] * sides[1] * sides[2] + 1, np.int64)
        for p in range(count):
            cell = 0
            for k in range(3):
                cell = cell * sides[k] + min(int((points[p, k] - low[k]) / side), sides[k] - 1)
            cells[p] = cell
            starts[cell + 1] += 1
        for cell in range(len(starts) - 1):
            starts[cell + 1] += starts[cell]
        free = starts.copy()
        order = np.empty(count, np.int64)
        placed = np.empty((count, 3), np.float32)
        for p in range(count):
            at = free[cells[p]]
            free[cells[p]] += 1
            order[at] = p
            for k in range(3):
                placed[at, k] = points[p, k]
        own = np.empty(3, np.int64)
        first, last = np.empty(3, np.int64), np.empty(3, np.int64)
        for q in range(len(queries)):
            x, y, z = queries[q, 0], queries[q, 1], queries[q, 2]
            outside = np.float32(0.0)  # squared distance to the grid's box: no point is nearer
            for k in range(3):
                value = queries[q, k]
                own[k] = min(max(int(np.floor((value - low[k]) / side)), 0), sides[k] - 1)
                beyond = max(low[k] - value, value - high[k])
                if beyond > 0:
                    outside += beyond * beyond
            best, found = np.float32(np.inf), 0
            most = max(sides[0], max(sides[1], sides[2]))
            for ring in range(most + 1):
                # Cells of this ring are at least (ring - 1) sides away within the box.
                reach = max(ring - 1, 0) * side
                if best <= max(reach * reach, outside) and ring > 0:
                    break
                for k in range(3):
                    first[k], last[k] = max(own[k] - ring, 0), min(own[k] + ring, sides[k] - 1)
                for i in range(first[0], last[0] + 1):
                    edge_i = abs(i - own[0]) == ring
                    for j in range(first[1], last[1] + 1):
                        edge_j = edge_i or abs(j - own[1]) == ring
                        for h in range(first[2], last[2] + 1):
                            if not edge_j and abs(h - own[2]) != ring:
                                continue
                            cell = (i * sides[1] + j) * sides[2] + h
                            for at in range(starts[cell], starts[cell + 1]):
                                dx, dy, dz = placed[at, 0] - x, placed[at, 1] - y, placed[at, 2] - z
                                distance = dx * dx + dy * dy + dz * dz
                                if distance < best:
                                    best, found = distance, at
            index[q] = order[found]
