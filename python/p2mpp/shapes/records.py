"""Training records: pictures, cameras and ground truth, in shards (.npy of RECORD)."""

import os
from pathlib import Path
from typing import NamedTuple, Optional

import numpy as np

from . import studio
from .draw import chance, choose, uniform
from .looks import restyled
from .scene import Scene, stretched
from .studio import Camera, Studio
from .visible_surface import sample_visible

PUBLISHED_VIEWS, GENERAL_VIEWS = 5, 5
VIEWS = PUBLISHED_VIEWS + GENERAL_VIEWS
POINTS = 8000
MARGIN = 0.5  # pixels that stay free at the picture's border
MAX_DRAWS = 100
LARGEST_DISTANCE, LOWEST, HIGHEST = 3.0, -10.0, 60.0
RECORD = np.dtype(
    [
        ("name", "S64"),
        ("category", "S16"),
        ("kind", "u1"),  # index of KINDS
        ("pictures", "u1", (VIEWS, studio.SIDE, studio.SIDE, 4)),  # RGBA, straight alpha
        ("hints", "i1", (VIEWS, studio.HINT_SIDE, studio.HINT_SIDE, 4)),  # see Studio.picture
        ("cameras", "f8", (VIEWS, 3)),  # azimuth, elevation (degrees), distance
        ("points", "f4", (POINTS, 3)),
        ("normals", "i1", (POINTS, 3)),  # in the world's frame, times 127
    ]
)
KINDS = ("procedural", "people")


def fits(camera: Camera, vertices: np.ndarray) -> bool:
    pixels, _ = studio.project(camera, vertices)
    return bool(pixels.min() >= MARGIN and pixels.max() <= studio.SIDE - MARGIN)


def published_cameras(rng, vertices) -> list:
    """With the distribution of ShapeNetRendering."""

    def draw():
        return Camera(uniform(rng, 0, 360), uniform(rng, 25, 30), uniform(rng, *studio.CLOSE))

    return [fitting(draw, vertices) for _ in range(PUBLISHED_VIEWS)]


def fitting(draw, vertices) -> Camera:
    """A drawn camera that sees the whole object."""
    for _ in range(MAX_DRAWS):
        camera = draw()
        if fits(camera, vertices):
            return camera
    return Camera(camera.azimuth, camera.elevation, studio.CLOSE[1])


def general_cameras(rng, vertices) -> list:
    """Like photographs that people take: a turntable, a walk around the object, or an arc in front
    of it; distances 0.65 to 3, elevations -10 to 60 degrees."""
    kind = choose(rng, ["turntable", "walk", "walk", "free", "arc"])
    start, base = uniform(rng, 0, 360), uniform(rng, LOWEST, HIGHEST)
    distance = float(np.exp(uniform(rng, np.log(studio.CLOSE[0]), np.log(LARGEST_DISTANCE))))
    arc = uniform(rng, 110, 220)
    order = rng.permutation(GENERAL_VIEWS)
    spread = {"turntable": 1.5, "walk": 15.0, "free": 40.0, "arc": 12.0}[kind]
    wander = {"turntable": 1.02, "walk": 1.25, "free": 1.6, "arc": 1.3}[kind]

    def draw(k):
        step = {
            "turntable": (72.0, 4.0),
            "walk": (72.0, 30.0),
            "free": (0.0, 180.0),
            "arc": (arc / (GENERAL_VIEWS - 1), 10.0),
        }[kind]
        azimuth = start + step[0] * order[k] + uniform(rng, -step[1], step[1])
        elevation = np.clip(base + uniform(rng, -spread, spread), LOWEST, HIGHEST)
        away = distance * wander ** uniform(rng, -1, 1)
        return Camera(
            azimuth % 360, float(elevation), float(np.clip(away, studio.CLOSE[0], LARGEST_DISTANCE))
        )

    return [fitting(lambda k=k: draw(k), vertices) for k in range(GENERAL_VIEWS)]


class Draft(NamedTuple):
    """What is drawn of a record before its pictures: a scene, the light from all around it, points and normals of its
    visible surface, lighting and cameras."""

    scene: Scene
    spread: studio.ShadowMaps
    points: np.ndarray
    normals: np.ndarray
    lighting: studio.Lighting
    cameras: list

    def camera_rows(self) -> np.ndarray:
        """[VIEWS,3], as in RECORD."""
        return np.array([(each.azimuth, each.elevation, each.distance) for each in self.cameras])


def draft_record(rng, scene: Scene, kind: str, textures: list, textured_share: float, varied: bool) -> Optional[Draft]:
    """None if there is no visible surface. `varied`: some draws have other proportions and materials than the
    object's own."""
    if varied:
        scene = restyled(rng, scene, textures, textured_share)
        if kind == "people":
            factors = np.exp(rng.uniform(-0.16, 0.16, 3))
            scene = stretched(scene, factors, chance(rng, 0.5))
    spread = studio.shadow_maps(scene, studio.spread_directions(studio.DIRECTIONS))
    truth = sample_visible(scene, spread, POINTS, rng)
    if truth is None:
        return None
    lighting = studio.draw_lighting(rng)
    cameras = published_cameras(rng, scene.vertices) + general_cameras(rng, scene.vertices)
    return Draft(scene, spread, *truth, lighting, cameras)


def make_record(draft: Draft, name: str, category: str, kind: str) -> np.ndarray:
    """Renders the pictures of a draft."""
    room = Studio(draft.scene, draft.lighting, draft.spread)
    record = np.zeros((), RECORD)
    record["name"], record["category"] = name.encode()[:64], category.encode()
    record["kind"] = KINDS.index(kind)
    for k, camera in enumerate(draft.cameras):
        record["pictures"][k], record["hints"][k] = room.picture(camera)
    record["cameras"] = draft.camera_rows()
    record["points"], record["normals"] = draft.points, np.rint(127 * draft.normals)
    return record


class ShardWriter:
    """Writes shards FOLDER/PREFIX-NNNN.npy of `size` records each; existing files are complete."""

    def __init__(self, folder: Path, prefix: str, size: int, number: int = 0):
        self.folder, self.prefix, self.size, self.number = Path(folder), prefix, size, number
        self.records: list = []
        self.folder.mkdir(parents=True, exist_ok=True)

    def add(self, record) -> None:
        if record is not None:
            self.records.append(record)
        if len(self.records) >= self.size:
            self.flush()

    def flush(self) -> None:
        if not self.records:
            return
        file = self.folder / f"{self.prefix}-{self.number:04d}.npy"
        partial = file.with_suffix(".partial")
        with open(partial, "wb") as stream:
            np.save(stream, np.array(self.records, RECORD))
        os.replace(partial, file)
        self.records, self.number = [], self.number + 1
