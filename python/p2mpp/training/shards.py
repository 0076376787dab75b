"""Random draws from the shards of records that p2mpp-shards writes."""

from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import torch
from p2mpp.errors import InputError

from . import augment
from .batches import Draw

KINDS = ("people", "procedural")
PEOPLE_SHARE = 0.42
PUBLISHED_VIEWS = 5  # the first of a record's; the others are as people take photographs
VIEW_COUNTS = {2: 0.12, 3: 0.55, 4: 0.13, 5: 0.1, 6: 0.05, 8: 0.05}
PUBLISHED_SHARE, MIXED_SHARE = 0.5, 0.1
FOCAL, CLOSE, MIDDLE = 248.0, (0.65, 0.9), 112.0
NOISY_POSES = 0.45
LARGEST_TURN, LARGEST_SHIFT = 1.2, 0.01  # standard deviations: degrees; shares of the distance
MISPLACED = 0.25
SCALE_ERROR, PLACE_ERROR = 0.012, 0.004
NEW_SHARDS_EVERY = 500  # steps: shards added during a run are used from a multiple of this on
HELD_OUT_VIEWS = 3
MIRRORED_CAMERA, MIRRORED = np.array([-1, 1, 1]), np.array([1, 1, -1])  # factors of cameras; of the world's axes


class Rig(NamedTuple):
    """Cameras of a sample: azimuth, elevation, distance [V,3]; rotation [V,3,3] and place [V,3] of
    cam_from_world: p -> R (p - o); focal lengths [V]."""

    rotation: np.ndarray
    place: np.ndarray
    focal: np.ndarray


def look_at(directions: np.ndarray) -> np.ndarray:
    """Rotations [V,3,3] of cameras that stand in these directions from what they look at, y up."""
    z = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    x = np.cross([0.0, 1.0, 0.0], z)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return np.stack([x, np.cross(z, x), z], 1)


def rig_of(cameras: np.ndarray) -> Rig:
    """The cameras of azimuths, elevations (degrees) and distances [V,3]."""
    azimuth, elevation = np.radians(cameras[:, :2]).T
    directions = np.stack([np.cos(elevation) * np.cos(azimuth), np.sin(elevation),
                           np.cos(elevation) * np.sin(azimuth)], 1)
    distance = cameras[:, 2]
    return Rig(look_at(directions), directions * distance[:, None],
               FOCAL * distance / np.clip(distance, *CLOSE))


