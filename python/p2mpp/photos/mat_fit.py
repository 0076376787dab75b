"""Where the mat is among cameras: its scale, what is up, the ground, and whether its markers agree."""

from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Set, Tuple

import numpy as np

from p2mpp.photos.doubts import listed
from p2mpp.photos.markers import Marker
from p2mpp.photos.mat import PAPERS, Mat, mat_of
from p2mpp.photos.scene import View
from p2mpp.photos.triangulation import Sight, triangulate

DISAGREE = 0.01  # of a distance between two markers; of the mat's size, for their places, in one photograph, too
STRETCHED = 0.006  # of a print, in one direction: the bar tells the scale of the other one
SURE = 3.0  # standard errors that a disagreement must exceed, besides
FEWEST = 4  # markers
FEWEST_VIEWS = 2  # of a marker
SEEN_TWICE = 2  # photographs: a marker in one alone may be an error of the detection
ASTRAY, ASTRAY_MOST = 0.5, 0.2  # share of a photograph's markers that disagree if its camera is wrong; of such photographs
TWO_PLACES = 0.25  # share of a marker's photographs that see it elsewhere
SPREAD = 0.15  # of the mat's size, that the markers must spread along their narrower direction
VAGUE = 0.005  # standard error of the scale, relative, from which on it is not used
ROUNDS = 4
EXACT = 0.1  # millimetres, that markers are off and still count fully
UNSURE = 0.01  # of the mat's size: standard error of a marker's place, from which on it is not used


class Disagreement(Exception):
    """The markers contradict each other: no scale of theirs may be used. The text says which and how."""


class NotEnough(Exception):
    """The markers do not suffice for a scale. The text says why."""


@dataclass(frozen=True)
class Similarity:
    """Places of the mat's frame (millimetres) in the cameras' coordinates: scale * rotation @ place + shift."""

    scale: float
    rotation: np.ndarray
    shift: np.ndarray

    def points(self, places: np.ndarray) -> np.ndarray:
        return self.scale * places @ self.rotation.T + self.shift

    def back(self, points: np.ndarray) -> np.ndarray:
        return (points - self.shift) @ self.rotation / self.scale


@dataclass(frozen=True)
class MatFit:
    """Standard errors: of the scale, as a share of it; of up, in degrees; of the ground's height at the mat's centre, in millimetres.
    astray: names of photographs whose cameras contradict the markers."""

    mat: Mat
    place: Similarity
    markers: List[int]
    photographs: int
    scale_error: float
    up_error: float
    height_error: float
    astray: List[str]


@dataclass(frozen=True)
class Placed:
    """A marker's corners [4,3] in the cameras' coordinates, and the standard error of their centre."""

    corners: np.ndarray
    error: float

    @property
    def centre(self) -> np.ndarray:
        return self.corners.mean(0)


def mat_in(found: Dict[str, Sequence[Marker]]) -> Optional[Mat]:
    """The mat that photographs show; None if they show none. Raises Disagreement if there are several."""
    seen: Dict[int, int] = {}
    for markers in found.values():
        for number in {number for number, _ in markers}:
            seen[number] = seen.get(number, 0) + 1
    shown = []
    for name in PAPERS:
        if sum(seen.get(number, 0) >= SEEN_TWICE for number in mat_of(name).corners) >= SEEN_TWICE:
            shown.append(name)
    if len(shown) > 1:
        raise Disagreement(f"markers of several mats are in the photographs ({' and '.join(shown)}); expected one mat")
    return mat_of(shown[0]) if shown else None


def fit_mat(views: Sequence[View], found: Dict[str, Sequence[Marker]]) -> Optional[MatFit]:
    """None if the photographs show no mat. Raises Disagreement or NotEnough."""
    mat = mat_in(found)
    if mat is None:
        return None
    seen = without_doubled(mat, found)
    by_name = {view.name: view for view in views}
    seen = {name: markers for name, markers in seen.items() if name in by_name and markers}
    placed, astray = _placed(mat, by_name, seen)
    centres = np.array([mat.corners[number].mean(0)[:2] for number in placed]).reshape(-1, 2)
    spread = np.linalg.svd(centres - centres.mean(0), compute_uv=False)[-1] / np.sqrt(len(placed)) if len(placed) > 1 else 0.0
    if len(placed) < FEWEST or spread < SPREAD * mat.size / 2:
        raise NotEnough(f"{len(placed)} of the mat's {len(mat.corners)} markers have a sure place"
                        f"{', on one side of it' if len(placed) >= FEWEST else ''}; expected {FEWEST} at least, around the object, in "
                        "several photographs each")
    _check(mat, placed)
    return _fitted(mat, placed, len(seen) - len(astray), astray)


