"""Bottles: wine, beer, soft drink, water, flasks, jars, spray and shampoo bottles, jugs."""

import numpy as np

from ..draw import chance, choose, uniform, weighted
from ..materials import Material, any_color, gray, hsv, metal, plastic
from ..outlines import smooth_path, superellipse
from ..patterns import band, checks, mottle, stripes, within
from ..shape import Part
from ..solids import lathe, rod, rounded_box, stack, sweep, union


def build(rng):
    """Parts of a random bottle whose body is about one unit high."""
    style = weighted(
        rng,
        {"wine": 3, "beer": 2, "soda": 3, "flask": 2, "jar": 2, "pump": 2, "jug": 1, "decanter": 1},
    )
    return {
        "wine": _wine,
        "beer": _wine,
        "soda": _soda,
        "flask": _flask,
        "jar": _jar,
        "pump": _pump,
        "jug": _jug,
        "decanter": _decanter,
    }[style](rng)


def _glass(rng):
    """Coloured glass or shiny plastic."""
    kind = weighted(rng, {"green": 3, "brown": 2, "clear": 2, "any": 3})
    color = {
        "green": hsv(uniform(rng, 0.28, 0.4), uniform(rng, 0.5, 0.9), uniform(rng, 0.15, 0.45)),
        "brown": hsv(uniform(rng, 0.04, 0.08), uniform(rng, 0.6, 0.9), uniform(rng, 0.2, 0.45)),
        "clear": hsv(uniform(rng, 0.5, 0.6), uniform(rng, 0.05, 0.2), uniform(rng, 0.65, 0.9)),
        "any": any_color(rng),
    }[kind]
    return Material(color, uniform(rng, 0.5, 0.9), uniform(rng, 30, 90))


def _label(rng, material, low, high):
    """The material with a label between two heights, plain or patterned; sometimes without."""
    kind = weighted(rng, {"none": 2, "plain": 5, "patterned": 3})
    if kind == "none":
        return material
    if kind == "plain":
        return material.patterned(band("y", low, high), choose(rng, [gray(0.92), any_color(rng)]))
    pattern = choose(
        rng,
        [
            stripes(rng, "y", uniform(rng, 0.04, 0.1)),
            checks(rng, uniform(rng, 0.05, 0.1)),
            mottle(rng, 3),
        ],
    )
    return material.patterned(within(pattern, "y", low, high), any_color(rng))


def _profile(knots, samples=40):
    """A smooth (radius, y) outline through the knots."""
    curve = smooth_path(knots, samples)
    return np.stack([np.maximum(curve[:, 0], 0.01), curve[:, 1]], axis=1)


def _rounded_foot(radius, fillet=0.03):
    """The lower edge: (radius, y) points from the standing ring to the wall."""
    angle = np.linspace(-np.pi / 2, 0, 5)
    return np.stack(
        [radius - fillet + fillet * np.cos(angle), fillet + fillet * np.sin(angle)], axis=1
    )


def _wine(rng):
    """A cylinder, a shoulder and a neck, in any proportion from beer to hock."""
    radius = uniform(rng, 0.11, 0.17)
    shoulder, neck_low = uniform(rng, 0.5, 0.66), uniform(rng, 0.7, 0.8)
    neck = radius * uniform(rng, 0.3, 0.42)
    curve = _profile(
        [
            (radius, shoulder),
            (radius * uniform(rng, 0.86, 0.98), shoulder + 0.3 * (neck_low - shoulder)),
            (neck * uniform(rng, 1.15, 1.5), neck_low - 0.03),
            (neck, neck_low + 0.05),
            (neck * 0.95, 0.93),
        ],
        24,
    )
    body = lathe(np.concatenate([_rounded_foot(radius), curve, [(0.95 * neck, 0.94)]]), segments=40)
    low = uniform(rng, 0.1, 0.2)
    material = _label(rng, _glass(rng), low, uniform(rng, 0.35, 0.95 * shoulder))
    ring = lathe([(1.15 * neck, 0.91), (1.15 * neck, 0.945)], segments=28)
    parts = [Part(body, material), Part(ring, Material(material.color, 0.6, 50))]
    if chance(rng, 0.75):
        cap = lathe([(1.08 * neck, uniform(rng, 0.82, 0.92)), (1.08 * neck, 0.96)], segments=28)
        parts.append(
            Part(cap, choose(rng, [metal(rng), plastic(rng), Material((0.65, 0.5, 0.32), 0.05)]))
        )
    return parts