def network_frame(place: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """(R [3,3], o [3]) of the network's frame, from the first camera's place: a camera that looks
    at the origin from the same direction, from a distance within the network's range."""
    distance = np.linalg.norm(place)
    rotation = look_at(place[None])[0]
    return rotation, place * (np.clip(distance, *CLOSE) / distance)


def pinholes(rig: Rig, rotation: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """Cameras [V,16] as the exported stages take them, from the network's frame."""
    views = len(rig.focal)
    turned = rig.rotation @ rotation.T
    shifted = np.einsum("vij,vj->vi", rig.rotation, origin - rig.place)
    middle = np.full(views, MIDDLE)
    return np.concatenate([turned.reshape(views, 9), shifted,
                           np.stack([rig.focal, rig.focal, middle, middle], 1)], 1)


def small_turns(random, degrees: np.ndarray) -> np.ndarray:
    """Rotations [V,3,3] about random axes, degrees [V] the standard deviations a component."""
    views = len(degrees)
    a, b, c = np.radians(degrees) * random.standard_normal((3, views))
    zero = np.zeros(views)
    cross = np.stack([zero, -c, b, c, zero, -a, -b, a, zero], 1).reshape(views, 3, 3)
    angle = np.sqrt(a * a + b * b + c * c)[:, None, None]
    safe = np.maximum(angle, 1e-12)
    return np.eye(3) + np.sin(safe) / safe * cross + (1 - np.cos(safe)) / safe ** 2 * cross @ cross


class Shards:
    """The records of a folder. `plan` lists the files and the step from which on they are used. It
    is part of a checkpoint, so that a resumed run draws the same samples as an uninterrupted
    one."""

    expected = "people-*.npy or procedural-*.npy of p2mpp-shards"

    def __init__(self, folder: Path, people_share: float = PEOPLE_SHARE):
        """Throws InputError if there is no shard."""
        self.folder, self.people_share = Path(folder), people_share
        self.plan: List[Tuple[int, List[str]]] = []
        self.files: Dict[str, np.ndarray] = {}
        self.sizes: Dict[str, Dict[str, np.ndarray]] = {}
        self.look_for_more(0)
        if not self.plan:
            raise InputError(f"{folder}: no shard in it; expected {self.expected}")

    def names(self) -> List[str]:
        return sorted(file.name for file in self.folder.glob("*.npy")
                      if file.name.split("-")[0] in KINDS)

    def look_for_more(self, step: int) -> Optional[int]:
        """Adds new shards to the plan, from a later step on. Returns that step, or None if there
        are no new shards."""
        known = {name for _, names in self.plan for name in names}
        fresh = [name for name in self.names() if name not in known]
        if not fresh:
            return None
        first = 0 if not self.plan else (step // NEW_SHARDS_EVERY + 2) * NEW_SHARDS_EVERY
        self.plan.append((first, fresh))
        return first

    def resume(self, plan: list) -> None:
        self.plan = [(int(step), list(names)) for step, names in plan]
        missing = [name for _, names in self.plan for name in names
                   if not (self.folder / name).is_file()]
        if missing:
            raise InputError(f"{self.folder / missing[0]}: not there; expected the shards that the "
                             "run has drawn from")

    def file(self, name: str) -> np.ndarray:
        if name not in self.files:
            self.files[name] = np.load(self.folder / name, mmap_mode="r")
        return self.files[name]

    def kinds(self, step: int) -> Dict[str, List[str]]:
        names = [name for first, some in self.plan if first <= step for name in some]
        found = {kind: [name for name in names if name.startswith(kind)] for kind in KINDS}
        return {kind: some for kind, some in found.items() if some}

    def count(self) -> int:
        return sum(len(self.file(name)) for _, names in self.plan for name in names)

    def trained_views(self) -> Dict[str, Any]:
        """The range of the cameras, in the form of p2mpp.network.trained_views."""
        cameras = np.concatenate([self.file(name)["cameras"].reshape(-1, 3)
                                  for _, names in self.plan for name in names])
        (_, *low), (_, *high) = cameras.min(0).round(2).tolist(), cameras.max(0).round(2).tolist()
        return {"cameras": "pinhole", "distance": [low[1], high[1]],
                "elevation_deg": [low[0], high[0]]}

    def place(self, random, step: int) -> Tuple[str, int]:
        """File and number of a random record, with a probability of `people_share` of an object that people made."""
        kinds = self.kinds(step)
        people = "people" in kinds and (len(kinds) == 1 or random.random() < self.people_share)
        names = kinds["people" if people else "procedural"]
        sizes = np.cumsum([len(self.file(name)) for name in names])
        at = int(random.integers(sizes[-1]))
        place = int(np.searchsorted(sizes, at, side="right"))
        return names[place], at - (int(sizes[place - 1]) if place else 0)

    def record(self, random, step: int) -> np.void:
        name, index = self.place(random, step)
        return self.file(name)[index]

    def draw(self, random, step: int, batch: int, points: int) -> Draw:
        """An augmented batch, in which all samples have the same number of views."""
        views = drawn_count(random)
        drawn = [draw_sample(random, self.record(random, step), views, points)
                 for _ in range(batch)]
        return stacked(drawn)


def drawn_count(random) -> int:
    """Number of views."""
    return int(random.choice(list(VIEW_COUNTS), p=list(VIEW_COUNTS.values())))


def chosen_views(random, views: int, total: int) -> np.ndarray:
    kind = random.random()
    if kind < MIXED_SHARE or views > min(PUBLISHED_VIEWS, total - PUBLISHED_VIEWS):
        return random.permutation(total)[:views]
    if kind < MIXED_SHARE + (1 - MIXED_SHARE) * PUBLISHED_SHARE:
        return random.permutation(PUBLISHED_VIEWS)[:views]
    return PUBLISHED_VIEWS + random.permutation(total - PUBLISHED_VIEWS)[:views]


def draw_sample(random, record, views: int, points: int) -> tuple:
    """(pictures, cameras, points, normals, hints) of one sample."""
    chosen = chosen_views(random, views, len(record["cameras"]))
    some = random.permutation(len(record["points"]))[:points]
    pictures, hints = record["pictures"][chosen], record["hints"][chosen]
    cameras, truth = record["cameras"][chosen], record["points"][some].astype(np.float64)
    normals = record["normals"][some].astype(np.float64)
    if random.random() < 0.5:  # the mirror image of everything
        pictures, hints = pictures[:, :, ::-1], hints[:, :, ::-1].copy()
        hints[..., 0] *= -1
        cameras, truth, normals = cameras * MIRRORED_CAMERA, truth * MIRRORED, normals * MIRRORED
    rig = rig_of(cameras)
    if random.random() < MISPLACED:
        scale, shift = np.exp(SCALE_ERROR * random.standard_normal()), random.standard_normal(3)
        truth = scale * truth + PLACE_ERROR * shift
        rig = rig._replace(place=scale * rig.place + PLACE_ERROR * shift)
    rotation, origin = network_frame(rig.place[0])
    if random.random() < NOISY_POSES:
        rig = disturbed(random, rig)
    return (augment.augmented(random, pictures), pinholes(rig, rotation, origin),
            (truth - origin) @ rotation.T, unit(normals) @ rotation.T, hints)


def disturbed(random, rig: Rig) -> Rig:
    """Adds small errors to the poses, as poses estimated from photographs have them."""
    views = len(rig.focal)
    # The same angle moves more pixels with a longer lens, but is also estimated more exactly.
    turns = small_turns(random, random.uniform(0, LARGEST_TURN) * FOCAL / rig.focal)
    distance = np.linalg.norm(rig.place, axis=1, keepdims=True)
    shift = random.uniform(0, LARGEST_SHIFT) * random.standard_normal((views, 3)) * distance
    return rig._replace(rotation=turns @ rig.rotation, place=rig.place + shift)


def unit(normals: np.ndarray) -> np.ndarray:
    return normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)


def stacked(drawn: list) -> Draw:
    pictures, cameras, points, normals, hints = (np.stack(each) for each in zip(*drawn))
    return Draw(torch.from_numpy(pictures), torch.from_numpy(cameras),
                torch.from_numpy(points.astype(np.float32)),
                torch.from_numpy(normals.astype(np.float32)),
                torch.from_numpy(np.ascontiguousarray(hints)))


def plain_draw(record: np.void, views: slice, variant: str = "own") -> Draw:
    """A batch of one sample as the engine sees it: some views of a record, all points of its truth."""
    rig = rig_of(record["cameras"][views])
    rotation, origin = network_frame(rig.place[0])
    truth = (record["points"].astype(np.float64) - origin) @ rotation.T
    return stacked([(augment.plain(record["pictures"][views], variant),
                     pinholes(rig, rotation, origin), truth,
                     unit(record["normals"].astype(np.float64)) @ rotation.T,
                     record["hints"][views])])


class HeldOutShards:
    """Records for evaluation. `groups`: name -> (variant of the pictures, first of the views,
    records)."""

    def __init__(self, folder: Path, samples: int):
        """At most so many of each kind; 0: all."""
        self.shards = self.open(folder)
        self.groups: Dict[str, Tuple[str, int, List[np.void]]] = {}
        for kind, names in self.shards.kinds(0).items():
            records = [record for name in names for record in self.shards.file(name)]
            # People's objects outside the ten categories are a group of their own.
            outside = [kind == "people" and record["category"] == b"other" for record in records]
            for group, wanted in ((kind, False), ("other", True)):
                some = [record for record, is_outside in zip(records, outside)
                        if is_outside == wanted]
                if some:
                    self.groups[group] = ("own", 0, evenly(some, samples))
        mixed = [record for kind in KINDS if kind in self.groups
                 for record in evenly(self.groups[kind][-1], samples // 2)]
        self.groups["grey"], self.groups["white"] = ("grey", 0, mixed), ("white", 0, mixed)
        self.groups["photographs"] = ("own", PUBLISHED_VIEWS, mixed)

    def open(self, folder: Path) -> Shards:
        return Shards(folder)

    def count(self) -> int:
        return sum(len(self.shards.file(name)) for name in self.shards.names())

    def pieces(self, *_) -> List[Tuple[str, Callable[[], Draw]]]:
        """(group, function that makes a batch of one sample) for each sample."""
        return [(group, partial(self.batch, group, index))
                for group, (*_, records) in self.groups.items() for index in range(len(records))]

    def batch(self, group: str, index: int) -> Draw:
        """HELD_OUT_VIEWS of a sample's views and all points of its ground truth."""
        variant, first, records = self.groups[group]
        return plain_draw(records[index], slice(first, first + HELD_OUT_VIEWS), variant)


def evenly(records: list, count: int) -> list:
    """At most `count` of the records, evenly spaced."""
    if len(records) <= count or count < 1:
        return records
    return [records[int(k * len(records) / count)] for k in range(count)]
