"""Cameras and points of a capture, for the masks: in the capture's coordinates, cameras look along +z, y down."""

from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, List

import numpy as np


@dataclass(frozen=True)
class View:
    """A photograph with its camera. project: points [N,3] of the camera's frame to pixels [N,2]; back: the opposite, to
    (x/z, y/z)."""

    name: str
    width: int
    height: int
    rotation: np.ndarray  # [3,3], cam_from_world
    translation: np.ndarray  # [3]
    project: Callable[[np.ndarray], np.ndarray]
    back: Callable[[np.ndarray], np.ndarray]

    @property
    def centre(self) -> np.ndarray:
        return -self.rotation.T @ self.translation

    @property
    def axis(self) -> np.ndarray:
        return self.rotation[2]

    @property
    def focal(self) -> float:
        """Pixels of a slope of 1, in the middle of the photograph."""
        pair = self.project(np.array([[0.0, 0, 1], [0.01, 0, 1]]))
        return float(100 * np.linalg.norm(pair[1] - pair[0]))

    def seen(self, points: np.ndarray) -> np.ndarray:
        """Points [N,3] of the world in the camera's frame."""
        return points @ self.rotation.T + self.translation

    def pixels(self, points: np.ndarray, scale: float = 1.0) -> np.ndarray:
        """[N,2] (column, row) of a picture that is `scale` times as large; NaN behind the camera."""
        seen = self.seen(points)
        ahead = seen[:, 2] > 1e-6
        found = np.full((len(points), 2), np.nan)
        if ahead.any():
            found[ahead] = scale * self.project(seen[ahead])
        return found

    def rays(self, pixels: np.ndarray, scale: float = 1.0) -> np.ndarray:
        """Directions [N,3] in the world, not of unit length, of pixels of a picture that is `scale` times as large."""
        flat = self.back(pixels / scale)
        return np.column_stack([flat, np.ones(len(flat))]) @ self.rotation


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / max(np.linalg.norm(vector), 1e-12)


@dataclass(frozen=True)
class Scene:
    """views in the order of their names. points [P,3], their colours [P,3] and, for each view, which of them it sees."""

    views: List[View]
    points: np.ndarray
    colours: np.ndarray
    seen: Dict[str, np.ndarray]

    @property
    def up(self) -> np.ndarray:
        """A rough upward direction: against the sum of the cameras' downward axes."""
        return _unit(-sum(view.rotation[1] for view in self.views))

    @property
    def against_views(self) -> np.ndarray:
        """The mean direction from the object to the cameras."""
        return _unit(-sum(view.axis for view in self.views))

    def focus(self) -> np.ndarray:
        """The point that is nearest to the cameras' axes; far ones count less in a second and third round."""
        weights = np.ones(len(self.views))
        point = np.zeros(3)
        for _ in range(6):
            system, right = np.zeros((3, 3)), np.zeros(3)
            for weight, view in zip(weights, self.views):
                across = np.eye(3) - np.outer(view.axis, view.axis)
                system += weight * across
                right += weight * across @ view.centre
            point = np.linalg.lstsq(system, right, rcond=None)[0]
            off = np.array([np.linalg.norm(np.cross(point - view.centre, view.axis)) for view in self.views])
            weights = 1 / (off + 0.1 * np.median(off) + 1e-9)
        return point

    def extent(self, point: np.ndarray) -> float:
        """The length that the shorter side of a photograph shows, at this point: the median."""
        lengths = []
        for view in self.views:
            depth = float(np.linalg.norm(view.centre - point))
            pair = view.project(np.array([[0.0, 0, depth], [0.01 * depth, 0, depth]]))
            lengths.append(0.01 * depth * min(view.width, view.height) / np.linalg.norm(pair[1] - pair[0]))
        return float(np.median(lengths))


SHORTEST_TRACK = 3
LARGEST_ERROR = 2.0  # pixels


def views_of(model) -> List[View]:
    """Of a pycolmap.Reconstruction, in the order of their names."""
    views = []
    for image in sorted((model.images[number] for number in model.reg_image_ids()), key=lambda image: image.name):
        pose, camera = image.cam_from_world(), model.cameras[image.camera_id]
        views.append(View(image.name, camera.width, camera.height, pose.rotation.matrix(), np.array(pose.translation),
                          camera.img_from_cam, camera.cam_from_img))
    return views


def read_colmap(folder: Path) -> Scene:
    """A COLMAP model, binary or text. Points that few photographs see, or that reproject badly, are left out."""
    import pycolmap

    model = pycolmap.Reconstruction(folder)
    views = views_of(model)
    kept = [point for _, point in sorted(model.points3D.items())
            if point.track.length() >= SHORTEST_TRACK and point.error <= LARGEST_ERROR]
    seen: Dict[str, List[int]] = {view.name: [] for view in views}
    for number, point in enumerate(kept):
        for element in point.track.elements:
            seen[model.images[element.image_id].name].append(number)
    return Scene(views, np.array([point.xyz for point in kept]).reshape(-1, 3),
                 np.array([point.color for point in kept], np.uint8).reshape(-1, 3),
                 {name: np.unique(np.array(numbers, int)) for name, numbers in seen.items()})
