"""Compiled loops of the renderer of training data: rasterising, interpolation, light with shadows.

Triangles are seen from both sides: meshes that people made have faces of either winding. Arrays are
float32 but for the vertices in pixels, and `size` counts samples along a side of an image.
"""

import numpy as np
from numba import njit

TINY = 1e-20


@njit(cache=True, fastmath=True)
def rasterize(x, y, depth, triangles, size, nearest, owner):
    """Each sample's largest depth and the triangle that has it, into nearest [size*size] (filled
    with 0) and owner [size*size] (filled with -1). x, y, depth [V]; depth is positive and linear in
    the image: 1 / distance, or a distance from behind in a parallel projection."""
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        area = (x[b] - x[a]) * (y[c] - y[a]) - (x[c] - x[a]) * (y[b] - y[a])
        if area == 0.0:
            continue
        if area < 0.0:
            b, c, area = c, b, -area
        xa, ya, xb, yb, xc, yc = x[a], y[a], x[b], y[b], x[c], y[c]
        first = max(int(np.ceil(min(ya, min(yb, yc)) - 0.5)), 0)
        last = min(int(np.floor(max(ya, max(yb, yc)) - 0.5)), size - 1)
        left = max(int(np.ceil(min(xa, min(xb, xc)) - 0.5)), 0)
        right = min(int(np.floor(max(xa, max(xb, xc)) - 0.5)), size - 1)
        if last < first or right < left:
            continue
        scale = 1.0 / area
        slope_x = ((yb - yc) * depth[a] + (yc - ya) * depth[b] + (ya - yb) * depth[c]) * scale
        slope_y = ((xc - xb) * depth[a] + (xa - xc) * depth[b] + (xb - xa) * depth[c]) * scale
        for row in range(first, last + 1):
            v = row + 0.5
            low, high = float(left), float(right)
            empty = False
            for k in range(3):
                if k == 0:
                    px, py, qx, qy = xa, ya, xb, yb
                elif k == 1:
                    px, py, qx, qy = xb, yb, xc, yc
                else:
                    px, py, qx, qy = xc, yc, xa, ya
                rise = py - qy  # the edge function grows by it with every column
                rest = (qx - px) * (v - py) + (qy - py) * px
                if rise > 0.0:
                    low = max(low, np.ceil(-rest / rise - 0.5 - 1e-9))
                elif rise < 0.0:
                    high = min(high, np.floor(rest / -rise - 0.5 + 1e-9))
                elif rest < 0.0:
                    empty = True
            if empty or high < low:
                continue
            value = depth[a] + (low + 0.5 - xa) * slope_x + (v - ya) * slope_y
            for column in range(int(low), int(high) + 1):
                at = row * size + column
                if value > nearest[at]:
                    nearest[at] = value
                    owner[at] = t
                value += slope_x


@njit(cache=True)
def fragments(owner, side, factor):
    """The triangles in each pixel of a side x side image, from side*factor samples along a side:
    (pixel, triangle, its samples, their mean column, mean row), one entry a triangle and pixel."""
    size = side * factor
    count = 0
    for at in range(len(owner)):
        if owner[at] >= 0:
            count += 1
    pixel, triangle = np.empty(count, np.int32), np.empty(count, np.int32)
    samples = np.empty(count, np.int32)
    column, row = np.empty(count, np.float32), np.empty(count, np.float32)
    total = 0
    for py in range(side):
        for px in range(side):
            begin = total
            for sy in range(factor):
                for sx in range(factor):
                    u, v = px * factor + sx, py * factor + sy
                    t = owner[v * size + u]
                    if t < 0:
                        continue
                    found = -1
                    for k in range(begin, total):
                        if triangle[k] == t:
                            found = k
                            break
                    if found < 0:
                        found = total
                        total += 1
                        pixel[found], triangle[found] = py * side + px, t
                        samples[found], column[found], row[found] = 0, 0.0, 0.0
                    samples[found] += 1
                    column[found] += u + 0.5
                    row[found] += v + 0.5
            for k in range(begin, total):
                column[k] /= samples[k]
                row[k] /= samples[k]
    return pixel[:total], triangle[:total], samples[:total], column[:total], row[:total]


