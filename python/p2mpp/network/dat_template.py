"""Reads a template: an OBJ, or the pickle that was published with the network.

The network needs the level-0 mesh and the hypotheses' local graph; hierarchy and supports are
derived from the mesh. Whatever of them a pickle holds is compared with what is derived: where it
differs, the published weights were trained on another graph, and that is an error.
"""

from dataclasses import dataclass, field
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ..errors import InputError
from .local_graph import LocalGraph, make_local_graph
from .safe_pickle import load_pickle
from .template import (Mesh, adjacency_matrix, as_float32, check_mesh, chebyshev_support,
                       read_obj, subdivide)

TOLERANCE = 1e-5


@dataclass
class Template:
    """A model's template. `notes` tell the user what was found or assumed."""

    mesh: Mesh
    local_graph: LocalGraph
    notes: List[str] = field(default_factory=list)


class Stored(NamedTuple):
    """A pickle's content. `supports`: (T0, T1) a level, each (indices, values, shape); `edges`:
    unpooled edges a step; `faces`: triangles a level, or None; `local`: (hypotheses, (T0, T1)), or
    None."""

    vertices: np.ndarray
    supports: Sequence[Any]
    edges: Sequence[Any]
    faces: Optional[Sequence[Any]]
    local: Optional[Tuple[Any, Any]]


def read_template(file: str) -> Template:
    """By its name's ending, .obj or .dat. Throws InputError."""
    if file.lower().endswith(".obj"):
        return Template(read_obj(file), make_local_graph())
    if file.lower().endswith(".dat"):
        return template_from(file, stored_from(file, load_pickle(file)))
    raise InputError(f"{file}: neither .obj nor .dat; expected a template mesh or the published "
                     "pickle")


def stored_from(file: str, content: Any) -> Stored:
    """The published dictionary, or the tuple of its predecessor."""
    if isinstance(content, dict):
        needed = ["coord", "stage1", "stage2", "stage3", "pool_idx"]
        missing = [key for key in needed if key not in content]
        if missing:
            raise InputError(f"{file}: lacks {', '.join(missing)}; expected a template's "
                             "dictionary")
        local = None
        if "sample_coord" in content and "sample_cheb_dense" in content:
            local = (content["sample_coord"], content["sample_cheb_dense"])
        return Stored(content["coord"], [content[key] for key in needed[1:4]], content["pool_idx"],
                      content.get("faces_triangle"), local)
    if isinstance(content, (tuple, list)) and len(content) >= 5:
        return Stored(content[0], content[1:4], content[4], None, None)
    raise InputError(f"{file}: holds a {type(content).__name__}; expected a template's dictionary, "
                     "or the older tuple")


def template_from(file: str, stored: Stored) -> Template:
    """Throws InputError where the parts do not fit each other."""
    vertices = as_float32(as_array(file, "coord", stored.vertices, (None, 3), "fiu"))
    edges = [as_array(file, f"pool_idx[{step}]", level, (None, 2), "iu").astype(np.int64)
             for step, level in enumerate(as_list(file, "pool_idx", stored.edges, 2))]
    if stored.faces is not None:
        faces = as_array(file, "faces_triangle[0]", as_list(
            file, "faces_triangle", stored.faces, 1)[0], (None, 3), "iu").astype(np.int64)
    else:
        faces = faces_from_unpooling(file, len(vertices), edges)
    mesh = Mesh(vertices, faces)
    check_mesh(mesh, file)
    check_hierarchy(file, mesh, edges, stored)
    notes = ["unpooling edges, supports T1 and the identity T0 are those that follow from the mesh"]
    if stored.local is not None:
        return Template(mesh, stored_local_graph(file, *stored.local), notes)
    notes.append("it holds no local graph; the generated one is used")
    return Template(mesh, make_local_graph(), notes)


def as_list(file: str, name: str, value: Any, length: int) -> Sequence[Any]:
    """At least so many items."""
    if not isinstance(value, (list, tuple, np.ndarray)) or len(value) < length:
        raise InputError(f"{file}: {name} is no list of {length}; expected one")
    return value


def as_array(file: str, name: str, value: Any, shape: tuple, kinds: str) -> np.ndarray:
    """An array of the given shape (None: any) and kinds of number, finite."""
    listed = isinstance(value, (np.ndarray, list, tuple))
    array = np.asarray(value) if listed else np.empty(0, object)
    if (array.dtype.kind not in kinds or array.ndim != len(shape)
            or any(want not in (None, has) for want, has in zip(shape, array.shape))):
        expected = ", ".join("any" if size is None else str(size) for size in shape)
        raise InputError(f"{file}: {name} is {array.dtype} {list(array.shape)}; expected "
                         f"{'integers' if kinds == 'iu' else 'numbers'} [{expected}]")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise InputError(f"{file}: {name} has a number that is not finite; expected finite numbers")
    return array


