"""Pictures of shapes: 137x137 RGBA, lights, highlights, solid textures, anti-aliased edges."""

from dataclasses import dataclass

import numpy as np

from .camera import FOCAL_SHARE, IMAGE_SIZE, cam_from_world, project
from .draw import choose, uniform
from .rasterizer import plane_coefficients, rasterize

SUPERSAMPLING = 3  # samples a pixel, along each axis
SHOULDER = 0.75  # brightness above which colours are compressed


@dataclass(frozen=True)
class Lights:
    """Fixed in the world: directions [L,3] towards the lights, intensities [L,3]; ambient light."""

    directions: np.ndarray
    colors: np.ndarray
    headlight: float
    sky: np.ndarray  # [3] from above
    ground: np.ndarray  # [3] from below


def draw_lights(rng):
    """A key light, a fill light from another side, sometimes a third, a headlight and the sky."""
    key = uniform(rng, 0, 360)
    angles = [(key, uniform(rng, 35, 70)), (key + uniform(rng, 100, 200), uniform(rng, 10, 45))]
    strengths = [uniform(rng, 0.4, 0.58), uniform(rng, 0.14, 0.28)]
    if choose(rng, [False, True]):
        angles.append((key + uniform(rng, -100, -60), uniform(rng, -20, 30)))
        strengths.append(uniform(rng, 0.08, 0.16))
    azimuth, elevation = np.radians(np.array(angles)).T
    directions = np.stack(
        [
            np.cos(elevation) * np.cos(azimuth),
            np.sin(elevation),
            np.cos(elevation) * np.sin(azimuth),
        ],
        axis=1,
    )
    tint = 1 + rng.uniform(-0.04, 0.04, (len(angles), 3))
    ambient = uniform(rng, 0.28, 0.4)
    return Lights(
        directions,
        np.array(strengths)[:, None] * tint,
        uniform(rng, 0.14, 0.26),
        ambient * np.ones(3),
        ambient * uniform(rng, 0.4, 0.7) * np.ones(3),
    )


def render(shape, view, lights, supersampling=SUPERSAMPLING):
    """RGBA uint8 [137,137,4], alpha straight (colours are not multiplied by it)."""
    size = IMAGE_SIZE * supersampling
    camera_points = cam_from_world(view, shape.vertices)
    pixels = project(camera_points, size)
    inverse_depth = -1.0 / camera_points[:, 2]
    hits = rasterize(pixels, inverse_depth, shape.triangles, size)
    normals = normals_at(shape, pixels, inverse_depth, hits)
    positions, to_eye = _positions(view, hits, size)
    colors = shade(shape, lights, hits.triangle, positions, normals, to_eye)
    return _resolve(colors, hits.index, supersampling)


def normals_at(shape, pixels, inverse_depth, hits):
    """Perspective-correct interpolated unit normals [M,3] in the world frame."""
    seen, triangle = np.unique(hits.triangle, return_inverse=True)
    corners = shape.triangles[seen]
    weighted_normals = shape.corner_normals[seen] * inverse_depth[corners][..., None]
    planes = plane_coefficients(pixels, corners, weighted_normals).astype(np.float32)[triangle]
    at = np.stack([hits.column, hits.row, np.ones(len(hits.row))], axis=1).astype(np.float32)
    normals = np.einsum("mac,mc->ma", planes, at)
    return normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)


def _positions(view, hits, size):
    """World positions [M,3] of the samples and unit directions [M,3] from them to the eye."""
    focal = FOCAL_SHARE * size
    rays = np.stack(
        [(hits.column - size / 2) / focal, -(hits.row - size / 2) / focal, -np.ones(len(hits.row))],
        axis=1,
    )
    rotation, origin = view.rotation_and_origin()
    rays = rays @ rotation
    to_eye = -rays / np.linalg.norm(rays, axis=1, keepdims=True)
    positions = origin + rays / hits.inverse_depth[:, None]
    return positions.astype(np.float32), to_eye.astype(np.float32)


def _surface(shape, triangle, positions):
    """Base colours [M,3], highlight strengths [M] and exponents [M] of the samples."""
    ids = shape.material_ids[triangle]
    colors = np.array([m.color for m in shape.materials], np.float32)[ids]
    specular = np.array([m.specular for m in shape.materials], np.float32)[ids]
    shininess = np.array([m.shininess for m in shape.materials], np.float32)[ids]
    for k in np.unique(ids):
        material = shape.materials[k]
        if material.pattern is not None:
            at = np.flatnonzero(ids == k)
            built = positions[at] / shape.build_scale + shape.build_center
            weight = material.pattern(built)[:, None]
            colors[at] += weight * (np.asarray(material.accent) - colors[at])
    return colors, specular, shininess


def shade(shape, lights, triangle, positions, normals, to_eye):
    """Lit colours [M,3] in 0..1, Blinn-Phong."""
    colors, specular, shininess = _surface(shape, triangle, positions)
    facing = np.einsum("mi,mi->m", normals, to_eye)
    up = (0.5 + 0.5 * normals[:, 1])[:, None]
    diffuse = lights.ground + up * (lights.sky - lights.ground)
    diffuse = diffuse + (lights.headlight * np.maximum(facing, 0))[:, None]
    highlight = np.zeros_like(diffuse)
    for direction, color in zip(lights.directions, lights.colors):
        diffuse += np.maximum(normals @ direction.astype(np.float32), 0)[:, None] * color
        half = to_eye + direction.astype(np.float32)
        half /= np.linalg.norm(half, axis=1, keepdims=True)
        shine = np.maximum(np.einsum("mi,mi->m", normals, half), 0) ** shininess * specular
        highlight += shine[:, None] * color
    return _soft_shoulder(colors * diffuse + highlight)


def _soft_shoulder(colors):
    """Brings bright values below 1 without clipping: white parts keep their shading."""
    excess = np.maximum(colors - SHOULDER, 0)
    room = 1 - SHOULDER
    return np.minimum(colors, SHOULDER) + room * (1 - np.exp(-excess / room))


def _resolve(colors, index, supersampling):
    """Averages the samples of each pixel: alpha is the share that hit, colour the hits' mean."""
    size = IMAGE_SIZE * supersampling
    pixel = index // size // supersampling * IMAGE_SIZE + index % size // supersampling
    count = np.bincount(pixel, minlength=IMAGE_SIZE**2)
    image = np.zeros((IMAGE_SIZE**2, 4))
    for channel in range(3):
        total = np.bincount(pixel, colors[:, channel], minlength=IMAGE_SIZE**2)
        image[:, channel] = total / np.maximum(count, 1)
    image[:, 3] = count / supersampling**2
    return np.rint(255 * image).astype(np.uint8).reshape(IMAGE_SIZE, IMAGE_SIZE, 4)
