"""Boats: sailing and motor yachts, speedboats, rowing boats, freighters, tugs. Bow at +x."""

import numpy as np

from ..draw import chance, choose, integer, uniform, weighted
from ..hulls import Hull, cabin, deck, deck_height, hull_paint, hull_solid, windows
from ..materials import Material, any_color, glass, gray, metal, paint, wood
from ..outlines import rounded_rectangle
from ..patterns import checks, dashed_band, stripes
from ..shape import Part
from ..solids import box, ellipsoid, loft, prism_y, rod, union, wing


def build(rng):
    """Parts of a random boat about one unit long."""
    style = weighted(
        rng, {"sail": 3, "yacht": 4, "speed": 3, "rowing": 2, "freighter": 3, "tug": 2}
    )
    return {
        "sail": _sail,
        "yacht": _yacht,
        "speed": _speed,
        "rowing": _rowing,
        "freighter": _freighter,
        "tug": _tug,
    }[style](rng)


def _sail(rng):
    hull = Hull(
        uniform(rng, 0.13, 0.17),
        uniform(rng, 0.09, 0.13),
        uniform(rng, 0.02, 0.05),
        uniform(rng, 0.55, 0.85),
        uniform(rng, 2.0, 2.4),
        uniform(rng, 0.08, 0.16),
        uniform(rng, 0.55, 0.7),
    )
    mast_x, height = uniform(rng, 0.02, 0.12), uniform(rng, 0.85, 1.2)
    white = Material(gray(uniform(rng, 0.85, 0.96)), 0.1, 10)
    sail = choose(rng, [white, white, Material(any_color(rng), 0.05, 8)])
    if chance(rng, 0.25):
        sail = sail.patterned(stripes(rng, "y", uniform(rng, 0.15, 0.3)), any_color(rng))
    house = Material(gray(0.9), 0.3, 30)
    high = uniform(rng, 0.05, 0.075)
    parts = [
        Part(hull_solid(hull), hull_paint(rng, hull)),
        deck(hull, 0.1, wood(rng, "y")),
        Part(
            cabin(-0.18, mast_x + 0.08, 0.5 * hull.half_beam, -0.02, high),
            windows(house, 0, high, 0.07),
        ),
        Part(
            union(
                [
                    rod((mast_x, -0.03, 0), (mast_x, height, 0), 0.012, 0.007),
                    rod((mast_x, 0.13, 0), (mast_x - 0.44, 0.12, 0), 0.009),
                ]
            ),
            metal(rng),
        ),
        Part(_main_sail(rng, mast_x, height), sail),
    ]
    if chance(rng, 0.8):
        parts.append(Part(_fore_sail(rng, hull, mast_x, height), sail))
    parts.append(Part(_keel(hull), Material(gray(0.15), 0.2)))
    return parts


def _bellied(corners, belly, thickness):
    """A triangular sail between luff foot, luff head and clew that bulges to one side."""
    foot, head, clew = (np.asarray(c, float) for c in corners)
    s = np.linspace(0, 1, 9)
    rings = []
    for t in np.linspace(0, 0.97, 12):
        luff = foot + t * (head - foot)
        leech = clew + t * (head - clew)
        line = luff + s[:, None] * (leech - luff)
        bulge = belly * np.sin(np.pi * s) * (1 - t) ** 0.5
        z = np.concatenate([bulge + thickness / 2, bulge[::-1] - thickness / 2])
        line = np.concatenate([line, line[::-1]])
        rings.append(np.stack([line[:, 0], line[:, 1], z], axis=1))
    return loft(rings)


def _main_sail(rng, mast_x, height):
    return _bellied(
        [(mast_x + 0.004, 0.135, 0), (mast_x + 0.004, 0.97 * height, 0), (mast_x - 0.42, 0.13, 0)],
        uniform(rng, -0.05, 0.05),
        0.012,
    )


def _fore_sail(rng, hull, mast_x, height):
    """Its foot is fixed to the bow, its head to the mast."""
    bow = (0.46, deck_height(hull, 0.46) - 0.01, 0)
    return _bellied(
        [bow, (mast_x, 0.85 * height, 0), (mast_x - 0.05, 0.12, 0)],
        uniform(rng, -0.05, 0.05),
        0.012,
    )


def _keel(hull):
    fin = wing(
        (0.1, -0.6 * hull.draft, 0), (0.04, -2.1 * hull.draft, 0), 0.26, 0.16, 0.14, vertical=True
    )
    rudder = wing(
        (-0.38, -0.4 * hull.draft, 0),
        (-0.42, -1.5 * hull.draft, 0),
        0.08,
        0.05,
        0.16,
        vertical=True,
    )
    return union([fin, rudder])


