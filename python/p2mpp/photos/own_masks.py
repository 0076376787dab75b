"""Masks of a capture: cut each photograph by several witnesses, let the photographs agree, cut again."""

from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional

import cv2
import numpy as np

from p2mpp.photos import cut, plate, saliency
from p2mpp.photos.crop import Crop, make_crop
from p2mpp.photos.hull import COVERED, Hull
from p2mpp.photos.scene import Scene
from p2mpp.photos.seed import SALIENT, Seed

ROUNDS = 4
TRUSTED = 0.7  # of a map, whose object gives the first colours
EARLY = 0.5  # weight of the hull of the maps alone
LOW = 2.0  # weight of the ground near it
PRINTED = 2.0  # weight of the ground that is a mat
HIDES = 0.7  # share of the photographs, whose hull hides the ground
WIDENINGS = 3  # of the box, at most
HULL = 0.85  # share of the photographs that must cover what the hull holds
SHOWS_GROUND = -0.5  # mean log-odds of a hole in a mask through which the ground is seen
SHOWS_OTHERS = -2.0  # the same by colour, if something else is seen


@dataclass
class Cut:
    """A photograph's mask in its crop, and how well it agrees (IoU) with the silhouette of the hull of all masks."""

    crop: Crop
    mask: np.ndarray
    agreement: float = 0.0


def iou(a: np.ndarray, b: np.ndarray) -> float:
    return float((a & b).sum() / max(1, (a | b).sum()))


def cut_all(scene: Scene, seed: Seed, crops: List[Crop], maps: Optional[Dict[str, np.ndarray]] = None, threads: int = 1,
            look: Optional[Callable] = None) -> List[Cut]:
    """maps: saliency.maps_of(). look(cutter): after each round, for experiments."""
    with ThreadPoolExecutor(threads) as pool:
        cutter = Cutter(scene, seed, crops, maps or {}, pool)
        for number in range(ROUNDS):
            cutter.cut_again(first=number == 0, last=number == ROUNDS - 1)
            if look:
                look(cutter)
        return cutter.finished()