def faces_from_unpooling(file: str, vertices: int, edges: Sequence[np.ndarray]) -> np.ndarray:
    """The level-0 triangles of a pickle that holds none, in order.

    Subdividing a face (a,b,c) gives level 1 three edges between new vertices, ab-ca, ab-bc and
    ca-bc, in this order; and no other edge of level 1 joins two new vertices.
    """
    inner = edges[1][(edges[1] >= vertices).all(1)]
    total = vertices + len(edges[0])
    if len(inner) % 3 or len(inner) == 0 or edges[1].max() >= total or edges[0].max() >= vertices:
        raise InputError(f"{file}: its unpooled edges are not in order; expected a "
                         "subdivided triangle mesh's")
    faces = []
    for ab_ca, ab_bc, ca_bc in inner.reshape(-1, 3, 2):
        middles = [set(ab_ca) & set(ab_bc), set(ab_ca) & set(ca_bc), set(ab_bc) & set(ca_bc)]
        ends = [set(edges[0][min(m) - vertices]) if len(m) == 1 else set() for m in middles]
        corners = [ends[0] & ends[1], ends[0] & ends[2], ends[1] & ends[2]]
        if any(len(corner) != 1 for corner in corners):
            raise InputError(f"{file}: its unpooled edges are not in order; expected a "
                         "subdivided triangle mesh's")
        faces.append([int(min(corner)) for corner in corners])
    return np.array(faces, np.int64)


def check_hierarchy(file: str, mesh: Mesh, edges: Sequence[np.ndarray], stored: Stored) -> None:
    """Throws InputError where a level's edges, triangles or supports are not the derived ones."""
    count, faces = len(mesh.vertices), mesh.faces
    supports = as_list(file, "supports", stored.supports, len(edges) + 1)
    for level in range(len(edges) + 1):
        if stored.faces is not None and level < len(stored.faces):
            check_faces(file, level, stored.faces[level], faces)
        check_supports(file, level, supports[level], adjacency_matrix(count, faces))
        if level < len(edges):
            derived, faces = subdivide(count, faces)
            check_edges(file, level, edges[level], derived)
            count += len(derived)


def check_faces(file: str, level: int, stored: Any, derived: np.ndarray) -> None:
    """The same triangles; their order at finer levels is of no consequence."""
    name = f"faces_triangle[{level}]"
    faces = as_array(file, name, stored, (len(derived), 3), "iu").astype(np.int64)
    if not np.array_equal(np.unique(np.sort(faces, 1), axis=0),
                          np.unique(np.sort(derived, 1), axis=0)):
        raise InputError(f"{file}: {name} holds other triangles than subdividing level 0 gives; "
                         "expected the same")


def check_edges(file: str, step: int, stored: np.ndarray, derived: np.ndarray) -> None:
    """The same edges in the same order; which end comes first is of no consequence."""
    name = f"pool_idx[{step}]"
    if len(stored) != len(derived):
        raise InputError(f"{file}: {name} has {len(stored)} edges; expected {len(derived)}, as the "
                         "triangles give")
    different = (np.sort(stored, 1) != np.sort(derived, 1)).any(1)
    if different.any():
        row = int(different.argmax())
        raise InputError(f"{file}: {name}, row {row}: edge {stored[row].tolist()}; expected "
                         f"{derived[row].tolist()}, as the triangles give")


def check_supports(file: str, level: int, stored: Any, adjacency: np.ndarray) -> None:
    """T0 the identity and T1 the Chebyshev support of the mesh's graph."""
    pair = as_list(file, f"stage{level + 1}", stored, 2)
    derived = (np.eye(len(adjacency)), chebyshev_support(adjacency))
    for order, expected in enumerate(derived):
        name = f"stage{level + 1}[{order}]"
        difference = np.abs(dense(file, name, pair[order], len(adjacency)) - expected).max()
        if difference > TOLERANCE:
            what = "the identity" if order == 0 else "2L/lambda_max - I of the mesh's graph"
            raise InputError(f"{file}: {name} differs by {difference:.3g}; expected {what}")


def dense(file: str, name: str, support: Any, size: int) -> np.ndarray:
    """A support (indices [n,2], values [n], shape) as a matrix."""
    indices, values = as_list(file, name, support, 2)[:2]
    indices = as_array(file, f"{name} indices", indices, (None, 2), "iu")
    values = as_array(file, f"{name} values", values, (len(indices),), "fiu")
    if len(indices) and (indices.min() < 0 or indices.max() >= size):
        raise InputError(f"{file}: {name} has an index outside 0 to {size - 1}")
    matrix = np.zeros((size, size))
    np.add.at(matrix, tuple(indices.T), values)
    return matrix


def stored_local_graph(file: str, hypotheses: Any, supports: Any) -> LocalGraph:
    """The pickle's own hypotheses and their support T1; its T0 must be the identity."""
    points = as_array(file, "sample_coord", hypotheses, (None, 3), "fiu")
    size = (len(points), len(points))
    t0, t1 = (as_array(file, f"sample_cheb_dense[{order}]", support, size, "fiu") for order, support
              in enumerate(as_list(file, "sample_cheb_dense", supports, 2)[:2]))
    if np.abs(t0 - np.eye(len(points))).max() > TOLERANCE:
        raise InputError(f"{file}: sample_cheb_dense[0] is not the identity; expected it")
    return LocalGraph(as_float32(points), as_float32(t1))
