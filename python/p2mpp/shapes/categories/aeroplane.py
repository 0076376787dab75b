"""Aeroplanes: airliners, business jets, fighters, propeller planes, gliders. The nose is at +x."""

import numpy as np

from ..draw import chance, choose, integer, uniform, weighted
from ..materials import Material, any_color, glass, gray, metal, paint, rubber, shade
from ..outlines import superellipse
from ..patterns import band, dashed_band, mottle, stripes
from ..shape import Part
from ..solids import box, ellipsoid, loft, loft_x, mirrored, rod, union, wing


def build(rng):
    """Parts of a random aeroplane about one unit long."""
    style = weighted(rng, {"airliner": 5, "business": 2, "fighter": 3, "propeller": 3, "glider": 1})
    return {
        "airliner": _airliner,
        "business": _business,
        "fighter": _fighter,
        "propeller": _propeller,
        "glider": _glider,
    }[style](rng)


def _fuselage(radius, nose=0.16, tail=0.34, lift=0.5, height=1.0, exponent=2.0):
    """A tube from x = -0.5 to 0.5; nose and tail are the shares that taper; the tail sweeps up."""
    t = np.concatenate(
        [
            np.linspace(0, nose, 9),
            np.linspace(nose, 1 - tail, 4)[1:],
            np.linspace(1 - tail, 1, 8)[1:],
        ]
    )
    front = np.sqrt(np.clip(1 - (1 - np.minimum(t / nose, 1)) ** 2, 0, 1))
    back = np.clip((t - (1 - tail)) / tail, 0, 1)
    size = radius * np.maximum(front, 0.06) * (1 - 0.88 * back**1.6)
    center = lift * radius * back**1.5 - 0.2 * radius * (1 - front)
    return loft_x(np.stack([0.5 - t, center, height * size, size], axis=1), exponent)


def _livery(rng, radius):
    """Fuselage paint: plain, with a window row, or with a cheat line; and the trim's colour."""
    base = Material(weighted(rng, {gray(uniform(rng, 0.8, 0.97)): 4, any_color(rng): 2}), 0.35, 40)
    trim = paint(rng)
    kind = weighted(rng, {"windows": 3, "line": 2, "belly": 2, "plain": 1})
    if kind == "windows":
        pattern = dashed_band(
            "y", 0.12 * radius, 0.42 * radius, "x", uniform(rng, 0.018, 0.03), 0.5
        )
        return base.patterned(pattern, gray(0.12)), trim
    if kind == "line":
        return base.patterned(band("y", -0.15 * radius, 0.35 * radius), trim.color), trim
    if kind == "belly":
        return base.patterned(
            band("y", -2 * radius, uniform(rng, -0.4, 0) * radius), trim.color
        ), trim
    return base, trim


def _swept_wing(rng, radius, x, span, chord, sweep, dihedral, y):
    """Both wings; sweep and dihedral are slopes along the span; with or without winglets."""
    tip_chord = chord * uniform(rng, 0.25, 0.45)
    thickness = uniform(rng, 0.1, 0.14)
    tip = np.array([x - sweep * span, y + dihedral * span, span])
    panel = wing((x, y, 0.2 * radius), tip, chord, tip_chord, thickness)
    if chance(rng, 0.35):
        up = tip + (-0.6 * tip_chord, 0.055, 0.01)
        panel = union(
            [
                panel,
                wing(
                    tip - (0.1 * tip_chord, 0.004, 0.006),
                    up,
                    0.9 * tip_chord,
                    0.4 * tip_chord,
                    0.12,
                    vertical=True,
                ),
            ]
        )
    return mirrored(panel)


