"""Stage 2's meshes of drawn samples, in SHARD.meshes.npz beside a shard.

A sample is drawn again from its seed (samples.drawn_views), so that only its mesh is stored.
"""

import sys
import time
from pathlib import Path
from typing import NamedTuple, Optional

import numpy as np
from torch import Tensor

import p2mpp
from p2mpp.training.shards import small_turns

from ..errors import InputError
from .distance_files import DistanceFile, file_of, read_parts, write_parts

ENDING = ".meshes.npz"
MISPLACED = 0.3  # share of the draws whose frame is not the object's, as that of a capture may not be
SCALE_ERROR, TURN_ERROR, SHIFT_ERROR = 0.12, 4.0, 0.02  # standard deviations: logarithm, degrees, unit of the scene


def meshes_of(shard: Path) -> Path:
    return shard.with_name(shard.name.removesuffix(".npy") + ENDING)


class Change(NamedTuple):
    """Of a frame: p -> scale * turn @ p + shift."""

    scale: float
    turn: np.ndarray
    shift: np.ndarray


NO_CHANGE = Change(1.0, np.eye(3), np.zeros(3))


def drawn_change(random) -> Change:
    if random.random() >= MISPLACED:
        return NO_CHANGE
    return Change(float(np.exp(SCALE_ERROR * random.standard_normal())),
                  small_turns(random, np.array([TURN_ERROR]))[0], SHIFT_ERROR * random.standard_normal(3))


class Template:
    """Makes stage 2's mesh of a sample with a model. Throws InputError as the engine."""

    def __init__(self, model: Path, threads: int = 1):
        self.engine = p2mpp.Engine(str(model), threads=threads)

    def mesh(self, images: Tensor, cameras: np.ndarray, change: Change = NO_CHANGE):
        """Images uint8 [V,224,224,4] (BGR, mask), pinholes [V,16] -> vertices [N,3] and triangles in the pinholes'
        frame."""
        every = []
        for row in cameras:
            rotation = row[:9].reshape(3, 3)
            place = change.scale * change.turn @ (-rotation.T @ row[9:12]) + change.shift
            every.append(p2mpp.Camera(rotation @ change.turn.T, place, *row[12:16]))
        pictures = np.ascontiguousarray(images.numpy()[..., [2, 1, 0, 3]])
        made = self.engine.reconstruct(pictures, every, frame="world", surface="template", texture="none")
        vertices = (np.asarray(made.vertices, np.float64) - change.shift) @ change.turn / change.scale
        return vertices, np.asarray(made.faces)


class MeshFile:
    """The meshes of a shard's draws: `records` [N] of the shard, `seeds` [N], `exact` [N] (see drawn_views()), `vertices`
    [N,V,3], `triangles` [T,3]. Throws InputError."""

    def __init__(self, file: Path, names: np.ndarray):
        """`names`: those of the shard's records."""
        parts = read_parts(file, names, ("records", "seeds", "exact", "vertices", "triangles"), "meshes")
        _, self.records, self.seeds, self.exact, self.vertices, self.triangles = parts.values()


def make_meshes(folder: Path, model: Path, draws: int, exact: float, seed: int, template: Optional[Template] = None) -> None:
    """Writes the meshes of `draws` samples of each record, for all shards that have their truth and no meshes. A share
    `exact` of them has no errors of poses, masks and frame. Throws InputError."""
    from .samples import drawn_views

    shards = [file for file in sorted(Path(folder).glob("*.npy")) if file_of(file).is_file()]
    if not shards:
        raise InputError(f"{folder}: no shard with its truth in it; expected what p2mpp-volume truth wrote")
    template, begun = template or Template(model), time.monotonic()
    for number, shard in enumerate(shards):
        if meshes_of(shard).is_file():
            continue
        found = np.load(shard, mmap_mode="r")
        truth = DistanceFile(file_of(shard), found["name"])
        records, seeds, kept, vertices, triangles = [], [], [], [], []
        for index in range(len(found)):
            for draw in range(draws if truth[index].values.size else 0):
                own = ((seed * len(shards) + number) * len(found) + index) * draws + draw
                random = np.random.default_rng(own)
                is_exact = bool(np.random.default_rng([own, 1]).random() < exact)
                views = drawn_views(random, found[index], is_exact)
                change = NO_CHANGE if is_exact else drawn_change(random)
                try:
                    made, triangles = template.mesh(views.images, views.cameras.numpy(), change)
                except InputError as error:
                    print(f"{found[index]['name'].decode()}: {error}; it is left out", file=sys.stderr, flush=True)
                    continue
                records.append(index)
                seeds.append(own)
                kept.append(is_exact)
                vertices.append(made)
        write_parts(meshes_of(shard), found["name"], records=np.array(records, np.int32), seeds=np.array(seeds, np.int64),
                    exact=np.array(kept, bool), vertices=np.array(vertices, np.float16), triangles=np.asarray(triangles, np.int32))
        print(f"{meshes_of(shard)}: {len(records)} meshes, {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
