"""Solid textures with something to hold on to at every scale: what structure from motion needs."""

import numpy as np

_PRIMES = np.array([73856093, 19349663, 83492791], np.uint32)
_CORNERS = np.array(np.meshgrid([0, 1], [0, 1], [0, 1], indexing="ij")).reshape(3, -1).T


def _hashed(cells: np.ndarray, seed: int) -> np.ndarray:
    """A number in 0..1 for each cell [N,3] of a grid."""
    mixed = (cells.astype(np.uint32) * _PRIMES).astype(np.uint32)
    value = mixed[:, 0] ^ mixed[:, 1] ^ mixed[:, 2] ^ np.uint32(seed * 2654435761 % 2**32)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        value = (value ^ (value >> np.uint32(shift))) * np.uint32(factor)
    return (value ^ (value >> np.uint32(16))) / 2.0**32


def noise(points: np.ndarray, cell: float, seed: int) -> np.ndarray:
    """Value noise [N] in 0..1: drawn at the corners of cells of that size, smooth between them."""
    scaled = points / cell
    base = np.floor(scaled)
    share = scaled - base
    share = share * share * (3 - 2 * share)
    total = np.zeros(len(points))
    for corner in _CORNERS:
        weight = np.prod(np.where(corner, share, 1 - share), axis=1)
        total += weight * _hashed((base + corner).astype(np.int64), seed)
    return total


def blotches(points: np.ndarray, cell: float, seed: int) -> np.ndarray:
    """0..1 [N]: sharp-edged spots of four sizes, from `cell` down to an eighth of it."""
    total = np.zeros(len(points))
    for octave in range(4):
        spots = noise(points, cell / 2**octave, seed + octave)
        total += np.clip(8 * (spots - 0.5), -1, 1) / 4
    return 0.5 + 0.5 * np.clip(1.4 * total, -1, 1)