def _tail(rng, radius, x, lift, style):
    """Fin and tailplane; style is low, tee or cruciform: where the tailplane sits."""
    height, chord = uniform(rng, 0.11, 0.17), uniform(rng, 0.11, 0.16)
    slope = uniform(rng, 0.5, 1.0)
    fin_tip = np.array([x - slope * height, lift + height, 0])
    fin = wing(
        (x, lift - 0.3 * radius, 0), fin_tip, chord, chord * uniform(rng, 0.35, 0.6), 0.11, True
    )
    share = {"low": -0.02, "cruciform": 0.45, "tee": 0.96}[style]
    half_span = uniform(rng, 0.13, 0.2)
    root_x = x - slope * height * max(share, 0) - 0.02
    y = lift + height * share
    tail = wing(
        (root_x, y, 0),
        (root_x - 0.55 * half_span, y + 0.02, half_span),
        0.75 * chord,
        0.4 * chord,
        0.12,
    )
    return fin, mirrored(tail)


def _engine(center, length, radius):
    """A nacelle with an open intake, along x."""
    x, y, z = center
    t = np.array([-0.5, -0.15, 0.3, 0.47, 0.5, 0.49, 0.38])
    size = np.array([0.55, 0.85, 1.0, 0.95, 0.88, 0.78, 0.72]) * radius
    rings = [
        np.stack([np.full(20, x + k * length), y + r * circle[:, 0], z + r * circle[:, 1]], 1)
        for k, r in zip(t, size)
        for circle in (superellipse(1, 1, 2, 20),)
    ]
    return loft(rings)


def _underwing_engines(rng, wing_x, sweep, span, y, dihedral):
    """One or two engines a side, hung on pylons."""
    radius, length = uniform(rng, 0.022, 0.032), uniform(rng, 0.09, 0.13)
    places = [0.36] if chance(rng, 0.7) else [0.3, 0.58]
    solids = []
    for share in places:
        z = share * span
        x = wing_x - sweep * z + 0.2 * length
        wing_y = y + dihedral * z
        engine_y = wing_y - 1.25 * radius
        solids.append(_engine((x, engine_y, z), length, radius))
        solids.append(
            box((x - 0.75 * length, engine_y, z - 0.005), (x + 0.1 * length, wing_y, z + 0.005))
        )
    return mirrored(union(solids))


def _rear_engines(rng, radius, lift):
    """Two engines on stubs at the rear fuselage."""
    size, length = uniform(rng, 0.022, 0.03), uniform(rng, 0.12, 0.16)
    x, y, z = uniform(rng, -0.3, -0.24), 0.25 * radius + 0.3 * lift, radius + 0.75 * size
    stub = box((x - 0.03, y - 0.006, 0), (x + 0.03, y + 0.006, z))
    return mirrored(union([_engine((x, y, z), length, size), stub]))


def _windscreen(radius, x, width=0.55):
    """The cockpit's windows: a dark bulge on the nose."""
    return ellipsoid((x, 0.42 * radius, 0), (0.035, 0.3 * radius, width * radius), 16)


def _airliner(rng):
    radius = uniform(rng, 0.045, 0.065)
    lift = 0.5 * radius
    body, trim = _livery(rng, radius)
    span, sweep, dihedral = (
        uniform(rng, 0.38, 0.5),
        uniform(rng, 0.35, 0.62),
        uniform(rng, 0.05, 0.14),
    )
    x, y = uniform(rng, 0.1, 0.18), -0.55 * radius
    rear = chance(rng, 0.3)
    wings = _swept_wing(rng, radius, x, span, uniform(rng, 0.16, 0.22), sweep, dihedral, y)
    fin, tail = _tail(rng, radius, -0.34, lift + 0.2 * radius, "tee" if rear else "low")
    engines = (
        _rear_engines(rng, radius, lift)
        if rear
        else _underwing_engines(rng, x, sweep, span, y, dihedral)
    )
    wing_paint = Material(gray(uniform(rng, 0.6, 0.9)), 0.3, 30)
    engine_paint = choose(rng, [wing_paint, trim, metal(rng)])
    return [
        Part(_fuselage(radius), body),
        Part(wings, wing_paint),
        Part(fin, trim),
        Part(tail, wing_paint),
        Part(engines, engine_paint),
        Part(_windscreen(radius, 0.455), glass(rng)),
    ]


