"""Cups and pots with handles, bowls, vases, bins, taps: turned, hollow, mostly glazed."""

import numpy as np

from ..draw import chance, choose, uniform, weighted
from ..materials import Material, any_color, gray, metal, paint, plastic
from ..outlines import smooth_path
from ..shape import Part
from ..solids import ellipsoid, lathe, rod, sweep, union


def ceramic(rng):
    """Glazed, mostly white or pale."""
    color = choose(rng, [gray(uniform(rng, 0.85, 1)), gray(uniform(rng, 0.85, 1)), any_color(rng)])
    return Material(color, uniform(rng, 0.2, 0.7), uniform(rng, 20, 80))


def _curve(low, high, height, bulge, samples=14):
    """(radius, y) from the foot to the rim."""
    knots = [
        (low, 0.0),
        (low + (high - low) * 0.35 + bulge, 0.35 * height),
        (low + (high - low) * 0.75 + 0.7 * bulge, 0.75 * height),
        (high, height),
    ]
    curve = smooth_path(knots, samples)
    return np.stack([np.maximum(curve[:, 0], 0.02), curve[:, 1]], 1)


def _hollow(rng, outer, wall):
    """A turned vessel, open at the top."""
    inner = outer[::-1] * 1.0
    inner[:, 0] = np.maximum(inner[:, 0] - wall, 0.004)
    inner = inner[inner[:, 1] > wall]
    inner = np.concatenate([inner, [(inner[-1, 0], wall), (0.002, wall)]])
    return lathe(np.concatenate([outer, inner]), segments=40)


def _handle(rng, radius, low, high, out, thick, turn=0.0):
    """An ear: a bent rod from the wall and back to it."""
    path = smooth_path(
        [
            (radius - 0.02, high, 0),
            (radius + 0.6 * out, high + 0.02, 0),
            (radius + out, (low + high) / 2 + 0.1 * (high - low), 0),
            (radius + 0.5 * out, low, 0),
            (radius - 0.02, low, 0),
        ],
        22,
    )
    return sweep(path, thick, 10).rotate((0, turn, 0))


def cup(rng):
    """A mug, tea cup, beer glass or espresso cup; sometimes on a saucer."""
    height = 1.0
    high, low = uniform(rng, 0.35, 0.75), uniform(rng, 0.22, 0.5)
    low = min(low, high)
    outer = _curve(low, high, height, uniform(rng, 0, 0.12))
    body = _hollow(rng, outer, uniform(rng, 0.03, 0.07))
    material = ceramic(rng)
    parts = [Part(body, material)]
    if chance(rng, 0.75):
        middle = np.interp(0.5, outer[:, 1], outer[:, 0])
        ear = _handle(
            rng,
            middle,
            uniform(rng, 0.15, 0.35),
            uniform(rng, 0.65, 0.88),
            uniform(rng, 0.2, 0.4),
            uniform(rng, 0.03, 0.07),
        )
        ear -= lathe(np.stack([np.maximum(outer[:, 0] - 0.03, 0.01), outer[:, 1]], 1), segments=40)
        parts.append(Part(ear, material))
    if chance(rng, 0.3):
        wide = high * uniform(rng, 1.4, 1.9)
        parts.append(
            Part(
                lathe(
                    [(0.5 * wide, -0.06), (wide, 0.04), (wide, 0.07), (0.5 * wide, 0.01)],
                    segments=40,
                ),
                ceramic(rng),
            )
        )
    return parts


