"""Lamps: table, floor, desk, hanging and tripod lamps."""

import numpy as np

from ..draw import chance, choose, integer, uniform, weighted
from ..furniture import disc_base
from ..materials import Material, any_color, hsv, metal, plastic, wood
from ..outlines import rounded_rectangle, smooth_path
from ..patterns import stripes
from ..shape import Part
from ..solids import ellipsoid, lathe, rod, rounded_box, slab, stack, sweep, union


def build(rng):
    """Parts of a random lamp; measures in metres."""
    style = weighted(rng, {"table": 5, "floor": 3, "desk": 3, "pendant": 3, "tripod": 1, "arc": 1})
    return {
        "table": _table,
        "floor": _floor,
        "desk": _desk,
        "pendant": _pendant,
        "tripod": _tripod,
        "arc": _arc,
    }[style](rng)


def _shade_material(rng):
    """Cloth or paper that looks lit from inside, or coloured metal."""
    kind = weighted(rng, {"cloth": 5, "colored": 2, "metal": 2})
    if kind == "metal":
        return metal(rng)
    if kind == "colored":
        return plastic(rng)
    color = hsv(uniform(rng, 0.08, 0.16), uniform(rng, 0.03, 0.3), uniform(rng, 0.88, 1.0))
    base = Material(color, 0.02, 6)
    if chance(rng, 0.25):
        return base.patterned(stripes(rng, "y", uniform(rng, 0.05, 0.12)), any_color(rng))
    return base


def _lampshade(rng, radius, low, height):
    """A shade around the axis from y = low, with a hollow underside."""
    kind = weighted(rng, {"cone": 4, "drum": 3, "bell": 2, "globe": 2, "square": 1.5, "dome": 2})
    if kind == "globe":
        share = uniform(rng, 0.8, 1.1)
        return ellipsoid(
            (0, low + share * radius * 0.8, 0), (radius * 0.8, share * radius * 0.8, radius * 0.8)
        )
    if kind == "square":
        bottom = rounded_rectangle(2 * radius, 2 * radius, 0.1 * radius)
        return stack([bottom, bottom * uniform(rng, 0.5, 1.0)], [low, low + height])
    t = np.linspace(0, 1, 9)
    top = uniform(rng, 0.35, 0.7)
    curve = {
        "cone": 1 - (1 - top) * t,
        "drum": 1 - 0.08 * t,
        "bell": top + (1 - top) * (1 - t) ** 2.2,
        "dome": np.sqrt(np.clip(1 - (0.97 * t) ** 2, 0, 1)),
    }[kind]
    outer = np.stack([radius * curve, low + height * t], 1)
    depth = uniform(rng, 0.1, 0.45) * height
    rim = 0.88 * np.interp(depth / height, t, curve) * radius
    inner = [(0.93 * min(rim, 0.97 * radius), low + depth), (0.95 * radius, low)]
    return lathe(np.concatenate([inner, outer]), segments=36)


def _body_profile(rng, height, radius):
    """A turned lamp body, such as a vase or stacked balls: (radius, y) from 0 to height."""
    kind = choose(rng, ["vase", "column", "balls", "cone", "gourd", "urn"])
    t = np.linspace(0, 1, 25)
    curve = {
        "vase": 0.35 + 0.65 * np.sin(np.pi * np.minimum(1, 0.12 + t) ** 1.3) ** 1.2,
        "column": 0.42 + 0.58 * (t < 0.1) + 0.1 * (t > 0.9),
        "balls": 0.3 + 0.7 * np.abs(np.sin(integer(rng, 2, 4) * np.pi * t)),
        "cone": 1 - 0.75 * t,
        "gourd": 0.25 + 0.75 * np.abs(np.sin(np.pi * (0.15 + 0.85 * t) ** 0.75)) * (1.15 - 0.7 * t),
        "urn": 0.3 + 0.6 * np.exp(-(((t - 0.62) / 0.2) ** 2)) + 0.5 * np.exp(-((t / 0.08) ** 2)),
    }[kind]
    return np.stack([np.maximum(curve * radius, 0.012), t * height], 1)


def _table(rng):
    body_height, body_radius = uniform(rng, 0.2, 0.36), uniform(rng, 0.05, 0.11)
    radius, height = uniform(rng, 0.13, 0.22), uniform(rng, 0.16, 0.28)
    low = body_height + uniform(rng, 0.0, 0.05)
    if chance(rng, 0.2):
        outline = rounded_rectangle(1.5 * body_radius, 1.5 * body_radius, 0.02)
        body = stack([outline, outline * uniform(rng, 0.6, 1.3)], [0, body_height])
    else:
        body = lathe(_body_profile(rng, body_height, body_radius))
    base = disc_base(uniform(rng, 0.9, 1.3) * body_radius, 0.018)
    stem = rod((0, 0.9 * body_height, 0), (0, low + 0.7 * height, 0), 0.012)
    finish = choose(rng, [plastic(rng), metal(rng), wood(rng, "y"), plastic(rng)])
    return [
        Part(union([body, base]), finish),
        Part(stem, metal(rng)),
        Part(_lampshade(rng, radius, low, height), _shade_material(rng)),
    ]


