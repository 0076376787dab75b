"""Random captures of a mat by geometry alone: whole, cut, taped together, doubled, moved, bent, and wrongly printed ones."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List

import numpy as np

from p2mpp.photos.mat import PAPERS, Mat, mat_of
from p2mpp.photos.mat_fit import Similarity
from p2mpp.photos.scene import View

KINDS = ("whole", "cut", "taped", "doubled", "copied", "moved", "bent", "lifted", "stretched", "pasted", "rescaled")
SIDE = np.array([1600, 1200])


@dataclass
class Printed:
    """A mat as it lies on the table, in millimetres: the corners [4,3] of each marker, and copies of some at other places.
    bar: the length of its bar as a user measures it. moved: where the corners are in the photographs that come later."""

    corners: Dict[int, np.ndarray]
    copies: Dict[int, np.ndarray] = field(default_factory=dict)
    moved: Dict[int, np.ndarray] = field(default_factory=dict)
    bar: float = 100.0


@dataclass
class Shown:
    """What photographs show of it. place: the truth."""

    mat: Mat
    views: List[View]
    found: Dict[str, list]
    place: Similarity
    printed: Printed


def turn(rng: np.random.Generator, degrees: float) -> np.ndarray:
    """A rotation about any axis."""
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    return rotation(axis, np.radians(degrees))


def rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def displaced(rng: np.random.Generator, corners: Dict[int, np.ndarray], most: float, degrees: float) -> Dict[int, np.ndarray]:
    """All of them together, along the table."""
    middle = np.mean([each.mean(0) for each in corners.values()], axis=0)
    shift = np.append(most * rng.uniform(-1, 1, 2), 0)
    about = rotation(np.array([0.0, 0, 1]), np.radians(rng.uniform(-degrees, degrees)))
    return {number: (each - middle) @ about.T + middle + shift for number, each in corners.items()}


def printed(rng: np.random.Generator, mat: Mat, kind: str) -> Printed:
    """A mat with this defect, of any size from hardly visible to gross."""
    corners, numbers = {number: each.copy() for number, each in mat.corners.items()}, list(mat.corners)
    how = float(np.exp(rng.uniform(np.log(0.5), np.log(60))))  # millimetres
    axis = np.append(np.cos(angle := rng.uniform(0, np.pi)), np.sin(angle))
    line = rng.uniform(-0.3, 0.3) * mat.size
    beyond = [number for number in numbers if corners[number].mean(0)[:2] @ axis > line]
    if kind == "cut":
        kept = set(numbers) - set(beyond) if rng.random() < 0.5 else set(rng.permutation(numbers)[:rng.integers(2, len(numbers))])
        return Printed({number: corners[number] for number in kept})
    if kind == "taped":
        corners.update(displaced(rng, {number: corners[number] for number in beyond}, how, how / 5) if beyond else {})
    if kind == "doubled":
        return Printed(corners, copies=displaced(rng, corners, 2 * mat.size, 180))
    if kind == "copied":
        chosen = rng.permutation(numbers)[:rng.integers(1, 6)]
        return Printed(corners, copies={int(k): displaced(rng, {k: corners[k]}, mat.size, 180)[k] for k in chosen})
    if kind == "moved":
        return Printed(corners, moved=displaced(rng, corners, how, how / 5))
    if kind == "bent":  # around a cylinder: lengths along the paper stay
        radius = mat.size**2 / 8 / how
        for number, each in corners.items():
            along, across = each[:, :2] @ axis, each[:, :2] @ (-axis[1], axis[0])
            flat = radius * np.sin(along / radius)[:, None] * axis + across[:, None] * np.array([-axis[1], axis[0]])
            corners[number] = np.column_stack([flat, radius * (1 - np.cos(along / radius))])
    if kind == "lifted":  # a corner of the sheet, and small waves everywhere
        for number, each in corners.items():
            over = np.maximum(each[:, :2] @ axis - max(line, 0), 0)
            corners[number] = each + np.outer(how * (over / mat.size) ** 2 * 4 + 0.3 * np.sin(each[:, 0] / 20 + line), (0, 0, 1))
    if kind == "stretched":
        factors = np.array([1, 1 + rng.choice([-1, 1]) * how / 400, 1]) * rng.uniform(0.9, 1.05)
        return Printed({number: each * factors for number, each in corners.items()}, bar=100 * factors[0] + rng.normal(0, 0.15))
    if kind == "pasted":
        for number in rng.permutation(numbers)[:rng.integers(1, 5)]:
            corners[number] = displaced(rng, {number: corners[number]}, how, how)[number]
    if kind == "rescaled":
        factor = rng.uniform(0.85, 1.1)
        return Printed({number: each * factor for number, each in corners.items()}, bar=100 * factor + rng.normal(0, 0.15))
    return Printed(corners)


def looking(rng: np.random.Generator, mat: Mat, count: int, focal: float) -> List[View]:
    """From around, in millimetres. The mat need not be in the picture as a whole."""
    views, first = [], rng.uniform(0, 2 * np.pi)
    for number in range(count):
        azimuth, up = first + 2 * np.pi * (number + rng.uniform(-0.3, 0.3)) / count, np.radians(rng.uniform(18, 60))
        reach = mat.size * rng.uniform(0.9, 1.6) * focal / SIDE[0]
        centre = reach * np.array([np.cos(azimuth) * np.cos(up), np.sin(azimuth) * np.cos(up), np.sin(up)])
        ahead = 0.1 * mat.size * rng.uniform(-1, 1, 3) - centre
        ahead /= np.linalg.norm(ahead)
        right = np.cross(ahead, (0, 0, 1))
        right /= np.linalg.norm(right)
        facing = rotation(np.array([0.0, 0, 1]), rng.normal(0, 0.08)) @ np.stack([right, np.cross(ahead, right), ahead])
        views.append(pinhole(f"{number}.jpg", facing, -facing @ centre, focal))
    return views


def pinhole(name: str, facing: np.ndarray, shift: np.ndarray, focal: float) -> View:
    return View(name, *map(int, SIDE), facing, shift, lambda seen: focal * seen[:, :2] / seen[:, 2:] + SIDE / 2,
                lambda pixels: (pixels - SIDE / 2) / focal)


def capture(rng: np.random.Generator, kind: str, paper: str = "", noise: float = 0.3, cameras: float = 1.0, most: int = 36) -> Shown:
    """noise: of corners, in pixels. cameras: how wrong the cameras are, 1 as those of COLMAP. most: photographs."""
    mat = mat_of(paper or str(rng.choice(list(PAPERS))))
    made, true = printed(rng, mat, kind), looking(rng, mat, int(rng.integers(6, most)), rng.uniform(1200, 2400))
    later = len(true) - int(rng.integers(1, max(2, len(true) // 2))) if made.moved else len(true)
    both = rng.random() < 0.6  # else a photograph shows one of two
    found = {}
    for number, view in enumerate(true):
        copies = {} if made.copies and not both and rng.random() < 0.5 else made.copies
        sheet = made.moved if number >= later else made.corners if both or not copies else {k: v for k, v in made.corners.items() if k not in copies}
        seen = [(k, view.pixels(each) + rng.normal(0, noise, (4, 2))) for part in (sheet, copies) for k, each in part.items()
                if rng.random() < 0.85]  # others are behind the object
        found[view.name] = [(k, pixels) for k, pixels in seen if ((pixels > 5) & (pixels < SIDE - 5)).all()]
    place = Similarity(float(np.exp(rng.uniform(-6, 2))), turn(rng, rng.uniform(0, 180)), rng.normal(size=3))
    views = []
    for view in true:
        facing = turn(rng, cameras * rng.normal(0, 0.01)) @ view.rotation
        centre = view.centre + cameras * rng.normal(0, 0.0003, 3) * np.linalg.norm(view.centre)
        turned = facing @ place.rotation.T
        views.append(pinhole(view.name, turned, -turned @ place.points(centre[None])[0], view.focal))
    return Shown(mat, views, found, place, made)


def write_model(shown: Shown, folder: Path) -> None:
    """The cameras as a COLMAP model."""
    import pycolmap

    model, focal = pycolmap.Reconstruction(), shown.views[0].focal
    model.add_camera_with_trivial_rig(pycolmap.Camera(camera_id=1, model="SIMPLE_PINHOLE", width=SIDE[0], height=SIDE[1], params=[focal, *SIDE / 2]))
    for number, view in enumerate(shown.views, start=1):
        model.add_image_with_trivial_frame(pycolmap.Image(name=view.name, camera_id=1, image_id=number),
                                           pycolmap.Rigid3d(pycolmap.Rotation3d(view.rotation), view.translation))
    folder.mkdir(parents=True, exist_ok=True)
    model.write(folder)
