"""Monitors: flat and curved screens, all-in-ones, televisions, tubes. The screen faces +x."""

from dataclasses import dataclass

import numpy as np
from manifold3d import Manifold

from ..draw import chance, choose, uniform, weighted
from ..furniture import disc_base
from ..materials import Material, any_color, gray, metal, plastic
from ..outlines import rounded_rectangle, superellipse
from ..patterns import mottle, stripes
from ..shape import Part
from ..solids import (
    beam,
    box,
    intersection,
    loft,
    prism_x,
    prism_y,
    rod,
    rounded_box,
    sheared_x,
    slab,
    stack,
    union,
)


@dataclass(frozen=True)
class Panel:
    """The housing: width along z, height, depth; its lower edge is at y = low."""

    width: float
    height: float
    depth: float
    low: float
    bezel: float
    mount: float = 0.0  # height where the stand holds it


def build(rng):
    """Parts of a random monitor; measures in metres."""
    kind = weighted(rng, {"flat": 5, "curved": 2, "chin": 2, "television": 3, "tube": 2})
    housing = choose(
        rng,
        [
            Material(gray(uniform(rng, 0.05, 0.2)), 0.3, 30),
            plastic(rng),
            metal(rng),
            Material(gray(uniform(rng, 0.6, 0.95)), 0.3, 30),
        ],
    )
    if kind == "tube":
        return _tube(rng, housing)
    width = uniform(rng, 0.5, 0.75) if kind != "television" else uniform(rng, 0.8, 1.3)
    ratio = choose(rng, [4 / 3, 16 / 10, 16 / 9, 16 / 9, 21 / 9])
    height = width / ratio * uniform(rng, 0.95, 1.05)
    low = uniform(rng, 0.07, 0.2) if kind != "television" else uniform(rng, 0.05, 0.09)
    mount = low + uniform(rng, 0.35, 0.55) * height
    panel = Panel(width, height, uniform(rng, 0.025, 0.07), low, uniform(rng, 0.012, 0.035), mount)
    parts = (
        _curved(rng, panel, housing)
        if kind == "curved"
        else _flat(rng, panel, housing, kind == "chin")
    )
    stand = choose(rng, [housing, housing, metal(rng)])
    feet = _two_feet if kind == "television" and chance(rng, 0.6) else _stand
    return parts + [Part(feet(rng, panel), stand)]


def _screen_material(rng):
    """A dark screen, or one that shows something."""
    dark = Material(gray(uniform(rng, 0.04, 0.16)), 0.8, 80)
    kind = weighted(rng, {"dark": 5, "picture": 3, "window": 2, "blue": 1})
    if kind == "picture":
        lit = Material(any_color(rng), 0.5, 60)
        return lit.patterned(mottle(rng, uniform(rng, 2, 5)), any_color(rng))
    if kind == "window":
        return Material(gray(0.9), 0.5, 60).patterned(
            stripes(rng, "y", uniform(rng, 0.02, 0.06), 0.3), gray(0.35)
        )
    if kind == "blue":
        return Material((0.12, 0.3, 0.65), 0.6, 70)
    return dark


def _face(panel, extra=0.0):
    """The (z, y) outline of the housing, smaller by `extra` on each side."""
    return rounded_rectangle(
        panel.width - 2 * extra,
        panel.height - 2 * extra,
        0.02,
        4,
        (0, panel.low + panel.height / 2),
    )


def _flat(rng, panel, housing, chin):
    """A flat housing with its screen set in a little; a chin leaves a broad lower rim."""
    x = panel.depth / 2
    tilt = uniform(rng, -0.02, 0.12)
    body = prism_x(_face(panel), -x, x)
    bottom = panel.low + (panel.bezel if not chin else uniform(rng, 0.12, 0.2) * panel.height)
    top, z = panel.low + panel.height - panel.bezel, panel.width / 2 - panel.bezel
    recess = uniform(rng, 0.003, 0.008)
    body -= box((x - recess, bottom, -z), (x + 1, top, z))
    screen = box(
        (x - 0.015, bottom - 0.001, -z - 0.001), (x - recess + 0.002, top + 0.001, z + 0.001)
    )
    bulge = _rear_bulge(rng, panel)
    return [
        Part(sheared_x(union([body, bulge]), -tilt, panel.mount), housing),
        Part(sheared_x(screen, -tilt, panel.mount), _screen_material(rng)),
    ]


def _rear_bulge(rng, panel):
    """The thicker middle at the back."""
    share, depth = uniform(rng, 0.4, 0.85), uniform(rng, 0.015, 0.06)
    y = panel.low + panel.height / 2
    outline = rounded_rectangle(share * panel.width, share * panel.height, 0.03, 4, (0, y))
    small = (outline - (0, y)) * 0.8 + (0, y)
    x = -panel.depth / 2
    rings = [
        np.stack([np.full(len(o), at), o[:, 1], o[:, 0]], 1)
        for o, at in ((small, x - depth), (outline, x + 0.005))
    ]
    return loft(rings)


