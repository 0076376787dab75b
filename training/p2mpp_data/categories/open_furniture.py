"""What stands open: shelves with contents, slatted and rung chairs, folding chairs, racks, ladders,
thin-legged tables, desks with drawers, beds. Proportions as people draw them; they face +x."""

import numpy as np

from ..draw import chance, choose, integer, uniform, weighted
from ..materials import (Material, any_color, fabric, furniture_finish, gray, metal, paint, plastic,
                         wood)
from ..shape import Part
from ..solids import beam, box, lathe, rod, rounded_box, sheared_x, slab, union


def build(rng):
    """Parts of a random piece; measures in metres."""
    kind = weighted(rng, {"shelf": 3, "slats": 3, "folding": 1.5, "rack": 1.5, "ladder": 1,
                          "thin_table": 3, "desk": 2, "bed": 1.5, "bench": 1, "stool": 1.5})
    return {"shelf": _shelf, "slats": _slatted_chair, "folding": _folding_chair, "rack": _rack,
            "ladder": _ladder, "thin_table": _thin_table, "desk": _desk, "bed": _bed,
            "bench": _bench, "stool": _stool}[kind](rng)


def _bar(rng):
    """A function that makes bars: round or square, of one thickness."""
    thickness = uniform(rng, 0.014, 0.04)
    if chance(rng, 0.5):
        return lambda start, end, factor=1.0: rod(start, end, 0.5 * factor * thickness, segments=10)
    return lambda start, end, factor=1.0: beam(start, end, factor * thickness)


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
        solids += [box((sx * (x - post / 2) - post / 2, 0, sz * (z - post / 2) - post / 2),
                       (sx * (x - post / 2) + post / 2, height, sz * (z - post / 2) + post / 2))
                   for sx in (-1, 1) for sz in (-1, 1)]
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
                parts.append(Part(box((-0.8 * x, base, at), (0.8 * x, top, at + wide)),
                                  choose(rng, [plastic(rng), wood(rng)])))
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
                    parts.append(Part(box((-0.9 * x, base, at), (front, top, at + thick)),
                                      Material(any_color(rng), 0.05)))
                    at += thick
    return parts


def _slatted_chair(rng):
    """A chair whose back has slats, rungs, spindles or a frame; thin legs, sometimes arms."""
    width, depth = uniform(rng, 0.36, 0.5), uniform(rng, 0.36, 0.5)
    seat = uniform(rng, 0.42, 0.5)
    height = seat + uniform(rng, 0.36, 0.68)
    bar = _bar(rng)
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
            solids.append(sheared_x(box((-x - 0.008, y - tall / 2, -z), (-x + 0.008, y + tall / 2, z)),
                                    -lean, seat))
    elif kind == "spindles":
        for at in np.linspace(-z, z, integer(rng, 4, 9))[1:-1]:
            solids.append(rod((-x, seat - 0.01, at), (back(top), top, at), 0.007, segments=8))
    elif kind == "cross":
        solids += [bar((back(seat + 0.1), seat + 0.1, s * z), (back(top), top, -s * z), 0.8)
                   for s in (-1, 1)]
    else:
        y = uniform(rng, seat + 0.15, height - 0.2)
        solids.append(sheared_x(box((-x - 0.01, y, -z), (-x + 0.01, y + uniform(rng, 0.1, 0.19), z)),
                                -lean, seat))
    if chance(rng, 0.5):
        y = uniform(rng, 0.1, 0.25)
        solids += [bar((-x, y, s * z), (x, y, s * z), 0.8) for s in (-1, 1)]
        if chance(rng, 0.6):
            solids.append(bar((0, y, -z), (0, y, z), 0.8))
    if chance(rng, 0.25):
        y = seat + uniform(rng, 0.16, 0.24)
        for s in (-1, 1):
            solids += [bar((back(y), y, s * z), (x, y, s * z)), bar((x, seat - .01, s * z), (x, y, s * z))]
    low, high = (-depth / 2, seat - thick, -width / 2), (depth / 2, seat, width / 2)
    board = rounded_box(low, high, 0.4 * thick) if chance(rng, 0.5) else box(low, high)
    return [Part(union(solids), finish), Part(board, choose(rng, [finish, fabric(rng)]))]


