"""Sofas: two to four seats, corner sofas, chaises, benches with a back. They face +x."""

import numpy as np

from ..draw import chance, choose, uniform, weighted
from ..furniture import feet, plinth
from ..materials import Material, any_color, fabric, gray, metal, shade, wood
from ..shape import Part
from ..solids import box, ellipsoid, prism_z, rod, rounded_box, sheared_x, union


def build(rng):
    """Parts of a random sofa; measures in metres."""
    seats = weighted(rng, {2: 3, 3: 4, 4: 1})
    sofa = _Measures(rng, seats)
    cover = fabric(rng)
    other = choose(rng, [cover, cover, fabric(rng), Material(shade(cover.color, 0.75), 0.03, 8)])
    parts = [Part(union(_body(rng, sofa)), cover)]
    if sofa.arms:
        parts.append(Part(union(_arms(sofa)), cover))
    support = _support(rng, sofa)
    parts += [Part(union(_seat_cushions(rng, sofa)), other), support]
    if chance(rng, 0.75):
        parts.append(Part(union(_back_cushions(rng, sofa)), choose(rng, [other, cover])))
    if chance(rng, 0.3):
        seat, seat_feet = _chaise(rng, sofa)
        parts += [Part(seat, cover), Part(seat_feet, support.material)]
    if chance(rng, 0.35):
        parts.append(Part(_pillows(rng, sofa), Material(any_color(rng), 0.03, 8)))
    return parts


class _Measures:
    """The numbers that all pieces share; x from -depth/2 (back) to depth/2, z across."""

    def __init__(self, rng, seats):
        self.seats = seats
        self.arm_style = weighted(rng, {"box": 4, "round": 2, "slanted": 1, "low": 1, "none": 1})
        self.arms = self.arm_style != "none"
        self.arm = uniform(rng, 0.12, 0.28) if self.arms else 0.0
        self.width = seats * uniform(rng, 0.52, 0.68) + 2 * self.arm
        self.depth = uniform(rng, 0.8, 1.0)
        self.floor = uniform(rng, 0.04, 0.17)
        self.seat_top = uniform(rng, 0.38, 0.46)
        self.cushion = uniform(rng, 0.1, 0.18)
        self.back = uniform(rng, 0.14, 0.24)
        self.back_top = uniform(rng, 0.68, 0.95)
        self.arm_top = self.seat_top + (
            0.06 if self.arm_style == "low" else uniform(rng, 0.12, 0.26)
        )
        self.radius = uniform(rng, 0.02, 0.07)
        self.lean = uniform(rng, 0.0, 0.2)

    @property
    def inner(self):
        """Half the width between the arms."""
        return self.width / 2 - self.arm


def _body(rng, sofa):
    x, z = sofa.depth / 2, sofa.width / 2
    base = rounded_box(
        (-x, sofa.floor, -z + 0.01), (x - 0.02, sofa.seat_top - sofa.cushion + 0.01, z - 0.01), 0.02
    )
    back = rounded_box(
        (-x, sofa.floor, -z + 0.005), (-x + sofa.back, sofa.back_top, z - 0.005), sofa.radius
    )
    back = sheared_x(back, -sofa.lean, sofa.floor)
    if chance(rng, 0.2):
        crest = ellipsoid(
            (
                -x + 0.5 * sofa.back - sofa.lean * (sofa.back_top - sofa.floor),
                sofa.back_top - 0.03,
                0,
            ),
            (0.45 * sofa.back, uniform(rng, 0.1, 0.2), 0.8 * z),
            32,
        )
        return [base, back, crest]
    return [base, back]


def _arms(sofa):
    return [_arm(sofa, s) for s in (-1, 1)]


def _arm(sofa, side):
    x, outer, inner = sofa.depth / 2, sofa.width / 2, sofa.inner
    low, high = sorted((side * inner, side * outer))
    if sofa.arm_style == "round":
        radius, z = 0.55 * sofa.arm, side * (inner + outer) / 2
        body = rounded_box(
            (-x + 0.01, sofa.floor, low + 0.02),
            (x - 0.01, sofa.arm_top - radius, high - 0.02),
            0.02,
        )
        return union(
            [
                body,
                rod(
                    (-x + 0.01, sofa.arm_top - radius, z),
                    (x, sofa.arm_top - radius, z),
                    radius,
                    segments=24,
                ),
            ]
        )
    arm = rounded_box((-x + 0.005, sofa.floor, low), (x, sofa.arm_top, high), sofa.radius)
    if sofa.arm_style == "slanted":
        cut = prism_z(
            [(0.1, sofa.arm_top + 0.01), (x + 0.1, sofa.arm_top + 0.01), (x + 0.1, sofa.seat_top)],
            low - 0.1,
            high + 0.1,
        )
        return arm - cut
    return arm


