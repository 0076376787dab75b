"""Tables: dining, coffee and side tables, desks, round ones on a pedestal."""

from dataclasses import dataclass

import numpy as np
from manifold3d import Manifold

from ..draw import chance, choose, integer, uniform, weighted
from ..furniture import disc_base, four_legs, random_leg_style, sled_runner, star_base
from ..materials import furniture_finish, glass, metal, wood
from ..outlines import rounded_rectangle, superellipse
from ..shape import Part
from ..solids import beam, box, clipped_y, lathe, prism_y, rod, slab, stack, union


@dataclass(frozen=True)
class Top:
    """A table top: depth is along x, width along z; legs stand within half_x, half_z."""

    solid: Manifold
    depth: float
    width: float
    low: float
    half_x: float
    half_z: float


def build(rng):
    """Parts of a random table; measures in metres."""
    kind = weighted(rng, {"dining": 4, "coffee": 3, "side": 2, "desk": 2})
    size = {
        "dining": ((0.75, 1.1), (1.0, 2.2), (0.7, 0.78)),
        "coffee": ((0.5, 0.9), (0.7, 1.4), (0.3, 0.48)),
        "side": ((0.35, 0.55), (0.35, 0.6), (0.4, 0.75)),
        "desk": ((0.55, 0.8), (1.1, 1.7), (0.7, 0.78)),
    }
    depth, width, height = (uniform(rng, *limits) for limits in size[kind])
    outline = (
        "rectangle"
        if kind == "desk"
        else weighted(rng, {"rectangle": 4, "rounded": 2, "oval": 1, "round": 2})
    )
    top = _top(rng, depth, width, height, outline)
    finish = furniture_finish(rng)
    base_finish = choose(rng, [finish, finish, metal(rng), wood(rng, "y")])
    top_finish = glass(rng) if chance(rng, 0.1) else finish
    base = _desk_base(rng, top) if kind == "desk" else _base(rng, top)
    return [Part(top.solid, top_finish), Part(union(base), base_finish)]


def _top(rng, depth, width, height, outline):
    thickness = uniform(rng, 0.02, 0.07)
    if outline == "round":
        depth = width = (depth + width) / 2
    if outline in ("round", "oval"):
        curve = superellipse(
            depth / 2, width / 2, uniform(rng, 2, 2.8) if outline == "oval" else 2, 48
        )
        share = 0.62
    else:
        curve = rounded_rectangle(
            depth, width, uniform(rng, 0.05, 0.2) if outline == "rounded" else 0.004
        )
        share = 0.84 if outline == "rounded" else uniform(rng, 0.84, 0.96)
    low = height - thickness
    if chance(rng, 0.25):
        solid = stack(
            [curve * uniform(rng, 0.92, 0.98), curve, curve], [low, low + 0.5 * thickness, height]
        )
    else:
        solid = prism_y(curve, low, height)
    return Top(solid, depth, width, low, share * depth / 2, share * width / 2)


def _base(rng, top):
    """The supports of the top, which reach 1 cm into it."""
    round_top = np.isclose(top.depth, top.width)
    kinds = {
        "legs": 6,
        "panels": 1.5,
        "trestle": 1.5,
        "crossed": 1,
        "sled": 1,
        "box": 0.7,
        "pedestal": 5 if round_top else 1,
    }
    kind = weighted(rng, kinds)
    make = {
        "legs": _legs,
        "panels": _panels,
        "trestle": _trestle,
        "crossed": _crossed,
        "sled": _sled,
        "box": _box,
        "pedestal": _pedestal,
    }[kind]
    return make(rng, top, top.low + 0.01)


def _legs(rng, top, reach):
    thickness = uniform(rng, 0.035, 0.1)
    half_x, half_z = top.half_x - thickness / 2, top.half_z - thickness / 2
    joint = weighted(rng, {"": 6, "shelf": 2, "bars": 1})
    solids = four_legs(
        rng, random_leg_style(rng, True), half_x, half_z, reach, thickness, 0.06, joint
    )
    if chance(rng, 0.55):
        solids.append(
            _apron(half_x, half_z, top.low - uniform(rng, 0.06, 0.12), reach, 0.4 * thickness)
        )
    return solids


def _apron(half_x, half_z, low, high, thickness):
    """A frame under the top that joins the legs."""
    outer = slab(2 * half_x + thickness, 2 * half_z + thickness, low, high)
    return outer - slab(2 * half_x - thickness, 2 * half_z - thickness, low - 0.1, high + 0.1)


def _panels(rng, top, reach):
    """Two side walls, often with a cross board between them."""
    thickness = uniform(rng, 0.025, 0.07)
    z = top.half_z - thickness
    solids = [
        box((-top.half_x, 0, s * z - thickness / 2), (top.half_x, reach, s * z + thickness / 2))
        for s in (-1, 1)
    ]
    if chance(rng, 0.6):
        low = uniform(rng, 0.15, 0.6) * top.low
        solids.append(box((-0.02, low, -z), (0.02, low + 0.3 * top.low, z)))
    return solids


