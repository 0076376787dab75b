"""Chairs: kitchen and office chairs, armchairs, shells, stools with a back. They face +x."""

from dataclasses import dataclass

import numpy as np
from manifold3d import Manifold

from ..draw import chance, choose, integer, uniform, weighted
from ..furniture import disc_base, four_legs, random_leg_style, sled_runner, star_base
from ..materials import Material, fabric, furniture_finish, gray, metal, plastic, wood
from ..outlines import arc_band, rounded_rectangle, smooth_path, superellipse
from ..shape import Part
from ..solids import (
    beam,
    box,
    prism_x,
    prism_y,
    ribbon,
    rod,
    rounded_box,
    sheared_x,
    sweep,
    union,
)


def build(rng):
    """Parts of a random chair; measures in metres."""
    style = weighted(rng, {"seat_and_back": 8, "shell": 2, "club": 2, "cantilever": 1})
    return {
        "seat_and_back": _seat_and_back,
        "shell": _shell,
        "club": _club,
        "cantilever": _cantilever,
    }[style](rng)


@dataclass(frozen=True)
class Seat:
    """A seat's solid and measures; `rear` and `fit` say where a back and legs surely meet it."""

    solid: Manifold
    width: float
    depth: float
    top: float
    thickness: float
    rear: float = 1.0  # half width at the rear edge, as a share of width / 2
    fit: float = 1.0  # size of the rectangle inside its outline, as a share

    @property
    def back_x(self):
        """Where a back stands: 2.5 cm inside the rear edge."""
        return -self.fit * self.depth / 2 + 0.025


def _seat_and_back(rng):
    seat = _seat(
        rng,
        uniform(rng, 0.4, 0.56),
        uniform(rng, 0.4, 0.54),
        uniform(rng, 0.4, 0.5),
        uniform(rng, 0.03, 0.1),
    )
    frame = furniture_finish(rng)
    cover = choose(rng, [frame, fabric(rng), fabric(rng), plastic(rng)])
    share = min(seat.fit, seat.rear)
    base, base_material = _base(
        rng, share * seat.width, seat.fit * seat.depth, seat.top - seat.thickness, frame
    )
    parts = [Part(seat.solid, cover), Part(union(base), base_material)]
    parts += _back(rng, seat, frame, cover)
    if seat.fit == 1.0 and chance(rng, 0.4):
        parts.append(Part(_arms(rng, seat), choose(rng, [frame, base_material])))
    return parts


def _seat(rng, width, depth, top, thickness):
    """A board or a cushion; its outline is square, rounded or tapered to the back."""
    kind = weighted(rng, {"cushion": 3, "board": 3, "round": 1, "tapered": 2})
    low = top - thickness
    if kind == "cushion":
        solid = rounded_box(
            (-depth / 2, low, -width / 2), (depth / 2, top, width / 2), 0.45 * thickness
        )
        return Seat(solid, width, depth, top, thickness)
    if kind == "round":
        solid = prism_y(superellipse(depth / 2, width / 2, uniform(rng, 2, 3), 36), low, top)
        return Seat(solid, width, depth, top, thickness, fit=0.72)
    outline = rounded_rectangle(depth, width, uniform(rng, 0.005, 0.06))
    taper = uniform(rng, 0.1, 0.28) if kind == "tapered" else 0.0
    outline[:, 1] *= 1 + taper * (outline[:, 0] / depth - 0.5)
    return Seat(prism_y(outline, low, top), width, depth, top, thickness, rear=1 - taper)


