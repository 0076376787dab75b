"""Where the object of a capture is: points above the ground that the cameras look at."""

from dataclasses import dataclass, replace
from typing import List, Optional, Tuple

import numpy as np

from p2mpp.photos.scene import Scene

# Lengths are shares of what a photograph's shorter side shows at the object.
GROUND_TOLERANCE = 0.008
GROUND_REACH = 2.0
STEEPEST = np.cos(np.radians(50))  # of the ground, against the cameras' upward direction
GROUND_SHARE = 0.08  # of the places near the object that have points, at least
BELOW = 0.5  # weight of points below the ground: reflections, errors
OUTSIDE = 0.5  # share of the ground's points that lie beside what stands on it
LOWEST = 0.016  # above the ground, of the object's points
REACH = 0.7  # of the object's points, along the ground
LINK = 0.05  # points so near belong together
FRAMED = 0.7  # share of the photographs that show a point
TRIPLES = 1500
SMALLEST = 12  # points
SMALLEST_PART = 0.08  # of the largest component's points
MARGIN, WIDE_MARGIN = 0.35, 0.8  # of the seed's size, that the object may be larger; where salience shows its end
BELOW_EDGE = 0.05  # of the object's height, that it may hang over the edge of its ground
TALL = 2.0  # height of a box on a mat, of half its free centre's length
SALIENT = 0.5  # a point's mean salience, from which it is the object's
SUNKEN = 0.1  # share of the salient points that may lie below the ground


@dataclass(frozen=True)
class Ground:
    """The plane normal . x = offset; the cameras are above it."""

    normal: np.ndarray
    offset: float

    def height(self, points: np.ndarray) -> np.ndarray:
        return points @ self.normal - self.offset

    def axes(self) -> np.ndarray:
        """Two unit vectors [2,3] along the plane."""
        first = np.cross(self.normal, np.eye(3)[np.argmin(np.abs(self.normal))])
        first /= np.linalg.norm(first)
        return np.stack([first, np.cross(self.normal, first)])


@dataclass(frozen=True)
class Mat:
    """The ground as a mat tells it: y = 0 of a model in metres. free: half the width and half the depth of its free centre."""

    free: Tuple[float, float]

    @property
    def ground(self) -> Ground:
        return Ground(np.array([0.0, 1, 0]), 0.0)


@dataclass(frozen=True)
class Seed:
    """members: numbers of the object's points; others: of points that stand on the ground beside it. corners [8,3]: of a box that
    holds the object. extent: Scene.extent() at it."""

    members: np.ndarray
    others: np.ndarray
    centre: np.ndarray
    corners: np.ndarray
    axes: np.ndarray  # [3,3], of the box; the last is up
    low: np.ndarray  # [3], along the axes
    high: np.ndarray
    ground: Optional[Ground]
    extent: float
    mat: Optional[Mat] = None  # that the object stands on

    def beside(self, points: np.ndarray) -> np.ndarray:
        """[P]: numbers of the points [P,3] that surely are not the object's. Points over the ground in its box may be."""
        along = points @ self.axes.T
        unsure = ((along > self.low) & (along < self.high)).all(1)
        unsure &= self.ground is not None and self.ground.height(points) > LOWEST * self.extent
        unsure[self.members] = True
        return np.flatnonzero(~unsure)


def find_ground(scene: Scene, focus: np.ndarray, extent: float, points: np.ndarray) -> Optional[Ground]:
    """RANSAC for the plane that most of the points near the focus lie on, and few below. Photographs may be on their side, or taken
    from above: then the cameras' own upward direction says nothing, but they look down."""
    for up in (scene.up, scene.against_views):
        ground = _ground_below(scene, up, focus, extent, points)
        if ground is not None:
            return ground
    return None


