"""Small and white things: cups and pots with handles, open vessels, wall and ceiling lamps, lamps
with cables, kitchen and bathroom appliances, and compositions of simple bodies."""

import numpy as np

from ..draw import chance, choose, integer, uniform, weighted
from ..materials import (Material, any_color, fabric, furniture_finish, gray, metal, paint, plastic,
                         wood)
from ..outlines import smooth_path
from ..shape import Part
from ..solids import (box, ellipsoid, lathe, rod, rounded_box, slab, sweep, union)


def build(rng):
    """Parts of a random thing, about one unit large."""
    kind = weighted(rng, {"cup": 3, "vessel": 3, "pot": 2, "wall_lamp": 2, "ceiling_lamp": 2,
                          "chandelier": 1, "cable_lamp": 1, "appliance": 4, "open_box": 2,
                          "tap": 1, "composition": 3, "panel": 1})
    return {"cup": _cup, "vessel": _vessel, "pot": _pot, "wall_lamp": _wall_lamp,
            "ceiling_lamp": _ceiling_lamp, "chandelier": _chandelier, "cable_lamp": _cable_lamp,
            "appliance": _appliance, "open_box": _open_box, "tap": _tap,
            "composition": _composition, "panel": _panel}[kind](rng)


def _ceramic(rng):
    """Glazed, mostly white or pale."""
    color = choose(rng, [gray(uniform(rng, 0.85, 1)), gray(uniform(rng, 0.85, 1)), any_color(rng)])
    return Material(color, uniform(rng, 0.2, 0.7), uniform(rng, 20, 80))


def _curve(low, high, height, bulge, samples=14):
    """(radius, y) from the foot to the rim."""
    knots = [(low, 0.0), (low + (high - low) * 0.35 + bulge, 0.35 * height),
             (low + (high - low) * 0.75 + 0.7 * bulge, 0.75 * height), (high, height)]
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
    path = smooth_path([(radius - 0.02, high, 0), (radius + 0.6 * out, high + 0.02, 0),
                        (radius + out, (low + high) / 2 + 0.1 * (high - low), 0),
                        (radius + 0.5 * out, low, 0), (radius - 0.02, low, 0)], 22)
    return sweep(path, thick, 10).rotate((0, turn, 0))


def _cup(rng):
    """A mug, tea cup, beer glass or espresso cup; sometimes on a saucer."""
    height = 1.0
    high, low = uniform(rng, 0.35, 0.75), uniform(rng, 0.22, 0.5)
    low = min(low, high)
    outer = _curve(low, high, height, uniform(rng, 0, 0.12))
    body = _hollow(rng, outer, uniform(rng, 0.03, 0.07))
    material = _ceramic(rng)
    parts = [Part(body, material)]
    if chance(rng, 0.75):
        middle = np.interp(0.5, outer[:, 1], outer[:, 0])
        ear = _handle(rng, middle, uniform(rng, 0.15, 0.35), uniform(rng, 0.65, 0.88),
                      uniform(rng, 0.2, 0.4), uniform(rng, 0.03, 0.07))
        ear -= lathe(np.stack([np.maximum(outer[:, 0] - 0.03, 0.01), outer[:, 1]], 1), segments=40)
        parts.append(Part(ear, material))
    if chance(rng, 0.3):
        wide = high * uniform(rng, 1.4, 1.9)
        parts.append(Part(lathe([(0.5 * wide, -0.06), (wide, 0.04), (wide, 0.07), (0.5 * wide, 0.01)],
                                segments=40), _ceramic(rng)))
    return parts


def _vessel(rng):
    """Bowls, plates, vases, glasses with a stem, bins."""
    kind = weighted(rng, {"bowl": 2, "plate": 1, "vase": 3, "goblet": 2, "bin": 2})
    material = choose(rng, [_ceramic(rng), _ceramic(rng), plastic(rng), metal(rng)])
    if kind == "goblet":
        bowl, stem = uniform(rng, 0.2, 0.35), uniform(rng, 0.3, 0.5)
        outer = _curve(0.06, bowl, 0.5, uniform(rng, 0.02, 0.12)) + [0, stem]
        foot = lathe([(0.9 * bowl, 0), (0.85 * bowl, 0.03), (0.04, 0.08), (0.03, stem + 0.05)])
        return [Part(union([_hollow(rng, outer, 0.03), foot]), material)]
    sizes = {"bowl": (0.25, 0.8, 0.45), "plate": (0.5, 0.95, 0.14), "vase": (0.25, 0.25, 1.0),
             "bin": (0.35, 0.42, 0.9)}
    low, high, height = (value * uniform(rng, 0.75, 1.3) for value in sizes[kind])
    bulge = {"vase": uniform(rng, -0.08, 0.3), "bowl": uniform(rng, 0.0, 0.15)}.get(kind, 0.02)
    wall = uniform(rng, 0.025, 0.05)
    return [Part(_hollow(rng, _curve(low, high, height, bulge, 18), wall), material)]


