"""Templates for the tests. They need no PyTorch, which takes seconds to import."""

from pathlib import Path

import numpy as np

from p2mpp.network.template import Mesh, read_obj

BUNDLED_OBJ = str(Path(__file__).resolve().parents[2] / "data" / "templates" / "ellipsoid_156.obj")


def octahedron() -> Mesh:
    """The smallest template: 6 vertices, 8 faces, 0.8 before the camera."""
    vertices = 0.2 * np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)])
    faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    return Mesh((vertices - [0, 0, 0.8]).astype(np.float32), np.array(faces))


def bundled_mesh() -> Mesh:
    return read_obj(BUNDLED_OBJ)
