"""Cars: sedans, hatchbacks, estates, sports cars, vans, buses, pick-ups. They face +x."""

from dataclasses import dataclass

import numpy as np

from ..draw import chance, uniform, weighted
from ..materials import Material, glass, gray, metal, paint, rubber, shade
from ..outlines import rounded_polygon, rounded_rectangle, superellipse
from ..patterns import band
from ..shape import Part
from ..solids import (
    box,
    ellipsoid,
    intersection,
    mirrored,
    prism_x,
    prism_y,
    prism_z,
    rod,
    stack,
    union,
)


@dataclass(frozen=True)
class Plan:
    """Measures in metres; x from the tail (0) to the nose (length), y up from the road."""

    length: float
    width: float
    height: float
    belt: float  # where the windows begin
    hood: float  # height of the hood's front
    trunk: float  # height of the tail
    cabin: tuple  # x of the windows' foot: (rear, front)
    roof: tuple  # x of the roof: (rear, front)
    clearance: float
    wheel: float  # radius
    bed: bool = False  # a pick-up's


def build(rng):
    """Parts of a random car."""
    kind = weighted(
        rng,
        {
            "sedan": 4,
            "hatchback": 3,
            "estate": 2,
            "sports": 3,
            "offroad": 3,
            "van": 2,
            "bus": 1,
            "pickup": 2,
        },
    )
    plan = _plan(rng, kind)
    body_paint = paint(rng)
    if chance(rng, 0.2):
        body_paint = body_paint.patterned(
            band("y", 0, 0.45 * plan.belt), shade(body_paint.color, 0.45)
        )
    dark = Material(gray(uniform(rng, 0.06, 0.2)), 0.1, 10)
    parts = [Part(_body(rng, plan), body_paint)] + _cabin(rng, plan, body_paint)
    parts += _wheels(rng, plan) + _lights(plan)
    parts.append(Part(_bumpers(plan), dark if chance(rng, 0.5) else body_paint))
    if kind in ("offroad", "estate", "van") and chance(rng, 0.5):
        parts.append(Part(_roof_rails(plan), metal(rng)))
    if kind == "sports" and chance(rng, 0.5):
        parts.append(Part(_spoiler(plan), body_paint))
    return parts


@dataclass(frozen=True)
class Proportions:
    """Of a passenger car: typical metres, and shares of the length or the height."""

    length: float
    height: float
    window_rear: float  # share of the length, from the tail
    roof_rear: float  # the same
    rake: tuple  # how far the windscreen leans back, shares of the height
    clearance: float = 0.17
    wheel: float = 0.32


PASSENGER_CARS = {
    "sedan": Proportions(4.6, 1.43, 0.15, 0.3, (0.35, 0.6)),
    "hatchback": Proportions(3.9, 1.48, 0.02, 0.12, (0.35, 0.6)),
    "estate": Proportions(4.7, 1.48, 0.015, 0.07, (0.35, 0.6)),
    "sports": Proportions(4.4, 1.2, 0.12, 0.33, (0.6, 0.85)),
    "offroad": Proportions(4.6, 1.75, 0.015, 0.06, (0.35, 0.6), 0.28, 0.39),
}


def _near(rng, value, share=0.07):
    return value * uniform(rng, 1 - share, 1 + share)


def _plan(rng, kind):
    """Proportions of each kind with random variation."""
    if kind == "pickup":
        return _pickup_plan(rng)
    if kind == "van":
        return _box_plan(rng, _near(rng, 4.9), _near(rng, 2.0), uniform(rng, 0.1, 0.9))
    if kind == "bus":
        return _box_plan(rng, _near(rng, 8.5, 0.15), _near(rng, 2.7), 0.05)
    return _passenger_plan(rng, PASSENGER_CARS[kind])


def _box_plan(rng, length, height, nose):
    """Vans and buses: windows nearly from end to end, above half of the height."""
    belt, front = 0.52 * height, length - nose
    return Plan(
        length=length,
        width=_near(rng, 1.9),
        height=height,
        belt=belt,
        hood=belt - 0.25 * nose,
        trunk=belt,
        cabin=(0.06, front),
        roof=(0.12, front - uniform(rng, 0.25, 0.6)),
        clearance=0.22,
        wheel=_near(rng, 0.36),
    )


