"""Masks without a learned model: cut each photograph, let the photographs agree, cut again."""

from dataclasses import dataclass
from typing import Callable, Dict, List, Optional

import cv2
import numpy as np

from p2mpp.photos import cut, hull, plate, saliency
from p2mpp.photos.crop import Crop, make_crop
from p2mpp.photos.scene import Scene
from p2mpp.photos.seed import SALIENT, Seed

ROUNDS = 3
HULL = 0.85  # share of the photographs that must cover what the hull holds
SHOWS_GROUND = -0.5  # mean log-odds of a hole in a mask through which the ground is seen


@dataclass
class Cut:
    """A photograph's mask in its crop, and how well it agrees (IoU) with the silhouette of the hull of all masks."""

    crop: Crop
    mask: np.ndarray
    agreement: float = 0.0


def iou(a: np.ndarray, b: np.ndarray) -> float:
    return float((a & b).sum() / max(1, (a | b).sum()))


def cut_all(scene: Scene, seed: Seed, crops: List[Crop], maps: Optional[Dict[str, np.ndarray]] = None,
            look: Optional[Callable] = None) -> List[Cut]:
    """maps: saliency.maps_of(). look(round, odds, masks): for experiments."""
    masks = shares = None
    if maps:
        masks = [saliency.in_crop(crop, maps[crop.view.name]) > SALIENT for crop in crops]
        seed, crops, masks = _tightened(seed, crops, masks)
        shares = hull.vote(seed, crops, masks)
    known, near, background = _dotted(scene, seed, crops)
    for number in range(ROUNDS):
        hiding = near if shares is None or seed.ground is None else [hull.above_ground(seed, crop, shares) for crop in crops]
        ground = plate.make_plate(seed, crops, hiding)
        by_ground = [cut.odds_by_ground(None if ground is None else plate.difference(ground, crop), crop) for crop in crops]
        objects = known if masks is None else [_inner(mask) for mask in masks]
        away = [~crop.inside if masks is None else ~_outer(mask) for crop, mask in zip(crops, masks or crops)]
        palette = cut.make_palette(crops, objects, [a | b for a, b in zip(away, background)])
        odds = []
        for k, crop in enumerate(crops):
            total = palette(crop) + by_ground[k]
            total += cut.odds_by_place(crop, near[k]) if shares is None else cut.odds_by_votes(hull.votes(seed, crop, shares))
            if maps:
                total += cut.odds_by_salience(saliency.in_crop(crop, maps[crop.view.name]))
            odds.append(total)
        masks = [cut.decide(*each) for each in zip(crops, odds, background)]
        if look:
            look(number, odds, masks)
        if shares is None:
            seed, crops, masks = _tightened(seed, crops, masks)
            known, near, background = _dotted(scene, seed, crops)
        shares = hull.vote(seed, crops, masks)
    masks = [filled(cut.refined(crop, mask), hull.votes(seed, crop, shares), ground)
             for crop, mask, ground in zip(crops, masks, by_ground)]
    shares = hull.vote(seed, crops, masks)
    return [Cut(crop, mask, iou(mask, hull.votes(seed, crop, shares) >= HULL)) for crop, mask in zip(crops, masks)]


def _tightened(seed: Seed, crops: List[Crop], masks: List[np.ndarray]):
    """(seed, crops, masks) with a box around what most masks cover, so that the object fills the crops."""
    seed = hull.tightened(seed, hull.vote(seed, crops, masks))
    larger = [make_crop(crop.view, seed, crop.path) or crop for crop in crops]
    return seed, larger, [crop.moved(mask, other) for crop, mask, other in zip(crops, masks, larger)]


def _dotted(scene: Scene, seed: Seed, crops: List[Crop]):
    """Three lists of [H,W] bool: at the object's points, around them, at points of the background."""
    points = scene.points[seed.members]
    others = np.setdiff1d(np.arange(len(scene.points)), seed.members)
    known = [cut.dots(crop, points) for crop in crops]
    near = [cut.dots(crop, points, 4 * cut.DOT) for crop in crops]
    background = [cut.dots(crop, scene.points[np.intersect1d(scene.seen[crop.view.name], others)]) & ~dotted
                  for crop, dotted in zip(crops, known)]
    return known, near, background


def filled(mask: np.ndarray, votes: np.ndarray, by_ground: np.ndarray) -> np.ndarray:
    """Without the holes that the other photographs do not see through, and that do not show the ground. by_ground: log-odds [H,W]."""
    count, parts, facts, _ = cv2.connectedComponentsWithStats((~mask).astype(np.uint8), connectivity=4)
    border = set(np.unique(np.concatenate([parts[0], parts[-1], parts[:, 0], parts[:, -1]])))
    closed = [part for part in range(1, count) if part not in border and not mask[parts == part].any()
              and votes[parts == part].mean() >= HULL and by_ground[parts == part].mean() > SHOWS_GROUND]
    return mask | np.isin(parts, closed)


def _inner(mask: np.ndarray) -> np.ndarray:
    return cv2.erode(mask.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0


def _outer(mask: np.ndarray) -> np.ndarray:
    return cv2.dilate(mask.astype(np.uint8), np.ones((9, 9), np.uint8)) > 0