def _folding_chair(rng):
    """Crossed legs, a thin seat and a thin back: deck and garden chairs."""
    half, seat, height = uniform(rng, 0.18, 0.26), uniform(rng, 0.4, 0.5), uniform(rng, 0.75, 0.95)
    reach, bar = uniform(rng, 0.18, 0.3), _bar(rng)
    solids = []
    for s in (-1, 1):
        z = s * half
        solids += [bar((reach, 0, z), (-reach - 0.04, height, z)),
                   bar((-reach, 0, 0.9 * z), (reach, seat, 0.9 * z))]
    for x, y, share in ((reach, 0.01, 1), (-reach, 0.01, 0.9), (reach, seat, 1), (-reach - 0.04, height, 1)):
        solids.append(bar((x, y, -share * half), (x, y, share * half)))
    along = -reach * (seat - 0.02) / height * 2 + reach
    panel = box((along - 0.03, seat - 0.012, -half), (reach + 0.03, seat + 0.008, half))
    slope = -(2 * reach + 0.04) / height
    rest = sheared_x(box((-0.01, uniform(rng, 0.6, 0.72) * height, -half),
                         (0.01, 0.97 * height, half)), slope, 0).translate((reach, 0, 0))
    cover = choose(rng, [fabric(rng), wood(rng), plastic(rng)])
    return [Part(union(solids), choose(rng, [metal(rng), wood(rng, "y"), paint(rng)])),
            Part(union([panel, rest]), cover)]


def _rack(rng):
    """Bars: clothes racks, towel racks, railings, plant stands, frames of cubes."""
    bar = _bar(rng)
    width, depth, height = uniform(rng, 0.4, 1.5), uniform(rng, 0.15, 0.6), uniform(rng, 0.5, 1.7)
    x, z = depth / 2, width / 2
    solids = []
    if chance(rng, 0.5):
        solids += [bar((0, 0, s * z), (0, height, s * z)) for s in (-1, 1)]
        solids += [bar((-x, 0.02, s * z), (x, 0.02, s * z)) for s in (-1, 1)]
        for y in np.linspace(height, uniform(rng, 0.05, 0.8) * height, integer(rng, 2, 7)):
            solids.append(bar((0, y, -z), (0, y, z)))
        if chance(rng, 0.4):
            solids += [bar((0, 0.03, at), (0, height, at), 0.7)
                       for at in np.linspace(-z, z, integer(rng, 4, 11))[1:-1]]
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
    steps, bar = integer(rng, 2, 6), _bar(rng)
    solids = []
    for s in (-1, 1):
        solids += [bar((spread, 0, s * 1.15 * half), (0, height, s * half)),
                   bar((-spread, 0, s * 1.15 * half), (0, height, s * half))]
    deep = uniform(rng, 0.02, 0.06)
    for share in np.linspace(0, 1, steps + 1)[1:]:
        at, z = spread * (1 - share), half * (1.15 - 0.15 * share)
        solids.append(box((at - deep, share * height - 0.012, -z), (at + deep, share * height + 0.012, z)))
    solids.append(bar((-0.6 * spread, 0.4 * height, -1.09 * half), (-0.6 * spread, 0.4 * height, 1.09 * half)))
    return [Part(union(solids), choose(rng, [metal(rng), wood(rng, "y"), paint(rng)]))]


def _thin_table(rng):
    """A thin top on thin legs, trestles or a frame of bars."""
    width, depth, height = uniform(rng, 0.4, 2.0), uniform(rng, 0.4, 1.0), uniform(rng, 0.35, 1.05)
    thick, bar = uniform(rng, 0.012, 0.035), _bar(rng)
    x, z = depth / 2 - uniform(rng, 0.02, 0.1), width / 2 - uniform(rng, 0.02, 0.12)
    top = height - thick / 2
    kind = weighted(rng, {"legs": 4, "trestles": 2, "frame": 2, "hairpin": 1})
    solids = []
    if kind == "trestles":
        for s in (-1, 1):
            solids += [bar((side * x, 0, s * z), (0.25 * side * x, top, s * 0.85 * z)) for side in (-1, 1)]
            solids += [bar((-0.25 * x, height - thick - .01, s * .85 * z), (0.25 * x, height - thick - .01, s * .85 * z)),
                       bar((-0.62 * x, 0.5 * height, s * .925 * z), (0.62 * x, 0.5 * height, s * .925 * z), 0.8)]
    else:
        splay = choose(rng, [1.0, uniform(rng, 1.0, 1.15)])
        for sx in (-1, 1):
            for sz in (-1, 1):
                solids.append(bar((splay * sx * x, 0, splay * sz * z), (sx * x, top, sz * z)))
                if kind == "hairpin":
                    solids.append(bar((splay * sx * x, 0.01, splay * sz * z), (0.8 * sx * x, top, sz * z)))
    if kind == "frame":
        for y in (height - thick - 0.01, uniform(rng, 0.05, 0.3) * height):
            solids += [bar((-x, y, s * z), (x, y, s * z)) for s in (-1, 1)]
            solids += [bar((s * x, y, -z), (s * x, y, z)) for s in (-1, 1)]
    board = slab(depth, width, height - thick, height)
    parts = [Part(board, furniture_finish(rng)), Part(union(solids), choose(rng, [metal(rng), wood(rng, "y"), paint(rng)]))]
    if chance(rng, 0.25) and kind != "trestles":
        y = uniform(rng, 0.15, 0.5) * height
        parts.append(Part(slab(2 * x, 2 * z, y, y + 0.015), furniture_finish(rng)))
    return parts


