"""Open furniture: shelves with contents, racks, ladders, thin-legged tables, desks with drawers,
beds, and seats of bars. Proportions as people draw them; they face +x."""

import numpy as np

from ..draw import chance, choose, integer, uniform, weighted
from ..materials import Material, any_color, furniture_finish, metal, paint, plastic, wood
from ..shape import Part
from ..solids import box, lathe, slab, union
from .beds import bed
from .desks import desk
from .open_seats import bars, bench, folding_chair, slatted_chair, stool


def build(rng):
    """Parts of a random piece; measures in metres."""
    kind = weighted(
        rng,
        {
            "shelf": 3,
            "slats": 3,
            "folding": 1.5,
            "rack": 1.5,
            "ladder": 1,
            "thin_table": 3,
            "desk": 2,
            "bed": 1.5,
            "bench": 1,
            "stool": 1.5,
        },
    )
    return {
        "shelf": _shelf,
        "slats": slatted_chair,
        "folding": folding_chair,
        "rack": _rack,
        "ladder": _ladder,
        "thin_table": _thin_table,
        "desk": desk,
        "bed": bed,
        "bench": bench,
        "stool": stool,
    }[kind](rng)


def _shelf(rng):
    """Boards between sides or posts, with or without a back, and things on them."""
    width, height = uniform(rng, 0.4, 1.6), uniform(rng, 0.5, 2.1)
    depth, board = uniform(rng, 0.22, 0.45), uniform(rng, 0.012, 0.035)
    rows, columns = integer(rng, 2, 6), integer(rng, 1, 3)
    x, z = depth / 2, width / 2
    low = choose(rng, [0.0, uniform(rng, 0.03, 0.12)])
    solids = []
    if chance(rng, 0.6):
        for at in np.linspace(-z, z, columns + 1):
            left = min(max(at - board / 2, -z), z - board)
            solids.append(box((-x, 0, left), (x, height, left + board)))
    else:
        post = uniform(rng, 0.015, 0.035)
        solids += [
            box(
                (sx * (x - post / 2) - post / 2, 0, sz * (z - post / 2) - post / 2),
                (sx * (x - post / 2) + post / 2, height, sz * (z - post / 2) + post / 2),
            )
            for sx in (-1, 1)
            for sz in (-1, 1)
        ]
        columns = 1
    heights = np.linspace(low, height - board, rows + 1)
    if chance(rng, 0.3):
        heights[1:-1] += rng.uniform(-0.25, 0.25, rows - 1) * (heights[1] - heights[0])
    solids += [box((-x, y, -z), (x, y + board, z)) for y in heights]
    backed = chance(rng, 0.5)
    if backed:
        solids.append(box((-x, low, -z), (-x + 0.012, height, z)))
    parts = [Part(union(solids), furniture_finish(rng))]
    if chance(rng, 0.55):
        parts += _contents(rng, np.linspace(-z, z, columns + 1), heights, board, x)
    return parts


def _contents(rng, columns, heights, board, x):
    """Books, boxes and jars that stand on the boards, a little sunk in."""
    parts = []
    for y0, y1 in zip(heights[:-1], heights[1:]):
        room = y1 - y0 - board
        for z0, z1 in zip(columns[:-1], columns[1:]):
            if room < 0.06 or chance(rng, 0.25) or len(parts) > 40:
                continue
            kind = weighted(rng, {"books": 5, "box": 2, "jar": 2})
            base = y0 + board - 0.002
            left, right = z0 + board, z1 - board
            if kind == "box":
                wide = min(uniform(rng, 0.1, 0.35), right - left)
                at = uniform(rng, left, right - wide + 1e-6)
                top = base + uniform(rng, 0.3, 0.9) * room
                parts.append(
                    Part(
                        box((-0.8 * x, base, at), (0.8 * x, top, at + wide)),
                        choose(rng, [plastic(rng), wood(rng)]),
                    )
                )
            elif kind == "jar":
                r = min(0.06, 0.4 * (right - left), 0.7 * x)
                at = uniform(rng, left + r, right - r + 1e-6)
                profile = [(r, base), (1.1 * r, base + 0.4 * room), (0.5 * r, base + 0.75 * room)]
                parts.append(Part(lathe(profile, (0, at), 16), paint(rng)))
            else:
                at = left + uniform(rng, 0, 0.3) * (right - left)
                end = at + uniform(rng, 0.3, 0.9) * (right - at)
                while at < end - 0.02 and len(parts) <= 40:
                    thick = min(uniform(rng, 0.02, 0.06), end - at)
                    top = base + uniform(rng, 0.55, 0.95) * room
                    front = uniform(rng, 0.3, 0.85) * x
                    parts.append(
                        Part(
                            box((-0.9 * x, base, at), (front, top, at + thick)),
                            Material(any_color(rng), 0.05),
                        )
                    )
                    at += thick
    return parts


