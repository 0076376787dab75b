"""The camera of a metadata row, as Pixel2Mesh++ defines it. Needs NumPy only.

World frame: y up, the object at the origin. Camera frame: x right, y up, looking along -z.
A point falls on pixel row 248 * (-Y / -Z) + 112 and column 248 * (X / -Z) + 112 of a 224 px image;
other sizes scale both constants. Pixel i covers [i, i + 1).
"""

from dataclasses import dataclass

import numpy as np

FOCAL_SHARE = 248 / 224  # focal length as a share of the image's side
IMAGE_SIZE = 137
UNUSED_ROTATION = 0
UNUSED_FIELD_OF_VIEW = 25


@dataclass(frozen=True)
class View:
    """azimuth and elevation in degrees; distance in world units (objects have 0.57 of them)."""

    azimuth: float
    elevation: float
    distance: float

    def row(self):
        """The view's line of rendering_metadata.txt."""
        return (
            f"{self.azimuth:.6f} {self.elevation:.6f} {UNUSED_ROTATION} "
            f"{self.distance:.8f} {UNUSED_FIELD_OF_VIEW}"
        )

    def rotation_and_origin(self):
        """(R [3,3], o [3]) of cam_from_world: p -> R (p - o)."""
        theta, elevation = np.radians([self.azimuth, self.elevation])
        height = self.distance * np.sin(elevation)
        lens = self.distance * np.cos(elevation)
        z = np.array([lens * np.cos(theta), height, lens * np.sin(theta)])
        y = np.array([height * np.cos(theta + np.pi), lens, height * np.sin(theta + np.pi)])
        x = np.cross(y, z)
        return np.stack([axis / np.linalg.norm(axis) for axis in (x, y, z)]), z


def parse_row(line):
    """The View of one line of rendering_metadata.txt."""
    azimuth, elevation, _, distance, _ = map(float, line.split())
    return View(azimuth, elevation, distance)


def cam_from_world(view, points):
    """Points [N,3] of the world frame in the view's camera frame."""
    rotation, origin = view.rotation_and_origin()
    return (points - origin) @ rotation.T


def world_from_cam(view, points):
    """Points [N,3] of the view's camera frame in the world frame."""
    rotation, origin = view.rotation_and_origin()
    return points @ rotation + origin


def rotate_into_cam(view, directions):
    """Directions [N,3] of the world frame in the view's camera frame."""
    rotation, _ = view.rotation_and_origin()
    return directions @ rotation.T


def project(camera_points, size=IMAGE_SIZE):
    """Pixel coordinates [N,2] (column, row) of camera-frame points, in a square image."""
    inverse_depth = -1.0 / camera_points[:, 2]
    focal = FOCAL_SHARE * size
    column = focal * camera_points[:, 0] * inverse_depth + size / 2
    row = -focal * camera_points[:, 1] * inverse_depth + size / 2
    return np.stack([column, row], axis=1)
