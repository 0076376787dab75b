"""Desks with drawers on one side or both, open in the middle; vanities with a mirror."""

import numpy as np

from ..draw import chance, choose, integer, uniform
from ..materials import furniture_finish, paint
from ..shape import Part
from ..solids import box, rod, slab, union


def desk(rng):
    """Parts of one; measures in metres."""
    width, depth, height = uniform(rng, 1.0, 1.7), uniform(rng, 0.5, 0.8), uniform(rng, 0.7, 0.78)
    board, chest = uniform(rng, 0.018, 0.04), uniform(rng, 0.28, 0.45)
    x, z = depth / 2, width / 2
    finish = furniture_finish(rng)
    solids, fronts = [slab(depth, width, height - board, height)], []
    sides = choose(rng, [(-1,), (1,), (-1, 1)])
    low = choose(rng, [0.0, uniform(rng, 0.02, 0.25)])
    for s in (-1, 1):
        if s not in sides:
            at = s * (z - 0.03)
            solids.append(
                box((-0.95 * x, 0, at - board / 2), (0.95 * x, height - 0.01, at + board / 2))
            )
            continue
        middle = s * (z - 0.02 - chest / 2)
        solids += _chest(x, middle, chest, low, height)
        edges = np.linspace(low + 0.01, height - board - 0.01, integer(rng, 2, 4) + 1)
        for y0, y1 in zip(edges[:-1], edges[1:]):
            fronts += _drawer(x, middle, chest, y0, y1)
    solids += _back_and_mirror(rng, x, z, height, board)
    return [
        Part(union(solids), finish),
        Part(union(fronts), choose(rng, [finish, finish, paint(rng)])),
    ]


def _chest(x, middle, width, low, height):
    """Its body and, below it, its feet."""
    body = box((-0.95 * x, low, middle - width / 2), (0.95 * x, height - 0.01, middle + width / 2))
    if not low > 0:
        return [body]
    feet = [
        box(
            (a * 0.85 * x - 0.02, 0, middle + b * 0.42 * width - 0.02),
            (a * 0.85 * x + 0.02, low + 0.01, middle + b * 0.42 * width + 0.02),
        )
        for a in (-1, 1)
        for b in (-1, 1)
    ]
    return [body, *feet]


def _drawer(x, middle, width, y0, y1):
    """Its front and its knob."""
    y = (y0 + y1) / 2
    return [
        box(
            (0.94 * x, y0 + 0.008, middle - 0.46 * width),
            (0.95 * x + 0.016, y1 - 0.008, middle + 0.46 * width),
        ),
        rod((0.94 * x, y, middle), (0.95 * x + 0.04, y, middle), 0.012, segments=8),
    ]


def _back_and_mirror(rng, x, z, height, board):
    solids = []
    if chance(rng, 0.5):
        solids.append(
            box(
                (-0.9 * x, uniform(rng, 0.1, 0.45), -z + 0.02),
                (-0.9 * x + board, height - 0.01, z - 0.02),
            )
        )
    if chance(rng, 0.3):
        tall = uniform(rng, 0.2, 0.6)
        solids.append(
            box(
                (-x, height - 0.01, -uniform(rng, 0.3, 1) * z),
                (-x + uniform(rng, 0.02, 0.3), height + tall, uniform(rng, 0.3, 1) * z),
            )
        )
    return solids