def _rack(rng):
    """Bars: clothes racks, towel racks, railings, plant stands, frames of cubes."""
    bar = bars(rng)
    width, depth, height = uniform(rng, 0.4, 1.5), uniform(rng, 0.15, 0.6), uniform(rng, 0.5, 1.7)
    x, z = depth / 2, width / 2
    solids = []
    if chance(rng, 0.5):
        solids += [bar((0, 0, s * z), (0, height, s * z)) for s in (-1, 1)]
        solids += [bar((-x, 0.02, s * z), (x, 0.02, s * z)) for s in (-1, 1)]
        for y in np.linspace(height, uniform(rng, 0.05, 0.8) * height, integer(rng, 2, 7)):
            solids.append(bar((0, y, -z), (0, y, z)))
        if chance(rng, 0.4):
            solids += [
                bar((0, 0.03, at), (0, height, at), 0.7)
                for at in np.linspace(-z, z, integer(rng, 4, 11))[1:-1]
            ]
    else:
        corners = [(sx * x, sz * z) for sx in (-1, 1) for sz in (-1, 1)]
        solids += [bar((a, 0, b), (a, height, b)) for a, b in corners]
        for y in np.linspace(uniform(rng, 0.02, 0.3), height - 0.01, integer(rng, 2, 4)):
            solids += [bar((sx * x, y, -z), (sx * x, y, z)) for sx in (-1, 1)]
            solids += [bar((-x, y, sz * z), (x, y, sz * z)) for sz in (-1, 1)]
            if chance(rng, 0.5):
                solids.append(box((-x, y - 0.006, -z), (x, y + 0.006, z)))
    return [Part(union(solids), choose(rng, [metal(rng), wood(rng, "y"), paint(rng)]))]


def _ladder(rng):
    height, spread, half = uniform(rng, 0.6, 1.8), uniform(rng, 0.2, 0.5), uniform(rng, 0.16, 0.28)
    steps, bar = integer(rng, 2, 6), bars(rng)
    solids = []
    for s in (-1, 1):
        solids += [
            bar((spread, 0, s * 1.15 * half), (0, height, s * half)),
            bar((-spread, 0, s * 1.15 * half), (0, height, s * half)),
        ]
    deep = uniform(rng, 0.02, 0.06)
    for share in np.linspace(0, 1, steps + 1)[1:]:
        at, z = spread * (1 - share), half * (1.15 - 0.15 * share)
        solids.append(
            box((at - deep, share * height - 0.012, -z), (at + deep, share * height + 0.012, z))
        )
    solids.append(
        bar((-0.6 * spread, 0.4 * height, -1.09 * half), (-0.6 * spread, 0.4 * height, 1.09 * half))
    )
    return [Part(union(solids), choose(rng, [metal(rng), wood(rng, "y"), paint(rng)]))]


def _thin_table(rng):
    """A thin top on thin legs, trestles or a frame of bars."""
    width, depth, height = uniform(rng, 0.4, 2.0), uniform(rng, 0.4, 1.0), uniform(rng, 0.35, 1.05)
    thick, bar = uniform(rng, 0.012, 0.035), bars(rng)
    x, z = depth / 2 - uniform(rng, 0.02, 0.1), width / 2 - uniform(rng, 0.02, 0.12)
    top = height - thick / 2
    kind = weighted(rng, {"legs": 4, "trestles": 2, "frame": 2, "hairpin": 1})
    solids = []
    if kind == "trestles":
        for s in (-1, 1):
            solids += [
                bar((side * x, 0, s * z), (0.25 * side * x, top, s * 0.85 * z)) for side in (-1, 1)
            ]
            solids += [
                bar(
                    (-0.25 * x, height - thick - 0.01, s * 0.85 * z),
                    (0.25 * x, height - thick - 0.01, s * 0.85 * z),
                ),
                bar(
                    (-0.62 * x, 0.5 * height, s * 0.925 * z),
                    (0.62 * x, 0.5 * height, s * 0.925 * z),
                    0.8,
                ),
            ]
    else:
        splay = choose(rng, [1.0, uniform(rng, 1.0, 1.15)])
        for sx in (-1, 1):
            for sz in (-1, 1):
                solids.append(bar((splay * sx * x, 0, splay * sz * z), (sx * x, top, sz * z)))
                if kind == "hairpin":
                    solids.append(
                        bar((splay * sx * x, 0.01, splay * sz * z), (0.8 * sx * x, top, sz * z))
                    )
    if kind == "frame":
        for y in (height - thick - 0.01, uniform(rng, 0.05, 0.3) * height):
            solids += [bar((-x, y, s * z), (x, y, s * z)) for s in (-1, 1)]
            solids += [bar((s * x, y, -z), (s * x, y, z)) for s in (-1, 1)]
    board = slab(depth, width, height - thick, height)
    parts = [
        Part(board, furniture_finish(rng)),
        Part(union(solids), choose(rng, [metal(rng), wood(rng, "y"), paint(rng)])),
    ]
    if chance(rng, 0.25) and kind != "trestles":
        y = uniform(rng, 0.15, 0.5) * height
        parts.append(Part(slab(2 * x, 2 * z, y, y + 0.015), furniture_finish(rng)))
    return parts