def _soda(rng):
    """A waisted plastic bottle with a screw cap."""
    radius = uniform(rng, 0.13, 0.19)
    waist, high = uniform(rng, 0.75, 1.0), uniform(rng, 0.62, 0.74)
    neck = radius * uniform(rng, 0.32, 0.45)
    curve = _profile(
        [
            (radius, 0.06),
            (radius, 0.22),
            (radius * waist, 0.38),
            (radius, high - 0.1),
            (0.92 * radius, high),
            (0.6 * radius, high + 0.1),
            (neck, high + 0.16),
            (neck, high + 0.2),
        ],
        40,
    )
    if chance(rng, 0.35):
        curve[:, 0] *= 1 + 0.03 * np.sin(curve[:, 1] * 2 * np.pi / uniform(rng, 0.06, 0.1)) * (
            curve[:, 1] < high
        )
    body = lathe(np.concatenate([_rounded_foot(radius), curve]), segments=40)
    material = _label(rng, _glass(rng), uniform(rng, 0.2, 0.3), uniform(rng, 0.42, 0.58))
    cap = lathe([(1.2 * neck, high + 0.18), (1.2 * neck, high + 0.26)], segments=28)
    return [Part(body, material), Part(cap, plastic(rng))]


def _flask(rng):
    """A bottle with a square, oval or flat body."""
    half_x, half_z = uniform(rng, 0.07, 0.14), uniform(rng, 0.13, 0.2)
    exponent = uniform(rng, 2.2, 7)
    high = uniform(rng, 0.6, 0.78)
    neck = uniform(rng, 0.04, 0.06)
    outline, ring = superellipse(half_x, half_z, exponent, 40), superellipse(neck, neck, 2, 40)
    shoulder = 0.45 * outline + 0.55 * ring
    bulge = uniform(rng, 0.95, 1.12)
    outlines = [
        0.93 * outline,
        outline,
        bulge * outline,
        outline,
        0.9 * outline + 0.1 * ring,
        shoulder,
        ring,
        ring,
    ]
    body = stack(
        outlines, [0, 0.03, 0.5 * high, high - 0.06, high, high + 0.045, high + 0.08, high + 0.14]
    )
    material = _label(rng, _glass(rng), uniform(rng, 0.1, 0.2), uniform(rng, 0.4, high - 0.08))
    cap_radius = neck * uniform(rng, 1.05, 1.5)
    cap = lathe(
        [
            (cap_radius, high + 0.1),
            (cap_radius * uniform(rng, 0.85, 1), high + uniform(rng, 0.16, 0.26)),
        ],
        segments=28,
    )
    return [Part(body, material), Part(cap, choose(rng, [plastic(rng), metal(rng)]))]


def _jar(rng):
    """A wide body with a lid: jars, flasks for pills, canteens."""
    radius, high = uniform(rng, 0.2, 0.32), uniform(rng, 0.5, 0.75)
    neck = radius * uniform(rng, 0.65, 0.92)
    curve = _profile(
        [
            (radius, 0.05),
            (radius * uniform(rng, 0.95, 1.1), 0.5 * high),
            (radius, high - 0.08),
            (0.5 * (radius + neck), high - 0.01),
            (neck, high + 0.03),
            (neck, high + 0.06),
        ],
        26,
    )
    body = lathe(np.concatenate([_rounded_foot(radius), curve]), segments=44)
    lid_radius = neck * uniform(rng, 1.04, 1.12)
    lid = lathe(
        [(lid_radius, high + 0.03), (lid_radius, high + uniform(rng, 0.1, 0.2))], segments=40
    )
    material = _label(rng, _glass(rng), 0.12, uniform(rng, 0.35, high - 0.1))
    return [Part(body, material), Part(lid, choose(rng, [metal(rng), plastic(rng)]))]


