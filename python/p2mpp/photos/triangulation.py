"""Points that several photographs show: where they are, which photographs agree, and how sure that is."""

from dataclasses import dataclass
from typing import List, Optional

import numpy as np

from p2mpp.photos.scene import View

WRONG = 2.0  # pixels, from which on a photograph does not agree,
WRONG_SHARE = 0.002  # or this share of its longer side, if that is more
LEAST_NOISE = 0.1  # pixels, that corners have
SMALLEST_ANGLE = 3.0  # degrees between two of the rays
MOST_PAIRS = 40
STEPS = 3


@dataclass(frozen=True)
class Triangulated:
    """Of N points that the same V photographs show. places [N,3]; agree [V] bool: with all points; off [V]: how far the point is, at
    most, from what a photograph shows, at the point's depth, in the cameras' unit; covariances [N,3,3]."""

    places: np.ndarray
    agree: np.ndarray
    off: np.ndarray
    covariances: np.ndarray


class Sight:
    """What is asked of a photograph for each of its points. limit: pixels, from which on it does not agree."""

    def __init__(self, view: View, limit: Optional[float] = None):
        self.centre, self.rotation, self.focal = view.centre, view.rotation, view.focal
        self.limit = limit or max(WRONG, WRONG_SHARE * max(view.width, view.height))


class Rays:
    """What V photographs see of N points. slopes [N,V,2]: (x/z, y/z) in the cameras' frames."""

    def __init__(self, sights: List[Sight], slopes: np.ndarray):
        self.centres = np.array([each.centre for each in sights])
        self.rotations = np.array([each.rotation for each in sights])
        self.focal = np.array([each.focal for each in sights])
        self.limits = np.array([each.limit for each in sights])
        self.slopes = slopes
        rays = np.concatenate([slopes, np.ones((*slopes.shape[:2], 1))], axis=2)[:, :, None] @ self.rotations
        self.directions = rays[:, :, 0] / np.linalg.norm(rays[:, :, 0], axis=2, keepdims=True)

    def seen(self, places: np.ndarray) -> np.ndarray:
        """[...,N,V,3] of places [...,N,3], in the cameras' frames."""
        return (self.rotations @ (places[..., None, :] - self.centres)[..., None])[..., 0]

    def errors(self, places: np.ndarray) -> np.ndarray:
        """[...,N,V] in pixels, of places [...,N,3]."""
        seen = self.seen(places)
        with np.errstate(all="ignore"):
            off = np.linalg.norm(seen[..., :2] / seen[..., 2:] - self.slopes, axis=-1) * self.focal
        return np.where(seen[..., 2] > 0, off, np.inf)

    def between_pairs(self) -> np.ndarray:
        """[P,N,3]: the places nearest to both rays of pairs."""
        first, second = np.triu_indices(len(self.centres), 1)
        chosen = np.unique(np.linspace(0, len(first) - 1, min(len(first), MOST_PAIRS)).astype(int))
        a, b = first[chosen], second[chosen]
        da, db = self.directions[:, a], self.directions[:, b]
        between = self.centres[b] - self.centres[a]
        cosine = (da * db).sum(2)
        sine = 1 - cosine**2
        along_a, along_b = (between * da).sum(2), (between * db).sum(2)
        with np.errstate(all="ignore"):
            reach_a, reach_b = (along_a - cosine * along_b) / sine, (cosine * along_a - along_b) / sine
            middle = (self.centres[a] + reach_a[..., None] * da + self.centres[b] + reach_b[..., None] * db) / 2
        enough = (sine > np.sin(np.radians(SMALLEST_ANGLE)) ** 2).all(0)
        return middle[:, enough].transpose(1, 0, 2)

    def solved(self, places: np.ndarray, used: np.ndarray):
        """(steps [N,3] to the least squares of the photographs that are used [V] bool, inverse normal matrices [N,3,3])."""
        x, y, z = np.moveaxis(self.seen(places)[:, used], 2, 0)
        residuals = (np.stack([x / z, y / z], 2) - self.slopes[:, used]) * self.focal[used, None]
        rows = np.stack([np.stack([1 / z, 0 * z, -x / z**2], 2), np.stack([0 * z, 1 / z, -y / z**2], 2)], 2)
        derivatives = (rows @ self.rotations[used] * self.focal[used, None, None]).reshape(len(places), -1, 3)
        inverse = np.linalg.pinv(derivatives.transpose(0, 2, 1) @ derivatives, hermitian=True)
        return -(inverse @ derivatives.transpose(0, 2, 1) @ residuals.reshape(len(places), -1, 1))[..., 0], inverse


def triangulate(sights: List[Sight], slopes: np.ndarray, noise: float = LEAST_NOISE) -> Optional[Triangulated]:
    """Of slopes [N,V,2], by the photographs that agree in all N points. None if no two do, or if these look from the same direction.
    noise: pixels, that points have at least."""
    rays = Rays(sights, slopes)
    candidates = rays.between_pairs()
    if not len(candidates):
        return None
    errors = rays.errors(candidates)
    agreed = (errors <= rays.limits).all(1)
    places = candidates[np.lexsort((np.minimum(errors, rays.limits).sum((1, 2)), -agreed.sum(1)))[0]]
    for _ in range(STEPS):
        used = (rays.errors(places) <= rays.limits).all(0)
        if used.sum() < 2:
            return None
        places = places + rays.solved(places, used)[0]
    errors = rays.errors(places)
    used = (errors <= rays.limits).all(0)
    cosines = rays.directions[0, used] @ rays.directions[0, used].T
    if used.sum() < 2 or cosines.min() > np.cos(np.radians(SMALLEST_ANGLE)):
        return None
    inverse = rays.solved(places, used)[1]
    degrees = max(1, 2 * int(used.sum()) - 3)
    variance = max(noise**2, float((errors[:, used] ** 2).sum() / len(places) / degrees))
    off = (errors * rays.seen(places)[..., 2] / rays.focal).max(0)
    return Triangulated(places, used, off, variance * inverse)