def vessel(rng):
    """Bowls, plates, vases, glasses with a stem, bins."""
    kind = weighted(rng, {"bowl": 2, "plate": 1, "vase": 3, "goblet": 2, "bin": 2})
    material = choose(rng, [ceramic(rng), ceramic(rng), plastic(rng), metal(rng)])
    if kind == "goblet":
        bowl, stem = uniform(rng, 0.2, 0.35), uniform(rng, 0.3, 0.5)
        outer = _curve(0.06, bowl, 0.5, uniform(rng, 0.02, 0.12)) + [0, stem]
        foot = lathe([(0.9 * bowl, 0), (0.85 * bowl, 0.03), (0.04, 0.08), (0.03, stem + 0.05)])
        return [Part(union([_hollow(rng, outer, 0.03), foot]), material)]
    sizes = {
        "bowl": (0.25, 0.8, 0.45),
        "plate": (0.5, 0.95, 0.14),
        "vase": (0.25, 0.25, 1.0),
        "bin": (0.35, 0.42, 0.9),
    }
    low, high, height = (value * uniform(rng, 0.75, 1.3) for value in sizes[kind])
    bulge = {"vase": uniform(rng, -0.08, 0.3), "bowl": uniform(rng, 0.0, 0.15)}.get(kind, 0.02)
    wall = uniform(rng, 0.025, 0.05)
    return [Part(_hollow(rng, _curve(low, high, height, bulge, 18), wall), material)]


def pot(rng):
    """Tea pots, kettles, watering cans, pans with a lid or a long handle."""
    radius, height = uniform(rng, 0.35, 0.55), uniform(rng, 0.3, 0.9)
    outer = _curve(0.8 * radius, uniform(rng, 0.6, 1.0) * radius, height, uniform(rng, 0, 0.2))
    material = choose(rng, [ceramic(rng), metal(rng), paint(rng)])
    rim = outer[-1, 0]
    solids = [lathe(outer, segments=40)]
    if chance(rng, 0.8):
        solids.append(
            lathe(
                [
                    (rim * 1.02, height - 0.01),
                    (rim, height + 0.04),
                    (0.3 * rim, height + 0.1),
                    (0.12, height + 0.12),
                ],
                segments=40,
            )
        )
        solids.append(ellipsoid((0, height + 0.16, 0), (0.07, 0.07, 0.07), 16))
    side = np.interp(0.5 * height, outer[:, 1], outer[:, 0])
    kind = weighted(rng, {"teapot": 3, "pan": 2, "two": 2})
    if kind == "teapot":
        path = smooth_path(
            [
                (0.8 * side, 0.3 * height, 0),
                (side + 0.18, 0.45 * height, 0),
                (side + 0.28, 0.95 * height, 0),
            ],
            14,
        )
        solids.append(sweep(path, np.linspace(0.1, 0.05, 14), 12))
        solids.append(
            _handle(rng, side, 0.2 * height, 0.85 * height, uniform(rng, 0.2, 0.35), 0.04, 180)
        )
    elif kind == "pan":
        solids.append(
            rod(
                (side - 0.05, 0.8 * height, 0),
                (side + uniform(rng, 0.5, 1.0), 0.9 * height, 0),
                0.045,
            )
        )
    else:
        solids += [
            _handle(rng, side, 0.5 * height, 0.8 * height, 0.16, 0.035, turn) for turn in (0, 180)
        ]
    return [Part(union(solids), material)]


def tap(rng):
    """Taps, shower heads, hooks: bent tubes on a foot."""
    high, reach, thick = uniform(rng, 0.3, 0.9), uniform(rng, 0.25, 0.6), uniform(rng, 0.025, 0.06)
    path = smooth_path(
        [
            (0, 0, 0),
            (0, 0.7 * high, 0),
            (0.3 * reach, high, 0),
            (reach, uniform(rng, 0.6, 0.9) * high, 0),
        ],
        24,
    )
    solids = [
        sweep(path, thick, 14),
        lathe([(2.2 * thick, -0.02), (2.2 * thick, 0.04), (1.3 * thick, 0.06)]),
    ]
    if chance(rng, 0.7):
        solids += [
            rod(
                (0, 0.25 * high, s * 0.01),
                (
                    uniform(rng, -0.1, 0.1),
                    uniform(rng, 0.25, 0.5) * high,
                    s * uniform(rng, 0.12, 0.3),
                ),
                0.8 * thick,
            )
            for s in choose(rng, [(1,), (-1, 1)])
        ]
    if chance(rng, 0.4):
        tip = path[-1]
        solids.append(
            lathe(
                [(uniform(rng, 0.08, 0.2), tip[1] - 0.08), (0.5 * thick + 0.02, tip[1] + 0.02)]
            ).translate((tip[0], 0, 0))
        )
    return [Part(union(solids), choose(rng, [metal(rng), metal(rng), plastic(rng)]))]