class Cutter:
    """The masks of crops, from round to round. shares: the hull's votes for its voxels. None before there are any."""

    def __init__(self, scene: Scene, seed: Seed, crops: List[Crop], maps: Dict[str, np.ndarray], pool: Executor):
        self.scene, self.maps, self.pool = scene, maps, pool
        self.trust = saliency.trust(scene, seed, maps) if maps else {}
        self.masks = self.shares = None
        self._look_at(seed, crops)
        if maps:
            weights = [self.trust[crop.view.name] for crop in crops]
            self._take_maps()
            for _ in range(WIDENINGS):
                wider = self.hull.widened(self.hull.vote(self.masks, weights))
                if wider is None:
                    break
                self._recrop(wider)
                self._take_maps()
            self._tighten(weights)
            self.shares = self.hull.vote(self.masks, weights)

    def _look_at(self, seed: Seed, crops: List[Crop]) -> None:
        """known, near, background [H,W] bool of each crop: at the object's points, around them, at points of the background."""
        self.seed, self.crops, self.hull = seed, crops, Hull(seed, crops, self.pool)
        points, seen, beside = self.scene.points, self.scene.seen, seed.beside(self.scene.points)
        self.known = [cut.dots(crop, points[seed.members]) for crop in crops]
        self.near = [cut.dots(crop, points[seed.members], 4 * cut.DOT) for crop in crops]
        self.background = [cut.dots(crop, points[np.intersect1d(seen[crop.view.name], beside)]) & ~known
                           for crop, known in zip(crops, self.known)]
        self.bare = self.by_pattern = None
        self.paper = plate.make_plate(seed, crops, self.known, seed.mat) if seed.mat else None
        self.salience = self._of_each(self._salience) if self.maps else None

    def _salience(self, k: int) -> np.ndarray:
        """[H,W] of crop k. A mat's paper stands out, but it is no part of the object; what differs from it is."""
        crop = self.crops[k]
        found = saliency.in_crop(crop, self.maps[crop.view.name])
        if self.paper is None:
            return found
        off = plate.behind(self.paper, crop, self.near[k]).difference()
        known = np.isfinite(off)
        found[known] *= np.interp(off[known], *cut.SHOWS_PAPER)
        found[known] = np.maximum(found[known], np.interp(off[known], *cut.BEFORE_PAPER))
        return found

    def _look_at_patterns(self) -> None:
        """The ground as it looks if the hull hides nothing of it, and log-odds by its patterns, once for these crops. The hull would hide
        those below the object, which are the object's for it if the masks take them."""
        if self.by_pattern is None:
            self.bare = plate.make_plate(self.seed, self.crops, self.near)
            self.by_pattern = self._of_each(lambda k: np.zeros(self.crops[k].shape, np.float32) if self.bare is None
                                            else cut.odds_by_pattern(plate.behind(self.bare, self.crops[k], self.near[k])))

    def _of_each(self, made: Callable[[int], Any]) -> List[Any]:
        """made(k) of each crop k."""
        return list(self.pool.map(made, range(len(self.crops))))

    def _take_maps(self) -> None:
        self.masks = [each > SALIENT for each in self.salience]

    def _recrop(self, seed: Seed) -> None:
        before = self.crops
        self._look_at(seed, self._of_each(lambda k: make_crop(before[k].view, seed, before[k].path) or before[k]))

    def _tighten(self, weights: Optional[List[float]] = None) -> None:
        """A box around what most masks cover, so that the object fills the crops."""
        before = self.crops
        self._recrop(self.hull.tightened(self.hull.vote(self.masks, weights)))
        self.masks = [crop.moved(mask, other) for crop, mask, other in zip(before, self.masks, self.crops)]

    def cut_again(self, first: bool, last: bool) -> None:
        """A round: new masks by all witnesses. In the last, pieces that several photographs lack are filled from the others."""
        above, hidden = None, self.near
        if self.seed.ground is not None and self.shares is not None:
            above = self._of_each(lambda k: self.hull.above_ground(k, self.shares))
            hidden = [each >= HIDES for each in above]
        self._look_at_patterns()
        ground = self.paper or (self.bare if hidden is self.near else plate.make_plate(self.seed, self.crops, hidden))
        weight = PRINTED if self.paper else 1.0
        self.by_ground = self._of_each(lambda k: weight * cut.odds_by_ground(
            None if ground is None else plate.behind(ground, self.crops[k], hidden[k]), self.crops[k]))
        votes = None if self.shares is None else self._of_each(lambda k: self.hull.votes(k, self.shares))
        for k, odds in enumerate(self.by_pattern):
            # An object over a patch of its colour looks like the patch, until the other photographs have it there. None looks like a mat.
            self.by_ground[k] += odds if first or votes is None or self.paper else np.where(votes[k] >= COVERED, 0, odds)
        palette = self._palette(votes, first)
        self.by_colour = self._of_each(lambda k: palette(self.crops[k]))

        def by_votes(k: int) -> Optional[np.ndarray]:
            if votes is None:
                return None
            odds = (EARLY if first else 1) * cut.odds_by_votes(votes[k])
            return odds + cut.odds_by_core(above[k], self.by_colour[k]) if last and self.maps and above is not None else odds

        self.masks = self._of_each(lambda k: self._decided(k, by_votes(k), None if above is None else above[k] >= COVERED))
        if first:
            self._tighten()
        self.shares = self.hull.vote(self.masks)

    def _palette(self, votes: Optional[List[np.ndarray]], first: bool) -> cut.Palette:
        if self.masks is None:
            objects, away = self.known, [~crop.inside for crop in self.crops]
        else:
            # What a mask lacks and the others have is the object, too: else a hole makes its own colours the background's.
            objects = [_inner(mask & (agreed >= COVERED)) | _inner(agreed >= HULL) for mask, agreed in zip(self.masks, votes)]
            away = [~_outer(mask) & (agreed < COVERED) for mask, agreed in zip(self.masks, votes)]
        if first and self.maps:  # those of the best maps
            trust = [self.trust[crop.view.name] for crop in self.crops]
            objects = [mask & (each >= min(TRUSTED, np.median(trust))) for mask, each in zip(objects, trust)]
        return cut.make_palette(self.crops, objects, [a | b for a, b in zip(away, self.background)])

    def _decided(self, k: int, by_votes: Optional[np.ndarray], above: Optional[np.ndarray]) -> np.ndarray:
        """[H,W] bool of crop k. by_votes: log-odds. above [H,W] bool: where the hull stands over the ground."""
        crop, by_colour, known_object = self.crops[k], self.by_colour[k], None
        odds = by_colour + self.by_ground[k] + (cut.odds_by_place(crop, self.near[k]) if by_votes is None else by_votes)
        name = crop.view.name
        if self.maps:
            odds += self.trust[name] * cut.odds_by_salience(self.salience[k])
            known_object = cut.dots(crop, self.scene.points[np.intersect1d(self.scene.seen[name], self.seed.members)])
        if above is not None:
            # The object's lowest parts and their shadow have the same hull, and stand out alike: the ground tells them apart.
            odds = np.where(above, odds, np.minimum(odds, by_colour + LOW * self.by_ground[k]))
        return cut.decide(crop, odds, self.background[k], known_object)

    def finished(self) -> List[Cut]:
        masks = self._of_each(lambda k: filled(cut.refined(self.crops[k], self.masks[k]), self.hull.votes(k, self.shares),
                                               self.by_ground[k], self.by_colour[k]))
        shares = self.hull.vote(masks)
        return self._of_each(lambda k: Cut(self.crops[k], masks[k], iou(masks[k], self.hull.votes(k, shares) >= HULL)))


def filled(mask: np.ndarray, votes: np.ndarray, by_ground: np.ndarray, by_colour: np.ndarray) -> np.ndarray:
    """Without the holes that the other photographs do not see through, and that show neither the ground nor a colour that the object
    surely does not have. by_ground, by_colour: log-odds [H,W]."""
    count, parts, facts, _ = cv2.connectedComponentsWithStats((~mask).astype(np.uint8), connectivity=4)
    border = set(np.unique(np.concatenate([parts[0], parts[-1], parts[:, 0], parts[:, -1]])))
    result = mask.copy()
    for part in set(range(1, count)) - border:
        hole = parts == part
        if (not mask[hole].any() and votes[hole].mean() >= HULL and by_ground[hole].mean() > SHOWS_GROUND
                and by_colour[hole].mean() > SHOWS_OTHERS):
            result |= hole
    return result


def _inner(mask: np.ndarray) -> np.ndarray:
    return cv2.erode(mask.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0


def _outer(mask: np.ndarray) -> np.ndarray:
    return cv2.dilate(mask.astype(np.uint8), np.ones((9, 9), np.uint8)) > 0