def _yacht(rng):
    hull = Hull(
        uniform(rng, 0.11, 0.15),
        uniform(rng, 0.08, 0.12),
        uniform(rng, 0.04, 0.09),
        uniform(rng, 0.8, 1),
        uniform(rng, 2.3, 3.2),
        uniform(rng, 0.08, 0.18),
        uniform(rng, 0.4, 0.6),
    )
    white = Material(gray(uniform(rng, 0.85, 0.97)), 0.35, 40)
    parts = [
        Part(hull_solid(hull), hull_paint(rng, hull)),
        deck(hull, 0.08, choose(rng, [wood(rng, "y"), white])),
    ]
    low, rear, front, half = (
        -0.03,
        uniform(rng, -0.42, -0.25),
        uniform(rng, 0.12, 0.26),
        0.78 * hull.half_beam,
    )
    for _ in range(integer(rng, 1, 3)):
        if front - rear < 0.2:
            break
        high = max(low, 0.0) + uniform(rng, 0.06, 0.085)
        slope = uniform(rng, 0.05, 0.12)
        walls = windows(white, max(low, 0), high, choose(rng, [None, 0.05]))
        parts.append(Part(cabin(rear, front, half, low, high, slope, 0.02, 0.9), walls))
        roof = rounded_rectangle(
            front - slope - rear + 0.05, 2 * half * 0.97, 0.03, 4, ((rear + front - slope) / 2, 0)
        )
        parts.append(Part(prism_y(roof, high - 0.004, high + 0.01), white))
        low, rear, front, half = (
            high - 0.01,
            rear + uniform(rng, 0.02, 0.1),
            front - slope - uniform(rng, 0.04, 0.1),
            0.86 * half,
        )
    if chance(rng, 0.7):
        x = (rear + front) / 2
        parts.append(Part(_mast(x, low, uniform(rng, 0.08, 0.18)), white))
    return parts


def _mast(x, low, height):
    """A signal mast with a yard."""
    return union(
        [
            rod((x, low - 0.01, 0), (x - 0.02, low + height, 0), 0.009, 0.006, 10),
            rod(
                (x - 0.012, low + 0.65 * height, -0.05),
                (x - 0.012, low + 0.65 * height, 0.05),
                0.006,
                segments=8,
            ),
        ]
    )


def _speed(rng):
    hull = Hull(
        uniform(rng, 0.14, 0.18),
        uniform(rng, 0.1, 0.14),
        uniform(rng, 0.02, 0.06),
        uniform(rng, 0.85, 1),
        uniform(rng, 1.8, 2.6),
        uniform(rng, 0.1, 0.2),
        uniform(rng, 0.5, 0.7),
    )
    body = hull_solid(hull)
    rear, front = uniform(rng, -0.4, -0.32), uniform(rng, 0.0, 0.12)
    half = 0.7 * hull.half_beam
    pit = prism_y(
        rounded_rectangle(front - rear, 2 * half, 0.05, 5, ((rear + front) / 2, 0)),
        -0.55 * hull.draft,
        0.3,
    )
    screen = cabin(
        front - 0.1, front + 0.06, 1.08 * half, -0.02, uniform(rng, 0.07, 0.1), 0.08, 0.03, 0.8
    )
    parts = [Part(body - pit, hull_paint(rng, hull)), Part(screen, glass(rng))]
    seat_paint = Material(any_color(rng), 0.15, 15)
    seats = [
        box((x, -0.57 * hull.draft, -0.9 * half), (x + 0.05, 0.03, 0.9 * half))
        for x in np.linspace(rear + 0.06, front - 0.16, integer(rng, 1, 2))
    ]
    parts.append(Part(union(seats), seat_paint))
    if chance(rng, 0.6):
        parts.append(Part(_outboard(hull), Material(gray(uniform(rng, 0.05, 0.25)), 0.4, 40)))
    return parts


def _outboard(hull):
    """An engine on the stern."""
    y = 0.15 * hull.sheer
    cowl = ellipsoid((-0.54, y + 0.03, 0), (0.05, 0.06, 0.04), 16)
    leg = box((-0.56, -1.2 * hull.draft, -0.012), (-0.52, y + 0.03, 0.012))
    clamp = box((-0.55, y - 0.05, -0.03), (-0.48, y - 0.01, 0.03))
    return union([cowl, leg, clamp])


def _rowing(rng):
    hull = Hull(
        uniform(rng, 0.15, 0.2),
        uniform(rng, 0.11, 0.15),
        uniform(rng, 0.04, 0.09),
        uniform(rng, 0.5, 0.8),
        uniform(rng, 2.0, 2.6),
        uniform(rng, 0.05, 0.12),
        uniform(rng, 0.6, 0.75),
    )
    wall = uniform(rng, 0.016, 0.026)
    outer = hull_solid(hull)
    shell = outer - hull_solid(hull, shrink=1.6 * wall, lift=1.3 * wall, lid=0.05)
    planks = choose(rng, [wood(rng, "y"), paint(rng)])
    y = -0.35 * hull.draft
    benches = []
    for x in np.linspace(-0.3, 0.16, integer(rng, 2, 3)):
        bench = box((x - 0.035, y, -1), (x + 0.035, y + 0.018, 1))
        benches.append(bench ^ outer)
    return [Part(shell, planks), Part(union(benches), choose(rng, [wood(rng, "z"), planks]))]


