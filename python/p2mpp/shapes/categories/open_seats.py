"""Slatted and rung chairs, folding chairs, benches, stools: thin bars and boards."""

import numpy as np

from ..draw import chance, choose, integer, uniform, weighted
from ..materials import fabric, metal, paint, plastic, wood
from ..shape import Part
from ..solids import beam, box, lathe, rod, rounded_box, sheared_x, slab, union


def bars(rng):
    """A function that makes bars: round or square, of one thickness."""
    thickness = uniform(rng, 0.014, 0.04)
    if chance(rng, 0.5):
        return lambda start, end, factor=1.0: rod(start, end, 0.5 * factor * thickness, segments=10)
    return lambda start, end, factor=1.0: beam(start, end, factor * thickness)


def slatted_chair(rng):
    """A chair whose back has slats, rungs, spindles or a frame; thin legs, sometimes arms."""
    width, depth = uniform(rng, 0.36, 0.5), uniform(rng, 0.36, 0.5)
    seat = uniform(rng, 0.42, 0.5)
    height = seat + uniform(rng, 0.36, 0.68)
    bar = bars(rng)
    thick = uniform(rng, 0.015, 0.05)
    x, z = depth / 2 - 0.02, width / 2 - 0.02
    finish = choose(rng, [wood(rng, "y"), metal(rng), paint(rng)])
    lean = uniform(rng, 0.0, 0.25)
    solids = [bar((x, 0, s * z), (x, seat, s * z)) for s in (-1, 1)]
    solids += [bar((-x - uniform(rng, 0, 0.06), 0, s * z), (-x, seat, s * z)) for s in (-1, 1)]

    def back(y):
        return -x - lean * (y - seat)

    solids += [bar((-x, seat - 0.02, s * z), (back(height), height, s * z)) for s in (-1, 1)]
    kind = weighted(rng, {"slats": 3, "spindles": 3, "cross": 1, "one": 2})
    top = height - 0.015
    solids.append(bar((back(top), top, -z), (back(top), top, z), uniform(rng, 1, 2)))
    if kind == "slats":
        for y in np.linspace(seat + 0.12, top, integer(rng, 2, 6))[:-1]:
            tall = uniform(rng, 0.012, 0.05)
            solids.append(
                sheared_x(
                    box((-x - 0.008, y - tall / 2, -z), (-x + 0.008, y + tall / 2, z)), -lean, seat
                )
            )
    elif kind == "spindles":
        for at in np.linspace(-z, z, integer(rng, 4, 9))[1:-1]:
            solids.append(rod((-x, seat - 0.01, at), (back(top), top, at), 0.007, segments=8))
    elif kind == "cross":
        solids += [
            bar((back(seat + 0.1), seat + 0.1, s * z), (back(top), top, -s * z), 0.8)
            for s in (-1, 1)
        ]
    else:
        y = uniform(rng, seat + 0.15, height - 0.2)
        solids.append(
            sheared_x(
                box((-x - 0.01, y, -z), (-x + 0.01, y + uniform(rng, 0.1, 0.19), z)), -lean, seat
            )
        )
    if chance(rng, 0.5):
        y = uniform(rng, 0.1, 0.25)
        solids += [bar((-x, y, s * z), (x, y, s * z), 0.8) for s in (-1, 1)]
        if chance(rng, 0.6):
            solids.append(bar((0, y, -z), (0, y, z), 0.8))
    if chance(rng, 0.25):
        y = seat + uniform(rng, 0.16, 0.24)
        for s in (-1, 1):
            solids += [
                bar((back(y), y, s * z), (x, y, s * z)),
                bar((x, seat - 0.01, s * z), (x, y, s * z)),
            ]
    low, high = (-depth / 2, seat - thick, -width / 2), (depth / 2, seat, width / 2)
    board = rounded_box(low, high, 0.4 * thick) if chance(rng, 0.5) else box(low, high)
    return [Part(union(solids), finish), Part(board, choose(rng, [finish, fabric(rng)]))]