def _pickup_plan(rng):
    length, height = _near(rng, 5.1), _near(rng, 1.75)
    rear, front = length * uniform(rng, 0.4, 0.47), length * uniform(rng, 0.72, 0.76)
    belt = 0.6 * height
    return Plan(
        length=length,
        width=_near(rng, 1.85),
        height=height,
        belt=belt,
        hood=belt - 0.08,
        trunk=belt - 0.03,
        cabin=(rear, front),
        roof=(rear + 0.12, front - uniform(rng, 0.45, 0.7)),
        clearance=_near(rng, 0.32),
        wheel=_near(rng, 0.4),
        bed=True,
    )


def _passenger_plan(rng, kind):
    """The hood stays above the wheels."""
    length, height, wheel = _near(rng, kind.length), _near(rng, kind.height), _near(rng, kind.wheel)
    belt = max(height * uniform(rng, 0.6, 0.65), 2.12 * wheel + 0.06)
    front = length * uniform(rng, 0.7, 0.76)
    return Plan(
        length=length,
        width=_near(rng, 1.78),
        height=height,
        belt=belt,
        hood=max(belt - uniform(rng, 0.1, 0.24) * height, 2.12 * wheel),
        trunk=belt - uniform(rng, 0, 0.06),
        cabin=(_near(rng, kind.window_rear * length, 0.3), front),
        roof=(_near(rng, kind.roof_rear * length, 0.15), front - height * uniform(rng, *kind.rake)),
        clearance=_near(rng, kind.clearance),
        wheel=wheel,
    )


def _body(rng, plan):
    """Below the windows: what side view, plan and front view have in common, less wheel arches."""
    nose_low = plan.clearance + uniform(rng, 0.02, 0.12)
    side = [
        (0.03, plan.clearance + 0.08),
        (0.25, plan.clearance),
        (plan.length - 0.3, plan.clearance),
        (plan.length - 0.02, nose_low),
        (plan.length, plan.hood - 0.18),
        (plan.length - 0.25, plan.hood),
        (plan.cabin[1], plan.belt),
        (plan.cabin[0], plan.belt),
        (0.08, plan.trunk),
        (0, plan.trunk - 0.2),
    ]
    plan_view = superellipse(
        plan.length / 2, plan.width / 2, uniform(rng, 4.5, 8), 48, (plan.length / 2, 0)
    )
    shoulder = uniform(rng, 0.08, 0.25)
    front = rounded_rectangle(
        plan.width, plan.belt + 0.3, shoulder, 6, (0, (plan.belt + 0.3) / 2 - 0.2)
    )
    tall = np.array(front)
    tall[:, 1] += plan.belt - tall[:, 1].max()
    solid = intersection(
        [
            prism_z(rounded_polygon(side, 0.14), -plan.width, plan.width),
            prism_y(plan_view, -1, plan.height + 1),
            prism_x(tall, -1, plan.length + 1),
        ]
    )
    if plan.bed:
        solid -= box(
            (0.12, plan.belt - 0.45, -0.36 * plan.width),
            (plan.cabin[0] - 0.08, plan.belt + 0.5, 0.36 * plan.width),
        )
    return solid - _arches(plan)


def _axles(plan):
    return (plan.length * 0.19, plan.length * 0.81)


def _arches(plan):
    depth = 0.16 * plan.width
    return union(
        [
            rod(
                (x, plan.wheel, s * (plan.width / 2 - depth)),
                (x, plan.wheel, s * plan.width),
                1.14 * plan.wheel,
                segments=24,
            )
            for x in _axles(plan)
            for s in (-1, 1)
        ]
    )


def _cabin(rng, plan, body_paint):
    """Windows as one dark body, with the roof and the pillars in the body's colour over it."""
    half = plan.width / 2
    low_half, top_half = 0.93 * half, uniform(rng, 0.68, 0.82) * half
    if plan.belt > 1.0:
        low_half, top_half = 0.975 * half, uniform(rng, 0.85, 0.93) * half
    exponent = uniform(rng, 5, 9)
    low = _cabin_outline(plan.cabin, low_half, exponent)
    top = _cabin_outline(plan.roof, top_half, exponent)
    roof_low = plan.height - 0.05 * plan.height
    share = (roof_low - plan.belt) / (plan.height - plan.belt)
    brim = low + share * (top - low)
    center = top.mean(0)
    crown = center + (top - center) * (0.86, 0.8)
    windows = stack([low, top], [plan.belt - 0.06, plan.height - 0.02])
    roof = stack(
        [center + (brim - center) * 1.015, center + (top - center) * 1.01, crown],
        [roof_low, plan.height - 0.015, plan.height + 0.015],
    )
    return [
        Part(windows, glass(rng)),
        Part(roof, body_paint),
        Part(_pillars(plan, low, top), body_paint),
    ]