def _floor(rng):
    height, radius = uniform(rng, 1.1, 1.5), uniform(rng, 0.15, 0.26)
    shade = uniform(rng, 0.2, 0.34)
    finish = choose(rng, [metal(rng), metal(rng), wood(rng, "y")])
    pole = rod((0, 0.01, 0), (0, height + 0.6 * shade, 0), uniform(rng, 0.014, 0.03))
    base = disc_base(uniform(rng, 0.13, 0.2), uniform(rng, 0.025, 0.05))
    if chance(rng, 0.25):
        base = rounded_box((-0.14, 0, -0.14), (0.14, 0.035, 0.14), 0.012)
    return [
        Part(union([pole, base]), finish),
        Part(_lampshade(rng, radius, height, shade), _shade_material(rng)),
    ]


def _tripod(rng):
    height, spread = uniform(rng, 0.9, 1.2), uniform(rng, 0.25, 0.36)
    shade = uniform(rng, 0.22, 0.32)
    start = uniform(rng, 0, 2 * np.pi)
    legs = [
        rod(
            (spread * np.cos(a), 0, spread * np.sin(a)),
            (0.02 * np.cos(a), height, 0.02 * np.sin(a)),
            0.017,
        )
        for a in start + np.arange(3) * 2 * np.pi / 3
    ]
    hub = rod((0, height - 0.05, 0), (0, height + 0.6 * shade, 0), 0.035)
    return [
        Part(union(legs + [hub]), choose(rng, [wood(rng, "y"), metal(rng)])),
        Part(_lampshade(rng, uniform(rng, 0.2, 0.28), height + 0.02, shade), _shade_material(rng)),
    ]


def _reflector(rng, place, direction, radius, length):
    """A desk lamp's conical or domed head, hollow in front."""
    kind = choose(rng, ["cone", "dome", "can"])
    t = np.linspace(0, 1, 9)
    curve = {"cone": 1 - 0.68 * t, "dome": np.sqrt(1 - (0.92 * t) ** 2), "can": 1 - 0.1 * t**4}[
        kind
    ]
    outer = np.stack([radius * curve, length * t], 1)
    inner = [(0.55 * radius, 0.4 * length), (0.93 * radius, 0.0)]
    head = lathe(np.concatenate([inner, outer]), segments=28)
    tilt = np.degrees(np.arctan2(direction[0], -direction[1]))
    return head.translate((0, -0.75 * length, 0)).rotate((0, 0, tilt)).translate(tuple(place))


def _desk(rng):
    """A foot, two arms with a joint, and a head that looks down and forward."""
    elbow = np.array([uniform(rng, -0.2, -0.05), uniform(rng, 0.25, 0.38), 0])
    head = elbow + (uniform(rng, 0.22, 0.34), uniform(rng, 0.02, 0.16), 0)
    thickness = uniform(rng, 0.008, 0.014)
    if chance(rng, 0.3):
        path = smooth_path([(0, 0.01, 0), (-0.03, 0.18, 0), (0.02, head[1] + 0.05, 0), head], 30)
        arms = sweep(path, thickness)
    else:
        arms = union(
            [
                rod((0, 0.01, 0), elbow, thickness),
                rod(elbow, head, thickness),
                ellipsoid(elbow, (0.022, 0.022, 0.022), 12),
            ]
        )
    finish = choose(rng, [metal(rng), plastic(rng)])
    size, length = uniform(rng, 0.065, 0.1), uniform(rng, 0.1, 0.16)
    top = _reflector(rng, head, (uniform(rng, -0.1, 0.7), -1), size, length)
    base = disc_base(uniform(rng, 0.085, 0.12), uniform(rng, 0.02, 0.035))
    return [
        Part(base, finish),
        Part(arms, choose(rng, [finish, metal(rng)])),
        Part(top, choose(rng, [finish, plastic(rng)])),
    ]


def _pendant(rng):
    """A shade that hangs from a ceiling rose."""
    cord, radius = uniform(rng, 0.15, 0.6), uniform(rng, 0.14, 0.26)
    height = uniform(rng, 0.14, 0.3)
    stem = rod((0, 0.4 * height, 0), (0, height + cord, 0), uniform(rng, 0.008, 0.014), segments=10)
    top = height + cord
    rose = lathe([(0.06, top - 0.03), (0.06, top)], segments=24)
    return [
        Part(_lampshade(rng, radius, 0, height), _shade_material(rng)),
        Part(union([stem, rose]), metal(rng)),
    ]


def _arc(rng):
    """A bowed floor lamp: heavy foot, arching tube, a shade at its end."""
    reach, height = uniform(rng, 0.6, 0.95), uniform(rng, 1.25, 1.6)
    path = smooth_path(
        [
            (0, 0.03, 0),
            (-0.06, 0.55 * height, 0),
            (0.15 * reach, 0.94 * height, 0),
            (0.6 * reach, height, 0),
            (reach, 0.83 * height, 0),
        ],
        40,
    )
    tube = sweep(path, uniform(rng, 0.014, 0.02))
    foot = choose(rng, [disc_base(0.18, 0.05), slab(0.3, 0.22, 0, 0.06)])
    t = np.linspace(0, 1, 9)
    radius, length = uniform(rng, 0.13, 0.2), uniform(rng, 0.14, 0.24)
    outer = np.stack([radius * np.sqrt(1 - (0.95 * t) ** 2), length * t], 1)
    shade = lathe(np.concatenate([[(0.6 * radius, 0.35 * length), (0.94 * radius, 0)], outer]))
    return [
        Part(union([tube, foot]), metal(rng)),
        Part(shade.translate((reach, 0.83 * height - 0.85 * length, 0)), _shade_material(rng)),
    ]