def folding_chair(rng):
    """Crossed legs, a thin seat and a thin back: deck and garden chairs."""
    half, seat, height = uniform(rng, 0.18, 0.26), uniform(rng, 0.4, 0.5), uniform(rng, 0.75, 0.95)
    reach, bar = uniform(rng, 0.18, 0.3), bars(rng)
    solids = []
    for s in (-1, 1):
        z = s * half
        solids += [
            bar((reach, 0, z), (-reach - 0.04, height, z)),
            bar((-reach, 0, 0.9 * z), (reach, seat, 0.9 * z)),
        ]
    for x, y, share in (
        (reach, 0.01, 1),
        (-reach, 0.01, 0.9),
        (reach, seat, 1),
        (-reach - 0.04, height, 1),
    ):
        solids.append(bar((x, y, -share * half), (x, y, share * half)))
    along = -reach * (seat - 0.02) / height * 2 + reach
    panel = box((along - 0.03, seat - 0.012, -half), (reach + 0.03, seat + 0.008, half))
    slope = -(2 * reach + 0.04) / height
    rest = sheared_x(
        box((-0.01, uniform(rng, 0.6, 0.72) * height, -half), (0.01, 0.97 * height, half)), slope, 0
    ).translate((reach, 0, 0))
    cover = choose(rng, [fabric(rng), wood(rng), plastic(rng)])
    return [
        Part(union(solids), choose(rng, [metal(rng), wood(rng, "y"), paint(rng)])),
        Part(union([panel, rest]), cover),
    ]


def bench(rng):
    """Garden benches: slats along, two or three supports, sometimes a back."""
    width, depth, seat = uniform(rng, 0.9, 2.0), uniform(rng, 0.3, 0.5), uniform(rng, 0.38, 0.48)
    x, z, slats = depth / 2, width / 2, integer(rng, 2, 6)
    boards = []
    step = depth / slats
    for k in range(slats):
        a = -x + k * step
        boards.append(box((a + 0.006, seat - 0.025, -z), (a + step - 0.006, seat, z)))
    lean, tall = uniform(rng, 0.05, 0.3), uniform(rng, 0.75, 0.95)
    backed, ends = chance(rng, 0.65), np.linspace(-0.85 * z, 0.85 * z, integer(rng, 2, 3))
    frame = []
    for b in ends:
        frame += [
            box((-x, seat - 0.07, b - 0.02), (x, seat - 0.02, b + 0.02)),
            beam((0.85 * x, 0, b), (0.85 * x, seat - 0.03, b), 0.045),
            beam((-0.9 * x, 0, b), (-0.85 * x, seat - 0.03, b), 0.045),
        ]
        if backed:
            frame.append(
                beam((-0.87 * x, seat - 0.06, b), (-0.87 * x - lean * (tall - seat), tall, b), 0.04)
            )
    if backed:
        for y in np.linspace(seat + 0.12, tall - 0.04, integer(rng, 2, 4)):
            at = -0.87 * x - lean * (y - seat)
            boards.append(box((at - 0.005, y - 0.04, -z), (at + 0.025, y + 0.04, z)))
    return [
        Part(union(boards), choose(rng, [wood(rng, "z"), paint(rng)])),
        Part(union(frame), choose(rng, [metal(rng), wood(rng, "y"), paint(rng)])),
    ]


def stool(rng):
    """Three or four thin legs with rungs under a small seat."""
    height, radius = uniform(rng, 0.4, 0.85), uniform(rng, 0.14, 0.22)
    thick, bar = uniform(rng, 0.02, 0.08), bars(rng)
    count, spread = integer(rng, 3, 4), uniform(rng, 1.0, 1.4)
    start = uniform(rng, 0, 2 * np.pi)
    around = [
        np.array([np.cos(a), 0, np.sin(a)]) for a in start + np.arange(count) * 2 * np.pi / count
    ]
    top = np.array([0, height - 0.5 * thick, 0])
    solids = [bar(spread * radius * d, 0.75 * radius * d + top) for d in around]
    if chance(rng, 0.7):
        share = uniform(rng, 0.2, 0.6)
        ring = [(spread + share * (0.75 - spread)) * radius * d + share * top for d in around]
        solids += [bar(ring[k - 1], ring[k], 0.8) for k in range(count)]
    seat = lathe(
        [
            (0.96 * radius, height - thick),
            (radius, height - 0.6 * thick),
            (radius, height - 0.2 * thick),
            (0.93 * radius, height),
        ],
        segments=32,
    )
    if chance(rng, 0.3):
        seat = slab(1.7 * radius, 1.7 * radius, height - thick, height)
    finish = choose(rng, [wood(rng, "y"), metal(rng), paint(rng)])
    return [
        Part(union(solids), finish),
        Part(seat, choose(rng, [finish, fabric(rng), plastic(rng)])),
    ]