def _base(rng, width, depth, top, frame):
    """The supports of the seat, which reach 1 cm into it: (solids, material)."""
    kind = weighted(rng, {"legs": 7, "star": 2, "disc": 1, "sled": 1, "panels": 1})
    reach = top + 0.01
    if kind == "star":
        height = uniform(rng, 0.08, 0.12)
        column = [
            rod((0, 0.5 * height, 0), (0, reach, 0), uniform(rng, 0.02, 0.035)),
            rod((0, top - 0.04, 0), (0, reach, 0), 0.1, 0.14),
        ]
        return star_base(rng, uniform(rng, 0.24, 0.32), height) + column, metal(rng)
    if kind == "disc":
        return [
            disc_base(uniform(rng, 0.18, 0.25), 0.03),
            rod((0, 0.01, 0), (0, reach, 0), 0.035),
            rod((0, top - 0.03, 0), (0, reach, 0), 0.06, 0.13),
        ], metal(rng)
    half_x, half_z = depth / 2 - 0.035, width / 2 - 0.04
    if kind == "sled":
        return [sled_runner(half_x, s * half_z, reach, 0.014) for s in (-1, 1)], metal(rng)
    if kind == "panels":
        return [
            box((-half_x, 0, s * half_z - 0.018), (half_x, reach, s * half_z + 0.018))
            for s in (-1, 1)
        ], frame
    thickness = uniform(rng, 0.028, 0.055)
    solids = four_legs(
        rng,
        random_leg_style(rng, True),
        half_x,
        half_z,
        reach,
        thickness,
        0.05,
        "bars" if chance(rng, 0.35) else "",
    )
    return solids, choose(rng, [frame, frame, metal(rng)])


def _back(rng, seat, frame, cover):
    """A backrest that leans backwards, on the rear edge of the seat."""
    height, lean = uniform(rng, 0.32, 0.62), uniform(rng, 0.03, 0.28)
    kind = weighted(rng, {"panel": 3, "curved": 3, "slats": 2, "ladder": 2, "framed": 2, "pad": 2})
    low = seat.top - 0.6 * seat.thickness
    half = 0.46 * seat.width * min(seat.rear, seat.fit) - 0.01
    make = {
        "panel": _panel_back,
        "curved": _curved_back,
        "slats": _slat_back,
        "ladder": _ladder_back,
        "framed": _framed_back,
        "pad": _pad_back,
    }[kind]
    placed = []
    for solid, is_cover in make(rng, half, height):
        solid = sheared_x(solid.translate((seat.back_x, low, 0)), -lean, low)
        placed.append(Part(solid, cover if is_cover else frame))
    return placed


def _panel_back(rng, half, height):
    board = uniform(rng, 0.02, 0.05)
    outline = rounded_rectangle(2 * half, height, uniform(rng, 0.005, 0.15), 6, (0, height / 2))
    outline[:, 1] += (
        uniform(rng, 0, 0.06) * (1 - (outline[:, 0] / half) ** 2) * (outline[:, 1] > height / 2)
    )
    foot = box((-board / 2, 0, -0.6 * half), (board / 2, 0.1, 0.6 * half))
    return [(union([prism_x(outline, -board / 2, board / 2), foot]), True)]


def _curved_back(rng, half, height):
    """A band bent around the sitter."""
    angle = uniform(rng, 0.35, 1.0)
    radius = half / np.sin(angle)
    board = uniform(rng, 0.018, 0.04)
    band = arc_band(radius, board, angle)
    band[:, 0] = radius - band[:, 0] - board / 2
    rise = uniform(rng, 0, 0.4) * height
    low = 0.0 if rise < 0.06 else rise
    solids = [(prism_y(band, low, height), True)]
    if low:
        x = radius - radius * np.cos(0.7 * angle)
        z = radius * np.sin(0.7 * angle)
        post = union(
            [beam((0.01, 0, s * 0.8 * z), (x + 0.004, low + 0.06, s * z), 0.03) for s in (-1, 1)]
        )
        solids.append((post, False))
    return solids


def _posts(half, height, size):
    return [beam((0, 0, s * half), (0, height, s * half), size) for s in (-1, 1)]


def _rail(half, low, high, size):
    return box((-size / 2, low, -half), (size / 2, high, half))


