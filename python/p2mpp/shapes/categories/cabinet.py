"""Cabinets: wardrobes, sideboards, chests of drawers, night stands, bookcases. Doors face +x."""

from dataclasses import dataclass

import numpy as np

from ..draw import chance, choose, integer, uniform, weighted
from ..furniture import feet, plinth
from ..materials import Material, furniture_finish, gray, metal, shade, wood
from ..shape import Part
from ..solids import box, ellipsoid, prism_y, rod, rounded_box, slab, union


@dataclass(frozen=True)
class Carcass:
    """The box: depth along x, width along z, y from low to high; its walls are a board thick."""

    depth: float
    width: float
    low: float
    high: float
    board: float

    @property
    def front(self):
        return self.depth / 2


def build(rng):
    """Parts of a random cabinet; measures in metres."""
    kind = weighted(
        rng,
        {"wardrobe": 2, "sideboard": 3, "chest": 3, "nightstand": 2, "bookcase": 2, "cupboard": 2},
    )
    limits = {
        "wardrobe": ((0.5, 0.65), (0.8, 1.6), (1.6, 2.1)),
        "sideboard": ((0.4, 0.5), (1.1, 2.0), (0.5, 0.9)),
        "chest": ((0.4, 0.55), (0.6, 1.2), (0.7, 1.25)),
        "nightstand": ((0.35, 0.45), (0.38, 0.55), (0.42, 0.65)),
        "bookcase": ((0.26, 0.38), (0.5, 1.2), (0.9, 1.9)),
        "cupboard": ((0.4, 0.6), (0.7, 1.2), (1.1, 1.8)),
    }
    depth, width, height = (uniform(rng, *pair) for pair in limits[kind])
    low = choose(
        rng,
        [0.0, uniform(rng, 0.04, 0.16), uniform(rng, 0.06, 0.25) if kind != "wardrobe" else 0.08],
    )
    carcass = Carcass(depth, width, low, height, uniform(rng, 0.018, 0.035))
    finish = furniture_finish(rng)
    front = choose(
        rng, [finish, finish, furniture_finish(rng), Material(shade(finish.color, 1.25), 0.15, 15)]
    )
    knob = choose(rng, [metal(rng), metal(rng), Material(gray(0.08), 0.2), wood(rng)])
    body, fronts, knobs = _fronts(rng, kind, carcass)
    parts = [Part(body, finish)] + _support(rng, carcass, finish)
    parts += [Part(union(fronts), front)] if fronts else []
    parts += [Part(union(knobs), knob)] if knobs else []
    if chance(rng, 0.55):
        parts.append(Part(_top_board(rng, carcass), choose(rng, [finish, front])))
    return parts


def _support(rng, carcass, finish):
    """Legs, feet or a plinth where the box does not stand on the floor itself."""
    if carcass.low == 0.0:
        return []
    if chance(rng, 0.3):
        solid = plinth(carcass.depth, carcass.width, carcass.low + 0.01, uniform(rng, 0.02, 0.06))
        return [Part(solid, choose(rng, [finish, Material(gray(0.1), 0.1)]))]
    thickness = uniform(rng, 0.03, 0.06)
    style = choose(rng, ["square", "round", "tapered", "cone"])
    legs = feet(
        carcass.depth / 2 - thickness, carcass.width / 2 - thickness, carcass.low, thickness, style
    )
    return [Part(union(legs), choose(rng, [finish, metal(rng), wood(rng, "y")]))]


def _top_board(rng, carcass):
    out = uniform(rng, 0.01, 0.04)
    x, z, y = carcass.depth / 2 + out, carcass.width / 2 + out, carcass.high
    thickness = uniform(rng, 0.02, 0.05)
    low, high = (-x + out, y - 0.01, -z), (x, y + thickness, z)
    return rounded_box(low, high, 0.4 * thickness) if chance(rng, 0.4) else box(low, high)


def _cells(rng, kind, carcass):
    """The front divided into cells: a list of (z low, z high, y low, y high, use)."""
    z, low, high = carcass.width / 2, carcass.low, carcass.high
    if kind == "chest" or kind == "nightstand":
        rows = integer(rng, 3, 6) if kind == "chest" else integer(rng, 1, 3)
        columns = 2 if kind == "chest" and carcass.width > 0.9 and chance(rng, 0.5) else 1
        uses = ["drawer"] * rows
        if kind == "nightstand" and chance(rng, 0.5):
            uses[0] = choose(rng, ["open", "door"])
        return _grid(-z, z, low, high, columns, uses)
    if kind == "bookcase":
        uses = ["open"] * integer(rng, 3, 5)
        if chance(rng, 0.4):
            uses[0] = "door"
        return _grid(-z, z, low, high, integer(rng, 1, 2) if carcass.width > 0.8 else 1, uses)
    if kind == "sideboard":
        return _sideboard_cells(rng, -z, z, low, high)
    columns = 2 if carcass.width < 1.2 else integer(rng, 2, 4)
    if chance(rng, 0.4):
        split = low + uniform(rng, 0.25, 0.4) * (high - low)
        return _grid(
            -z, z, low, split, columns if chance(rng, 0.5) else 1, ["drawer"] * integer(rng, 1, 2)
        ) + _grid(-z, z, split, high, columns, ["door"])
    return _grid(-z, z, low, high, columns, ["door"])