def _cabin_outline(span, half_width, exponent):
    rear, front = span
    return superellipse((front - rear) / 2, half_width, exponent, 40, ((front + rear) / 2, 0))


def _pillars(plan, low, top):
    """Bars along the corners of the cabin, and one or more posts at its sides."""
    solids = []
    radius = 0.03 + 0.012 * plan.height
    angles = np.arange(40) * 2 * np.pi / 40
    corners = [int(np.argmin(np.abs(angles - a * np.pi))) for a in (0.25, 0.75, 1.25, 1.75)]
    posts = [10, 30]
    if plan.cabin[1] - plan.cabin[0] > 3.2:
        posts += [7, 13, 27, 33]
    for k in corners + posts:
        start = np.array([low[k, 0], plan.belt - 0.06, low[k, 1]])
        end = np.array([top[k, 0], plan.height - 0.03, top[k, 1]])
        inward = np.array([0, 0, -np.sign(start[2]) * 0.4 * radius])
        solids.append(rod(start + inward, end + inward, radius, segments=8))
    return union(solids)


def _wheels(rng, plan):
    """Four tyres with hub caps, joined through the body by axles."""
    tyres, caps = [], []
    width = 0.13 * plan.width
    outer = plan.width / 2 - 0.005
    rim = uniform(rng, 0.55, 0.72) * plan.wheel
    for x in _axles(plan):
        tyres.append(
            rod((x, plan.wheel, -outer + 0.05), (x, plan.wheel, outer - 0.05), 0.25 * plan.wheel)
        )
        for s in (-1, 1):
            start, end = (x, plan.wheel, s * (outer - width)), (x, plan.wheel, s * outer)
            tyres.append(rod(start, end, plan.wheel, segments=28))
            caps.append(
                rod(
                    end - np.array([0, 0, s * 0.05]),
                    end + np.array([0, 0, s * 0.012]),
                    rim,
                    0.9 * rim,
                    segments=20,
                )
            )
    return [Part(union(tyres), rubber(rng)), Part(union(caps), metal(rng))]


def _lights(plan):
    """Head lamps and rear lamps."""
    y, z = plan.hood - 0.2, 0.33 * plan.width
    head = mirrored(ellipsoid((plan.length - 0.1, y, z), (0.13, 0.075, 0.17), 12))
    tail = mirrored(ellipsoid((0.09, plan.trunk - 0.22, z), (0.11, 0.08, 0.17), 12))
    return [
        Part(head, Material((0.9, 0.9, 0.82), 0.8, 60)),
        Part(tail, Material((0.7, 0.05, 0.05), 0.6, 40)),
    ]


def _bumpers(plan):
    y = plan.clearance + 0.14
    outline = rounded_rectangle(plan.length + 0.05, 0.9 * plan.width, 0.25, 5, (plan.length / 2, 0))
    return prism_y(outline, y, y + 0.12)


def _roof_rails(plan):
    z, y = 0.3 * plan.width, plan.height + 0.045
    rear, front = plan.roof[0] + 0.25, plan.roof[1] - 0.25
    solids = [box((rear, y, z - 0.02), (front, y + 0.035, z + 0.02))]
    solids += [
        box((x - 0.04, plan.height - 0.1, z - 0.02), (x + 0.04, y + 0.01, z + 0.02))
        for x in (rear + 0.04, front - 0.04)
    ]
    return mirrored(union(solids))


def _spoiler(plan):
    x, y = 0.16, plan.trunk + 0.14
    blade = box((x - 0.12, y, -0.4 * plan.width), (x + 0.1, y + 0.035, 0.4 * plan.width))
    posts = mirrored(
        box(
            (x - 0.04, plan.trunk - 0.15, 0.3 * plan.width),
            (x + 0.04, y + 0.02, 0.3 * plan.width + 0.04),
        )
    )
    return union([blade, posts])