def _desk(rng):
    """A desk with drawers on one side or both, open in the middle, or a vanity with a mirror."""
    width, depth, height = uniform(rng, 1.0, 1.7), uniform(rng, 0.5, 0.8), uniform(rng, 0.7, 0.78)
    board, chest = uniform(rng, 0.018, 0.04), uniform(rng, 0.28, 0.45)
    x, z = depth / 2, width / 2
    finish = furniture_finish(rng)
    solids, fronts = [slab(depth, width, height - board, height)], []
    sides = choose(rng, [(-1,), (1,), (-1, 1)])
    low = choose(rng, [0.0, uniform(rng, 0.02, 0.25)])
    for s in (-1, 1):
        if s not in sides:
            solids.append(box((-0.95 * x, 0, s * (z - 0.03) - board / 2), (0.95 * x, height - .01, s * (z - .03) + board / 2)))
            continue
        middle = s * (z - 0.02 - chest / 2)
        solids.append(box((-0.95 * x, low, middle - chest / 2), (0.95 * x, height - .01, middle + chest / 2)))
        if low > 0:
            solids += [box((a * .85 * x - .02, 0, middle + b * .42 * chest - .02), (a * .85 * x + .02, low + .01, middle + b * .42 * chest + .02))
                       for a in (-1, 1) for b in (-1, 1)]
        edges = np.linspace(low + 0.01, height - board - 0.01, integer(rng, 2, 4) + 1)
        for y0, y1 in zip(edges[:-1], edges[1:]):
            fronts.append(box((0.94 * x, y0 + .008, middle - .46 * chest), (0.95 * x + 0.016, y1 - .008, middle + .46 * chest)))
            fronts.append(rod((0.94 * x, (y0 + y1) / 2, middle), (0.95 * x + 0.04, (y0 + y1) / 2, middle), 0.012, segments=8))
    if chance(rng, 0.5):
        solids.append(box((-0.9 * x, uniform(rng, 0.1, 0.45), -z + .02), (-0.9 * x + board, height - .01, z - .02)))
    if chance(rng, 0.3):
        tall = uniform(rng, 0.2, 0.6)
        solids.append(box((-x, height - .01, -uniform(rng, .3, 1) * z), (-x + uniform(rng, 0.02, 0.3), height + tall, uniform(rng, .3, 1) * z)))
    return [Part(union(solids), finish), Part(union(fronts), choose(rng, [finish, finish, paint(rng)]))]


