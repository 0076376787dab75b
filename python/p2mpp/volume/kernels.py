"""Compiled loops of the truth: surfaces in voxels, what is outside, exact nearest voxels.

Grids are [X,Y,Z], and voxel i covers i to i + 1 along an axis, in units of a voxel.
"""

import numpy as np
from numba import njit

OUTSIDE, WALL, INSIDE = 0, 1, 2
SPACING = 0.5  # voxels between samples of a triangle: no path through faces of voxels passes between them
FAR = np.float32(1e12)


@njit(cache=True, nogil=True)
def mark_surface(vertices, triangles, count, mean):
    """Samples the triangles: number of samples of each voxel [X,Y,Z] int32, and their mean place [X,Y,Z,3]. Rows of
    samples run along a triangle's longest side."""
    sides = np.empty(3)
    for t in range(len(triangles)):
        for k in range(3):
            sides[k] = np.linalg.norm(vertices[triangles[t, (k + 1) % 3]] - vertices[triangles[t, k]])
        first = int(np.argmax(sides))
        a = vertices[triangles[t, first]]
        b = vertices[triangles[t, (first + 1) % 3]]
        c = vertices[triangles[t, (first + 2) % 3]]
        length = sides[first]
        half = 0.5 * (length + sides[(first + 1) % 3] + sides[(first + 2) % 3])
        area = np.sqrt(max(half * (half - sides[0]) * (half - sides[1]) * (half - sides[2]), 0.0))
        rows = int(np.ceil(2 * area / max(length, 1e-9) / SPACING))
        for row in range(rows + 1):
            v = row / max(rows, 1)
            steps = int(np.ceil((1 - v) * length / SPACING))
            for step in range(steps + 1):
                u = (1 - v) * step / max(steps, 1)
                x = a[0] + u * (b[0] - a[0]) + v * (c[0] - a[0])
                y = a[1] + u * (b[1] - a[1]) + v * (c[1] - a[1])
                z = a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2])
                i, j, k = int(x), int(y), int(z)
                count[i, j, k] += 1
                share = np.float32(1.0 / count[i, j, k])
                mean[i, j, k, 0] += share * (x - mean[i, j, k, 0])
                mean[i, j, k, 1] += share * (y - mean[i, j, k, 1])
                mean[i, j, k, 2] += share * (z - mean[i, j, k, 2])


@njit(cache=True, nogil=True)
def flood(kind):
    """Sets to OUTSIDE what is reached from the first corner through faces of voxels that are not WALL."""
    nx, ny, nz = kind.shape
    stack = [(0, 0, 0)]
    kind[0, 0, 0] = OUTSIDE
    while len(stack):
        x, y, z = stack.pop()
        for axis in range(3):
            for step in (-1, 1):
                i = x + (step if axis == 0 else 0)
                j = y + (step if axis == 1 else 0)
                k = z + (step if axis == 2 else 0)
                if 0 <= i < nx and 0 <= j < ny and 0 <= k < nz and kind[i, j, k] == INSIDE:
                    kind[i, j, k] = OUTSIDE
                    stack.append((i, j, k))


@njit(cache=True, nogil=True)
def touched(kind, direction):
    """Of each WALL voxel whether one of the 26 around it is OUTSIDE [X,Y,Z] uint8, and in `direction` [X,Y,Z,3] the
    way from INSIDE to OUTSIDE."""
    nx, ny, nz = kind.shape
    found = np.zeros(kind.shape, np.uint8)
    for x in range(1, nx - 1):
        for y in range(1, ny - 1):
            for z in range(1, nz - 1):
                if kind[x, y, z] != WALL:
                    continue
                for i in range(-1, 2):
                    for j in range(-1, 2):
                        for k in range(-1, 2):
                            other = kind[x + i, y + j, z + k]
                            if other == OUTSIDE:
                                found[x, y, z] = 1
                            way = 1 if other == OUTSIDE else -1 if other == INSIDE else 0
                            direction[x, y, z, 0] += way * i
                            direction[x, y, z, 1] += way * j
                            direction[x, y, z, 2] += way * k
    return found


@njit(cache=True, nogil=True)
def envelope(squared, nearest, places, bounds, values, owners, reach):
    """One line of the transform of Felzenszwalb and Huttenlocher: replaces squared distances [N] and the numbers of
    the nearest voxels [N] by those along the line, in place."""
    size, last = len(squared), -1
    for q in range(size):
        if squared[q] >= FAR:
            continue
        at = np.float32(0.0)
        while last >= 0:
            p = places[last]
            at = ((squared[q] + q * q) - (values[last] + p * p)) / (2.0 * (q - p))
            if at > bounds[last]:
                break
            last -= 1
        last += 1
        places[last], values[last], owners[last] = q, squared[q], nearest[q]
        bounds[last] = -FAR if last == 0 else at
    if last < 0:
        return
    now = 0
    for q in range(size):
        while now < last and bounds[now + 1] < q:
            now += 1
        away = q - places[now]
        found = values[now] + away * away
        if found <= reach:
            squared[q], nearest[q] = found, owners[now]
        else:
            squared[q], nearest[q] = FAR, -1


