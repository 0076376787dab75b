"""The hypotheses around a vertex and the graph that connects them."""

from typing import List, NamedTuple, Tuple

import numpy as np

from .template import chebyshev_support

RADIUS = 0.02

# The icosahedron's 20 faces over the corners that icosahedron() lists.
ICOSAHEDRON_FACES = (
    (0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2),
    (10, 7, 6), (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5),
    (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1))


class LocalGraph(NamedTuple):
    """Offsets of the hypotheses [S,3] and their Chebyshev support T1 [S,S], float32."""

    hypotheses: np.ndarray
    support: np.ndarray


def icosahedron() -> List[np.ndarray]:
    """The 12 corners on the unit sphere."""
    golden = (1 + 5 ** 0.5) / 2
    corners = [(-1, golden, 0), (1, golden, 0), (-1, -golden, 0), (1, -golden, 0),
               (0, -1, golden), (0, 1, golden), (0, -1, -golden), (0, 1, -golden),
               (golden, 0, -1), (golden, 0, 1), (-golden, 0, -1), (-golden, 0, 1)]
    points = np.array(corners, float)
    return list(points / np.linalg.norm(points, axis=1, keepdims=True))


def icosphere() -> Tuple[np.ndarray, np.ndarray]:
    """The icosahedron subdivided once, on the unit sphere: vertices [42,3], faces [80,3]."""
    vertices, faces, middles = icosahedron(), [], {}

    def middle(a: int, b: int) -> int:
        key = (min(a, b), max(a, b))
        if key not in middles:
            point = (vertices[a] + vertices[b]) / 2
            middles[key] = len(vertices)
            vertices.append(point / np.linalg.norm(point))
        return middles[key]

    for a, b, c in ICOSAHEDRON_FACES:
        ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
        faces += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    return np.array(vertices), np.array(faces)


def make_local_graph(radius: float = RADIUS) -> LocalGraph:
    """The icosphere's 42 vertices and the centre, which is joined to the icosahedron's own
    corners."""
    sphere, faces = icosphere()
    centre = len(sphere)
    adjacency = np.zeros((centre + 1, centre + 1))
    for a, b in ((0, 1), (1, 2), (2, 0)):
        adjacency[faces[:, a], faces[:, b]] = adjacency[faces[:, b], faces[:, a]] = 1
    corners = len(icosahedron())
    adjacency[centre, :corners] = adjacency[:corners, centre] = 1
    hypotheses = np.vstack([sphere, np.zeros((1, 3))]) * radius
    support = chebyshev_support(adjacency)
    return LocalGraph(hypotheses.astype(np.float32), support.astype(np.float32))