def without_doubled(mat: Mat, found: Dict[str, Sequence[Marker]]) -> Dict[str, Dict[int, np.ndarray]]:
    """Each photograph's markers of this mat. Numbers that it shows twice are left out, if that may be an error of the detection."""
    seen, twice = {}, []
    for name, markers in found.items():
        numbers = [number for number, _ in markers]
        twice += [(name, number) for number in sorted(set(numbers)) if numbers.count(number) > 1]
        seen[name] = {number: corners for number, corners in markers if number in mat.corners and numbers.count(number) == 1}
    if len(twice) >= SEEN_TWICE:
        raise Disagreement(f"marker {twice[0][1]} is twice in {twice[0][0]}, and others likewise; expected one mat, and no copies "
                           "of its markers")
    return seen


def _placed(mat: Mat, views: Dict[str, View], seen: Dict[str, Dict[int, np.ndarray]]) -> Tuple[Dict[int, Placed], List[str]]:
    """The markers that have a sure place, and the photographs whose cameras are wrong. Raises Disagreement for a marker at two places."""
    places, denied = _triangulated(mat, views, seen)
    astray = [name for name, markers in seen.items()
              if len(markers) > 1 and sum(name in denied[number] for number in markers) > ASTRAY * len(markers)]
    if len(astray) > ASTRAY_MOST * len(seen):
        raise Disagreement(f"{len(astray)} of {len(seen)} photographs ({listed(astray)}) see the mat elsewhere than the others: it was "
                           "moved, there are two, or the cameras are wrong")
    if astray:
        seen = {name: markers for name, markers in seen.items() if name not in astray}
        places, denied = _triangulated(mat, views, seen)
    for number, names in denied.items():
        total = sum(number in markers for markers in seen.values())
        if len(names) >= SEEN_TWICE and len(names) > TWO_PLACES * total:
            raise Disagreement(f"marker {number} is elsewhere in {len(names)} of {total} photographs "
                               f"({listed(sorted(names))}): it was moved, or there are two of it")
    scale = _rough_scale(mat, places)
    return {number: each for number, each in places.items() if each.error < UNSURE * mat.size * scale}, astray


def _triangulated(mat: Mat, views: Dict[str, View], seen: Dict[str, Dict[int, np.ndarray]]) -> Tuple[Dict[int, Placed], Dict[int, Set[str]]]:
    """The places of the markers, and for each the photographs that see it elsewhere: corners in a blurred photograph are a few pixels off."""
    places, off = {}, {}
    sights = {name: Sight(views[name]) for name in seen}
    slopes = {name: dict(zip(markers, views[name].back(np.concatenate(list(markers.values()))).reshape(-1, 4, 2)))
              for name, markers in seen.items()}
    for number in sorted({number for markers in seen.values() for number in markers}):
        names = [name for name, markers in seen.items() if number in markers]
        off[number] = {}
        if len(names) < FEWEST_VIEWS:
            continue
        found = triangulate([sights[name] for name in names], np.array([slopes[name][number] for name in names]).swapaxes(0, 1))
        if found is not None:
            off[number] = {name: away for name, away, fine in zip(names, found.off, found.agree) if not fine}
            error = float(np.sqrt(np.trace(found.covariances.sum(0)))) / 4
            places[number] = Placed(found.places, error)
    limit = DISAGREE * mat.size * _rough_scale(mat, places)
    return places, {number: {name for name, away in each.items() if away > limit} for number, each in off.items()}


def _pairs(mat: Mat, placed: Dict[int, Placed]):
    """(numbers [P,2], true distances [P] of the centres, found ones [P], their standard errors [P])."""
    numbers = np.array(sorted(placed))
    first, second = np.triu_indices(len(numbers), 1)
    true = np.array([mat.corners[number].mean(0) for number in numbers])
    here = np.array([placed[number].centre for number in numbers])
    errors = np.array([placed[number].error for number in numbers])
    return (np.stack([numbers[first], numbers[second]], 1), np.linalg.norm(true[first] - true[second], axis=1),
            np.linalg.norm(here[first] - here[second], axis=1), np.hypot(errors[first], errors[second]))


def _rough_scale(mat: Mat, places: Dict[int, Placed]) -> float:
    if len(places) < 2:
        return 0.0
    _, true, found, _ = _pairs(mat, places)
    return float(np.median(found / true))