def _business(rng):
    radius = uniform(rng, 0.055, 0.075)
    body, trim = _livery(rng, radius)
    span = uniform(rng, 0.36, 0.46)
    wings = _swept_wing(
        rng,
        radius,
        uniform(rng, 0.02, 0.1),
        span,
        uniform(rng, 0.15, 0.2),
        uniform(rng, 0.2, 0.45),
        uniform(rng, 0.03, 0.1),
        -0.6 * radius,
    )
    fin, tail = _tail(rng, radius, -0.34, 0.6 * radius, choose(rng, ["tee", "cruciform"]))
    white = Material(body.color, 0.3, 30)
    return [
        Part(_fuselage(radius, nose=0.24, tail=0.4), body),
        Part(wings, white),
        Part(fin, trim),
        Part(tail, white),
        Part(_rear_engines(rng, radius, 0.5 * radius), choose(rng, [white, trim])),
        Part(_windscreen(radius, 0.40), glass(rng)),
    ]


def _fighter(rng):
    radius = uniform(rng, 0.045, 0.06)
    color = choose(rng, [gray(uniform(rng, 0.35, 0.75)), any_color(rng), (0.35, 0.4, 0.28)])
    skin = Material(color, 0.2, 20)
    if chance(rng, 0.5):
        skin = skin.patterned(
            mottle(rng, uniform(rng, 2.5, 5)), shade(color, uniform(rng, 0.5, 0.8))
        )
    span, chord = uniform(rng, 0.26, 0.36), uniform(rng, 0.3, 0.44)
    x = uniform(rng, 0.02, 0.12)
    sweep = uniform(rng, 0.55, 0.95)
    wings = mirrored(
        wing(
            (x, 0, 0.2 * radius),
            (x - sweep * span, uniform(rng, -0.02, 0.02), span),
            chord,
            chord * uniform(rng, 0.08, 0.3),
            0.055,
        )
    )
    parts = [
        Part(_fuselage(radius, nose=0.42, tail=0.3, lift=0, exponent=2.4), skin),
        Part(wings, skin),
        Part(_fighter_fins(rng, radius), skin),
        Part(ellipsoid((0.2, 0.75 * radius, 0), (0.11, 0.55 * radius, 0.5 * radius)), glass(rng)),
        Part(_nozzles(rng, radius), Material(gray(0.15), 0.4, 30)),
    ]
    if chance(rng, 0.6):
        parts.append(Part(_intakes(radius), skin))
    if chance(rng, 0.6):
        half_span = uniform(rng, 0.13, 0.18)
        tail = wing((-0.33, 0, 0), (-0.33 - 0.6 * half_span, 0, half_span), 0.15, 0.06, 0.06)
        parts.append(Part(mirrored(tail), skin))
    return parts


def _fighter_fins(rng, radius):
    height = uniform(rng, 0.12, 0.17)
    if chance(rng, 0.5):
        return wing(
            (-0.24, 0.3 * radius, 0),
            (-0.24 - 0.9 * height, height + 0.5 * radius, 0),
            0.2,
            0.08,
            0.07,
            vertical=True,
        )
    cant = uniform(rng, 0, 0.05)
    return mirrored(
        wing(
            (-0.26, 0.2 * radius, 0.6 * radius),
            (-0.26 - 0.7 * height, height, 0.6 * radius + cant),
            0.17,
            0.08,
            0.07,
            True,
        )
    )


def _nozzles(rng, radius):
    if chance(rng, 0.5):
        return rod((-0.4, 0, 0), (-0.53, 0, 0), 0.75 * radius, 0.55 * radius, 20)
    return mirrored(
        rod((-0.35, 0, 0.45 * radius), (-0.52, 0, 0.45 * radius), 0.52 * radius, 0.4 * radius, 16)
    )