def _trestle(rng, top, reach):
    """Two T-shaped ends joined by a beam."""
    size, solids = uniform(rng, 0.05, 0.1), []
    z = 0.75 * top.half_z
    for s in (-1, 1):
        solids.append(beam((0, 0.02, s * z), (0, reach, s * z), size))
        solids.append(
            box(
                (-0.9 * top.half_x, 0, s * z - size / 2),
                (0.9 * top.half_x, 0.9 * size, s * z + size / 2),
            )
        )
        solids.append(
            box(
                (-0.8 * top.half_x, reach - 0.8 * size, s * z - size / 2),
                (0.8 * top.half_x, reach, s * z + size / 2),
            )
        )
    y = uniform(rng, 0.25, 0.6) * top.low
    return solids + [box((-0.3 * size, y, -z), (0.3 * size, y + size, z))]


def _crossed(rng, top, reach):
    """X-shaped ends joined by a bar."""
    size, solids = uniform(rng, 0.035, 0.06), []
    z, x = 0.85 * top.half_z, 0.85 * top.half_x
    for s in (-1, 1):
        solids += [
            clipped_y(
                beam((-side * x, -0.05, s * z), (side * x, reach + 0.05, s * z), size), 0, reach
            )
            for side in (-1, 1)
        ]
    return solids + [rod((0, reach / 2, -z), (0, reach / 2, z), 0.4 * size)]


def _sled(rng, top, reach):
    radius = uniform(rng, 0.012, 0.025)
    return [
        sled_runner(top.half_x - radius, s * (top.half_z - radius), reach, radius) for s in (-1, 1)
    ]


def _box(rng, top, reach):
    """A solid block, set back."""
    inset = uniform(rng, 0.5, 0.9)
    return [slab(2 * inset * top.half_x, 2 * inset * top.half_z, 0, reach)]


def _pedestal(rng, top, reach):
    """One column (two under long tops) on a foot."""
    radius = 0.62 * min(top.half_x, top.half_z) / 0.84 * uniform(rng, 0.8, 1.15)
    kind = weighted(rng, {"disc": 3, "star": 2, "cone": 2, "turned": 2})
    solids = _column(rng, kind, radius, reach)
    if top.width > 1.7 * top.depth:
        offset = 0.55 * top.half_z
        return [solid.translate((0, 0, s * offset)) for s in (-1, 1) for solid in solids]
    return solids


def _column(rng, kind, radius, reach):
    stem = uniform(rng, 0.08, 0.16) * max(radius, 0.3)
    plate = lathe([(0.3 * radius, reach - 0.03), (0.55 * radius, reach)])
    if kind == "disc":
        return [disc_base(radius, 0.03), rod((0, 0.01, 0), (0, reach, 0), stem, segments=20), plate]
    if kind == "star":
        return star_base(rng, radius, 0.12) + [
            rod((0, 0.05, 0), (0, reach, 0), stem, segments=20),
            plate,
        ]
    if kind == "cone":
        waist = uniform(rng, 0.25, 0.6) * radius
        return [lathe([(0.95 * radius, 0), (waist, 0.5 * reach), (0.7 * radius, reach)])]
    heights = np.array([0, 0.05, 0.09, 0.2, 0.4, 0.55, 0.7, 0.8, 0.9, 1]) * reach
    radii = np.array([1.0, 0.95, 0.5, 0.25, 0.4, 0.3, 0.2, 0.3, 0.24, 0.5]) * radius
    return [lathe(np.stack([radii, heights], 1))]


def _desk_base(rng, top):
    """Drawer blocks or a side wall at the ends, and a modesty board at the back."""
    reach, z = top.low + 0.01, top.half_z
    block = uniform(rng, 0.36, 0.45)
    solids, places = [], choose(rng, [(1,), (-1,), (-1, 1)])
    for s in (-1, 1):
        if s in places:
            inner, outer = sorted((s * (z - block), s * z))
            solids += _drawer_block(rng, top.half_x, inner, outer, reach)
        else:
            solids.append(box((-top.half_x, 0, s * z - 0.02), (top.half_x, reach, s * z + 0.02)))
    if chance(rng, 0.6):
        solids.append(
            box((-top.half_x, uniform(rng, 0.25, 0.5) * reach, -z), (-top.half_x + 0.02, reach, z))
        )
    else:
        solids.append(box((-top.half_x, 0.8 * reach, -z), (top.half_x - 0.04, reach, z)))
    return solids


def _drawer_block(rng, half_x, inner, outer, reach):
    """A chest from the floor to the top with raised drawer fronts and knobs on its +x side."""
    solids = [box((-half_x, 0, inner), (half_x - 0.02, reach, outer))]
    count = integer(rng, 2, 4)
    edges = np.linspace(0.05, reach - 0.03, count + 1)
    middle = (inner + outer) / 2
    for low, high in zip(edges[:-1], edges[1:]):
        solids.append(
            box((half_x - 0.03, low + 0.012, inner + 0.015), (half_x, high - 0.012, outer - 0.015))
        )
        y = (low + high) / 2
        solids.append(
            box((half_x - 0.01, y - 0.01, middle - 0.05), (half_x + 0.025, y + 0.01, middle + 0.05))
        )
    return solids
