"""Parts of all boats: the hull, its paint and deck, deckhouses with windows. The bow is at +x."""

from dataclasses import dataclass

import numpy as np

from .draw import chance, choose, uniform
from .materials import Material, any_color, gray, paint
from .outlines import rounded_polygon, rounded_rectangle
from .patterns import band, dashed_band
from .shape import Part
from .solids import loft, prism_y, stack


@dataclass(frozen=True)
class Hull:
    """Measures as shares of the length 1: the deck at y = 0 amidships, the keel at -draft."""

    half_beam: float
    draft: float
    sheer: float  # how much the deck rises at the bow
    stern: float  # width of the stern, share of the beam
    fullness: float  # 2: round sections, above: boxy, below: V-shaped
    rake: float  # how far the bow leans forward
    fine: float  # length of the bow that narrows


def hull_solid(hull, shrink=0.0, lift=0.0, lid=0.0):
    """The hull as a loft along x; shrunk and lifted it is the hollow of an open boat."""
    t = np.linspace(0, 1, 19)
    bow = np.clip((t - (1 - hull.fine)) / hull.fine, 0, 1)
    half = hull.half_beam * np.sqrt(np.maximum(1 - bow**2.2, 0.0004))
    half *= hull.stern + (1 - hull.stern) * np.minimum(1, t / 0.35) ** 0.7
    deck = (
        hull.sheer * np.clip(t - 0.35, 0, 1) ** 1.8 / 0.46 + 0.15 * hull.sheer * (1 - t) ** 3 + lid
    )
    keel = -hull.draft * (1 - 0.55 * bow**2.5) * (0.8 + 0.2 * np.minimum(1, t / 0.2)) + lift
    angle = np.linspace(0, np.pi, 15)
    power = 2.0 / hull.fullness
    across = np.sign(np.cos(angle)) * np.abs(np.cos(angle)) ** power
    down = np.sin(angle) ** power
    rings = []
    for k in range(len(t)):
        width = max(half[k] - shrink, 0.002)
        y = deck[k] - (deck[k] - keel[k]) * down
        x = -0.5 + t[k] * (1 - shrink) - hull.rake * bow[k] ** 2 * down + 0.5 * shrink
        rings.append(np.stack([x, y, width * across], 1))
    return loft(rings)


def deck_height(hull, x):
    t = x + 0.5
    return hull.sheer * max(t - 0.35, 0) ** 1.8 / 0.46 + 0.15 * hull.sheer * (1 - t) ** 3


def hull_paint(rng, hull):
    """Painted topsides with another colour under the water line, or plain."""
    base = choose(rng, [Material(gray(uniform(rng, 0.8, 0.97)), 0.35, 40), paint(rng), paint(rng)])
    if chance(rng, 0.65):
        line = -hull.draft * uniform(rng, 0.35, 0.65)
        return base.patterned(
            band("y", -1, line), choose(rng, [(0.5, 0.08, 0.07), gray(0.08), any_color(rng)])
        )
    return base


def deck(hull, margin, material, low=-0.02, high=0.006):
    """A deck of another material, a little above the hull's edge, from the stern forward."""
    end = 0.5 - hull.fine * 0.75
    half = hull.half_beam * (1 - margin)
    outline = [
        (-0.49, -half * hull.stern),
        (-0.15, -half),
        (end, -half * 0.75),
        (end, half * 0.75),
        (-0.15, half),
        (-0.49, half * hull.stern),
    ]
    return Part(prism_y(rounded_polygon(outline, 0.05), low, high + 0.15 * hull.sheer), material)


def cabin(x_rear, x_front, half, low, high, front_slope=0.05, rear_slope=0.01, shrink=0.85):
    """A deckhouse with raked ends and walls that lean inward."""
    outline = rounded_rectangle(x_front - x_rear, 2 * half, 0.03, 4, ((x_rear + x_front) / 2, 0))
    length = (x_front - x_rear) - front_slope - rear_slope
    center = (x_rear + rear_slope + x_front - front_slope) / 2
    top = rounded_rectangle(length, 2 * half * shrink, 0.03, 4, (center, 0))
    return stack([outline, top], [low, high])


def windows(material, low, high, period=None):
    """The wall material with a band of windows, continuous or in a row."""
    y0, y1 = low + 0.4 * (high - low), low + 0.78 * (high - low)
    pattern = band("y", y0, y1) if period is None else dashed_band("y", y0, y1, "x", period, 0.6)
    return material.patterned(pattern, gray(0.08))
