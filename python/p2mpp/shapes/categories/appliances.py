"""Fridges, washing machines, ovens, heaters, speakers, sinks: boxes with fronts and details."""

from typing import NamedTuple

import numpy as np

from ..draw import chance, choose, integer, uniform, weighted
from ..materials import Material, gray, metal, paint
from ..outlines import smooth_path
from ..shape import Part
from ..solids import box, rod, rounded_box, sweep, union


class Body(NamedTuple):
    """Half of its depth and of its width; its lower and upper end."""

    x: float
    z: float
    low: float
    height: float


def appliance(rng):
    """Parts of one; it faces +x."""
    width, depth, height = uniform(rng, 0.4, 0.9), uniform(rng, 0.3, 0.75), uniform(rng, 0.3, 1.9)
    x, z, edge = depth / 2, width / 2, uniform(rng, 0.005, 0.06)
    white = Material(gray(uniform(rng, 0.85, 1.0)), uniform(rng, 0.1, 0.5), uniform(rng, 15, 60))
    finish = choose(rng, [white, white, white, metal(rng), paint(rng)])
    low = choose(rng, [0.0, uniform(rng, 0.02, 0.1)])
    solid = (
        rounded_box((-x, low, -z), (x, height, z), edge)
        if chance(rng, 0.6)
        else box((-x, low, -z), (x, height, z))
    )
    feet = _feet(x, z, low + 2 * edge + 0.01) if low else []
    kind = weighted(rng, {"doors": 3, "drum": 2, "oven": 2, "basin": 1.5, "grille": 1.5})
    front = {"doors": _doors, "drum": _drum, "oven": _oven, "basin": _basin, "grille": _grille}
    hollows, details = front[kind](rng, Body(x, z, low, height))
    for hollow in hollows:
        solid -= hollow
    parts = [Part(union([solid, *feet]), finish)]
    if details:
        look = choose(rng, [finish, white, Material(gray(0.08), 0.5, 50), metal(rng)])
        parts.append(Part(union(details), look))
    return parts


def _feet(x, z, height):
    return [
        rod((a * 0.8 * x, 0, b * 0.8 * z), (a * 0.8 * x, height, b * 0.8 * z), 0.03)
        for a in (-1, 1)
        for b in (-1, 1)
    ]


# Each gives what is cut out of the body, and what is set on it.


def _doors(rng, body):
    x, z, low, height = body
    edges = np.sort(
        np.append(
            rng.uniform(low + 0.2 * height, 0.9 * height, integer(rng, 0, 1)),
            [low + 0.02, height - 0.02],
        )
    )
    details = []
    for y0, y1 in zip(edges[:-1], edges[1:]):
        details.append(
            rounded_box((x - 0.02, y0 + 0.006, -z + 0.01), (x + 0.04, y1 - 0.006, z - 0.01), 0.01)
        )
        s, tall = choose(rng, [-1, 1]), uniform(rng, 0.2, 0.6) * (y1 - y0)
        details.append(
            box(
                (x + 0.03, (y0 + y1 - tall) / 2, s * 0.8 * z - 0.012),
                (x + 0.075, (y0 + y1 + tall) / 2, s * 0.8 * z + 0.012),
            )
        )
    return [], details


def _drum(_, body):
    x, z, low, height = body
    y, r = low + 0.5 * (height - low), 0.33 * min(2 * z, height - low)
    door = rod((x - 0.03, y, 0), (x + 0.04, y, 0), r, 0.8 * r, 32)
    panel = box(
        (x - 0.01, height - 0.12 * height, -z + 0.02), (x + 0.015, height - 0.03, z - 0.02)
    )
    return [], [door, panel]


def _oven(rng, body):
    x, z, low, height = body
    y0, y1 = low + 0.1 * height, low + 0.7 * (height - low)
    door = box((x - 0.01, y0, -0.9 * z), (x + 0.025, y1, 0.9 * z))
    bar = rod((x + 0.05, y1 - 0.04, -0.8 * z), (x + 0.05, y1 - 0.04, 0.8 * z), 0.015, segments=10)
    holders = [
        rod((x, y1 - 0.04, s * 0.7 * z), (x + 0.05, y1 - 0.04, s * 0.7 * z), 0.012, segments=8)
        for s in (-1, 1)
    ]
    y = height - 0.07 * height
    knobs = [
        rod((x - 0.02, y, b), (x + 0.04, y, b), 0.025, segments=14)
        for b in np.linspace(-0.7 * z, 0.7 * z, integer(rng, 2, 5))
    ]
    return [], [door, bar, *holders, *knobs]


def _basin(rng, body):
    x, z, _, height = body
    rim = uniform(rng, 0.02, 0.05)
    hollow = rounded_box(
        (-x + rim + 0.06, height - uniform(rng, 0.1, 0.25), -z + rim),
        (x - rim, height + 0.3, z - rim),
        0.08,
    )
    path = [
        (-x + 0.04, height - 0.05, 0),
        (-x + 0.04, height + 0.2, 0),
        (-x + 0.1, height + 0.25, 0),
        (-x + 0.22, height + 0.2, 0),
    ]
    return [hollow], [sweep(smooth_path(path, 18), 0.018, 10)]


def _grille(rng, body):
    x, z, low, height = body
    return [
        box((x - 0.04, y - 0.012, -0.8 * z), (x + 1, y + 0.012, 0.8 * z))
        for y in np.linspace(low + 0.15 * height, 0.9 * height, integer(rng, 4, 9))
    ], []
