"""What stands out in a photograph: U2-Net-p (Qin et al., U2-Net, 2020), a small learned model that OpenCV runs."""

from pathlib import Path
from typing import Callable, Dict, List

import cv2
import numpy as np

from p2mpp.photos.crop import Crop
from p2mpp.photos.model import NAME
from p2mpp.photos.pictures import read_picture
from p2mpp.photos.scene import Scene, View
from p2mpp.photos.seed import Seed

SIDE = 320  # pixels of the model's square picture
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of the pictures that it was trained on, RGB
FEWEST = 8  # points of a kind, that tell how good a map is
AROUND = 0.7  # of what a photograph shows: points so near are beside the object
TOLD, LEAST_TRUST = 0.5, 0.1  # a map is trusted wholly if it differs so much between the object's points and those beside it
EVERY = 10  # photographs between two lines of progress


def maps_of(names: List[str], images: Path, model: Path, progress: Callable[[str], None]) -> Dict[str, np.ndarray]:
    """[SIDE,SIDE] float32 from 0 to 1 for each photograph that can be read: the whole photograph, as a square."""
    network = cv2.dnn.readNetFromONNX(str(model))
    found = {}
    for number, name in enumerate(names, start=1):
        picture = read_picture(images / name)
        if picture is not None:
            found[name] = _map(network, picture)
        if number % EVERY == 0 or number == len(names):
            progress(f"masks: {NAME}: {number} of {len(names)}")
    return found


def _map(network, picture: np.ndarray) -> np.ndarray:
    square = cv2.resize(picture, (SIDE, SIDE), interpolation=cv2.INTER_AREA)[..., ::-1].astype(np.float32)
    square = (square / max(square.max(), 1.0) - MEAN) / DEVIATION
    network.setInput(square.transpose(2, 0, 1)[None].astype(np.float32))
    out = network.forward()[0, 0]
    return (out - out.min()) / max(out.max() - out.min(), 1e-6)


def in_crop(crop: Crop, whole: np.ndarray) -> np.ndarray:
    """[H,W]: a photograph's map in its crop."""
    columns = (np.arange(crop.shape[1]) + crop.left + 0.5) * SIDE / (crop.scale * crop.view.width) - 0.5
    rows = (np.arange(crop.shape[0]) + crop.top + 0.5) * SIDE / (crop.scale * crop.view.height) - 0.5
    across, down = np.meshgrid(columns.astype(np.float32), rows.astype(np.float32))
    return cv2.remap(whole, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def of_points(scene: Scene, maps: Dict[str, np.ndarray]) -> np.ndarray:
    """[P]: the mean over the photographs that see a point."""
    total, count = np.zeros(len(scene.points)), np.zeros(len(scene.points))
    for view in scene.views:
        if view.name not in maps:
            continue
        seen = scene.seen[view.name]
        total[seen] += _at_points(view, maps[view.name], scene.points[seen])
        count[seen] += 1
    return total / np.maximum(count, 1)


def _at_points(view: View, whole: np.ndarray, points: np.ndarray) -> np.ndarray:
    """[N]: a photograph's map at points [N,3] that it sees."""
    cells = np.floor(view.pixels(points) / (view.width, view.height) * SIDE)
    at = np.clip(np.nan_to_num(cells), 0, SIDE - 1).astype(int)
    return whole[at[:, 1], at[:, 0]]


def trust(scene: Scene, seed: Seed, maps: Dict[str, np.ndarray]) -> Dict[str, float]:
    """From 0 to 1 for each photograph: how well its map tells the object's points from those beside it. 1 where it sees too few."""
    around = np.linalg.norm(scene.points - seed.centre, axis=1) < AROUND * seed.extent
    beside = np.setdiff1d(np.flatnonzero(around), np.union1d(seed.members, seed.others))
    found = {}
    for view in (each for each in scene.views if each.name in maps):
        seen = scene.seen[view.name]
        pair = [_at_points(view, maps[view.name], scene.points[np.intersect1d(seen, numbers)]) for numbers in (seed.members, beside)]
        told = np.mean(pair[0]) - np.mean(pair[1]) if min(map(len, pair)) >= FEWEST else 1.0
        found[view.name] = float(np.clip(told / TOLD, LEAST_TRUST, 1))
    return found