def _freighter(rng):
    hull = Hull(
        uniform(rng, 0.075, 0.1),
        uniform(rng, 0.07, 0.1),
        uniform(rng, 0.01, 0.035),
        uniform(rng, 0.8, 1),
        uniform(rng, 3.5, 6),
        uniform(rng, 0.02, 0.08),
        uniform(rng, 0.2, 0.35),
    )
    white = Material(gray(uniform(rng, 0.85, 0.95)), 0.2, 20)
    aft = chance(rng, 0.75)
    rear = -0.46 if aft else uniform(rng, -0.15, 0.1)
    length, height = uniform(rng, 0.09, 0.14), uniform(rng, 0.13, 0.2)
    half = 0.85 * hull.half_beam * (hull.stern if aft else 1)
    bridge = union(
        [
            _block(rear, rear + length, half, -0.03, height),
            _block(
                rear + 0.4 * length, rear + length + 0.01, 1.12 * half, 0.72 * height, 0.86 * height
            ),
        ]
    )
    house = white.patterned(
        dashed_band("y", 0.76 * height, 0.83 * height, "z", 0.02, 0.7), gray(0.1)
    )
    funnel = rod(
        (rear + 0.2 * length, height - 0.02, 0),
        (rear + 0.1 * length, height + 0.07, 0),
        0.025,
        0.022,
        16,
    )
    parts = [
        Part(hull_solid(hull), hull_paint(rng, hull)),
        Part(bridge, house),
        Part(funnel, paint(rng)),
    ]
    start = rear + length + 0.03 if aft else -0.44
    cargo = weighted(rng, {"containers": 3, "tanks": 1, "hatches": 2})
    parts += _cargo(rng, cargo, hull, start if aft else rear + length + 0.03)
    if not aft:
        parts += _cargo(rng, cargo, hull, -0.44, rear - 0.03)
    return parts


def _block(x0, x1, half, low, high):
    return box((x0, low, -half), (x1, high, half))


def _cargo(rng, kind, hull, start, end=None):
    """The superstructure between two places along x."""
    end = 0.5 - 0.85 * hull.fine if end is None else end
    if end - start < 0.12:
        return []
    count = max(2, int((end - start) / uniform(rng, 0.1, 0.16)))
    edges = np.linspace(start, end, count + 1)
    parts, half = [], 0.8 * hull.half_beam
    for low, high in zip(edges[:-1], edges[1:]):
        gap = 0.006 if kind == "hatches" else -0.001
        x0, x1 = low + gap, high - gap
        if kind == "containers":
            top = uniform(rng, 0.04, 0.12)
            material = Material(any_color(rng), 0.1, 15)
            material = material.patterned(checks(rng, uniform(rng, 0.03, 0.05)), any_color(rng))
            parts.append(Part(box((x0, -0.03, -half), (x1, top, half)), material))
        elif kind == "tanks":
            parts.append(
                Part(
                    ellipsoid(((x0 + x1) / 2, 0.0, 0), ((x1 - x0) / 2, 0.9 * half, 0.9 * half), 24),
                    Material(gray(0.75), 0.4, 30),
                )
            )
        else:
            parts.append(
                Part(
                    box((x0, -0.03, -0.8 * half), (x1, 0.022, 0.8 * half)),
                    Material(any_color(rng), 0.1, 10),
                )
            )
    return parts


def _tug(rng):
    hull = Hull(
        uniform(rng, 0.16, 0.2),
        uniform(rng, 0.12, 0.17),
        uniform(rng, 0.08, 0.14),
        uniform(rng, 0.75, 0.95),
        uniform(rng, 2.4, 3.5),
        uniform(rng, 0.03, 0.08),
        uniform(rng, 0.4, 0.55),
    )
    white = Material(gray(uniform(rng, 0.75, 0.95)), 0.2, 20)
    low_high = uniform(rng, 0.1, 0.14)
    rear, front = uniform(rng, -0.3, -0.2), uniform(rng, 0.12, 0.22)
    house = cabin(rear, front, 0.6 * hull.half_beam, -0.04, low_high, 0.03, 0.02, 0.95)
    high = low_high + uniform(rng, 0.09, 0.13)
    bridge = cabin(
        front - 0.24, front - 0.02, 0.5 * hull.half_beam, low_high - 0.01, high, 0.0, 0.01, 1.0
    )
    roof = _block(front - 0.26, front - 0.0, 0.56 * hull.half_beam, high - 0.003, high + 0.014)
    x = rear + uniform(rng, 0.06, 0.12)
    funnel = rod(
        (x, low_high - 0.02, 0), (x - 0.02, low_high + uniform(rng, 0.12, 0.2), 0), 0.045, 0.04, 20
    )
    funnel_paint = Material(any_color(rng), 0.3, 30)
    parts = [
        Part(hull_solid(hull), hull_paint(rng, hull)),
        Part(house, windows(white, 0, low_high, 0.07)),
        Part(bridge, windows(white, low_high, high, 0.05)),
        Part(roof, choose(rng, [white, funnel_paint])),
        Part(funnel, funnel_paint),
    ]
    if chance(rng, 0.7):
        parts.append(Part(_mast(front - 0.14, high, uniform(rng, 0.12, 0.22)), metal(rng)))
    return parts