@njit(cache=True, fastmath=True)
def interpolate(triangle, column, row, x, y, depth, triangles, vertices, normals, uv):
    """At each fragment, in perspective: position, shading normal (a unit vector on the side of the
    triangle's winding), the triangle's own normal, uv, and distance along the view's axis."""
    count = len(triangle)
    position = np.empty((count, 3), np.float32)
    shading = np.empty((count, 3), np.float32)
    flat = np.empty((count, 3), np.float32)
    texture = np.empty((count, 2), np.float32)
    distance = np.empty(count, np.float32)
    for f in range(count):
        t = triangle[f]
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        area = (x[b] - x[a]) * (y[c] - y[a]) - (x[c] - x[a]) * (y[b] - y[a])
        u, v = column[f], row[f]
        wa = max(((x[b] - u) * (y[c] - v) - (x[c] - u) * (y[b] - v)) / area, 0.0) * depth[a]
        wb = max(((x[c] - u) * (y[a] - v) - (x[a] - u) * (y[c] - v)) / area, 0.0) * depth[b]
        wc = max(((x[a] - u) * (y[b] - v) - (x[b] - u) * (y[a] - v)) / area, 0.0) * depth[c]
        total = wa + wb + wc + TINY
        wa, wb, wc = wa / total, wb / total, wc / total
        distance[f] = wa / depth[a] + wb / depth[b] + wc / depth[c]
        length, flat_length = 0.0, 0.0
        for k in range(3):
            position[f, k] = wa * vertices[a, k] + wb * vertices[b, k] + wc * vertices[c, k]
            n = wa * normals[t, 0, k] + wb * normals[t, 1, k] + wc * normals[t, 2, k]
            shading[f, k] = n
            length += n * n
        for k in range(2):
            texture[f, k] = wa * uv[t, 0, k] + wb * uv[t, 1, k] + wc * uv[t, 2, k]
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            n = (vertices[b, i] - vertices[a, i]) * (vertices[c, j] - vertices[a, j]) - (
                vertices[b, j] - vertices[a, j]
            ) * (vertices[c, i] - vertices[a, i])
            flat[f, k] = n
            flat_length += n * n
        length = 1.0 / np.sqrt(length + TINY)
        flat_length = 1.0 / np.sqrt(flat_length + 1e-38)
        for k in range(3):
            shading[f, k] *= length
            flat[f, k] *= flat_length
    return position, shading, flat, texture, distance


@njit(cache=True, fastmath=True)
def sample_textures(uv, texture, level, pixels, tables, colors):
    """Multiplies colors [F,3] by textures where texture [F] is not -1, bilinear and repeating.
    Level k of texture i lies in pixels [any,3] from tables[i, k, 0] on, tables[i, k, 1] columns by
    tables[i, k, 2] rows, first row at the top."""
    for f in range(len(texture)):
        i = texture[f]
        if i < 0:
            continue
        start, width, height = (
            tables[i, level[f], 0],
            tables[i, level[f], 1],
            tables[i, level[f], 2],
        )
        u = (uv[f, 0] - np.floor(uv[f, 0])) * width - 0.5
        v = (1.0 - (uv[f, 1] - np.floor(uv[f, 1]))) * height - 0.5
        u0, v0 = int(np.floor(u)), int(np.floor(v))
        fu, fv = u - u0, v - v0
        left, right = u0 % width, (u0 + 1) % width
        top, bottom = v0 % height, (v0 + 1) % height
        for k in range(3):
            upper = (1 - fu) * pixels[start + top * width + left, k] + fu * pixels[
                start + top * width + right, k
            ]
            lower = (1 - fu) * pixels[start + bottom * width + left, k] + fu * pixels[
                start + bottom * width + right, k
            ]
            colors[f, k] *= (1 - fv) * upper + fv * lower


