"""Lamps on walls and ceilings, chandeliers, lamps with their cable."""

import numpy as np

from ..draw import chance, choose, integer, uniform, weighted
from ..materials import Material, fabric, gray, metal, paint, plastic
from ..outlines import smooth_path
from ..shape import Part
from ..solids import box, ellipsoid, lathe, rod, rounded_box, slab, sweep, union
from .vessels import ceramic


def _shade(rng, radius, low, high):
    """A hollow lampshade: a cone, drum, bell or ball."""
    kind = choose(rng, ["cone", "drum", "bell", "ball"])
    if kind == "ball":
        middle = (low + high) / 2
        return ellipsoid((0, middle, 0), (radius, (high - low) / 2, radius), 32)
    top = {"cone": uniform(rng, 0.25, 0.7), "drum": 1.0, "bell": uniform(rng, 0.15, 0.4)}[
        kind
    ] * radius
    t = np.linspace(0, 1, 10)
    bend = t if kind != "bell" else np.sqrt(t)
    outer = np.stack([radius + (top - radius) * bend, low + (high - low) * t], 1)
    return lathe(
        np.concatenate(
            [[(0.9 * radius - 0.01, low + 0.25 * (high - low)), (0.94 * radius, low)], outer]
        ),
        segments=32,
    )


def _shade_material(rng):
    return choose(
        rng, [Material(gray(uniform(rng, 0.8, 1)), 0.05), fabric(rng), ceramic(rng), metal(rng)]
    )


def wall_lamp(rng):
    """A plate on the wall, an arm or two, shades."""
    arms = integer(rng, 1, 3)
    plate = choose(
        rng,
        [
            box((-0.04, -0.2, -0.12), (0, 0.2, 0.12)),
            rod((-0.04, 0, 0), (0, 0, 0), uniform(rng, 0.12, 0.25), segments=28),
        ],
    )
    reach, rise = uniform(rng, 0.2, 0.6), uniform(rng, -0.1, 0.3)
    tubes, shades = [plate], []
    down = chance(rng, 0.5)
    for k in range(arms):
        z = 0.0 if arms == 1 else (k - (arms - 1) / 2) * uniform(rng, 0.25, 0.5)
        path = smooth_path(
            [
                (-0.02, 0, 0.2 * z),
                (0.5 * reach, rise * uniform(rng, -0.5, 1), 0.7 * z),
                (reach, rise, z),
            ],
            14,
        )
        tubes.append(sweep(path, uniform(rng, 0.012, 0.03), 10))
        size = uniform(rng, 0.12, 0.24)
        body = _shade(rng, size, 0, uniform(rng, 1.0, 1.8) * size)
        middle = 0.5 * size
        if down:
            body = body.translate((reach, rise - 1.1 * middle - size, z))
            tubes.append(rod((reach, rise + 0.01, z), (reach, rise - 0.9 * size - middle, z), 0.02))
        else:
            body = body.translate((reach, rise - 0.1 * size, z))
            tubes.append(rod((reach, rise - 0.02, z), (reach, rise + size, z), 0.02))
        shades.append(body)
    return [Part(union(tubes), metal(rng)), Part(union(shades), _shade_material(rng))]


