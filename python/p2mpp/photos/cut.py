"""Cuts the object out of photographs: log-odds of each pixel by colour, by the ground behind it and by the other photographs."""

from dataclasses import dataclass
from typing import List, Optional, Sequence

import cv2
import numpy as np

from p2mpp.photos.crop import Crop
from p2mpp.photos.plate import Behind

BINS = 24  # of a colour's channel
COLOUR_LIMIT = 3.0  # log-odds
SHADES, SHADOWED = (0.5, 0.62, 0.75, 0.88), 0.3  # the object's shadow darkens so much of the background, by so much
LEAK = 0.25  # of the object's pixels may show the background
GROUND_ODDS = ((0.5, 1.6, 4.0), (-2.0, 0.0, 3.0))  # differences in the ground's noise, log-odds: the object may look like the ground
PATTERN_ODDS = ((0.75, 0.92), (0.0, -6.0))  # correlation with the ground's pattern, log-odds
SAME_COLOUR = ((0.5, 1.0), (1.0, 0.0))  # differences in the ground's noise, weight of the pattern
SHOWS_PAPER, BEFORE_PAPER = ((0.5, 1.6), (0.0, 1.0)), ((1.6, 4.0), (0.0, 1.0))  # the same differences, shares
NEAR, FAR = 1.0, -1.5  # log-odds beside the object's points, and farther than REACH from them
REACH = 0.2  # of the crop's longer side
VOTE_ODDS = ((0.6, 0.85, 0.96), (-6.0, 0.0, 2.0))  # share of the photographs that agree, log-odds
CORE_ODDS, RIM = ((0.7, 0.9), (0.0, 3.0)), 0.012  # the same above the ground, this share of the crop's longer side inside the hull
OWN_COLOUR = ((-2.5, -1.0), (0.0, 1.0))  # log-odds of a colour, share of CORE_ODDS: what is seen through the object has others'
SALIENCE_SLOPE, SALIENCE_LIMIT = 8.0, 3.0  # log-odds per unit beside one half, and at most
DOT = 0.006  # radius around a point, of the crop's longer side
SMOOTH = 0.004  # radius of the filter, of the crop's longer side
EDGE = 0.01  # standard deviation of the guide (0 to 1) from which it is an edge
SMALLEST_PART = 0.02  # of the mask
BAND = 3  # pixels around the outline in which GrabCut decides


def dots(crop: Crop, points: np.ndarray, radius: float = DOT) -> np.ndarray:
    """[H,W] bool: discs around the pixels of points [N,3]."""
    drawn = np.zeros(crop.shape, np.uint8)
    pixels = crop.pixels(points)
    pixels = pixels[np.isfinite(pixels).all(1)]
    size = max(1, round(radius * max(crop.shape)))
    for column, row in np.rint(pixels[(np.abs(pixels) < 1e5).all(1)]).astype(int):
        cv2.circle(drawn, (int(column), int(row)), size, 1, -1)
    return drawn.astype(bool)


@dataclass
class Palette:
    """Log-odds [BINS,BINS,BINS] of a colour (Lab) to be the object's."""

    odds: np.ndarray

    def __call__(self, crop: Crop) -> np.ndarray:
        lab = cv2.cvtColor(crop.colours, cv2.COLOR_BGR2LAB)
        cells = lab.astype(np.int32) * BINS // 256
        return self.odds[cells[..., 0], cells[..., 1], cells[..., 2]]


def make_palette(crops: Sequence[Crop], objects: Sequence[np.ndarray], backgrounds: Sequence[np.ndarray]) -> Palette:
    """Of pixels [H,W] of each crop that are the object's, and of those that are not."""
    counts = [np.zeros((BINS,) * 3), np.zeros((BINS,) * 3)]
    for crop, *masks in zip(crops, objects, backgrounds):
        for count, mask in zip(counts, masks):
            _add(count, crop.colours[mask], 1.0)
        for shade in SHADES:
            _add(counts[1], (shade * crop.colours[masks[1]][::4]).astype(np.uint8), SHADOWED * 4 / len(SHADES))
    shares = [_blurred(count) / max(count.sum(), 1.0) for count in counts]
    shares[0] = np.maximum(shares[0] - LEAK * shares[1], 0)
    floor = 2e-5
    odds = np.log((shares[0] + floor) / (shares[1] + floor))
    return Palette(np.clip(odds, -COLOUR_LIMIT, COLOUR_LIMIT).astype(np.float32))


def _add(count: np.ndarray, colours: np.ndarray, weight: float) -> None:
    """Colours [N,3] uint8 BGR to the cells of a histogram."""
    if len(colours):
        cells = cv2.cvtColor(colours[None], cv2.COLOR_BGR2LAB)[0].astype(np.int32) * BINS // 256
        count += weight * np.bincount(np.ravel_multi_index(cells.T, count.shape), minlength=count.size).reshape(count.shape)


def _blurred(count: np.ndarray) -> np.ndarray:
    for axis in range(3):
        padded = np.pad(count, [(1, 1) if k == axis else (0, 0) for k in range(3)])
        parts = [np.take(padded, np.arange(BINS) + k, axis=axis) for k in range(3)]
        count = 0.25 * parts[0] + 0.5 * parts[1] + 0.25 * parts[2]
    return count


def odds_by_ground(behind: Optional[Behind], crop: Crop) -> np.ndarray:
    """Where no ground is known, the odds are 0."""
    if behind is None:
        return np.zeros(crop.shape, np.float32)
    return np.nan_to_num(np.interp(behind.difference(), *GROUND_ODDS), nan=0.0).astype(np.float32)