@njit(cache=True, fastmath=True)
def is_open(px, py, pz, j, axes, maps, size, reach, bias):
    """Whether the mesh does not block the ray from a point in direction j. axes
    [D,3,3]: right, down and towards the light; maps [D,size*size] of the mesh's largest coordinates
    towards the light, plus 1; `reach`: half the width of a map."""
    u = (px * axes[j, 0, 0] + py * axes[j, 0, 1] + pz * axes[j, 0, 2]) / reach * 0.5 + 0.5
    v = (px * axes[j, 1, 0] + py * axes[j, 1, 1] + pz * axes[j, 1, 2]) / reach * 0.5 + 0.5
    column, row = int(u * size), int(v * size)
    if column < 0 or column >= size or row < 0 or row >= size:
        return True
    along = px * axes[j, 2, 0] + py * axes[j, 2, 1] + pz * axes[j, 2, 2]
    return maps[j, row * size + column] <= along + 1.0 + bias


@njit(cache=True, fastmath=True)
def light(position, normal, flat, axes, radiance, maps, size, reach, offset, bias, shadows):
    """Light that arrives at each fragment [F,3] from D directions of radiance [D,3], cosines and
    shadows counted."""
    count, directions = len(position), len(axes)
    out = np.zeros((count, 3), np.float32)
    for f in range(count):
        px = position[f, 0] + offset * flat[f, 0]
        py = position[f, 1] + offset * flat[f, 1]
        pz = position[f, 2] + offset * flat[f, 2]
        for j in range(directions):
            cosine = (
                normal[f, 0] * axes[j, 2, 0]
                + normal[f, 1] * axes[j, 2, 1]
                + normal[f, 2] * axes[j, 2, 2]
            )
            if cosine <= 0.0:
                continue
            if shadows and not is_open(px, py, pz, j, axes, maps, size, reach, bias):
                continue
            for k in range(3):
                out[f, k] += cosine * radiance[j, k]
    return out


@njit(cache=True, fastmath=True)
def count_open(position, normal, axes, maps, size, reach, offset, bias, grazing):
    """The number of the D directions from which each point is seen: [N,2], on the side of its normal
    and on the other."""
    out = np.zeros((len(position), 2), np.int32)
    for f in range(len(position)):
        for side in range(2):
            sign = 1.0 - 2.0 * side
            px = position[f, 0] + sign * offset * normal[f, 0]
            py = position[f, 1] + sign * offset * normal[f, 1]
            pz = position[f, 2] + sign * offset * normal[f, 2]
            for j in range(len(axes)):
                cosine = sign * (
                    normal[f, 0] * axes[j, 2, 0]
                    + normal[f, 1] * axes[j, 2, 1]
                    + normal[f, 2] * axes[j, 2, 2]
                )
                if cosine > grazing and is_open(px, py, pz, j, axes, maps, size, reach, bias):
                    out[f, side] += 1
    return out


@njit(cache=True)
def crease_normals(triangles, face_normals, starts, corners, cosine):
    """Shading normals [T,3,3]: at each corner the sum of the unit face normals times area
    (face_normals [T,3] are doubled areas long) of the vertex' triangles that lie within an angle of
    the corner's own. A neighbour of the other winding counts turned round. `corners` lists the
    triangles of each vertex, from starts[vertex] on."""
    count = len(triangles)
    out = np.zeros((count, 3, 3), np.float32)
    length = np.empty(count)
    for t in range(count):
        length[t] = np.sqrt((face_normals[t] ** 2).sum()) + 1e-38
    for t in range(count):
        for k in range(3):
            vertex = triangles[t, k]
            for at in range(starts[vertex], starts[vertex + 1]):
                other = corners[at]
                dot = (
                    face_normals[t, 0] * face_normals[other, 0]
                    + face_normals[t, 1] * face_normals[other, 1]
                    + face_normals[t, 2] * face_normals[other, 2]
                )
                bound = cosine * length[t] * length[other]
                if dot >= bound or dot <= -bound:
                    sign = 1.0 if dot > 0 else -1.0
                    for i in range(3):
                        out[t, k, i] += sign * face_normals[other, i]
            total = np.sqrt(out[t, k, 0] ** 2 + out[t, k, 1] ** 2 + out[t, k, 2] ** 2)
            for i in range(3):
                if total > 0:
                    out[t, k, i] /= total
                else:
                    out[t, k, i] = face_normals[t, i] / length[t]
    return out