def _ground_below(scene: Scene, up: np.ndarray, focus: np.ndarray, extent: float, points: np.ndarray) -> Optional[Ground]:
    """A plane whose normal is near `up`."""
    off = np.linalg.norm(points - focus, axis=1) / extent
    near = points[off < GROUND_REACH]
    if len(near) < 3 * SMALLEST:
        return None
    # A small object may have most of the points: places count, not points.
    _, where, crowd = np.unique(np.floor(near / (LINK * extent)).astype(int), axis=0, return_inverse=True, return_counts=True)
    alone = 1 / crowd[where.ravel()]
    weights = alone / (1 + (np.linalg.norm(near - focus, axis=1) / extent) ** 2)
    centres = np.array([view.centre for view in scene.views])
    rng, best, score = np.random.default_rng(1), None, 0.0
    tolerance = GROUND_TOLERANCE * extent
    for triple in rng.choice(len(near), (TRIPLES, 3), p=alone / alone.sum()):
        a, b, c = near[triple]
        normal = np.cross(b - a, c - a)
        length = np.linalg.norm(normal)
        if length < 1e-12:
            continue
        normal = normal / length * np.sign(normal @ up or 1.0)
        if normal @ up < STEEPEST or np.mean((centres - a) @ normal > 0.05 * extent) < 0.9:
            continue
        heights = (near - a) @ normal
        found = weights @ (np.abs(heights) < tolerance) - BELOW * weights @ ((heights < -4 * tolerance) & (heights > -0.3 * extent))
        if found > score:
            best, score = Ground(normal, float(a @ normal)), found
    if best is None or score < GROUND_SHARE * weights.sum():
        return None
    ground = _refined(best, near, tolerance)
    return ground if _surrounds(ground, near, focus, extent) else None


def _surrounds(ground: Ground, points: np.ndarray, focus: np.ndarray, extent: float) -> bool:
    """Whether the plane's points reach beyond those above it, near the focus: else it is a side of the object."""
    heights, along = ground.height(points), (points - focus) @ ground.axes().T
    on = along[np.abs(heights) < GROUND_TOLERANCE * extent]
    above = along[(heights > 2 * GROUND_TOLERANCE * extent) & (np.linalg.norm(along, axis=1) < 0.5 * extent)]
    if len(above) < SMALLEST:
        return True
    middle = np.median(above, axis=0)
    low, high = np.percentile(above, 10, axis=0), np.percentile(above, 90, axis=0)
    outside = ((on < low) | (on > high)).any(1)
    sides = {(bool(x), bool(y)) for x, y in on[outside] > middle}
    return outside.mean() > OUTSIDE and len(sides) >= 3


def _refined(ground: Ground, points: np.ndarray, tolerance: float) -> Ground:
    for _ in range(4):
        on = points[np.abs(ground.height(points)) < tolerance]
        mean = on.mean(0)
        normal = np.linalg.svd(on - mean, full_matrices=False)[2][2]
        normal *= np.sign(normal @ ground.normal)
        ground = Ground(normal, float(mean @ normal))
    return ground


def components(points: np.ndarray, cell: float) -> np.ndarray:
    """A label for each point: points in the same or neighbouring cells of a grid belong together."""
    cells, where = np.unique(np.floor(points / cell).astype(np.int64), axis=0, return_inverse=True)
    numbers = {tuple(each): k for k, each in enumerate(cells)}
    labels = np.full(len(cells), -1)
    steps = np.stack(np.meshgrid(*[[-1, 0, 1]] * 3), -1).reshape(-1, 3)
    for start in range(len(cells)):
        if labels[start] >= 0:
            continue
        labels[start], left = start, [start]
        while left:
            for neighbour in cells[left.pop()] + steps:
                k = numbers.get(tuple(neighbour))
                if k is not None and labels[k] < 0:
                    labels[k] = start
                    left.append(k)
    return labels[where.ravel()]


def framed_share(scene: Scene, points: np.ndarray) -> np.ndarray:
    """Share of the photographs that show each point, were nothing in front of it."""
    total = np.zeros(len(points))
    for view in scene.views:
        pixels = view.pixels(points)
        with np.errstate(invalid="ignore"):
            total += ((pixels >= 0) & (pixels < (view.width, view.height))).all(1)
    return total / len(scene.views)


