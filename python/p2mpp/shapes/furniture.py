"""Legs and feet that several categories share."""

import numpy as np

from .draw import choose, integer, uniform
from .solids import beam, lathe, rod, slab, sweep

LEG_STYLES = ("square", "round", "tapered", "cone", "turned")


def leg(style, foot, top, thickness):
    """One leg between two points; it should end inside what it carries."""
    if style == "square":
        return beam(foot, top, thickness)
    if style == "round":
        return rod(foot, top, thickness / 2)
    if style == "tapered":
        return beam(foot, top, 0.55 * thickness, thickness)
    if style == "cone":
        return rod(foot, top, 0.28 * thickness, 0.6 * thickness)
    return _turned(foot, top, thickness)


def _turned(foot, top, thickness):
    height = top[1] - foot[1]
    heights = np.array([0, 0.06, 0.12, 0.2, 0.55, 0.72, 0.78, 0.84, 1.0])
    radii = np.array([0.3, 0.45, 0.3, 0.34, 0.55, 0.42, 0.6, 0.45, 0.55]) * thickness
    profile = np.stack([radii, foot[1] + heights * height], axis=1)
    return lathe(profile, (top[0], top[2]), 14)


def four_legs(rng, style, half_x, half_z, top, thickness, max_splay=0.0, joint=""):
    """Legs at (+-half_x, +-half_z) from y = 0 to `top`, leaning outward by up to max_splay.

    joint "bars" adds an H of bars between them, "shelf" a board, at a random height.
    """
    splay = 0.0 if style == "turned" else uniform(rng, 0, max_splay)
    legs = [
        leg(
            style,
            (sx * (half_x + splay), 0, sz * (half_z + splay)),
            (sx * half_x, top, sz * half_z),
            thickness,
        )
        for sx in (-1, 1)
        for sz in (-1, 1)
    ]
    if not joint:
        return legs
    share = uniform(rng, 0.2, 0.5)
    half_x, half_z = half_x + (1 - share) * splay, half_z + (1 - share) * splay
    if joint == "shelf":
        return legs + [slab(2 * half_x, 2 * half_z, share * top, share * top + 0.025)]
    return legs + _stretchers(half_x, half_z, share * top, 0.4 * thickness)


def _stretchers(half_x, half_z, height, thickness):
    sides = [beam((-half_x, height, z), (half_x, height, z), thickness) for z in (-half_z, half_z)]
    return sides + [beam((0, height, -half_z), (0, height, half_z), thickness)]


def star_base(rng, radius, hub_height, arms=None):
    """Arms around a hub on the axis, as under office chairs; ends on small casters or feet."""
    arms = arms or integer(rng, 4, 5)
    start = uniform(rng, 0, 2 * np.pi)
    solids = [rod((0, 0.25 * hub_height, 0), (0, hub_height, 0), 0.14 * radius)]
    for k in range(arms):
        angle = start + 2 * np.pi * k / arms
        tip = np.array([radius * np.cos(angle), 0.35 * hub_height, radius * np.sin(angle)])
        solids.append(rod((0, 0.7 * hub_height, 0), tip, 0.11 * radius, 0.07 * radius, 10))
        solids.append(rod(tip * (1, 0, 1), tip * (1, 1.25, 1), 0.1 * radius, segments=10))
    return solids


def disc_base(radius, height, edge=0.5):
    """A round foot plate, thinner at its rim."""
    profile = [
        (radius, 0),
        (radius, edge * height),
        (0.35 * radius, height),
        (0.1 * radius, 1.2 * height),
    ]
    return lathe(profile, segments=32)


def plinth(width_x, width_z, height, inset):
    """A box-shaped foot, set back from the outline."""
    return slab(width_x - 2 * inset, width_z - 2 * inset, 0, height)


def feet(half_x, half_z, height, thickness, style):
    """Four short feet that reach a little above `height`."""
    top = height + 0.02
    return [
        leg(style, (x, 0, z), (x, top, z), thickness)
        for x in (-half_x, half_x)
        for z in (-half_z, half_z)
    ]


def sled_runner(half_x, z, top, radius):
    """A bent tube: down at the front, along the floor, up at the back."""
    path = [
        (half_x, top, z),
        (half_x, radius * 2.5, z),
        (half_x - radius * 1.5, radius, z),
        (-half_x + radius * 1.5, radius, z),
        (-half_x, radius * 2.5, z),
        (-half_x, top, z),
    ]
    return sweep(path, radius, 10)


def random_leg_style(rng, thin=False):
    """A leg style; the turned one only where legs are long."""
    return choose(rng, LEG_STYLES if thin else LEG_STYLES[:4])
