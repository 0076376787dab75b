"""Beds: a frame with head and foot, a mattress, a cover and pillows."""

import numpy as np

from ..draw import chance, choose, integer, uniform
from ..materials import Material, fabric, furniture_finish, gray
from ..shape import Part
from ..solids import beam, box, rod, rounded_box, union


def bed(rng):
    """Parts of one; measures in metres."""
    width, length = uniform(rng, 0.8, 1.9), uniform(rng, 1.8, 2.2)
    low, thick = uniform(rng, 0.12, 0.4), uniform(rng, 0.12, 0.28)
    x, z = length / 2, width / 2
    finish = furniture_finish(rng)
    frame = [box((-x, low - uniform(rng, 0.04, 0.15), -z), (x, low + 0.05, z))]
    post = uniform(rng, 0.03, 0.08)
    heads = uniform(rng, 0.5, 1.2)
    feet = choose(rng, [low + 0.05, uniform(rng, low, 0.8 * heads)])
    for at, tall in ((-x, heads), (x, feet)):
        frame += _end(rng, at, z, low, tall, post)
    return [Part(union(frame), finish), *_bedding(rng, x, z, low, low + thick)]


def _end(rng, at, z, low, tall, post):
    """Two posts and, where they are high enough, a board or bars between them."""
    solids = [
        box(
            (at - post / 2, 0, s * (z - post / 2) - post / 2),
            (at + post / 2, tall, s * (z - post / 2) + post / 2),
        )
        for s in (-1, 1)
    ]
    if not tall > low + 0.15:
        return solids
    if chance(rng, 0.5):
        return [*solids, box((at - 0.015, low, -z), (at + 0.015, tall - 0.02, z))]
    rail = beam((at, tall - 0.02, -z), (at, tall - 0.02, z), 0.04)
    bars = [
        rod((at, low, b), (at, tall - 0.02, b), 0.012, segments=8)
        for b in np.linspace(-z, z, integer(rng, 5, 11))[1:-1]
    ]
    return [*solids, rail, *bars]


def _bedding(rng, x, z, low, top):
    """A mattress, perhaps a cover, and a pillow for each sleeper."""
    mattress = rounded_box((-x + 0.03, low, -z + 0.02), (x - 0.03, top, z - 0.02), 0.05)
    parts = [Part(mattress, Material(gray(uniform(rng, 0.8, 0.97)), 0.02))]
    if chance(rng, 0.7):
        cover = rounded_box(
            (-x + uniform(rng, 0.4, 0.8), low + 0.02, -z - 0.01),
            (x - 0.02, top + 0.04, z + 0.01),
            0.04,
        )
        parts.append(Part(cover, fabric(rng)))
    for s in (0,) if 2 * z < 1.2 else (-1, 1):
        pillow = rounded_box(
            (-x + 0.08, top - 0.02, s * z / 2 - 0.28),
            (-x + 0.45, top + 0.11, s * z / 2 + 0.28),
            0.06,
        )
        parts.append(Part(pillow, fabric(rng)))
    return parts