@njit(cache=True, nogil=True)
def nearest_voxel(seeds, reach):
    """The nearest voxel of seeds (uint8 [X,Y,Z]) to each voxel, as its flat number [X,Y,Z] int32; -1 if it is farther
    than `reach` voxels."""
    nx, ny, nz = seeds.shape
    squared = np.full(seeds.shape, FAR, np.float32)
    nearest = np.full(seeds.shape, -1, np.int32)
    for x in range(nx):
        for y in range(ny):
            for z in range(nz):
                if seeds[x, y, z]:
                    squared[x, y, z] = 0.0
                    nearest[x, y, z] = (x * ny + y) * nz + z
    size, farthest = max(nx, max(ny, nz)), np.float32(reach * reach)
    places, owners = np.empty(size, np.int32), np.empty(size, np.int32)
    bounds, values = np.empty(size, np.float32), np.empty(size, np.float32)
    for x in range(nx):
        for y in range(ny):
            envelope(squared[x, y], nearest[x, y], places, bounds, values, owners, farthest)
    for x in range(nx):
        for z in range(nz):
            envelope(squared[x, :, z], nearest[x, :, z], places, bounds, values, owners, farthest)
    for y in range(ny):
        for z in range(nz):
            envelope(squared[:, y, z], nearest[:, y, z], places, bounds, values, owners, farthest)
    return nearest


@njit(cache=True, nogil=True)
def distances_to(nearest, mean, reach):
    """Distance of each voxel's centre to the place in its nearest voxel, at most `reach` [X,Y,Z] float32."""
    nx, ny, nz = nearest.shape
    places = mean.reshape(-1, 3)
    found = np.empty(nearest.shape, np.float32)
    for x in range(nx):
        for y in range(ny):
            for z in range(nz):
                at = nearest[x, y, z]
                if at < 0:
                    found[x, y, z] = reach
                    continue
                i, j, k = x + 0.5 - places[at, 0], y + 0.5 - places[at, 1], z + 0.5 - places[at, 2]
                found[x, y, z] = min(np.sqrt(i * i + j * j + k * k), reach)
    return found


@njit(cache=True, nogil=True)
def ridge(depth, thin):
    """The voxels of `thin` (uint8) that no face's neighbour exceeds in depth, uint8."""
    nx, ny, nz = depth.shape
    found = np.zeros(depth.shape, np.uint8)
    for x in range(1, nx - 1):
        for y in range(1, ny - 1):
            for z in range(1, nz - 1):
                if thin[x, y, z]:
                    here = depth[x, y, z]
                    around = max(depth[x - 1, y, z], depth[x + 1, y, z], depth[x, y - 1, z], depth[x, y + 1, z],
                                 depth[x, y, z - 1], depth[x, y, z + 1])
                    found[x, y, z] = here >= around
    return found


@njit(cache=True, nogil=True)
def winding(vertices, triangles, voxels):
    """How often a closed mesh winds around the centres of a cube's voxels, int16 [voxels]^3: the signed crossings of a
    ray along the last axis."""
    found = np.zeros((voxels, voxels, voxels), np.int16)
    for t in range(len(triangles)):
        a, b, c = vertices[triangles[t, 0]], vertices[triangles[t, 1]], vertices[triangles[t, 2]]
        area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        if area == 0:
            continue
        first_x, last_x = np.ceil(min(a[0], b[0], c[0]) - 0.5), np.floor(max(a[0], b[0], c[0]) - 0.5)
        first_y, last_y = np.ceil(min(a[1], b[1], c[1]) - 0.5), np.floor(max(a[1], b[1], c[1]) - 0.5)
        for i in range(max(0, int(first_x)), min(voxels - 1, int(last_x)) + 1):
            for j in range(max(0, int(first_y)), min(voxels - 1, int(last_y)) + 1):
                x, y = i + 0.5000123, j + 0.5000271  # not on the edges of regular meshes
                u = ((b[0] - x) * (c[1] - y) - (b[1] - y) * (c[0] - x)) / area
                v = ((c[0] - x) * (a[1] - y) - (c[1] - y) * (a[0] - x)) / area
                if u < 0 or v < 0 or u + v > 1:
                    continue
                height = u * a[2] + v * b[2] + (1 - u - v) * c[2]
                for k in range(min(voxels, max(0, int(np.ceil(height - 0.5))))):
                    found[i, j, k] += 1 if area > 0 else -1
    return found


@njit(cache=True, nogil=True)
def parts_without(solid, wanted):
    """The voxels of a solid [X,Y,Z] whose connected part has none of the wanted voxels, bool."""
    nx, ny, nz = solid.shape
    found, met = np.zeros(solid.shape, np.bool_), np.zeros(solid.shape, np.bool_)
    part = np.empty((solid.size, 3), np.int32)
    for first in range(solid.size):
        i, j, k = first // (ny * nz), first // nz % ny, first % nz
        if not solid[i, j, k] or met[i, j, k]:
            continue
        met[i, j, k] = True
        part[0, 0], part[0, 1], part[0, 2] = i, j, k
        at, size, is_wanted = 0, 1, False
        while at < size:
            x, y, z = part[at]
            at += 1
            is_wanted = is_wanted or wanted[x, y, z]
            for axis in range(3):
                for step in (-1, 1):
                    i, j, k = x + step * (axis == 0), y + step * (axis == 1), z + step * (axis == 2)
                    if min(i, j, k) < 0 or i >= nx or j >= ny or k >= nz or not solid[i, j, k] or met[i, j, k]:
                        continue
                    met[i, j, k] = True
                    part[size, 0], part[size, 1], part[size, 2] = i, j, k
                    size += 1
        if not is_wanted:
            for at in range(size):
                found[part[at, 0], part[at, 1], part[at, 2]] = True
    return found