def _curved(rng, panel, housing):
    """A housing bent around the viewer."""
    radius = uniform(rng, 0.7, 1.5)

    def bent(solid):
        def bend(points):
            angle = points[:, 2] / radius
            away = radius - points[:, 0]
            return np.stack(
                [radius - away * np.cos(angle), points[:, 1], away * np.sin(angle)], axis=1
            )

        return solid.refine_to_length(panel.width / 14).warp_batch(bend)

    x = panel.depth / 2
    body = prism_x(_face(panel), -x, x)
    screen = prism_x(_face(panel, panel.bezel), x - 0.02, x + 0.003)
    return [
        Part(bent(body), housing),
        Part(bent(screen), _screen_material(rng)),
        Part(_rear_bulge(rng, panel), housing),
    ]


def _stand(rng, panel):
    """A neck behind the panel on a foot."""
    kind = weighted(rng, {"slab": 3, "disc": 2, "oval": 2, "vee": 1.5, "plate": 1})
    width = uniform(rng, 0.05, 0.14) * panel.width / 0.6
    depth = uniform(rng, 0.02, 0.05)
    x = -panel.depth / 2 - 0.35 * depth
    reach = uniform(rng, 0.3, 0.48) * panel.width
    lean = uniform(rng, 0, 0.12)
    neck = box((x - depth / 2, 0.005, -width / 2), (x + depth / 2, panel.mount, width / 2))
    joint = box(
        (x - 0.01, panel.mount - 0.05, -0.6 * width),
        (-0.25 * panel.depth, panel.mount + 0.03, 0.6 * width),
    )
    return union(
        [
            sheared_x(neck, lean, panel.mount),
            joint,
            _foot(rng, kind, panel, reach, x - lean * panel.mount),
        ]
    )


def _foot(rng, kind, panel, reach, x):
    size = uniform(rng, 0.16, 0.24) * panel.width / 0.6
    thickness = uniform(rng, 0.008, 0.022)
    if kind == "disc":
        return disc_base(0.6 * size, thickness + 0.008).translate((x + 0.03, 0, 0))
    if kind == "oval":
        return prism_y(
            superellipse(size / 2, reach / 2, uniform(rng, 2, 3), 36, (x + 0.03, 0)), 0, thickness
        )
    if kind == "vee":
        tips = [(x + size, s * reach / 2) for s in (-1, 1)]
        return union(
            [beam((x - 0.02, 0.01, 0), (tip[0], 0.01, tip[1]), 0.02) for tip in tips]
            + [slab(0.06, 0.06, 0, 0.02, (x, 0))]
        )
    if kind == "plate":
        low = rounded_rectangle(size, reach, 0.02, 4, (x + 0.02, 0))
        return stack([low, (low - (x, 0)) * 0.75 + (x, 0)], [0, 1.8 * thickness])
    return prism_y(rounded_rectangle(size, reach, 0.025, 4, (x + 0.03, 0)), 0, thickness)


def _two_feet(rng, panel):
    """A television's feet near both ends."""
    z, half = uniform(rng, 0.3, 0.42) * panel.width, uniform(rng, 0.08, 0.13)
    y, thickness = panel.low + 0.02, uniform(rng, 0.014, 0.025)
    solids = []
    for s in (-1, 1):
        solids += [
            beam((0, y, s * z), (side * half, 0.5 * thickness, s * z), thickness)
            for side in (-1, 1)
        ]
    return union(solids)


def _tube(rng, housing):
    """A cathode ray tube: a deep housing that narrows to the back, on a foot or its own base."""
    width = uniform(rng, 0.36, 0.55)
    height = width * uniform(rng, 0.74, 0.9)
    low = uniform(rng, 0.03, 0.08)
    panel = Panel(width, height, uniform(rng, 0.07, 0.14), low, uniform(rng, 0.03, 0.05))
    x, y = panel.depth / 2, low + height / 2
    front = rounded_box((-x, low, -width / 2), (x, low + height, width / 2), 0.02)
    length, share = uniform(rng, 0.2, 0.34), uniform(rng, 0.45, 0.65)
    outline = rounded_rectangle(0.94 * width, 0.92 * height, 0.05, 4, (0, y))
    small = (outline - (0, y)) * share + (0, y - 0.05 * height)
    rings = [
        np.stack([np.full(len(o), at), o[:, 1], o[:, 0]], 1)
        for o, at in (
            (small, -x - length),
            (0.25 * small + 0.75 * outline, -x - 0.45 * length),
            (outline, -x + 0.01),
        )
    ]
    half = width / 2 - panel.bezel
    opening = (low + panel.bezel + 0.02, low + height - panel.bezel)
    front -= box((x - 0.012, opening[0], -half), (x + 1, opening[1], half))
    bulge = intersection(
        [
            box((-x, opening[0] - 0.001, -half - 0.001), (x + 1, opening[1] + 0.001, half + 0.001)),
            _convex_glass(x - 0.011, sum(opening) / 2, half, (opening[1] - opening[0]) / 2),
        ]
    )
    swivel = union(
        [
            disc_base(0.32 * width, 0.025),
            rod((0, 0.005, 0), (0, low + 0.02, 0), 0.2 * width, segments=24),
        ]
    )
    return [
        Part(union([front, loft(rings)]), housing),
        Part(bulge, _screen_material(rng)),
        Part(swivel.translate((-0.3 * length, 0, 0)), housing),
    ]


def _convex_glass(x, y, half_z, half_y):
    """Part of a large ball that passes through the corners of the opening at x."""
    radius = 4.5 * half_z
    inner = np.sqrt(radius**2 - half_z**2 - half_y**2)
    return Manifold.sphere(radius, 128).translate((x - inner, y, 0))