def _pump(rng):
    """Shampoo and cleaning bottles with a pump or a spray head."""
    half_x, half_z = uniform(rng, 0.1, 0.15), uniform(rng, 0.13, 0.19)
    high = uniform(rng, 0.5, 0.66)
    outline, ring = (
        superellipse(half_x, half_z, uniform(rng, 2, 5), 36),
        superellipse(0.05, 0.05, 2, 36),
    )
    body = stack(
        [
            0.94 * outline,
            outline,
            uniform(rng, 0.85, 1.05) * outline,
            0.7 * outline + 0.3 * ring,
            ring,
        ],
        [0, 0.03, high - 0.1, high, high + 0.05],
    )
    stem = union(
        [
            lathe([(0.055, high + 0.02), (0.055, high + 0.08)]),
            rod((0, high, 0), (0, high + 0.2, 0), 0.02),
        ]
    )
    y = high + 0.2
    head = rounded_box((-0.06, y - 0.03, -0.035), (uniform(rng, 0.14, 0.2), y + 0.03, 0.035), 0.02)
    if chance(rng, 0.5):
        trigger = rod((0.05, y, 0), (0.11, y - 0.13, 0), 0.014, segments=10)
        head = union([head, trigger])
    material = _label(rng, plastic(rng), uniform(rng, 0.1, 0.15), uniform(rng, 0.3, high - 0.1))
    return [Part(body, material), Part(union([stem, head]), plastic(rng))]


def _jug(rng):
    """A canister with a handle."""
    half_x, half_z = uniform(rng, 0.13, 0.18), uniform(rng, 0.18, 0.25)
    high = uniform(rng, 0.55, 0.7)
    outline, ring = (
        superellipse(half_x, half_z, uniform(rng, 3, 6), 40),
        superellipse(0.06, 0.06, 2, 40),
    )
    body = stack(
        [0.95 * outline, outline, outline, 0.5 * outline + 0.5 * ring, ring, ring],
        [0, 0.03, high - 0.1, high + 0.04, high + 0.1, high + 0.15],
    )
    z = 0.8 * half_z
    path = smooth_path(
        [
            (0, high - 0.3, z),
            (0, high - 0.25, half_z + 0.06),
            (0, high - 0.05, half_z + 0.06),
            (0, high + 0.06, 0.06),
            (0, high + 0.08, 0.02),
        ],
        24,
    )
    cap = lathe([(0.075, high + 0.11), (0.075, high + 0.19)], segments=28)
    material = _label(rng, plastic(rng), 0.15, high - 0.25)
    return [Part(union([body, sweep(path, 0.035)]), material), Part(cap, plastic(rng))]


def _decanter(rng):
    """A bulb with a long neck and a stopper."""
    radius, neck = uniform(rng, 0.2, 0.3), uniform(rng, 0.045, 0.07)
    middle = uniform(rng, 0.16, 0.28)
    curve = _profile(
        [
            (0.6 * radius, 0.0),
            (0.85 * radius, 0.35 * middle),
            (radius, middle),
            (0.8 * radius, middle + 0.6 * radius),
            (1.5 * neck, middle + 1.1 * radius),
            (neck, middle + 1.5 * radius),
            (neck, 0.85),
            (1.3 * neck, 0.9),
        ],
        48,
    )
    stopper = lathe(
        _profile(
            [
                (0.9 * neck, 0.86),
                (0.9 * neck, 0.92),
                (1.5 * neck, 0.97),
                (1.2 * neck, 1.02),
                (0.3 * neck, 1.05),
            ],
            16,
        )
    )
    material = _glass(rng)
    return [
        Part(lathe(curve, segments=40), material),
        Part(stopper, choose(rng, [material, metal(rng)])),
    ]