def ceiling_lamp(rng):
    """Flat bowls and boxes under a plate, tubes, spots on a rail."""
    kind = weighted(rng, {"bowl": 2, "box": 1, "rail": 2, "pendant": 2})
    if kind == "bowl":
        radius = uniform(rng, 0.3, 0.6)
        t = np.linspace(0, np.pi / 2, 9)
        depth = uniform(rng, 0.1, 0.35)
        bowl = lathe(np.stack([radius * np.sin(t) + 0.005, -depth * np.cos(t)], 1), segments=40)
        return [
            Part(bowl, _shade_material(rng)),
            Part(lathe([(1.04 * radius, -0.01), (1.04 * radius, 0.05)], segments=40), metal(rng)),
        ]
    if kind == "box":
        long, wide, deep = uniform(rng, 0.6, 1.4), uniform(rng, 0.08, 0.5), uniform(rng, 0.05, 0.14)
        return [
            Part(slab(long, wide, 0, deep), paint(rng)),
            Part(
                rounded_box(
                    (-0.48 * long, -0.06, -0.42 * wide), (0.48 * long, 0.02, 0.42 * wide), 0.03
                ),
                _shade_material(rng),
            ),
        ]
    if kind == "rail":
        long, count = uniform(rng, 0.8, 1.6), integer(rng, 2, 5)
        solids = [box((-long / 2, 0, -0.03), (long / 2, 0.05, 0.03))]
        for x in np.linspace(-0.42 * long, 0.42 * long, count):
            tilt = uniform(rng, -0.12, 0.12)
            solids += [
                rod((x, 0.01, 0), (x, -0.12, 0), 0.015),
                rod(
                    (x, -0.1, 0),
                    (x + tilt, -0.3, uniform(rng, -0.12, 0.12)),
                    0.05,
                    uniform(rng, 0.05, 0.1),
                ),
            ]
        return [Part(union(solids), choose(rng, [metal(rng), paint(rng)]))]
    drop, size = uniform(rng, 0.4, 1.4), uniform(rng, 0.2, 0.45)
    shade = _shade(rng, size, 0, uniform(rng, 0.6, 1.5) * size)
    line = union(
        [
            rod((0, 0.3 * size, 0), (0, drop + size, 0), uniform(rng, 0.006, 0.014), segments=8),
            lathe([(0.08, drop + size - 0.03), (0.06, drop + size)]),
        ]
    )
    return [
        Part(shade, _shade_material(rng)),
        Part(line, Material(gray(choose(rng, [0.1, 0.9])), 0.1)),
    ]


def chandelier(rng):
    """Arms around a stem, a shade or candle on each."""
    count, reach = integer(rng, 3, 8), uniform(rng, 0.3, 0.55)
    up, size, thick = uniform(rng, 0, 0.25), uniform(rng, 0.06, 0.14), uniform(rng, 0.01, 0.02)
    tubes = [
        rod((0, -0.2, 0), (0, uniform(rng, 0.4, 0.9), 0), 1.5 * thick),
        ellipsoid((0, -0.12, 0), (0.07, 0.1, 0.07), 16),
    ]
    shades = []
    for k in range(count):
        a = 2 * np.pi * k / count
        d = np.array([np.cos(a), 0, np.sin(a)])
        path = smooth_path(
            [(0, -0.1, 0), 0.5 * reach * d + [0, -0.2, 0], reach * d + [0, up, 0]], 14
        )
        tubes.append(sweep(path, thick, 8))
        shades.append(
            lathe(
                [
                    (0.5 * size, -0.02),
                    (size, uniform(rng, 0.5, 2.0) * size),
                    (0.6 * size, 2.4 * size),
                ],
                segments=16,
            ).translate(tuple(reach * d + [0, up, 0]))
        )
    return [Part(union(tubes), metal(rng)), Part(union(shades), _shade_material(rng))]


def cable_lamp(rng):
    """A lamp or a device with its cable on the table."""
    radius, height = uniform(rng, 0.1, 0.2), uniform(rng, 0.3, 0.8)
    stem = union(
        [
            lathe([(radius, 0), (0.9 * radius, 0.04), (0.02, 0.06)]),
            rod((0, 0.02, 0), (0, height, 0), 0.02),
        ]
    )
    shade = _shade(rng, uniform(rng, 0.14, 0.3), height - 0.08, height + uniform(rng, 0.1, 0.3))
    knots = [(0, 0.02, 0)] + [
        (-0.9 * radius - 0.18 * k, 0.014, uniform(rng, -0.2, 0.2)) for k in range(1, 5)
    ]
    cable = sweep(smooth_path(knots, 40), uniform(rng, 0.008, 0.014), 8)
    return [
        Part(stem, choose(rng, [metal(rng), plastic(rng)])),
        Part(shade, _shade_material(rng)),
        Part(cable, Material(gray(choose(rng, [0.08, 0.9])), 0.1)),
    ]
