"""Watertight building blocks (manifold3d.Manifold), placed directly in the y-up world frame."""

import numpy as np
from manifold3d import CrossSection, Manifold, Mesh, OpType

from .outlines import airfoil, rectangle, signed_area, superellipse

# Rotations that turn the extrusion axis (z) to -y and -x; an outline's axes become (x, z), (z, y).
# Mirroring instead would spoil calculate_normals.
_Z_TO_MINUS_Y = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0]], float)
_Z_TO_MINUS_X = np.array([[0, 0, -1, 0], [0, 1, 0, 0], [1, 0, 0, 0]], float)


def box(low, high):
    """The axis-aligned box between two corners."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    return Manifold.cube(tuple(high - low)).translate(tuple(low))


def rounded_box(low, high, radius, segments=16):
    """A box whose edges and corners are rounded."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    radius = min(radius, 0.49 * (high - low).min())
    ball = Manifold.sphere(radius, segments).to_mesh().vert_properties[:, :3].astype(float)
    corners = np.stack(np.meshgrid(*np.stack([low + radius, high - radius], 1)), -1).reshape(-1, 3)
    return Manifold.hull_points((corners[:, None] + ball).reshape(-1, 3))


def ellipsoid(center, radii, segments=24):
    """An axis-aligned ellipsoid."""
    return Manifold.sphere(1.0, segments).scale(tuple(map(float, radii))).translate(tuple(center))


def rod(start, end, start_radius, end_radius=None, segments=14):
    """A round bar between two points, conical where the radii differ."""
    end_radius = start_radius if end_radius is None else end_radius
    start, end = np.asarray(start, float), np.asarray(end, float)
    side, other = _frame(end - start)
    angle = np.linspace(0, 2 * np.pi, segments, endpoint=False)[:, None]
    circle = np.cos(angle) * side + np.sin(angle) * other
    return loft([start + start_radius * circle, end + end_radius * circle])


def beam(start, end, start_size, end_size=None):
    """A square bar between two points; sizes are the full widths at its ends."""
    end_size = start_size if end_size is None else end_size
    start, end = np.asarray(start, float), np.asarray(end, float)
    side, other = _frame(end - start)
    square = np.array([-side - other, side - other, side + other, other - side]) / 2
    return loft([start + start_size * square, end + end_size * square])


def _frame(direction):
    """Two unit vectors across the direction; the first is horizontal."""
    direction = direction / np.linalg.norm(direction)
    helper = np.array([0.0, 1, 0]) if abs(direction[1]) < 0.9 else np.array([0.0, 0, 1])
    side = np.cross(helper, direction)
    side /= np.linalg.norm(side)
    return side, np.cross(direction, side)


def _cross_section(polygon):
    polygon = np.asarray(polygon, float)
    return CrossSection([polygon if signed_area(polygon) > 0 else polygon[::-1]])


def prism_z(polygon, low, high):
    """A polygon of (x, y) corners extruded from z = low to high."""
    return Manifold.extrude(_cross_section(polygon), high - low).translate((0, 0, low))


def prism_y(polygon, low, high):
    """A polygon of (x, z) corners extruded from y = low to high."""
    solid = Manifold.extrude(_cross_section(polygon), high - low)
    return solid.transform(_Z_TO_MINUS_Y).translate((0, high, 0))


def prism_x(polygon, low, high):
    """A polygon of (z, y) corners extruded from x = low to high."""
    solid = Manifold.extrude(_cross_section(polygon), high - low)
    return solid.transform(_Z_TO_MINUS_X).translate((high, 0, 0))


def lathe(profile, center=(0.0, 0.0), segments=32):
    """(radius, y) points, from the bottom to the top, turned around the vertical axis at (x, z)."""
    profile = np.asarray(profile, float)
    closed = np.concatenate([[[0, profile[0, 1]]], profile, [[0, profile[-1, 1]]]])
    solid = Manifold.revolve(_cross_section(closed * (1, -1)), segments)
    return solid.transform(_Z_TO_MINUS_Y).translate((center[0], 0, center[1]))


def loft(rings):
    """Skin through S rings of K points each [S,K,3], closed by a fan at each end."""
    rings = np.asarray(rings, float)
    count, size = rings.shape[:2]
    ends = np.stack([rings[0].mean(0), rings[-1].mean(0)])
    vertices = np.concatenate([rings.reshape(-1, 3), ends])
    i = np.arange(size)
    j = (i + 1) % size
    triangles = []
    for k in range(count - 1):
        lower, upper = k * size, (k + 1) * size
        triangles += [
            np.stack([lower + i, lower + j, upper + j], 1),
            np.stack([lower + i, upper + j, upper + i], 1),
        ]
    last = (count - 1) * size
    triangles += [
        np.stack([j, i, np.full(size, count * size)], 1),
        np.stack([last + i, last + j, np.full(size, count * size + 1)], 1),
    ]
    return _oriented(vertices, np.concatenate(triangles))