def odds_by_pattern(behind: Behind) -> np.ndarray:
    """At most 0: the ground's pattern is seen, so no object is in front of it."""
    same = np.nan_to_num(np.interp(behind.difference(), *SAME_COLOUR), nan=0.0)
    return (same * np.interp(behind.likeness(), *PATTERN_ODDS)).astype(np.float32)


def odds_by_salience(salience: np.ndarray) -> np.ndarray:
    """salience [H,W]: saliency.in_crop()."""
    return np.clip(SALIENCE_SLOPE * (salience - 0.5), -SALIENCE_LIMIT, SALIENCE_LIMIT).astype(np.float32)


def odds_by_place(crop: Crop, inside: np.ndarray) -> np.ndarray:
    """Higher near the object's points."""
    away = cv2.distanceTransform((~inside).astype(np.uint8), cv2.DIST_L2, 5) / max(crop.shape)
    return (NEAR + (FAR - NEAR) * np.clip(away / REACH, 0, 1)).astype(np.float32)


def odds_by_votes(votes: np.ndarray) -> np.ndarray:
    """votes [H,W]: share of the photographs that have the object on a pixel's ray (hull.votes()). Nothing is the object that most deny, as
    a pedestal of the object's colour. What all have may be beside it: the hull is larger, and would grow from round to round if it counted
    more than what a photograph shows."""
    return np.interp(votes, *VOTE_ODDS).astype(np.float32)


def odds_by_core(above: np.ndarray, by_colour: np.ndarray) -> np.ndarray:
    """Inside the hull's rim, the votes count again, but not for colours that the object surely does not have. above [H,W]: the votes
    without what a shadow has. by_colour [H,W]: log-odds."""
    size = 2 * round(RIM * max(above.shape)) + 1
    inner = cv2.erode(above, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))
    return (np.interp(inner, *CORE_ODDS) * np.interp(by_colour, *OWN_COLOUR)).astype(np.float32)


def decide(crop: Crop, odds: np.ndarray, known_background: np.ndarray, known_object: Optional[np.ndarray] = None) -> np.ndarray:
    """The mask [H,W] bool: odds, smoothed along edges."""
    odds = odds.copy()
    odds[known_background] = np.minimum(odds[known_background], 0) - 1
    if known_object is not None:
        odds[known_object] = np.maximum(odds[known_object], 0) + 1
    odds[~crop.inside] = -6
    lab = cv2.cvtColor(crop.colours, cv2.COLOR_BGR2LAB).astype(np.float32) / 255
    guide = fisher(lab, odds > 0, crop.inside & (odds <= 0))
    return tidy(guided(guide, odds, max(1, round(SMOOTH * max(guide.shape)))) > 0)


def fisher(lab: np.ndarray, inside: np.ndarray, outside: np.ndarray) -> np.ndarray:
    """[H,W], about 0 to 1: the coordinate of colours [H,W,3] that best tells pixels inside from those outside."""
    inner, outer = lab[inside], lab[outside]
    if min(len(inner), len(outer)) < 50:
        return lab[..., 0]
    within = np.cov(inner.T) + np.cov(outer.T) + 1e-3 * np.eye(3)
    axis = np.linalg.solve(within, inner.mean(0) - outer.mean(0))
    return lab @ (axis / max(np.linalg.norm(axis), 1e-9)).astype(np.float32)


def guided(guide: np.ndarray, values: np.ndarray, radius: int) -> np.ndarray:
    """The guided filter (He et al.): a local line from the guide to the values."""
    def mean(each: np.ndarray) -> np.ndarray:
        return cv2.blur(each, (2 * radius + 1, 2 * radius + 1))

    average, level = mean(guide), mean(values)
    slope = (mean(guide * values) - average * level) / (mean(guide * guide) - average**2 + EDGE**2)
    return mean(slope) * guide + mean(level - slope * average)


def refined(crop: Crop, mask: np.ndarray) -> np.ndarray:
    """GrabCut decides in a band around the outline."""
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * BAND + 1, 2 * BAND + 1))
    inner, outer = cv2.erode(mask.astype(np.uint8), kernel), cv2.dilate(mask.astype(np.uint8), kernel)
    if not inner.any() or outer.all():
        return mask
    labels = np.where(mask, cv2.GC_PR_FGD, cv2.GC_PR_BGD).astype(np.uint8)
    labels[inner > 0], labels[outer == 0] = cv2.GC_FGD, cv2.GC_BGD
    cv2.setRNGSeed(1)
    cv2.grabCut(crop.colours, labels, None, np.zeros((1, 65)), np.zeros((1, 65)), 1, cv2.GC_INIT_WITH_MASK)
    found = tidy((labels == cv2.GC_FGD) | (labels == cv2.GC_PR_FGD))
    return found if found.any() else mask


def tidy(mask: np.ndarray) -> np.ndarray:
    """Without specks and pinholes."""
    mask = mask.astype(np.uint8)
    area = max(1, int(mask.sum()))
    for value, limit in ((1, SMALLEST_PART * area), (0, SMALLEST_PART / 10 * area)):
        count, parts, facts, _ = cv2.connectedComponentsWithStats((mask == value).astype(np.uint8), connectivity=4)
        small = [part for part in range(1, count) if facts[part, cv2.CC_STAT_AREA] < limit]
        mask[np.isin(parts, small)] = 1 - value
    return mask.astype(bool)