def find_seed(scene: Scene, salience: Optional[np.ndarray] = None, mat: Optional[Mat] = None) -> Optional[Seed]:
    """salience [P]: how much each point stands out, 0 to 1. None if no cluster of points stands where the cameras look and neither
    salience nor a mat is known."""
    if len(scene.points) < SMALLEST:
        return None
    focus = scene.focus()
    extent = scene.extent(focus)
    flat = scene.points if salience is None else scene.points[salience <= SALIENT]
    ground = mat.ground if mat else find_ground(scene, focus, extent, flat)
    if ground is not None and salience is not None and mat is None:
        near = np.linalg.norm(scene.points - focus, axis=1) < REACH * extent  # a plant on the floor stands out, too
        if _is_within(ground, scene.points[near & (salience > SALIENT)], extent):
            ground = None
    up = scene.up if ground is None else ground.normal
    from_focus = scene.points - focus
    along = from_focus - np.outer(from_focus @ up, up)
    candidate = (np.linalg.norm(along, axis=1) < REACH * extent) & (np.abs(from_focus @ up) < REACH * extent)
    candidate &= framed_share(scene, scene.points) >= FRAMED if salience is None else salience > SALIENT
    if ground is not None:
        candidate &= ground.height(scene.points) > LOWEST * extent
    numbers = np.flatnonzero(candidate)
    members = _cluster(scene, numbers, focus, up, extent) if len(numbers) >= SMALLEST else numbers[:0]
    if len(members) < SMALLEST:  # a smooth object has few points, but stands out
        if mat is not None:
            return _seed_on(mat, members, extent)
        return None if salience is None else _wide_seed(scene, numbers, focus, ground, extent)
    others = np.setdiff1d(numbers, members) if ground is not None else numbers[:0]
    return replace(_seed(scene, members, others, ground, extent, MARGIN if salience is None else WIDE_MARGIN), mat=mat)


def _is_within(ground: Ground, object_points: np.ndarray, extent: float) -> bool:
    """Whether a plane passes through the object: it is no ground."""
    return len(object_points) > 0 and np.mean(ground.height(object_points) < -2 * GROUND_TOLERANCE * extent) > SUNKEN


def _cluster(scene: Scene, numbers: np.ndarray, focus: np.ndarray, up: np.ndarray, extent: float) -> np.ndarray:
    """The component with the most points near the focus, and those that stand over the same ground."""
    points = scene.points[numbers]
    labels = components(points, LINK * extent)
    along = (points - focus) - np.outer((points - focus) @ up, up)
    near = np.exp(-(np.linalg.norm(along, axis=1) / (0.2 * extent)) ** 2)
    names = np.unique(labels)
    weight = np.array([near[labels == name].sum() for name in names])
    chosen = labels == names[np.argmax(weight)]
    middle = along[chosen].mean(0)
    radius = np.percentile(np.linalg.norm(along[chosen] - middle, axis=1), 95) + LINK * extent
    kept: List[int] = []
    for name in names:
        mine = labels == name
        if mine.sum() >= SMALLEST_PART * chosen.sum() and np.linalg.norm(along[mine].mean(0) - middle) < radius:
            kept += list(numbers[mine])
    return np.array(sorted(kept))


def _wide_seed(scene: Scene, members: np.ndarray, focus: np.ndarray, ground: Optional[Ground], extent: float) -> Seed:
    """A box around all that the cameras look at."""
    up = scene.up if ground is None else ground.normal
    axes = np.stack([*Ground(up, 0.0).axes(), up])
    low, high = axes @ focus - REACH * extent, axes @ focus + REACH * extent
    if ground is not None:
        low[2] = ground.offset - BELOW_EDGE * (high[2] - ground.offset)
    return Seed(members, members[:0], (low + high) / 2 @ axes, box_corners(low, high, axes), axes, low, high, ground, extent)


def _seed_on(mat: Mat, members: np.ndarray, extent: float) -> Seed:
    """A box on the mat's free centre."""
    axes = np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0]])
    across, along = mat.free
    high = np.array([across, along, TALL * max(mat.free)])
    low = np.array([-across, -along, -BELOW_EDGE * high[2]])
    return Seed(members, members[:0], (low + high) / 2 @ axes, box_corners(low, high, axes), axes, low, high, mat.ground, extent, mat)


def _seed(scene: Scene, members: np.ndarray, others: np.ndarray, ground: Optional[Ground], extent: float, share: float) -> Seed:
    points = scene.points[members]
    up = scene.up if ground is None else ground.normal
    flat = Ground(up, 0.0).axes()
    axes = np.stack([*flat, up])
    along = points @ axes.T
    low, high = np.percentile(along, 1, axis=0), np.percentile(along, 99, axis=0)
    size = np.linalg.norm(high - low)
    margin = share * np.maximum(high - low, 0.3 * size)
    low, high = low - margin, high + margin
    if ground is not None:
        low[2] = ground.offset - BELOW_EDGE * (high[2] - ground.offset)
    return Seed(members, others, (low + high) / 2 @ axes, box_corners(low, high, axes), axes, low, high, ground, extent)


def box_corners(low: np.ndarray, high: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """[8,3]: low and high are along the axes [3,3]."""
    places = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    return (low + places * (high - low)) @ axes