def _pot(rng):
    """Tea pots, kettles, watering cans, pans with a lid or a long handle."""
    radius, height = uniform(rng, 0.35, 0.55), uniform(rng, 0.3, 0.9)
    outer = _curve(0.8 * radius, uniform(rng, 0.6, 1.0) * radius, height, uniform(rng, 0, 0.2))
    material = choose(rng, [_ceramic(rng), metal(rng), paint(rng)])
    rim = outer[-1, 0]
    solids = [lathe(outer, segments=40)]
    if chance(rng, 0.8):
        solids.append(lathe([(rim * 1.02, height - 0.01), (rim, height + 0.04), (0.3 * rim, height + 0.1),
                             (0.12, height + 0.12)], segments=40))
        solids.append(ellipsoid((0, height + 0.16, 0), (0.07, 0.07, 0.07), 16))
    side = np.interp(0.5 * height, outer[:, 1], outer[:, 0])
    kind = weighted(rng, {"teapot": 3, "pan": 2, "two": 2})
    if kind == "teapot":
        path = smooth_path([(0.8 * side, 0.3 * height, 0), (side + 0.18, 0.45 * height, 0),
                            (side + 0.28, 0.95 * height, 0)], 14)
        solids.append(sweep(path, np.linspace(0.1, 0.05, 14), 12))
        solids.append(_handle(rng, side, 0.2 * height, 0.85 * height, uniform(rng, 0.2, 0.35), 0.04, 180))
    elif kind == "pan":
        solids.append(rod((side - 0.05, 0.8 * height, 0), (side + uniform(rng, 0.5, 1.0), 0.9 * height, 0), 0.045))
    else:
        solids += [_handle(rng, side, 0.5 * height, 0.8 * height, 0.16, 0.035, turn) for turn in (0, 180)]
    return [Part(union(solids), material)]


def _shade(rng, radius, low, high):
    """A hollow lampshade: a cone, drum, bell or ball."""
    kind = choose(rng, ["cone", "drum", "bell", "ball"])
    if kind == "ball":
        middle = (low + high) / 2
        return ellipsoid((0, middle, 0), (radius, (high - low) / 2, radius), 32)
    top = {"cone": uniform(rng, 0.25, 0.7), "drum": 1.0, "bell": uniform(rng, 0.15, 0.4)}[kind] * radius
    t = np.linspace(0, 1, 10)
    bend = t if kind != "bell" else np.sqrt(t)
    outer = np.stack([radius + (top - radius) * bend, low + (high - low) * t], 1)
    return lathe(np.concatenate([[(0.9 * radius - 0.01, low + 0.25 * (high - low)), (0.94 * radius, low)], outer]),
                 segments=32)


def _shade_material(rng):
    return choose(rng, [Material(gray(uniform(rng, 0.8, 1)), 0.05), fabric(rng), _ceramic(rng), metal(rng)])


def _wall_lamp(rng):
    """A plate on the wall, an arm or two, shades."""
    arms = integer(rng, 1, 3)
    plate = choose(rng, [box((-0.04, -0.2, -0.12), (0, 0.2, 0.12)),
                         rod((-0.04, 0, 0), (0, 0, 0), uniform(rng, 0.12, 0.25), segments=28)])
    reach, rise = uniform(rng, 0.2, 0.6), uniform(rng, -0.1, 0.3)
    tubes, shades = [plate], []
    down = chance(rng, 0.5)
    for k in range(arms):
        z = 0.0 if arms == 1 else (k - (arms - 1) / 2) * uniform(rng, 0.25, 0.5)
        path = smooth_path([(-0.02, 0, 0.2 * z), (0.5 * reach, rise * uniform(rng, -0.5, 1), 0.7 * z), (reach, rise, z)], 14)
        tubes.append(sweep(path, uniform(rng, 0.012, 0.03), 10))
        size = uniform(rng, 0.12, 0.24)
        body = _shade(rng, size, 0, uniform(rng, 1.0, 1.8) * size)
        middle = 0.5 * size
        if down:
            body = body.translate((reach, rise - 1.1 * middle - size, z))
            tubes.append(rod((reach, rise + .01, z), (reach, rise - 0.9 * size - middle, z), 0.02))
        else:
            body = body.translate((reach, rise - 0.1 * size, z))
            tubes.append(rod((reach, rise - .02, z), (reach, rise + size, z), 0.02))
        shades.append(body)
    return [Part(union(tubes), metal(rng)), Part(union(shades), _shade_material(rng))]