def _check(mat: Mat, placed: Dict[int, Placed]) -> None:
    """Raises Disagreement."""
    numbers, true, found, errors = _pairs(mat, placed)
    scale = float(np.median(found / true))
    off = np.abs(found / scale - true)
    wrong = off > DISAGREE * true + SURE * errors / scale
    if wrong.any():
        counts = {number: int(wrong[(numbers == number).any(1)].sum()) for number in placed}
        worst = max(counts, key=lambda number: counts[number])
        pair = int(np.argmax(np.where(wrong & (numbers == worst).any(1), off / true, 0)))
        a, b = numbers[pair]
        raise Disagreement(f"the distance of markers {a} and {b} is {found[pair] / scale:.1f} mm by the others, and {true[pair]:.1f} mm "
                           f"on the mat, {off[pair] / true[pair]:.1%} off ({wrong.sum()} of {len(wrong)} distances disagree): expected a "
                           "flat, whole mat of one print")
    _check_stretch(mat, placed)
    place = similarity(np.array([mat.corners[number] for number in placed]), np.array([each.corners for each in placed.values()]))
    for number, each in placed.items():
        error = each.error / place.scale
        away = np.linalg.norm(place.back(each.corners) - mat.corners[number], axis=1).max()
        if away > DISAGREE * mat.size + 2 * SURE * error:
            raise Disagreement(f"marker {number} is {away:.1f} mm from its place on the mat: it was pasted elsewhere, or the paper is bent")


def _check_stretch(mat: Mat, placed: Dict[int, Placed]) -> None:
    """A print that is longer in one direction than in the other has no scale."""
    flat = np.concatenate([mat.corners[number][:, :2] for number in placed])
    here = np.concatenate([each.corners for each in placed.values()])
    longest, shortest = np.linalg.svd(np.linalg.lstsq(flat - flat.mean(0), here - here.mean(0), rcond=None)[0], compute_uv=False)
    if longest / shortest - 1 > STRETCHED:
        raise Disagreement(f"the mat is {longest / shortest - 1:.1%} longer in one direction than in the other: expected a print "
                           "at 100% that lies flat")


def similarity(true: np.ndarray, found: np.ndarray) -> Similarity:
    """Of markers' corners [M,4,3]. Markers that are off, as on a corner of the paper that lifts, count less."""
    weights = np.ones(len(true))
    for _ in range(ROUNDS):
        place = _least_squares(true.reshape(-1, 3), found.reshape(-1, 3), np.repeat(weights, 4))
        off = np.linalg.norm(place.back(found) - true, axis=2).mean(1)
        weights = 1 / (1 + (off / max(EXACT, 1.5 * float(np.median(off)))) ** 2)
    return place


def _least_squares(a: np.ndarray, b: np.ndarray, weights: np.ndarray) -> Similarity:
    """b from a (Umeyama)."""
    weights = weights[:, None] / weights.sum()
    middle_a, middle_b = (weights * a).sum(0), (weights * b).sum(0)
    left, sizes, right = np.linalg.svd((b - middle_b).T @ (weights * (a - middle_a)))
    signs = np.array([1, 1, np.sign(np.linalg.det(left @ right))])
    rotation = left @ np.diag(signs) @ right
    scale = float((sizes * signs).sum() / (weights * (a - middle_a) ** 2).sum())
    return Similarity(scale, rotation, middle_b - scale * rotation @ middle_a)


def _fitted(mat: Mat, placed: Dict[int, Placed], photographs: int, astray: List[str]) -> MatFit:
    """Its standard errors are the larger of two jackknives, which leave out one marker, or a quarter of the ring, at a time: they hold
    errors of the print and the paper, and those that neighbours share because the cameras have them."""
    true, found = np.array([mat.corners[number] for number in placed]), np.array([each.corners for each in placed.values()])
    whole = similarity(true, found)
    around = np.arctan2(*true.mean(1)[:, :2].T)
    quarters = np.digitize(around, np.quantile(around, [0.25, 0.5, 0.75]))
    errors = np.maximum(_jackknife(whole, true, found, np.arange(len(true))), _jackknife(whole, true, found, quarters))
    fit = MatFit(mat, whole, list(placed), photographs, float(errors[0]), float(np.hypot(errors[1], errors[2])), float(errors[3]), astray)
    if fit.scale_error > VAGUE:
        raise NotEnough(f"{len(true)} markers in {photographs} photographs give the scale to {fit.scale_error:.1%}; expected {VAGUE:.1%}")
    return fit


def _jackknife(whole: Similarity, true: np.ndarray, found: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """[4]: standard errors of the scale (relative), of up in two directions (degrees), of the height (millimetres)."""
    rows, names = [], np.unique(groups)
    for name in names:
        part = similarity(true[groups != name], found[groups != name])
        tilt = whole.rotation.T @ part.rotation[:, 2]
        rows.append([part.scale / whole.scale, *np.degrees(tilt[:2]), (whole.rotation.T @ (part.shift - whole.shift))[2] / whole.scale])
    return np.sqrt((len(names) - 1) * np.var(rows, axis=0))
