"""Masks without a learned model: cut each photograph, let the photographs agree, cut again."""

from dataclasses import dataclass
from typing import Callable, List, Optional

import cv2
import numpy as np

from p2mpp.photos import cut, hull, plate
from p2mpp.photos.crop import Crop
from p2mpp.photos.scene import Scene
from p2mpp.photos.seed import Seed

ROUNDS = 3
HULL = 0.85  # share of the photographs that must cover what the hull holds


@dataclass
class Cut:
    """A photograph's mask in its crop, and how well it agrees (IoU) with the silhouette of the hull of all masks."""

    crop: Crop
    mask: np.ndarray
    agreement: float = 0.0


def iou(a: np.ndarray, b: np.ndarray) -> float:
    return float((a & b).sum() / max(1, (a | b).sum()))


def cut_all(scene: Scene, seed: Seed, crops: List[Crop], look: Optional[Callable] = None) -> List[Cut]:
    """look(round, odds, masks): for experiments."""
    points = scene.points[seed.members]
    others = np.setdiff1d(np.arange(len(scene.points)), seed.members)
    known = [cut.dots(crop, points) for crop in crops]
    near = [cut.dots(crop, points, 4 * cut.DOT) for crop in crops]
    background = [cut.dots(crop, scene.points[np.intersect1d(scene.seen[crop.view.name], others)]) & ~dotted
                  for crop, dotted in zip(crops, known)]
    masks = shares = None
    for number in range(ROUNDS):
        ground = plate.make_plate(seed, crops, near if masks is None else masks)
        by_ground = [cut.odds_by_ground(None if ground is None else plate.difference(ground, crop), crop) for crop in crops]
        objects = known if masks is None else [_inner(mask) for mask in masks]
        away = [~crop.inside if masks is None else ~_outer(mask) for crop, mask in zip(crops, masks or crops)]
        palette = cut.make_palette(crops, objects, [a | b for a, b in zip(away, background)])
        odds = []
        for k, crop in enumerate(crops):
            total = palette(crop) + by_ground[k]
            total += cut.odds_by_place(crop, near[k]) if shares is None else cut.odds_by_votes(hull.votes(seed, crop, shares))
            odds.append(total)
        masks = [cut.decide(*each) for each in zip(crops, odds, background)]
        if look:
            look(number, odds, masks)
        if shares is None:
            seed = hull.tightened(seed, hull.vote(seed, crops, masks))
        shares = hull.vote(seed, crops, masks)
    masks = [filled(cut.refined(crop, mask), hull.votes(seed, crop, shares)) for crop, mask in zip(crops, masks)]
    shares = hull.vote(seed, crops, masks)
    return [Cut(crop, mask, iou(mask, hull.votes(seed, crop, shares) >= HULL)) for crop, mask in zip(crops, masks)]


def filled(mask: np.ndarray, votes: np.ndarray) -> np.ndarray:
    """Without the holes that the other photographs do not see through."""
    count, parts, facts, _ = cv2.connectedComponentsWithStats((~mask).astype(np.uint8), connectivity=4)
    border = set(np.unique(np.concatenate([parts[0], parts[-1], parts[:, 0], parts[:, -1]])))
    closed = [part for part in range(1, count) if part not in border and not mask[parts == part].any()
              and votes[parts == part].mean() >= HULL]
    return mask | np.isin(parts, closed)


def _inner(mask: np.ndarray) -> np.ndarray:
    return cv2.erode(mask.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0


def _outer(mask: np.ndarray) -> np.ndarray:
    return cv2.dilate(mask.astype(np.uint8), np.ones((9, 9), np.uint8)) > 0