def _sideboard_cells(rng, left, right, low, high):
    """Doors at the sides of drawers or of an open middle, or any mixture."""
    columns = integer(rng, 2, 4)
    edges = np.linspace(left, right, columns + 1)
    cells = []
    for k in range(columns):
        use = weighted(rng, {"door": 4, "drawer": 3, "open": 1.2})
        rows = [use] * (integer(rng, 2, 3) if use == "drawer" else 1)
        cells += _grid(edges[k], edges[k + 1], low, high, 1, rows)
    return cells


def _grid(left, right, low, high, columns, uses):
    zs, ys = np.linspace(left, right, columns + 1), np.linspace(low, high, len(uses) + 1)
    return [
        (zs[c], zs[c + 1], ys[r], ys[r + 1], use)
        for r, use in enumerate(uses)
        for c in range(columns)
    ]


def _fronts(rng, kind, carcass):
    """(body, door and drawer fronts, handles)."""
    body = slab(carcass.depth, carcass.width, carcass.low, carcass.high)
    gap, out = uniform(rng, 0.006, 0.016), uniform(rng, 0.008, 0.02)
    handle = weighted(rng, {"knob": 3, "bar": 4, "none": 1.5})
    panel = choose(rng, ["flat", "flat", "framed"])
    fronts, knobs = [], []
    cells = _cells(rng, kind, carcass)
    for cell in cells:
        z0, z1, y0, y1, use = cell
        if use == "open":
            board = carcass.board
            body -= box(
                (-carcass.front + board, y0 + board, z0 + board),
                (carcass.front + 1, y1 - board, z1 - board),
            )
            continue
        fronts.append(_front_panel(carcass, cell, gap, out, panel))
        if handle != "none":
            knobs.append(_handle(handle, carcass, cell, out))
    closed = all(cell[4] != "open" for cell in cells)
    if carcass.low == 0.0 and closed and chance(rng, 0.3):
        body = _cut_corner(body, carcass)
    return body, fronts, knobs


def _front_panel(carcass, cell, gap, out, panel):
    z0, z1, y0, y1, _ = cell
    x = carcass.front
    front = box((x - 0.01, y0 + gap, z0 + gap), (x + out, y1 - gap, z1 - gap))
    rim = 0.16 * min(z1 - z0, y1 - y0)
    if panel == "framed" and rim > 0.03:
        front -= box(
            (x + 0.35 * out, y0 + gap + rim, z0 + gap + rim),
            (x + 1, y1 - gap - rim, z1 - gap - rim),
        )
    return front


def _handle(style, carcass, cell, out):
    """A knob or bar: in the middle of drawers, at the inner edge of doors."""
    z0, z1, y0, y1, use = cell
    x, y, z = carcass.front + out, (y0 + y1) / 2, (z0 + z1) / 2
    if use == "door":
        inward = -1 if z > 0 else 1
        z += inward * (0.5 * (z1 - z0) - 0.06)
    if style == "knob":
        return union(
            [
                rod((x - 0.025, y, z), (x + 0.02, y, z), 0.008, segments=8),
                ellipsoid((x + 0.022, y, z), (0.012, 0.018, 0.018), 12),
            ]
        )
    length = 0.3 * (z1 - z0) if use == "drawer" else min(0.25 * (y1 - y0), 0.35)
    along = np.array([0, 0, length / 2]) if use == "drawer" else np.array([0, length / 2, 0])
    center = np.array([x + 0.02, y, z])
    solids = [rod(center - along, center + along, 0.009, segments=8)]
    solids += [
        rod(center + s * 0.85 * along - (0.045, 0, 0), center + s * 0.85 * along, 0.008, segments=8)
        for s in (-1, 1)
    ]
    return union(solids)


def _cut_corner(body, carcass):
    """Chamfers the two rear vertical edges: a corner piece."""
    cut = 0.35 * carcass.depth
    x, z = -carcass.front, carcass.width / 2
    for s in (-1, 1):
        wedge = prism_y(
            [(x - 1, s * (z + 1)), (x - 1, s * (z - cut - 1)), (x + cut + 1, s * (z + 1))],
            carcass.low - 1,
            carcass.high + 1,
        )
        body -= wedge
    return body
