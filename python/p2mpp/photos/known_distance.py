"""Distances that a user knows: two points, each clicked in two photographs."""

from dataclasses import dataclass
from typing import Dict, List, Sequence, Tuple

import numpy as np

from p2mpp.photos.lengths import millimetres
from p2mpp.photos.scene import View
from p2mpp.photos.triangulation import Sight, triangulate

FORM = "A:x,y A2:x,y B:x,y B2:x,y LENGTH"
CLICK = 0.001  # of a photograph's longer side, at least a pixel: standard error of a click
WRONG_CLICK = 0.01  # of it: rays of one point that pass each other by more do not belong together
AGREE = 0.01  # of the scale: distances that differ by more are not all right
SURE = 2.0  # standard errors, by which they must differ, besides


class WrongDistance(Exception):
    """It gives no scale. The text says why."""


@dataclass(frozen=True)
class Click:
    """A point in a photograph: pixels from its upper left corner, upright."""

    photograph: str
    x: float
    y: float


@dataclass(frozen=True)
class KnownDistance:
    """points: two, each as two clicks."""

    points: Tuple[Tuple[Click, Click], Tuple[Click, Click]]
    length: float  # millimetres

    @property
    def text(self) -> str:
        return " ".join(f"{each.photograph}:{each.x:g},{each.y:g}" for point in self.points for each in point)


def parse(words: Sequence[str]) -> KnownDistance:
    """Of the five words of FORM. Raises ValueError."""
    clicks = []
    for word in words[:4]:
        name, _, place = word.rpartition(":")
        try:
            x, y = map(float, place.split(","))
        except ValueError:
            x = y = float("nan")
        if not name or not np.isfinite([x, y]).all():
            raise ValueError(f"{word}: expected PHOTOGRAPH:x,y such as IMG_0001.jpg:812,406")
        clicks.append(Click(name, x, y))
    for first, second in (clicks[:2], clicks[2:]):
        if first.photograph == second.photograph:
            raise ValueError(f"{first.photograph} has both clicks of a point; expected each point in two photographs ({FORM})")
    return KnownDistance(((clicks[0], clicks[1]), (clicks[2], clicks[3])), millimetres(words[4]))


def scale_of(distances: Sequence[KnownDistance], views: Dict[str, View]) -> Tuple[float, float]:
    """(millimetres in a unit of the cameras' coordinates, standard error as a share of it). views: by the names that the user gives.
    Raises WrongDistance."""
    found = [_scale(each, views) for each in distances]
    for scale, error in found[1:]:
        off = abs(scale / found[0][0] - 1)
        if off > AGREE + SURE * np.hypot(error, found[0][1]):
            raise WrongDistance(f"the distances contradict each other by {off:.1%}; expected {AGREE:.0%} at most")
    weights = np.array([1 / error**2 for _, error in found])
    return float(weights @ [scale for scale, _ in found] / weights.sum()), float(weights.sum() ** -0.5)


def _scale(distance: KnownDistance, views: Dict[str, View]) -> Tuple[float, float]:
    places, spreads = zip(*(_place(point, views) for point in distance.points))
    between = places[1] - places[0]
    length = float(np.linalg.norm(between))
    along = between / max(length, 1e-12)
    error = float(np.sqrt(along @ (spreads[0] + spreads[1]) @ along))
    if not error < 0.2 * length:
        raise WrongDistance(f"{distance.text}: the two points are too near to each other; expected a longer distance")
    return distance.length / length, error / length


def _place(clicks: Tuple[Click, Click], views: Dict[str, View]) -> Tuple[np.ndarray, np.ndarray]:
    """(place [3], its covariance [3,3]) of a point."""
    seen: List[View] = []
    for each in clicks:
        view = views.get(each.photograph)
        if view is None:
            raise WrongDistance(f"{each.photograph} has no camera; expected one of the photographs that have")
        if not (0 <= each.x <= view.width and 0 <= each.y <= view.height):
            raise WrongDistance(f"{each.photograph}:{each.x:g},{each.y:g} is outside of it; expected pixels up to "
                                f"{view.width},{view.height}")
        seen.append(view)
    slopes = np.array([view.back(np.array([[each.x, each.y]]))[0] for view, each in zip(seen, clicks)])
    longer = [max(view.width, view.height) for view in seen]
    sights = [Sight(view, WRONG_CLICK * side) for view, side in zip(seen, longer)]
    found = triangulate(sights, slopes[None], noise=max(1.0, CLICK * max(longer)))
    if found is None:
        raise WrongDistance(f"{clicks[0].photograph} and {clicks[1].photograph} do not show one point there, or look from nearly the same "
                            "direction; expected the same point of the object, in photographs from different sides")
    return found.places[0], found.covariances[0]
