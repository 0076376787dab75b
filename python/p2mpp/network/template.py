"""The level-0 mesh, and the hierarchy and supports that follow from it."""

from typing import List, NamedTuple, Tuple

import numpy as np

from ..errors import InputError


class Mesh(NamedTuple):
    """Vertices [N,3] float32 in camera 0's frame, triangles [F,3] int64 counted from 0."""

    vertices: np.ndarray
    faces: np.ndarray


def face_edges(faces: np.ndarray) -> np.ndarray:
    """The three edges of each face in unpooling's order ab, ca, bc: [3F,2], ends as the face has
    them."""
    return faces[:, [[0, 1], [2, 0], [1, 2]]].reshape(-1, 2)


def subdivide(vertices: int, faces: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """One unpooling of a mesh of so many vertices: (edges [E,2], child faces [4F,3]).

    Edge k's midpoint becomes vertex `vertices + k`. Edges are numbered as the faces show them
    first.
    """
    edges = face_edges(faces)
    _, first, which = np.unique(np.sort(edges, axis=1), axis=0, return_index=True,
                                return_inverse=True)
    number = np.empty(len(first), np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    ab, ca, bc = (vertices + number[which]).reshape(-1, 3).T
    a, b, c = faces.T
    children = np.stack([a, ab, ca, b, ab, bc, c, ca, bc, ab, ca, bc], 1).reshape(-1, 3)
    return edges[np.sort(first)], children


def adjacency_matrix(vertices: int, faces: np.ndarray) -> np.ndarray:
    """1 where two vertices share an edge, [N,N]."""
    edges = face_edges(faces)
    adjacency = np.zeros((vertices, vertices))
    adjacency[edges[:, 0], edges[:, 1]] = adjacency[edges[:, 1], edges[:, 0]] = 1
    return adjacency


def largest_eigenvalue(matrix: np.ndarray) -> float:
    """Of a symmetric sparse matrix [N,N], to rounding: Lanczos' method with complete
    reorthogonalisation (Golub, Van Loan: Matrix Computations, 10.3) from a fixed start. All
    eigenvalues of a template's finest level would take six times as long."""
    rows, columns = matrix.nonzero()
    values, size = matrix[rows, columns], len(matrix)
    basis = np.zeros((size, size))
    tridiagonal = np.zeros((size, size))
    vector = np.random.default_rng(1).standard_normal(size)
    length = np.linalg.norm(vector)
    for step in range(size):
        basis[step] = vector / length
        vector = np.bincount(rows, values * basis[step, columns], size)
        tridiagonal[step, step] = vector @ basis[step]
        known = basis[:step + 1]
        for _ in range(2):  # once leaves what rounding has put back
            vector -= known.T @ (known @ vector)
        length = np.linalg.norm(vector)
        exhausted = length < 1e-12 or step + 1 == size
        if exhausted or step % 32 == 31:
            found, vectors = np.linalg.eigh(tridiagonal[:step + 1, :step + 1])
            # The error of an eigenvalue is of the order of its residual squared.
            if exhausted or length * abs(vectors[-1, -1]) < 1e-10:
                break
        tridiagonal[step, step + 1] = tridiagonal[step + 1, step] = length
    return float(found[-1])


def chebyshev_support(adjacency: np.ndarray) -> np.ndarray:
    """T1 = 2L/lambda_max - I of the normalised graph Laplacian L: [N,N] float64."""
    degree = adjacency.sum(1)
    identity = np.eye(len(adjacency))
    laplacian = identity - adjacency / np.sqrt(degree[:, None] * degree[None])
    return 2 * laplacian / largest_eigenvalue(laplacian) - identity


def supports_and_edges(mesh: Mesh, levels: int) -> Tuple[List[np.ndarray], List[np.ndarray]]:
    """(float32 T1 [Nk,Nk] a level, unpooled edges [E,2] between the levels) of a level-0 mesh."""
    count, faces = len(mesh.vertices), mesh.faces
    supports, edges = [], []
    for level in range(levels):
        supports.append(chebyshev_support(adjacency_matrix(count, faces)).astype(np.float32))
        if level + 1 < levels:
            step, faces = subdivide(count, faces)
            edges.append(step)
            count += len(step)
    return supports, edges


def check_mesh(mesh: Mesh, file: str) -> None:
    """Throws InputError unless the mesh is finite, closed, and uses each of its vertices."""
    vertices, faces = mesh
    if len(vertices) == 0 or len(faces) == 0:
        raise InputError(f"{file}: no triangle mesh in it; expected vertices and triangles")
    if not np.isfinite(vertices).all():
        raise InputError(f"{file}: a vertex is not finite; expected numbers")
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise InputError(f"{file}: a face names vertex {faces.max() + 1}; expected 1 to "
                         f"{len(vertices)}")
    if (faces == np.roll(faces, 1, axis=1)).any():
        raise InputError(f"{file}: a face names one vertex twice; expected three different ones")
    _, uses = np.unique(np.sort(face_edges(faces), axis=1), axis=0, return_counts=True)
    if (uses != 2).any():
        raise InputError(f"{file}: {(uses != 2).sum()} edges lie in one or more than two faces; "
                         "expected a closed mesh, two faces at each edge")
    unused = np.setdiff1d(np.arange(len(vertices)), faces)
    if len(unused):
        raise InputError(f"{file}: vertex {unused[0] + 1} is in no face; expected each in one")


def read_obj(file: str) -> Mesh:
    """A template from an OBJ's `v` and `f` lines (triangles); other lines are passed over.

    Throws InputError.
    """
    vertices, faces = [], []
    try:
        with open(file, encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                read_obj_line(line.split(), vertices, faces, f"{file}:{number}")
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}; expected a readable OBJ") from None
    mesh = Mesh(as_float32(np.array(vertices, float).reshape(-1, 3)),
                np.array(faces, np.int64).reshape(-1, 3))
    check_mesh(mesh, file)
    return mesh


def as_float32(array: np.ndarray) -> np.ndarray:
    """To float32. Values that it cannot hold become infinite, without a warning: the checks for
    finite numbers follow."""
    with np.errstate(over="ignore"):
        return array.astype(np.float32)


def read_obj_line(words: list, vertices: list, faces: list, place: str) -> None:
    """Appends a line's content. Negative indices count back from the last vertex, as in OBJ."""
    if not words or words[0] not in ("v", "f"):
        return
    try:
        if words[0] == "v":
            x, y, z = words[1:4]
            vertices.append((float(x), float(y), float(z)))
        else:
            a, b, c = (int(corner.split("/")[0]) for corner in words[1:])
            faces.append([i - 1 if i > 0 else len(vertices) + i for i in (a, b, c)])
    except ValueError:
        raise InputError(f"{place}: not a vertex of three numbers or a face of three vertices; "
                         "expected a triangle mesh") from None


def obj_text(mesh: Mesh) -> str:
    """The mesh as OBJ, vertices with the 9 significant digits that float32 needs."""
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in mesh.vertices.astype(float)]
    lines += [f"f {a} {b} {c}" for a, b, c in mesh.faces + 1]
    return "\n".join(lines) + "\n"
