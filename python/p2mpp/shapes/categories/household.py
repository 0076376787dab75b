"""Small and white things: vessels, lamps, kitchen and bathroom appliances, boxes that stand open,
panels, and compositions of simple bodies.
"""

import numpy as np

from ..draw import chance, choose, integer, uniform, weighted
from ..materials import Material, fabric, furniture_finish, gray, metal, paint, plastic, wood
from ..shape import Part
from ..solids import box, ellipsoid, rod, rounded_box, slab, union
from .appliances import appliance
from .fixtures import cable_lamp, ceiling_lamp, chandelier, wall_lamp
from .vessels import ceramic, cup, pot, tap, vessel


def build(rng):
    """Parts of a random thing, about one unit large."""
    kind = weighted(
        rng,
        {
            "cup": 3,
            "vessel": 3,
            "pot": 2,
            "wall_lamp": 2,
            "ceiling_lamp": 2,
            "chandelier": 1,
            "cable_lamp": 1,
            "appliance": 4,
            "open_box": 2,
            "tap": 1,
            "composition": 3,
            "panel": 1,
        },
    )
    return {
        "cup": cup,
        "vessel": vessel,
        "pot": pot,
        "wall_lamp": wall_lamp,
        "ceiling_lamp": ceiling_lamp,
        "chandelier": chandelier,
        "cable_lamp": cable_lamp,
        "appliance": appliance,
        "open_box": _open_box,
        "tap": tap,
        "composition": _composition,
        "panel": _panel,
    }[kind](rng)


def _open_box(rng):
    """Crates, baskets, baths, trays, drawers: walls around an open inside, sometimes slatted."""
    width, depth, height = uniform(rng, 0.4, 1.4), uniform(rng, 0.3, 0.8), uniform(rng, 0.12, 0.7)
    x, z, wall = depth / 2, width / 2, uniform(rng, 0.012, 0.05)
    finish = choose(rng, [furniture_finish(rng), plastic(rng), ceramic(rng)])
    if chance(rng, 0.35):
        rows = integer(rng, 2, 5)
        solids = [
            box(
                (a * (x - wall) - wall, 0, b * (z - wall) - wall),
                (a * (x - wall) + wall, height, b * (z - wall) + wall),
            )
            for a in (-1, 1)
            for b in (-1, 1)
        ]
        for y0 in np.linspace(0, height, rows + 1)[:-1]:
            y1 = y0 + 0.7 * height / rows
            solids += [box((-x, y0, s * z - wall / 2), (x, y1, s * z + wall / 2)) for s in (-1, 1)]
            solids += [box((s * x - wall / 2, y0, -z), (s * x + wall / 2, y1, z)) for s in (-1, 1)]
        solids.append(slab(depth, width, 0, wall))
        return [Part(union(solids), wood(rng))]
    radius = uniform(rng, 0.01, 0.2) * min(width, depth, height)
    body = rounded_box((-x, 0, -z), (x, height, z), radius) - rounded_box(
        (-x + wall, wall, -z + wall), (x - wall, 2 * height, z - wall), radius
    )
    parts = [Part(body, finish)]
    if chance(rng, 0.25):
        lid = box(
            (-x - 0.02, height - 0.01, -z - 0.01),
            (-x + 0.012, height + depth * uniform(rng, 0.5, 1), z + 0.01),
        )
        parts.append(Part(lid, finish))
    return parts


def _panel(rng):
    """Doors, windows, frames and screens that stand or hang: thin plates with openings."""
    width, height, deep = uniform(rng, 0.3, 1.4), uniform(rng, 0.4, 2.0), uniform(rng, 0.03, 0.12)
    x, z, rim = deep / 2, width / 2, uniform(rng, 0.04, 0.12)
    rows, columns = integer(rng, 1, 4), integer(rng, 1, 3)
    body = box((-x, 0, -z), (x, height, z))
    through = chance(rng, 0.4)
    ys, zs = np.linspace(rim, height - rim, rows + 1), np.linspace(-z + rim, z - rim, columns + 1)
    for y0, y1 in zip(ys[:-1], ys[1:]):
        for z0, z1 in zip(zs[:-1], zs[1:]):
            if min(y1 - y0, z1 - z0) > 0.06:
                body -= box(
                    (-1 if through else 0.2 * x, y0 + 0.02, z0 + 0.02), (1, y1 - 0.02, z1 - 0.02)
                )
    parts = [Part(body, choose(rng, [furniture_finish(rng), Material(gray(0.95), 0.1)]))]
    if chance(rng, 0.5):
        parts.append(
            Part(box((-0.16, -0.02, -1.1 * z), (0.16, 0.03, 1.1 * z)), furniture_finish(rng))
        )
    return parts


def _composition(rng):
    """Boxes, cylinders and balls that stand on and in each other: what has no name."""
    solids, at, size = [], np.zeros(3), uniform(rng, 0.3, 0.6)
    parts = []
    for _ in range(integer(rng, 2, 6)):
        half = size * rng.uniform(0.25, 1.0, 3)
        kind = choose(rng, ["box", "rounded", "rod", "ball", "cone"])
        low, high = at - half, at + half
        body = {
            "box": lambda: box(low, high),
            "rounded": lambda: rounded_box(low, high, uniform(rng, 0.1, 0.4) * half.min()),
            "rod": lambda: rod(at - [0, half[1], 0], at + [0, half[1], 0], half[0], segments=24),
            "ball": lambda: ellipsoid(at, half, 24),
            "cone": lambda: rod(
                at - [0, half[1], 0],
                at + [0, half[1], 0],
                half[0],
                uniform(rng, 0.2, 0.7) * half[0],
                24,
            ),
        }[kind]()
        if chance(rng, 0.3):
            body = (
                body.translate(tuple(-at))
                .rotate((0, uniform(rng, 0, 90), uniform(rng, -30, 30)))
                .translate(tuple(at))
            )
        solids.append(body)
        parts.append(
            Part(body, choose(rng, [plastic(rng), paint(rng), wood(rng), fabric(rng), metal(rng)]))
        )
        axis = int(rng.integers(3))
        at = at.copy()
        at[axis] += choose(rng, [-1, 1]) * 0.9 * half[axis]
        size *= uniform(rng, 0.6, 1.1)
    return parts
