"""Materials: two colours mixed by a pattern, and a highlight."""

import colorsys
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from . import patterns
from .draw import chance, choose, uniform, weighted


@dataclass(frozen=True)
class Material:
    """color and accent are sRGB in 0..1; specular is the highlight's strength."""

    color: tuple
    specular: float = 0.1
    shininess: float = 20.0
    accent: tuple = (0.0, 0.0, 0.0)
    pattern: Callable[[np.ndarray], np.ndarray] | None = None

    def patterned(self, pattern, accent):
        """This material with `accent` wherever the pattern's weight is 1."""
        return replace(self, pattern=pattern, accent=tuple(accent))


def hsv(hue, saturation, value):
    """An sRGB colour from hue, saturation and value in 0..1."""
    return colorsys.hsv_to_rgb(hue % 1.0, min(max(saturation, 0), 1), min(max(value, 0), 1))


def gray(value):
    """A neutral colour."""
    return (value, value, value)


def shade(color, factor):
    """The colour made darker (factor < 1) or lighter."""
    return tuple(min(1.0, channel * factor) for channel in color)


def _hue(rng):
    """Reds and blues more often than greens and purples."""
    center = weighted(rng, {0.0: 4, 0.07: 3, 0.13: 2, 0.33: 2, 0.47: 1, 0.58: 3, 0.65: 3, 0.8: 1})
    return center + uniform(rng, -0.05, 0.05)


def any_color(rng):
    """Every hue, nearly half of the draws well saturated, the others muted or neutral."""
    kind = weighted(rng, {"vivid": 4, "muted": 3, "neutral": 3})
    if kind == "vivid":
        return hsv(_hue(rng), uniform(rng, 0.55, 0.95), uniform(rng, 0.45, 0.95))
    if kind == "muted":
        return hsv(_hue(rng), uniform(rng, 0.15, 0.5), uniform(rng, 0.35, 0.9))
    return gray(
        choose(rng, [uniform(rng, 0.07, 0.25), uniform(rng, 0.4, 0.7), uniform(rng, 0.85, 1)])
    )


def paint(rng):
    """Glossy paint."""
    return Material(any_color(rng), uniform(rng, 0.25, 0.6), uniform(rng, 20, 70))


def plastic(rng):
    """Plastic, from dull to shiny; sometimes mottled a little."""
    material = Material(any_color(rng), uniform(rng, 0.05, 0.35), uniform(rng, 8, 40))
    if chance(rng, 0.25):
        pattern = patterns.mottle(rng, uniform(rng, 1.5, 4))
        material = material.patterned(pattern, shade(material.color, uniform(rng, 0.75, 0.9)))
    return material


def metal(rng):
    """Steel, brass, copper or black iron."""
    color = weighted(
        rng,
        {
            gray(uniform(rng, 0.55, 0.8)): 5,
            gray(uniform(rng, 0.08, 0.2)): 3,
            hsv(0.12, 0.45, uniform(rng, 0.6, 0.8)): 2,
            hsv(0.06, 0.55, uniform(rng, 0.5, 0.7)): 1,
        },
    )
    return Material(color, uniform(rng, 0.5, 0.9), uniform(rng, 30, 90))


def wood(rng, axis=None):
    """Wood whose rings run around the given axis (drawn if none is given)."""
    hue, saturation = uniform(rng, 0.055, 0.105), uniform(rng, 0.35, 0.7)
    value = uniform(rng, 0.38, 0.92)
    color = hsv(hue, saturation, value)
    accent = hsv(hue - 0.01, saturation + 0.08, value * uniform(rng, 0.75, 0.92))
    pattern = patterns.wood_grain(rng, axis or choose(rng, ["x", "y", "z"]), uniform(rng, 6, 14))
    base = Material(color, uniform(rng, 0.03, 0.25), uniform(rng, 10, 40))
    return base.patterned(pattern, accent)


def fabric(rng):
    """Cloth or leather: plain, speckled, striped or checked."""
    color = any_color(rng)
    kind = weighted(rng, {"plain": 3, "speckle": 3, "leather": 2, "stripes": 1, "checks": 1})
    if kind == "leather":
        color = choose(
            rng, [hsv(0.05, 0.6, uniform(rng, 0.2, 0.5)), gray(uniform(rng, 0.06, 0.15)), color]
        )
        return Material(color, uniform(rng, 0.2, 0.4), uniform(rng, 10, 25))
    base = Material(color, 0.02, 6.0)
    if kind == "speckle":
        return base.patterned(patterns.speckle(rng, uniform(rng, 4, 10)), shade(color, 0.78))
    if kind == "stripes":
        return base.patterned(
            patterns.stripes(rng, choose(rng, ["x", "z"]), uniform(rng, 0.05, 0.15)), any_color(rng)
        )
    if kind == "checks":
        return base.patterned(patterns.checks(rng, uniform(rng, 0.06, 0.15)), shade(color, 0.7))
    return base


def glass(rng):
    """Dark, shiny window glass."""
    return Material(
        hsv(uniform(rng, 0.5, 0.65), uniform(rng, 0, 0.4), uniform(rng, 0.05, 0.25)),
        uniform(rng, 0.6, 1.0),
        uniform(rng, 40, 100),
    )


def rubber(rng):
    """Tyres, feet, seals."""
    return Material(gray(uniform(rng, 0.04, 0.12)), 0.08, 10.0)


def furniture_finish(rng):
    """A material for table tops, cabinets and chair frames."""
    kind = weighted(rng, {"wood": 5, "plastic": 2, "paint": 2, "metal": 1})
    return {"wood": wood, "plastic": plastic, "paint": paint, "metal": metal}[kind](rng)
