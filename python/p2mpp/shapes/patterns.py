"""Solid textures: functions of positions [N,3] that give a weight [N] in 0..1."""

import numpy as np

from .draw import uniform

_AXES = {"x": 0, "y": 1, "z": 2}


def wobble(rng, frequency, waves=4):
    """Smooth noise in about -1..1: sine waves in random directions, `frequency` a unit length."""
    directions = rng.standard_normal((waves, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    directions *= 2 * np.pi * frequency * rng.uniform(0.6, 1.4, (waves, 1))
    phases = rng.uniform(0, 2 * np.pi, waves)
    return lambda p: np.sin(p @ directions.T + phases).sum(1) / np.sqrt(waves)


def mottle(rng, frequency):
    """Soft blotches."""
    noise = wobble(rng, frequency)
    return lambda p: np.clip(0.5 + 0.45 * noise(p), 0, 1)


def speckle(rng, frequency):
    """Two scales of blotches multiplied: cloth, stone."""
    coarse, fine = wobble(rng, frequency, 3), wobble(rng, 3 * frequency, 5)
    return lambda p: np.clip(0.5 + 0.5 * coarse(p) * fine(p), 0, 1)


def wood_grain(rng, axis, rings):
    """Growth rings around an axis (x, y or z) that lies a little off the object."""
    a, b = (k for k in range(3) if k != _AXES[axis])
    center = rng.uniform(-0.6, 0.6, 2)
    noise = wobble(rng, 1.2)
    stretch = np.ones(3)
    stretch[_AXES[axis]] = 0.25

    def grain(p):
        radius = np.hypot(p[:, a] - center[0], p[:, b] - center[1]) + 0.035 * noise(p * stretch)
        return 0.5 + 0.5 * np.sin(2 * np.pi * rings * radius)

    return grain


def stripes(rng, axis, period, share=0.5):
    """Sharp stripes across an axis; share is the part of a period that has weight 1."""
    phase = uniform(rng, 0, 1)
    return lambda p: (((p[:, _AXES[axis]] / period + phase) % 1.0) < share).astype(float)


def checks(rng, period):
    """A chequered solid."""
    phase = rng.uniform(0, 1, 3)
    return lambda p: np.floor(p / period + phase).sum(1) % 2


def band(axis, low, high):
    """Weight 1 between two planes."""
    return lambda p: ((p[:, _AXES[axis]] >= low) & (p[:, _AXES[axis]] < high)).astype(float)


def dashed_band(axis, low, high, along, period, share):
    """A band cut into dashes along another axis: rows of windows."""
    inside = band(axis, low, high)
    return lambda p: inside(p) * (((p[:, _AXES[along]] / period) % 1.0) < share)


def within(pattern, axis, low, high):
    """The pattern where the band is, nothing elsewhere."""
    inside = band(axis, low, high)
    return lambda p: pattern(p) * inside(p)
