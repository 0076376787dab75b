"""Ground truth: points with outward normals on the surface, and their files. Needs NumPy only."""

import pickle

import numpy as np

from .camera import cam_from_world, rotate_into_cam

_XYZ_LINE = "{:.5f} {:.5f} {:.5f} {:.3f} {:.3f} {:.3f}"


def sample_surface(vertices, triangles, count, rng):
    """(points [count,3], unit normals [count,3]), uniform by area, outward as the triangles wind.

    Draws are stratified by area along the list of triangles, so that large gaps are rare.
    """
    corners = vertices[triangles]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    doubled_area = np.linalg.norm(cross, axis=1)
    reach = np.cumsum(doubled_area)
    targets = (np.arange(count) + rng.random(count)) / count * reach[-1]
    chosen = np.minimum(np.searchsorted(reach, targets, side="right"), len(triangles) - 1)
    root, share = np.sqrt(rng.random(count)), rng.random(count)
    weights = np.stack([1 - root, root * (1 - share), root * share], axis=1)
    points = np.einsum("nk,nki->ni", weights, corners[chosen])
    return points, cross[chosen] / doubled_area[chosen, None]


def in_camera_frame(view, points, normals):
    """World points and normals as one array [N,6] in the view's camera frame."""
    return np.concatenate([cam_from_world(view, points), rotate_into_cam(view, normals)], axis=1)


def xyz_text(oriented_points):
    """[N,6] as text, a point a line: positions to 1e-5, normals to 1e-3."""
    lines = (_XYZ_LINE.format(*row) for row in oriented_points.tolist())
    return "\n".join(lines) + "\n"


def dat_bytes(oriented_points):
    """[N,6] as the published files hold it: a protocol 2 pickle of one float32 array.

    NumPy 2 names a module that older releases lack; the old name is understood by both.
    """
    blob = pickle.dumps(np.ascontiguousarray(oriented_points, np.float32), protocol=2)
    return blob.replace(b"cnumpy._core.multiarray\n", b"cnumpy.core.multiarray\n")