def _bed(rng):
    """A frame with head and foot, a mattress, a cover and pillows."""
    width, length = uniform(rng, 0.8, 1.9), uniform(rng, 1.8, 2.2)
    low, thick = uniform(rng, 0.12, 0.4), uniform(rng, 0.12, 0.28)
    x, z = length / 2, width / 2
    finish = furniture_finish(rng)
    frame = [box((-x, low - uniform(rng, .04, .15), -z), (x, low + 0.05, z))]
    post = uniform(rng, 0.03, 0.08)
    heads = uniform(rng, 0.5, 1.2)
    feet = choose(rng, [low + 0.05, uniform(rng, low, 0.8 * heads)])
    for at, tall in ((-x, heads), (x, feet)):
        frame += [box((at - post / 2, 0, s * (z - post / 2) - post / 2), (at + post / 2, tall, s * (z - post / 2) + post / 2)) for s in (-1, 1)]
        if tall > low + 0.15:
            if chance(rng, 0.5):
                frame.append(box((at - 0.015, low, -z), (at + 0.015, tall - 0.02, z)))
            else:
                frame.append(beam((at, tall - .02, -z), (at, tall - .02, z), 0.04))
                frame += [rod((at, low, b), (at, tall - .02, b), 0.012, segments=8) for b in np.linspace(-z, z, integer(rng, 5, 11))[1:-1]]
    top = low + thick
    parts = [Part(union(frame), finish),
             Part(rounded_box((-x + .03, low, -z + .02), (x - .03, top, z - .02), 0.05), Material(gray(uniform(rng, .8, .97)), 0.02))]
    if chance(rng, 0.7):
        parts.append(Part(rounded_box((-x + uniform(rng, .4, .8), low + .02, -z - .01), (x - .02, top + .04, z + .01), 0.04), fabric(rng)))
    for s in ((0,) if width < 1.2 else (-1, 1)):
        parts.append(Part(rounded_box((-x + .08, top - .02, s * z / 2 - .28), (-x + .45, top + .11, s * z / 2 + .28), 0.06), fabric(rng)))
    return parts


def _bench(rng):
    """Garden benches: slats along, two or three supports, sometimes a back."""
    width, depth, seat = uniform(rng, 0.9, 2.0), uniform(rng, 0.3, 0.5), uniform(rng, 0.38, 0.48)
    x, z, slats = depth / 2, width / 2, integer(rng, 2, 6)
    boards = []
    step = depth / slats
    for k in range(slats):
        a = -x + k * step
        boards.append(box((a + .006, seat - .025, -z), (a + step - .006, seat, z)))
    lean, tall = uniform(rng, 0.05, 0.3), uniform(rng, 0.75, 0.95)
    backed, ends = chance(rng, 0.65), np.linspace(-0.85 * z, 0.85 * z, integer(rng, 2, 3))
    frame = []
    for b in ends:
        frame += [box((-x, seat - .07, b - .02), (x, seat - .02, b + .02)),
                  beam((0.85 * x, 0, b), (0.85 * x, seat - .03, b), .045), beam((-0.9 * x, 0, b), (-0.85 * x, seat - .03, b), .045)]
        if backed:
            frame.append(beam((-0.87 * x, seat - .06, b), (-0.87 * x - lean * (tall - seat), tall, b), .04))
    if backed:
        for y in np.linspace(seat + .12, tall - .04, integer(rng, 2, 4)):
            at = -0.87 * x - lean * (y - seat)
            boards.append(box((at - .005, y - .04, -z), (at + .025, y + .04, z)))
    return [Part(union(boards), choose(rng, [wood(rng, "z"), paint(rng)])), Part(union(frame), choose(rng, [metal(rng), wood(rng, "y"), paint(rng)]))]


def _stool(rng):
    """Three or four thin legs with rungs under a small seat."""
    height, radius = uniform(rng, 0.4, 0.85), uniform(rng, 0.14, 0.22)
    thick, bar = uniform(rng, 0.02, 0.08), _bar(rng)
    count, spread = integer(rng, 3, 4), uniform(rng, 1.0, 1.4)
    start = uniform(rng, 0, 2 * np.pi)
    around = [np.array([np.cos(a), 0, np.sin(a)]) for a in start + np.arange(count) * 2 * np.pi / count]
    top = np.array([0, height - 0.5 * thick, 0])
    solids = [bar(spread * radius * d, 0.75 * radius * d + top) for d in around]
    if chance(rng, 0.7):
        share = uniform(rng, 0.2, 0.6)
        ring = [(spread + share * (0.75 - spread)) * radius * d + share * top for d in around]
        solids += [bar(ring[k - 1], ring[k], 0.8) for k in range(count)]
    seat = lathe([(0.96 * radius, height - thick), (radius, height - 0.6 * thick), (radius, height - 0.2 * thick), (0.93 * radius, height)], segments=32)
    if chance(rng, 0.3):
        seat = slab(1.7 * radius, 1.7 * radius, height - thick, height)
    finish = choose(rng, [wood(rng, "y"), metal(rng), paint(rng)])
    return [Part(union(solids), finish), Part(seat, choose(rng, [finish, fabric(rng), plastic(rng)]))]