def _cushion_spans(count, half):
    edges = np.linspace(-half, half, count + 1)
    return list(zip(edges[:-1], edges[1:]))


def _seat_cushions(rng, sofa):
    """One cushion a seat, or one bench cushion."""
    count = choose(rng, [sofa.seats, sofa.seats, 1])
    rear, front = -sofa.depth / 2 + 0.7 * sofa.back, sofa.depth / 2 - uniform(rng, -0.02, 0.03)
    half = sofa.inner + (0.01 if sofa.arms else -0.01)
    return [
        rounded_box(
            (rear, sofa.seat_top - sofa.cushion, low - 0.002),
            (front, sofa.seat_top + uniform(rng, 0, 0.015), high + 0.002),
            0.35 * sofa.cushion,
        )
        for low, high in _cushion_spans(count, half)
    ]


def _back_cushions(rng, sofa):
    count = choose(rng, [sofa.seats, sofa.seats, sofa.seats - 1])
    thick = uniform(rng, 0.1, 0.2)
    top = sofa.back_top + uniform(rng, -0.12, 0.06)
    rear = -sofa.depth / 2 + 0.75 * sofa.back
    half = sofa.inner + (0.005 if sofa.arms else -0.02)
    lean = sofa.lean + uniform(rng, 0.0, 0.12)
    return [
        sheared_x(
            rounded_box(
                (rear, sofa.seat_top - 0.03, low - 0.002),
                (rear + thick, top, high + 0.002),
                0.42 * thick,
            ),
            -lean,
            sofa.seat_top - 0.03,
        )
        for low, high in _cushion_spans(count, half)
    ]


def _chaise(rng, sofa):
    """A long seat at one end, and its feet: makes a corner sofa."""
    side, width = choose(rng, [-1, 1]), uniform(rng, 0.6, 0.8)
    outer = side * (sofa.width / 2 - 0.005)
    low, high = sorted((outer, outer - side * width))
    x = sofa.depth / 2
    length = uniform(rng, 0.4, 0.75)
    seat = rounded_box((x - 0.3, sofa.floor, low), (x + length, sofa.seat_top + 0.01, high), 0.05)
    end = x + length - 0.1
    return seat, union(
        [rod((end, 0, z), (end, sofa.floor + 0.03, z), 0.025) for z in (low + 0.1, high - 0.1)]
    )


def _pillows(rng, sofa):
    solids = []
    for side in choose(rng, [(-1,), (1,), (-1, 1)]):
        size = uniform(rng, 0.36, 0.46)
        x = -sofa.depth / 2 + sofa.back + 0.2
        pillow = rounded_box((-0.07, -size / 2, -size / 2), (0.07, size / 2, size / 2), 0.065)
        pillow = pillow.rotate((0, 0, uniform(rng, 12, 25)))
        solids.append(
            pillow.translate((x, sofa.seat_top + 0.43 * size, side * (sofa.inner - 0.55 * size)))
        )
    return union(solids)


def _support(rng, sofa):
    """Feet, runners or a plinth."""
    kind = weighted(rng, {"feet": 5, "plinth": 2, "runners": 1})
    x, z = sofa.depth / 2, sofa.width / 2
    finish = choose(rng, [wood(rng, "y"), metal(rng), Material(gray(0.1), 0.1)])
    if kind == "plinth":
        return Part(
            plinth(sofa.depth, sofa.width, sofa.floor + 0.02, uniform(rng, 0.03, 0.1)), finish
        )
    if kind == "runners":
        return Part(
            union(
                [
                    box(
                        (-x + 0.05, 0, s * (z - 0.15) - 0.025),
                        (x - 0.06, sofa.floor + 0.02, s * (z - 0.15) + 0.025),
                    )
                    for s in (-1, 1)
                ]
            ),
            finish,
        )
    style = choose(rng, ["square", "round", "tapered", "cone"])
    return Part(
        union(feet(x - 0.09, z - 0.09, sofa.floor, uniform(rng, 0.04, 0.08), style)), finish
    )
