"""A shape: the outer surface of its parts as one closed mesh, a material for each triangle."""

from dataclasses import dataclass

import numpy as np
from manifold3d import Error, Manifold, OpType

from .errors import ShapeError
from .materials import Material

WORLD_DIAGONAL = 0.57  # ShapeNet's bounding-box diagonal of 1, at Pixel2Mesh's scale
SHARP_ANGLE = 40.0  # degrees; flatter edges are shaded smooth
MIN_PIECE_SHARE = 1e-4  # of the volume; a smaller loose piece is a corner cut off by the union
MIN_AGREEMENT = 0.5  # cosine between a shading normal and its triangle's
MIN_LENGTH = 1e-30  # of a triangle's normal, so that degenerate ones divide


@dataclass(frozen=True)
class Part:
    """One solid of one material."""

    solid: Manifold
    material: Material


@dataclass(frozen=True)
class Shape:
    """A closed mesh in the world frame, centred, with bounding-box diagonal WORLD_DIAGONAL."""

    vertices: np.ndarray  # [V,3] float64
    triangles: np.ndarray  # [T,3] int64, wound outward, corners that touch are one vertex
    corner_normals: np.ndarray  # [T,3,3] for shading
    material_ids: np.ndarray  # [T] into materials
    materials: tuple  # Material
    build_scale: float  # world units in one unit of the builder's frame
    build_center: np.ndarray  # [3] builder's frame


def assemble(parts):
    """The Shape of a list of Part; hidden surface and closed cavities are removed.

    Throws ShapeError if a part is not a valid solid or if the parts are not connected.
    """
    solids = [_original(part, k) for k, part in enumerate(parts)]
    mesh = _outer_piece(Manifold.batch_boolean(solids, OpType.Add)).to_mesh64()
    material_of_id = {solid.original_id(): k for k, solid in enumerate(solids)}
    counts = np.diff(np.asarray(mesh.run_index, np.int64)) // 3
    material_ids = np.repeat([material_of_id[i] for i in mesh.run_original_id], counts)
    corners = np.asarray(mesh.tri_verts, np.int64)
    normals = mesh.vert_properties[:, 3:6][corners]
    vertices, triangles = _merged(mesh, corners)
    normals = _repaired(normals, vertices[triangles])
    center = (vertices.min(0) + vertices.max(0)) / 2
    scale = WORLD_DIAGONAL / np.linalg.norm(np.ptp(vertices, axis=0))
    return Shape(
        (vertices - center) * scale,
        triangles,
        normals,
        material_ids,
        tuple(part.material for part in parts),
        scale,
        center,
    )


def _original(part, number):
    solid = part.solid.calculate_normals(0, SHARP_ANGLE).as_original()
    if solid.status() != Error.NoError or solid.is_empty():
        raise ShapeError(f"part {number}: {solid.status()}; expected a closed, non-empty solid")
    return solid


def _outer_piece(solid):
    """The piece that is left when inner walls (pieces of negative volume) are taken away."""
    pieces = solid.decompose()
    smallest = MIN_PIECE_SHARE * solid.volume()
    outer = [piece for piece in pieces if piece.volume() > smallest]
    if len(outer) != 1:
        raise ShapeError(f"{len(outer)} loose pieces; expected connected parts")
    return outer[0]


def _merged(mesh, corners):
    """(vertices, triangles) with the vertices that were split for their normals joined again."""
    target = np.arange(len(mesh.vert_properties))
    target[np.asarray(mesh.merge_from_vert, np.int64)] = np.asarray(mesh.merge_to_vert, np.int64)
    used, triangles = np.unique(target[corners], return_inverse=True)
    return mesh.vert_properties[used, :3], triangles.reshape(-1, 3)


def _repaired(normals, corners):
    """Shading normals [T,3,3], those that the union spoilt replaced by their triangle's own."""
    face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    face /= np.maximum(np.linalg.norm(face, axis=1, keepdims=True), MIN_LENGTH)
    spoilt = np.einsum("tki,ti->tk", normals, face) < MIN_AGREEMENT
    return np.where(spoilt[..., None], face[:, None], normals)