def _ceiling_lamp(rng):
    """Flat bowls and boxes under a plate, tubes, spots on a rail."""
    kind = weighted(rng, {"bowl": 2, "box": 1, "rail": 2, "pendant": 2})
    if kind == "bowl":
        radius = uniform(rng, 0.3, 0.6)
        t = np.linspace(0, np.pi / 2, 9)
        depth = uniform(rng, 0.1, 0.35)
        bowl = lathe(np.stack([radius * np.sin(t) + 0.005, -depth * np.cos(t)], 1), segments=40)
        return [Part(bowl, _shade_material(rng)), Part(lathe([(1.04 * radius, -0.01), (1.04 * radius, 0.05)], segments=40), metal(rng))]
    if kind == "box":
        long, wide, deep = uniform(rng, 0.6, 1.4), uniform(rng, 0.08, 0.5), uniform(rng, 0.05, 0.14)
        return [Part(slab(long, wide, 0, deep), paint(rng)), Part(rounded_box((-.48 * long, -.06, -.42 * wide), (.48 * long, .02, .42 * wide), 0.03), _shade_material(rng))]
    if kind == "rail":
        long, count = uniform(rng, 0.8, 1.6), integer(rng, 2, 5)
        solids = [box((-long / 2, 0, -0.03), (long / 2, 0.05, 0.03))]
        for x in np.linspace(-0.42 * long, 0.42 * long, count):
            tilt = uniform(rng, -0.12, 0.12)
            solids += [rod((x, 0.01, 0), (x, -0.12, 0), 0.015), rod((x, -0.1, 0), (x + tilt, -0.3, uniform(rng, -.12, .12)), 0.05, uniform(rng, 0.05, 0.1))]
        return [Part(union(solids), choose(rng, [metal(rng), paint(rng)]))]
    drop, size = uniform(rng, 0.4, 1.4), uniform(rng, 0.2, 0.45)
    shade = _shade(rng, size, 0, uniform(rng, 0.6, 1.5) * size)
    line = union([rod((0, 0.3 * size, 0), (0, drop + size, 0), uniform(rng, 0.006, 0.014), segments=8), lathe([(0.08, drop + size - .03), (0.06, drop + size)])])
    return [Part(shade, _shade_material(rng)), Part(line, Material(gray(choose(rng, [0.1, 0.9])), 0.1))]


def _chandelier(rng):
    """Arms around a stem, a shade or candle on each."""
    count, reach = integer(rng, 3, 8), uniform(rng, 0.3, 0.55)
    up, size, thick = uniform(rng, 0, 0.25), uniform(rng, 0.06, 0.14), uniform(rng, 0.01, 0.02)
    tubes = [rod((0, -0.2, 0), (0, uniform(rng, 0.4, 0.9), 0), 1.5 * thick), ellipsoid((0, -0.12, 0), (0.07, 0.1, 0.07), 16)]
    shades = []
    for k in range(count):
        a = 2 * np.pi * k / count
        d = np.array([np.cos(a), 0, np.sin(a)])
        path = smooth_path([(0, -0.1, 0), 0.5 * reach * d + [0, -0.2, 0], reach * d + [0, up, 0]], 14)
        tubes.append(sweep(path, thick, 8))
        shades.append(lathe([(0.5 * size, -0.02), (size, uniform(rng, 0.5, 2.0) * size), (0.6 * size, 2.4 * size)], segments=16).translate(tuple(reach * d + [0, up, 0])))
    return [Part(union(tubes), metal(rng)), Part(union(shades), _shade_material(rng))]


def _cable_lamp(rng):
    """A lamp or a device with its cable on the table."""
    radius, height = uniform(rng, 0.1, 0.2), uniform(rng, 0.3, 0.8)
    stem = union([lathe([(radius, 0), (0.9 * radius, 0.04), (0.02, 0.06)]), rod((0, 0.02, 0), (0, height, 0), 0.02)])
    shade = _shade(rng, uniform(rng, 0.14, 0.3), height - 0.08, height + uniform(rng, 0.1, 0.3))
    knots = [(0, 0.02, 0)] + [(-0.9 * radius - 0.18 * k, 0.014, uniform(rng, -0.2, 0.2)) for k in range(1, 5)]
    cable = sweep(smooth_path(knots, 40), uniform(rng, 0.008, 0.014), 8)
    return [Part(stem, choose(rng, [metal(rng), plastic(rng)])), Part(shade, _shade_material(rng)), Part(cable, Material(gray(choose(rng, [0.08, 0.9])), 0.1))]


