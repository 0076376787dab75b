"""Closed plane curves [N,2] and polylines: what solids are extruded, turned and lofted from."""

import numpy as np


def rectangle(low, high):
    """Corners of an axis-aligned rectangle, counter-clockwise."""
    return np.array([low, (high[0], low[1]), high, (low[0], high[1])], float)


def superellipse(half_width, half_height, exponent=2.0, segments=32, center=(0.0, 0.0)):
    """|x/a|^n + |y/b|^n = 1: an ellipse for n = 2, nearly a rectangle for large n."""
    angle = np.linspace(0, 2 * np.pi, segments, endpoint=False)
    cosine, sine = np.cos(angle), np.sin(angle)
    power = 2.0 / exponent
    x = half_width * np.sign(cosine) * np.abs(cosine) ** power
    y = half_height * np.sign(sine) * np.abs(sine) ** power
    return np.stack([x, y], axis=1) + np.asarray(center, float)


def rounded_rectangle(width, height, radius, corner_segments=5, center=(0.0, 0.0)):
    """A rectangle of the given full size with quarter-circle corners."""
    radius = min(radius, 0.499 * min(width, height))
    arc = np.linspace(0, np.pi / 2, corner_segments)
    points = []
    for turn, (sx, sy) in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)]):
        angle = arc + turn * np.pi / 2
        points.append(
            np.stack(
                [
                    sx * (width / 2 - radius) + radius * np.cos(angle),
                    sy * (height / 2 - radius) + radius * np.sin(angle),
                ],
                axis=1,
            )
        )
    return np.concatenate(points) + np.asarray(center, float)


def airfoil(chord, thickness, segments=8):
    """A symmetric wing section from x = 0 (leading edge) to x = -chord; thickness is full."""
    s = (1 - np.cos(np.linspace(0, np.pi, segments + 1))) / 2
    half = thickness * (1.48 * np.sqrt(s) - 0.63 * s - 1.758 * s**2 + 1.4215 * s**3 - 0.5 * s**4)
    upper = np.stack([-chord * s, half], axis=1)
    lower = upper[-2:0:-1] * (1, -1)
    upper[-1, 1] = 0.0
    return np.concatenate([upper, lower])


def arc_band(radius, thickness, half_angle, segments=12):
    """A curved strip around +x seen from its centre: between two arcs, ends cut radially."""
    angle = np.linspace(-half_angle, half_angle, segments + 1)
    arc = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.concatenate([radius * arc, (radius - thickness) * arc[::-1]])


def smooth_path(knots, samples=24):
    """A Catmull-Rom curve [samples, D] through the knots [K, D]."""
    knots = np.asarray(knots, float)
    padded = np.concatenate([2 * knots[:1] - knots[1:2], knots, 2 * knots[-1:] - knots[-2:-1]])
    t = np.linspace(0, len(knots) - 1, samples)
    i = np.minimum(t.astype(int), len(knots) - 2)
    f = (t - i)[:, None]
    p0, p1, p2, p3 = (padded[i + k] for k in range(4))
    return 0.5 * (
        2 * p1
        + (p2 - p0) * f
        + (2 * p0 - 5 * p1 + 4 * p2 - p3) * f**2
        + (3 * p1 - p0 - 3 * p2 + p3) * f**3
    )


def rounded_polygon(corners, radius, corner_segments=4):
    """The polygon with its corners replaced by curves that start `radius` before them."""
    corners = np.asarray(corners, float)
    points = []
    for k, corner in enumerate(corners):
        to_previous, to_next = corners[k - 1] - corner, corners[(k + 1) % len(corners)] - corner
        cut = [
            min(radius, 0.45 * np.linalg.norm(side)) * side / np.linalg.norm(side)
            for side in (to_previous, to_next)
        ]
        t = np.linspace(0, 1, corner_segments + 1)[:, None]
        points.append(corner + (1 - t) ** 2 * cut[0] + t**2 * cut[1])
    return np.concatenate(points)


def signed_area(polygon):
    """Positive for counter-clockwise polygons [N,2]."""
    following = np.roll(polygon, -1, axis=0)
    return 0.5 * np.sum(polygon[:, 0] * following[:, 1] - polygon[:, 1] * following[:, 0])