def _slat_back(rng, half, height):
    size, count = uniform(rng, 0.025, 0.04), integer(rng, 3, 7)
    top = uniform(rng, 0.06, 0.11)
    solids = _posts(half, height, size) + [_rail(half, height - top, height, size)]
    for z in np.linspace(-half, half, count + 2)[1:-1]:
        solids.append(
            box((-0.3 * size, 0, z - 0.3 * size), (0.3 * size, height - 0.5 * top, z + 0.3 * size))
        )
    return [(union(solids), False)]


def _ladder_back(rng, half, height):
    size, count = uniform(rng, 0.028, 0.042), integer(rng, 2, 4)
    rail = uniform(rng, 0.04, 0.09)
    solids = _posts(half, height, size)
    for y in np.linspace(0.32 * height, height - rail, count):
        solids.append(_rail(half, y, y + rail, 0.6 * size))
    return [(union(solids), False)]


def _framed_back(rng, half, height):
    """A padded panel between two posts."""
    size = uniform(rng, 0.03, 0.045)
    low = uniform(rng, 0.12, 0.3) * height
    pad = rounded_box((-0.03, low, -half), (0.03, height - 0.02, half), 0.025)
    return [(union(_posts(half, height, size)), False), (pad, True)]


def _pad_back(rng, half, height):
    """A thick upholstered back, as on dining and office chairs."""
    pad = uniform(rng, 0.05, 0.1)
    low = choose(rng, [0.0, uniform(rng, 0.1, 0.22)])
    cushion = rounded_box((-pad / 2, low, -half), (pad / 2, height, half), 0.4 * pad)
    if low == 0.0:
        return [(cushion, True)]
    support = box((-0.02, 0, -0.25 * half), (0.012, low + 0.1, 0.25 * half))
    return [(cushion, True), (support, False)]


def _arms(rng, seat):
    """Arm rests on both sides, joined to the seat."""
    width, depth, low = seat.rear * seat.width, seat.depth, seat.top - 0.6 * seat.thickness
    height, size = uniform(rng, 0.16, 0.24), uniform(rng, 0.028, 0.05)
    y, front = seat.top + height, depth / 2 - uniform(rng, 0.03, 0.12)
    kind = weighted(rng, {"posts": 3, "panel": 1, "loop": 2})
    solids = []
    for s in (-1, 1):
        z = s * (width / 2 - 0.005)
        if kind == "panel":
            solids.append(box((-depth / 2, low, z - size / 2), (front, y, z + size / 2)))
        elif kind == "loop":
            path = smooth_path(
                [
                    (front, low, z),
                    (front, y - 0.06, z),
                    (front - 0.06, y, z),
                    (-depth / 2 + 0.08, y, z),
                    (-depth / 2 + 0.02, y - 0.06, z),
                    (-depth / 2 + 0.02, low, z),
                ],
                26,
            )
            solids.append(sweep(path, 0.4 * size, 10))
        else:
            solids.append(beam((front - 0.03, low, z), (front - 0.03, y, z), size))
            solids.append(beam((-depth / 2 + 0.03, low, z), (-depth / 2 + 0.03, y, z), size))
            solids.append(
                rounded_box(
                    (-depth / 2, y - 0.02, z - 0.7 * size),
                    (front, y + 0.015, z + 0.7 * size),
                    0.012,
                )
            )
    return union(solids)


def _shell(rng):
    """Seat and back in one bent shell, on legs or a star base."""
    half, seat = uniform(rng, 0.22, 0.28), uniform(rng, 0.4, 0.46)
    depth, height = uniform(rng, 0.38, 0.46), uniform(rng, 0.35, 0.6)
    path = smooth_path(
        [
            (depth / 2, seat - 0.02),
            (depth / 4, seat + 0.005),
            (-depth / 4, seat - 0.005),
            (-depth / 2, seat + 0.06),
            (-depth / 2 - 0.1, seat + 0.25),
            (-depth / 2 - 0.1 - uniform(rng, 0.02, 0.12), seat + height),
        ],
        26,
    )
    t = np.linspace(0, 1, len(path))
    widths = half * (1 - uniform(rng, 0.1, 0.35) * np.clip(t - 0.55, 0, 1) ** 2 / 0.2)
    widths *= np.minimum(1, np.sqrt(np.minimum(t, 1 - t) / 0.08 + 0.45))
    shell = ribbon(path, widths, uniform(rng, 0.02, 0.035), uniform(rng, 0.02, 0.09))
    base, material = _base(rng, 1.5 * half, 0.8 * depth, seat - 0.025, wood(rng, "y"))
    hub = box((-0.36 * depth, seat - 0.035, -0.68 * half), (0.3 * depth, seat - 0.008, 0.68 * half))
    return [
        Part(shell, choose(rng, [plastic(rng), fabric(rng), wood(rng)])),
        Part(union(base + [hub]), material),
    ]