def _appliance(rng):
    """Fridges, washing machines, ovens, heaters, speakers, sinks: boxes with fronts and details."""
    width, depth, height = uniform(rng, 0.4, 0.9), uniform(rng, 0.3, 0.75), uniform(rng, 0.3, 1.9)
    x, z, edge = depth / 2, width / 2, uniform(rng, 0.005, 0.06)
    white = Material(gray(uniform(rng, 0.85, 1.0)), uniform(rng, 0.1, 0.5), uniform(rng, 15, 60))
    finish = choose(rng, [white, white, white, metal(rng), paint(rng)])
    low = choose(rng, [0.0, uniform(rng, 0.02, 0.1)])
    body = rounded_box((-x, low, -z), (x, height, z), edge) if chance(rng, 0.6) else box((-x, low, -z), (x, height, z))
    feet = [rod((a * .8 * x, 0, b * .8 * z), (a * .8 * x, low + 2 * edge + .01, b * .8 * z), 0.03) for a in (-1, 1) for b in (-1, 1)] if low else []
    details, kind = [], weighted(rng, {"doors": 3, "drum": 2, "oven": 2, "basin": 1.5, "grille": 1.5})
    if kind == "doors":
        edges = np.sort(np.append(rng.uniform(low + .2 * height, .9 * height, integer(rng, 0, 1)), [low + .02, height - .02]))
        for y0, y1 in zip(edges[:-1], edges[1:]):
            details.append(rounded_box((x - .02, y0 + .006, -z + .01), (x + .04, y1 - .006, z - .01), 0.01))
            s, tall = choose(rng, [-1, 1]), uniform(rng, .2, .6) * (y1 - y0)
            details.append(box((x + .03, (y0 + y1 - tall) / 2, s * .8 * z - .012), (x + .075, (y0 + y1 + tall) / 2, s * .8 * z + .012)))
    elif kind == "drum":
        y, r = low + .5 * (height - low), .33 * min(width, height - low)
        details.append(rod((x - .03, y, 0), (x + .04, y, 0), r, .8 * r, 32))
        details.append(box((x - .01, height - .12 * height, -z + .02), (x + .015, height - .03, z - .02)))
    elif kind == "oven":
        y0, y1 = low + .1 * height, low + .7 * (height - low)
        details.append(box((x - .01, y0, -.9 * z), (x + .025, y1, .9 * z)))
        details.append(rod((x + .05, y1 - .04, -.8 * z), (x + .05, y1 - .04, .8 * z), 0.015, segments=10))
        details += [rod((x, y1 - .04, s * .7 * z), (x + .05, y1 - .04, s * .7 * z), 0.012, segments=8) for s in (-1, 1)]
        details += [rod((x - .02, height - .07 * height, b), (x + .04, height - .07 * height, b), 0.025, segments=14) for b in np.linspace(-.7 * z, .7 * z, integer(rng, 2, 5))]
    elif kind == "basin":
        rim = uniform(rng, 0.02, 0.05)
        body -= rounded_box((-x + rim + .06, height - uniform(rng, .1, .25), -z + rim), (x - rim, height + .3, z - rim), 0.08)
        details.append(sweep(smooth_path([(-x + .04, height - .05, 0), (-x + .04, height + .2, 0), (-x + .1, height + .25, 0), (-x + .22, height + .2, 0)], 18), 0.018, 10))
    else:
        for y in np.linspace(low + .15 * height, .9 * height, integer(rng, 4, 9)):
            body -= box((x - .04, y - .012, -.8 * z), (x + 1, y + .012, .8 * z))
    parts = [Part(union([body, *feet]), finish)]
    if details:
        parts.append(Part(union(details), choose(rng, [finish, white, Material(gray(0.08), 0.5, 50), metal(rng)])))
    return parts