def _oriented(vertices, triangles):
    corners = vertices[triangles]
    volume = np.einsum("ti,ti->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    triangles = triangles if volume > 0 else triangles[:, ::-1]
    return Manifold(
        Mesh(np.ascontiguousarray(vertices, np.float32), np.ascontiguousarray(triangles, np.uint32))
    )


def loft_x(stations, exponent=2.0, segments=28):
    """A body along x: stations (x, y center, half height, half width), superellipse sections."""
    rings = []
    for x, center, half_height, half_width in np.asarray(stations, float):
        outline = superellipse(half_width, half_height, exponent, segments)
        rings.append(np.stack([np.full(segments, x), center + outline[:, 1], outline[:, 0]], 1))
    return loft(rings)


def sweep(path, radius, segments=12):
    """A round tube along the path [P,3]; radius is one number or one a point."""
    path = np.asarray(path, float)
    radius = np.broadcast_to(np.asarray(radius, float), len(path))
    tangent = np.gradient(path, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    side, _ = _frame(tangent[0])
    angle = np.linspace(0, 2 * np.pi, segments, endpoint=False)[:, None]
    rings = []
    for point, direction, r in zip(path, tangent, radius):
        side = side - direction * (side @ direction)
        side /= np.linalg.norm(side)
        other = np.cross(direction, side)
        rings.append(point + r * (np.cos(angle) * side + np.sin(angle) * other))
    return loft(rings)


def ribbon(path, half_widths, thickness, bowl=0.0, columns=8):
    """A band of the given thickness along a path [P,2] of (x, y), across z.

    bowl raises the band's rims to the right of the path: towards the sitter of a seat that is drawn
    from its front edge to the top of its back.
    """
    path = np.asarray(path, float)
    half_widths = np.broadcast_to(np.asarray(half_widths, float), len(path))
    tangent = np.gradient(path, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    normal = np.stack([tangent[:, 1], -tangent[:, 0]], axis=1)
    across = np.linspace(-1, 1, columns + 1)
    rings = []
    for point, direction, half_width in zip(path, normal, half_widths):
        upper = point + direction * (bowl * across[:, None] ** 2 + thickness / 2)
        lower = upper - direction * thickness
        outline = np.concatenate([upper, lower[::-1]])
        z = half_width * np.concatenate([across, across[::-1]])
        rings.append(np.concatenate([outline, z[:, None]], axis=1))
    return loft(rings)


def wing(root, tip, root_chord, tip_chord, thickness, vertical=False):
    """A lifting surface between the leading-edge points root and tip; chords run towards -x.

    thickness is a share of the chord. A vertical one is a fin: its sections lie in x and z.
    """
    rings = []
    for start, chord in ((root, root_chord), (tip, tip_chord)):
        section = airfoil(chord, thickness * chord)
        offset = np.zeros((len(section), 3))
        offset[:, 0] = section[:, 0]
        offset[:, 2 if vertical else 1] = section[:, 1]
        rings.append(np.asarray(start, float) + offset)
    return loft(rings)


def mirrored(solid):
    """The solid and its mirror image across z = 0."""
    return union([solid, solid.mirror((0, 0, 1))])


def union(solids):
    """All of the solids in one."""
    return Manifold.batch_boolean(list(solids), OpType.Add)


def sheared_x(solid, slope, pivot=0.0):
    """The solid with x moved by slope * (y - pivot): leans backrests and rakes screens."""
    return solid.transform(
        np.array([[1, slope, 0, -slope * pivot], [0, 1, 0, 0], [0, 0, 1, 0]], float)
    )


def clipped_y(solid, low, high):
    """The part of the solid between two heights."""
    return solid.trim_by_plane((0, 1, 0), low).trim_by_plane((0, -1, 0), -high)


def stack(outlines, heights):
    """The body through S outlines [S,K,2] of (x, z) at S heights."""
    return loft(
        [
            np.stack([outline[:, 0], np.full(len(outline), y), outline[:, 1]], 1)
            for outline, y in zip(np.asarray(outlines, float), heights)
        ]
    )


def intersection(solids):
    """The intersection of the solids."""
    return Manifold.batch_boolean(list(solids), OpType.Intersect)


def slab(width_x, width_z, low, high, center=(0.0, 0.0)):
    """A box by its horizontal full widths, its heights and its centre (x, z)."""
    half = np.array([width_x, width_z]) / 2
    return prism_y(rectangle(np.asarray(center) - half, np.asarray(center) + half), low, high)