def _club(rng):
    """An armchair: padded seat, back and sides on short feet."""
    width, depth, seat = uniform(rng, 0.7, 0.9), uniform(rng, 0.68, 0.85), uniform(rng, 0.36, 0.44)
    arm, arm_top, back_top = (
        uniform(rng, 0.1, 0.18),
        uniform(rng, 0.52, 0.66),
        uniform(rng, 0.7, 1.0),
    )
    feet_height, back = uniform(rng, 0.04, 0.16), uniform(rng, 0.12, 0.2)
    cover, radius = fabric(rng), uniform(rng, 0.02, 0.06)
    x, z = depth / 2, width / 2
    body = [
        rounded_box((-x, feet_height, -z + 0.02), (x - 0.02, seat - 0.1, z - 0.02), 0.02),
        sheared_x(
            rounded_box((-x, feet_height, -z + 0.01), (-x + back, back_top, z - 0.01), radius),
            -uniform(rng, 0, 0.15),
            feet_height,
        ),
    ]
    body += [
        rounded_box(
            (-x + 0.01, feet_height + 0.005, s * z - (s > 0) * arm),
            (x, arm_top, s * z + (s < 0) * arm),
            radius,
        )
        for s in (-1, 1)
    ]
    cushion = rounded_box(
        (-x + 0.8 * back, seat - 0.14, -z + 0.85 * arm),
        (x - 0.005, seat + 0.03, z - 0.85 * arm),
        0.04,
    )
    legs = four_legs(rng, random_leg_style(rng), x - 0.08, z - 0.08, feet_height + 0.03, 0.05)
    return [
        Part(union(body), cover),
        Part(cushion, choose(rng, [cover, fabric(rng)])),
        Part(union(legs), choose(rng, [wood(rng, "y"), metal(rng), Material(gray(0.1), 0.1)])),
    ]


def _cantilever(rng):
    """A bent tube frame that carries seat and back from the front only."""
    width, depth, seat = uniform(rng, 0.44, 0.52), uniform(rng, 0.42, 0.5), uniform(rng, 0.42, 0.47)
    height, lean, r = uniform(rng, 0.36, 0.48), uniform(rng, 0.1, 0.25), uniform(rng, 0.012, 0.018)
    x, z = depth / 2, width / 2
    tubes = []
    for s in (-1, 1):
        knots = [
            (-x, r, s * z),
            (x - 0.06, r, s * z),
            (x, 0.06, s * z),
            (x, seat - 0.06, s * z),
            (x - 0.05, seat - 0.01, s * z),
            (-x + 0.06, seat - 0.01, s * z),
            (-x, seat + 0.06, s * z),
            (-x - lean * height, seat + height, s * z),
        ]
        tubes.append(sweep(smooth_path(knots, 60), r, 10))
    tubes.append(rod((-x + r, r, -z), (-x + r, r, z), r, segments=10))
    cover = fabric(rng)
    pad = rounded_box((-x + 0.02, seat - 0.02, -z), (x - 0.02, seat + 0.03, z), 0.02)
    back = sheared_x(
        rounded_box((-x - 0.02, seat + 0.14, -z), (-x + 0.025, seat + height + 0.02, z), 0.018),
        -lean,
        seat + 0.06,
    )
    return [Part(union(tubes), metal(rng)), Part(pad, cover), Part(back, cover)]