def _intakes(radius):
    size = 0.55 * radius
    return mirrored(
        loft_x(
            [
                (0.1, -0.1 * radius, size, size),
                (-0.1, 0, 1.1 * size, size),
                (-0.4, 0, 0.5 * size, 0.4 * size),
            ],
            5,
        ).translate((0, 0, 1.05 * radius))
    )


def _propeller(rng):
    radius = uniform(rng, 0.06, 0.085)
    body, trim = _livery(rng, radius)
    body = choose(rng, [body, paint(rng)])
    high = chance(rng, 0.5)
    span, chord = uniform(rng, 0.45, 0.6), uniform(rng, 0.13, 0.17)
    y = 1.12 * radius if high else -0.6 * radius
    x = uniform(rng, 0.18, 0.24)
    wings = mirrored(
        wing(
            (x, y, -0.01),
            (x - uniform(rng, 0, 0.04), y + uniform(rng, 0, 0.05), span),
            chord,
            chord * uniform(rng, 0.55, 0.95),
            0.15,
        )
    )
    fin, tail = _tail(rng, radius, -0.36, 0.55 * radius, "low")
    wing_paint = choose(rng, [body, trim, Material(gray(0.9), 0.3, 30)])
    cabin = ellipsoid((0.13, 0.75 * radius, 0), (0.15, 0.62 * radius, 0.75 * radius))
    parts = [
        Part(_fuselage(radius, nose=0.12, tail=0.62, lift=0.5, height=1.1), body),
        Part(wings, wing_paint),
        Part(fin, trim),
        Part(tail, wing_paint),
        Part(cabin, glass(rng)),
        Part(_nose_propeller(rng, radius), Material(gray(uniform(rng, 0.1, 0.5)), 0.4, 40)),
    ]
    if chance(rng, 0.7):
        parts.append(Part(_landing_gear(radius), rubber(rng)))
    return parts


def _nose_propeller(rng, radius):
    blades = integer(rng, 2, 4)
    length, start = uniform(rng, 0.12, 0.16), uniform(rng, 0, np.pi)
    solids = [ellipsoid((0.5, -0.2 * radius, 0), (0.04, 0.3 * radius, 0.3 * radius), 16)]
    for k in range(blades):
        angle = start + 2 * np.pi * k / blades
        blade = ellipsoid((0, 0.5 * length, 0), (0.008, 0.55 * length, 0.016), 12)
        solids.append(blade.rotate((np.degrees(angle), 0, 0)).translate((0.52, -0.2 * radius, 0)))
    return union(solids)


def _landing_gear(radius):
    """Two main wheels on legs and a nose wheel."""
    solids = []
    for x, z in ((0.08, 0.1), (0.08, -0.1), (0.38, 0.0)):
        y = -1.9 * radius
        solids.append(rod((x, y, z), (x, -0.3 * radius, 0.3 * z), 0.008, segments=8))
        solids.append(rod((x, y, z - 0.01), (x, y, z + 0.01), 0.028, segments=16))
    return union(solids)


def _glider(rng):
    radius = uniform(rng, 0.04, 0.05)
    _, trim = _livery(rng, radius)
    span, chord = uniform(rng, 0.55, 0.75), uniform(rng, 0.085, 0.11)
    wings = mirrored(
        wing(
            (0.2, 0.4 * radius, 0),
            (0.18, 0.4 * radius + uniform(rng, 0.02, 0.07), span),
            chord,
            0.45 * chord,
            0.16,
        )
    )
    fin, tail = _tail(rng, radius, -0.38, 0.5 * radius, choose(rng, ["tee", "cruciform"]))
    white = Material(gray(0.93), 0.4, 40)
    marked = white.patterned(stripes(rng, "z", 0.9, 0.12), trim.color)
    canopy = ellipsoid((0.3, 0.5 * radius, 0), (0.13, 0.65 * radius, 0.65 * radius))
    return [
        Part(_fuselage(radius, nose=0.3, tail=0.66, lift=0.4, height=1.15), white),
        Part(wings, marked),
        Part(fin, trim),
        Part(tail, white),
        Part(canopy, glass(rng)),
    ]
