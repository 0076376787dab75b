"""Where cameras are, and how the source's frame lies to the normalised one."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Pose:
    """cam_from_x: a point p of a frame x is at rotation @ p + translation for the camera (OpenCV's frame)."""

    rotation: np.ndarray  # [3,3]
    translation: np.ndarray  # [3]

    @property
    def center(self) -> np.ndarray:
        """Where the camera is."""
        return -self.rotation.T @ self.translation

    def seen(self, points: np.ndarray) -> np.ndarray:
        """Points [N,3] in the camera's frame."""
        return points @ self.rotation.T + self.translation


@dataclass(frozen=True)
class Similarity:
    """source_from_world: p is at scale * rotation @ p + translation."""

    scale: float
    rotation: np.ndarray
    translation: np.ndarray

    def points(self, points: np.ndarray) -> np.ndarray:
        return self.scale * points @ self.rotation.T + self.translation

    def points_back(self, points: np.ndarray) -> np.ndarray:
        return (points - self.translation) @ self.rotation / self.scale

    def pose(self, pose: Pose) -> Pose:
        """The camera of the world as one of the source: it sees the same pixels, `scale` times as far away."""
        rotation = pose.rotation @ self.rotation.T
        return Pose(rotation, -rotation @ self.points(pose.center[None])[0])


def similarity_between(points: np.ndarray, others: np.ndarray) -> Similarity:
    """The similarity from points [N,3] to others [N,3] by least squares (Umeyama, 1991)."""
    means = points.mean(0), others.mean(0)
    near, far = points - means[0], others - means[1]
    u, singular, vt = np.linalg.svd(far.T @ near)
    signs = np.array([1, 1, np.linalg.det(u) * np.linalg.det(vt)])
    rotation = u @ np.diag(signs) @ vt
    scale = (singular * signs).sum() / (near**2).sum()
    return Similarity(float(scale), rotation, means[1] - scale * rotation @ means[0])


def turn(axis: np.ndarray, degrees: float) -> np.ndarray:
    """The rotation about an axis, by Rodrigues' formula."""
    x, y, z = axis / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = np.radians(degrees)
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def looking_at(center: np.ndarray, target: np.ndarray, roll: float = 0.0) -> Pose:
    """From a point to another; y of the world is up in the picture but for the roll in degrees."""
    forward = (target - center) / np.linalg.norm(target - center)
    right = np.cross(forward, [0, 1, 0])
    right /= np.linalg.norm(right)
    rotation = turn(np.array([0, 0, 1]), roll) @ np.stack([right, np.cross(forward, right), forward])
    return Pose(rotation, -rotation @ center)


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """Any, all equally likely."""
    q, r = np.linalg.qr(rng.standard_normal((3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.linalg.det(q)


def disturbed(pose: Pose, rng: np.random.Generator, degrees: float, share: float, about: np.ndarray) -> Pose:
    """A pose with errors: turned by `degrees` and moved by `share` of its distance from `about`, both as the root mean
    square of a normal distribution."""
    spin = rng.standard_normal(3) * degrees / np.sqrt(3)
    size = np.linalg.norm(spin)
    rotation = turn(spin, size) @ pose.rotation if size > 0 else pose.rotation
    distance = np.linalg.norm(pose.center - about)
    center = pose.center + rng.standard_normal(3) * share * distance / np.sqrt(3)
    return Pose(rotation, -rotation @ center)
