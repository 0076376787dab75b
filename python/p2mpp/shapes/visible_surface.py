"""Ground truth of any mesh: points of its surface that can be seen from outside.

One rule for closed, open and thin bodies: DIRECTIONS rays in evenly distributed directions leave
each point. The point counts if at least SEEN_FROM of them, on the same side of its triangle, hit
nothing, so surfaces inside an object do not count. Its normal points to the side on which more rays
hit nothing; if both sides are open (a sheet), to either.
"""

import numpy as np

from . import kernels
from .ground_truth import sample_surface
from .scene import Scene
from .studio import BIAS, OFFSET, REACH, ShadowMaps

SEEN_FROM = 2
GRAZING = 0.05  # cosine below which a direction says nothing
BOTH_SIDES = 0.6  # share of the other side's directions from which on a point is a sheet's
DRAWS = 3  # candidates a point
ROUNDS = 6


def sample_visible(scene: Scene, spread: ShadowMaps, count: int, rng):
    """(points [count,3], unit normals [count,3]), uniform over the visible area; None if almost
    nothing is visible."""
    points, normals, found = [], [], 0
    for _ in range(ROUNDS):
        drawn, facing = sample_surface(scene.vertices, scene.triangles, DRAWS * count, rng)
        good = np.isfinite(facing).all(1)
        drawn, facing = drawn[good], facing[good]
        seen = kernels.count_open(
            drawn.astype(np.float32),
            facing.astype(np.float32),
            spread.axes,
            spread.maps,
            spread.size,
            REACH,
            OFFSET,
            BIAS,
            GRAZING,
        )
        kept = seen.max(1) >= SEEN_FROM
        sheet = seen.min(1) >= BOTH_SIDES * seen.max(1)
        back = np.where(sheet, rng.random(len(seen)) < 0.5, seen[:, 1] > seen[:, 0])
        facing = np.where(back[:, None], -facing, facing)
        points.append(drawn[kept])
        normals.append(facing[kept])
        found += int(kept.sum())
        if found >= count:
            break
    if found < count:
        return None
    points, normals = np.concatenate(points), np.concatenate(normals)
    # Draws are stratified along the triangles: an even choice of them stays stratified.
    chosen = (np.arange(count) + 0.5) * (found / count)
    return points[chosen.astype(int)], normals[chosen.astype(int)]
