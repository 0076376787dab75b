"""The objects of the training data's renderer: meshes with materials and textures."""

from dataclasses import dataclass, field

import numpy as np

from .shape import WORLD_DIAGONAL, Shape

CREASE = np.cos(np.radians(40.0))
LARGEST_TEXTURE = 512  # pixels along a side that are kept
NO_TEXTURE = -1


@dataclass
class Look:
    """Materials of a scene: base colours [M,3] (sRGB, 0..1), highlight's strengths and exponents
    [M], index of a texture or NO_TEXTURE [M]; textures: [H,W,3] float32; patterns: M solid patterns
    (function of positions in the builder's frame, accent colour) or None."""

    colors: np.ndarray
    specular: np.ndarray
    shininess: np.ndarray
    texture: np.ndarray
    textures: list = field(default_factory=list)
    patterns: list = field(default_factory=list)


@dataclass
class Scene:
    """vertices [V,3], triangles [T,3], shading normals and texture coordinates of the corners
    [T,3,3] and [T,3,2], a material for each triangle [T]. The box around it is centred at the
    origin and has the diagonal WORLD_DIAGONAL. build_scale, build_center: to the builder's
    frame."""

    vertices: np.ndarray
    triangles: np.ndarray
    normals: np.ndarray
    uv: np.ndarray
    material_ids: np.ndarray
    look: Look
    build_scale: float = 1.0
    build_center: np.ndarray = field(default_factory=lambda: np.zeros(3))


def from_shape(shape: Shape) -> Scene:
    """A procedural shape."""
    materials = shape.materials
    look = Look(
        np.array([m.color for m in materials], np.float32),
        np.array([m.specular for m in materials], np.float32),
        np.array([m.shininess for m in materials], np.float32),
        np.full(len(materials), NO_TEXTURE, np.int32),
        [],
        [
            None if m.pattern is None else (m.pattern, np.asarray(m.accent, np.float32))
            for m in materials
        ],
    )
    return Scene(
        shape.vertices,
        shape.triangles.astype(np.int32),
        shape.corner_normals.astype(np.float32),
        np.zeros((len(shape.triangles), 3, 2), np.float32),
        shape.material_ids.astype(np.int32),
        look,
        shape.build_scale,
        shape.build_center,
    )


def normalised(vertices: np.ndarray) -> np.ndarray:
    """Vertices [V,3] with the box's centre at the origin and its diagonal WORLD_DIAGONAL."""
    low, high = vertices.min(0), vertices.max(0)
    return (vertices - (low + high) / 2) * (WORLD_DIAGONAL / np.linalg.norm(high - low))


def stretched(scene: Scene, factors: np.ndarray, mirrored: bool) -> Scene:
    """The scene scaled along the axes, or mirrored too, and normalised anew."""
    factors = np.array(factors, float) * [1, 1, -1 if mirrored else 1]
    normals = scene.normals / factors.astype(np.float32)
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-12)
    triangles, uv = scene.triangles, scene.uv
    if mirrored:
        triangles, uv, normals = (
            np.ascontiguousarray(each[:, ::-1]) for each in (triangles, uv, normals)
        )
    vertices = scene.vertices * factors
    low, high = vertices.min(0), vertices.max(0)
    scale = WORLD_DIAGONAL / np.linalg.norm(high - low)
    # Solid patterns are evaluated where the surface now lies; that they stretch does not matter.
    return Scene(
        (vertices - (low + high) / 2) * scale,
        triangles,
        normals,
        uv,
        scene.material_ids,
        scene.look,
        scene.build_scale * scale,
        scene.build_center,
    )


def doubled_areas(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Normals [T,3], doubled areas long."""
    corners = vertices[triangles]
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def crease_normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Shading normals [T,3,3], smooth where triangles meet at less than 40 degrees."""
    from . import kernels

    _, joined = np.unique(np.round(vertices * 1e6).astype(np.int64), axis=0, return_inverse=True)
    corners = joined.reshape(-1)[triangles]
    order = np.argsort(corners, axis=None, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(corners.ravel()))])
    return kernels.crease_normals(
        corners, doubled_areas(vertices, triangles), starts, order // 3, CREASE
    )


class MipMaps:
    """All textures of a look with their halved copies in one table, as kernels.sample_textures
    reads them."""

    def __init__(self, textures: list):
        levels = [halved_copies(texture) for texture in textures]
        deepest = max((len(each) for each in levels), default=1)
        self.tables = np.zeros((max(len(levels), 1), deepest, 3), np.int64)
        self.pixels = np.zeros((1, 3), np.float32)
        flat, start = [], 0
        for i, copies in enumerate(levels):
            for k in range(deepest):
                copy = copies[min(k, len(copies) - 1)]
                if k < len(copies):
                    self.tables[i, k] = start, copy.shape[1], copy.shape[0]
                    flat.append(copy.reshape(-1, 3))
                    start += len(flat[-1])
                else:
                    self.tables[i, k] = self.tables[i, k - 1]
        if flat:
            self.pixels = np.concatenate(flat).astype(np.float32)


def halved_copies(texture: np.ndarray) -> list:
    copies = [texture]
    while min(copies[-1].shape[:2]) >= 4:
        last = copies[-1]
        last = last[: last.shape[0] // 2 * 2, : last.shape[1] // 2 * 2]
        copies.append(
            0.25 * (last[::2, ::2] + last[1::2, ::2] + last[::2, 1::2] + last[1::2, 1::2])
        )
    return copies