def _open_box(rng):
    """Crates, baskets, baths, trays, drawers: walls around an open inside, sometimes slatted."""
    width, depth, height = uniform(rng, 0.4, 1.4), uniform(rng, 0.3, 0.8), uniform(rng, 0.12, 0.7)
    x, z, wall = depth / 2, width / 2, uniform(rng, 0.012, 0.05)
    finish = choose(rng, [furniture_finish(rng), plastic(rng), _ceramic(rng)])
    if chance(rng, 0.35):
        rows = integer(rng, 2, 5)
        solids = [box((a * (x - wall) - wall, 0, b * (z - wall) - wall), (a * (x - wall) + wall, height, b * (z - wall) + wall)) for a in (-1, 1) for b in (-1, 1)]
        for y0 in np.linspace(0, height, rows + 1)[:-1]:
            y1 = y0 + 0.7 * height / rows
            solids += [box((-x, y0, s * z - wall / 2), (x, y1, s * z + wall / 2)) for s in (-1, 1)]
            solids += [box((s * x - wall / 2, y0, -z), (s * x + wall / 2, y1, z)) for s in (-1, 1)]
        solids.append(slab(depth, width, 0, wall))
        return [Part(union(solids), wood(rng))]
    radius = uniform(rng, 0.01, 0.2) * min(width, depth, height)
    body = rounded_box((-x, 0, -z), (x, height, z), radius) - rounded_box((-x + wall, wall, -z + wall), (x - wall, 2 * height, z - wall), radius)
    parts = [Part(body, finish)]
    if chance(rng, 0.25):
        lid = box((-x - .02, height - 0.01, -z - .01), (-x + .012, height + depth * uniform(rng, 0.5, 1), z + .01))
        parts.append(Part(lid, finish))
    return parts


def _tap(rng):
    """Taps, shower heads, hooks: bent tubes on a foot."""
    high, reach, thick = uniform(rng, 0.3, 0.9), uniform(rng, 0.25, 0.6), uniform(rng, 0.025, 0.06)
    path = smooth_path([(0, 0, 0), (0, 0.7 * high, 0), (0.3 * reach, high, 0), (reach, uniform(rng, 0.6, 0.9) * high, 0)], 24)
    solids = [sweep(path, thick, 14), lathe([(2.2 * thick, -0.02), (2.2 * thick, 0.04), (1.3 * thick, 0.06)])]
    if chance(rng, 0.7):
        solids += [rod((0, 0.25 * high, s * 0.01), (uniform(rng, -.1, .1), uniform(rng, .25, .5) * high, s * uniform(rng, 0.12, 0.3)), 0.8 * thick) for s in choose(rng, [(1,), (-1, 1)])]
    if chance(rng, 0.4):
        tip = path[-1]
        solids.append(lathe([(uniform(rng, 0.08, 0.2), tip[1] - 0.08), (0.5 * thick + 0.02, tip[1] + 0.02)]).translate((tip[0], 0, 0)))
    return [Part(union(solids), choose(rng, [metal(rng), metal(rng), plastic(rng)]))]


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
                body -= box((-1 if through else 0.2 * x, y0 + .02, z0 + .02), (1, y1 - .02, z1 - .02))
    parts = [Part(body, choose(rng, [furniture_finish(rng), Material(gray(0.95), 0.1)]))]
    if chance(rng, 0.5):
        parts.append(Part(box((-0.16, -0.02, -1.1 * z), (0.16, 0.03, 1.1 * z)), furniture_finish(rng)))
    return parts


def _composition(rng):
    """Boxes, cylinders and balls that stand on and in each other: what has no name."""
    solids, at, size = [], np.zeros(3), uniform(rng, 0.3, 0.6)
    parts = []
    for _ in range(integer(rng, 2, 6)):
        half = size * rng.uniform(0.25, 1.0, 3)
        kind = choose(rng, ["box", "rounded", "rod", "ball", "cone"])
        low, high = at - half, at + half
        body = {"box": lambda: box(low, high), "rounded": lambda: rounded_box(low, high, uniform(rng, 0.1, 0.4) * half.min()),
                "rod": lambda: rod(at - [0, half[1], 0], at + [0, half[1], 0], half[0], segments=24),
                "ball": lambda: ellipsoid(at, half, 24),
                "cone": lambda: rod(at - [0, half[1], 0], at + [0, half[1], 0], half[0], uniform(rng, .2, .7) * half[0], 24)}[kind]()
        if chance(rng, 0.3):
            body = body.translate(tuple(-at)).rotate((0, uniform(rng, 0, 90), uniform(rng, -30, 30))).translate(tuple(at))
        solids.append(body)
        parts.append(Part(body, choose(rng, [plastic(rng), paint(rng), wood(rng), fabric(rng), metal(rng)])))
        axis = int(rng.integers(3))
        at = at.copy()
        at[axis] += choose(rng, [-1, 1]) * 0.9 * half[axis]
        size *= uniform(rng, 0.6, 1.1)
    return parts
