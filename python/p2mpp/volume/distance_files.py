"""The truth of a shard's records, in SHARD.distances.npz beside it.

A record does not hold its mesh. It is made again: a procedural object from its name, and one of a library from its
file and, if the record has other proportions, from the same random numbers.
"""

import os
import sys
import time
import zlib
from functools import cached_property, lru_cache
from pathlib import Path
from typing import List, Optional
from zipfile import BadZipFile

import numpy as np

from ..errors import InputError
from ..shapes import people_made, records, shard_making
from ..shapes.scene import Scene
from .distances import LEVELS, Distances, solid_distances

ENDING = ".distances.npz"
MOST_WITHOUT = 0.1  # share of a shard's records that may have no truth
TOO_FAR = 0.02  # share of the record's points that may be off the surface
NAME = 64  # characters that a record keeps
OFF = 1.5  # voxels off: half the body of a sheet and rounding


def file_of(shard: Path) -> Path:
    return shard.with_name(shard.name.removesuffix(".npy") + ENDING)


def read_parts(file: Path, names: np.ndarray, wanted: tuple, command: str) -> dict:
    """Arrays of a file beside a shard, whose records have these names. Throws InputError."""
    try:
        with np.load(file) as found:
            parts = {name: found[name] for name in ("names", *wanted)}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise InputError(f"{file}: {error}; expected what p2mpp-volume {command} wrote") from None
    if not np.array_equal(parts["names"], names):
        raise InputError(f"{file}: not of this shard's records; expected p2mpp-volume {command} to make it anew")
    return parts


def write_parts(file: Path, names: np.ndarray, **parts) -> None:
    """The same, whole or not at all."""
    partial = file.with_name(file.name + ".partial")
    with open(partial, "wb") as stream:
        np.savez(stream, names=names, **parts)
    os.replace(partial, file)


class DistanceFile:
    """The truth of a shard's records. Throws InputError."""

    def __init__(self, file: Path, names: np.ndarray):
        """`names`: those of the shard's records."""
        self.parts = read_parts(file, names, ("sizes", "places", "ends", "bytes"), "truth")

    def __getitem__(self, index: int) -> Distances:
        ends, place = self.parts["ends"], self.parts["places"][index]
        packed = self.parts["bytes"][ends[index]:ends[index + 1]]
        values = np.frombuffer(zlib.decompress(packed), np.int8).reshape(self.parts["sizes"][index])
        return Distances(values, place[:3], float(place[3]))


def write_distances(file: Path, names: np.ndarray, every: List[Distances]) -> None:
    packed = [zlib.compress(each.values.tobytes()) for each in every]
    write_parts(file, names, sizes=np.array([each.values.shape for each in every], np.int32),
                places=np.array([(*each.low, each.voxel) for each in every], np.float32),
                ends=np.cumsum([0, *map(len, packed)]), bytes=np.frombuffer(b"".join(packed), np.uint8))


def at_points(truth: Distances, points: np.ndarray) -> np.ndarray:
    """Distances in stored voxels at the nearest voxels' centres."""
    index = np.floor((points - truth.low) / truth.voxel).astype(int)
    index = index.clip(0, np.array(truth.values.shape) - 1)
    return truth.values[tuple(index.T)] * (truth.reach / truth.voxel / LEVELS)


def shows(truth: Distances, points: np.ndarray) -> bool:
    """Whether points of a visible surface lie on this one."""
    return (np.abs(at_points(truth, points)) > OFF).mean() < TOO_FAR


class Meshes:
    """The meshes of records. `seed` is that of p2mpp-shards people."""

    def __init__(self, libraries: Optional[Path], seed: int):
        self.libraries, self.seed = libraries, seed
        self.drafts = lru_cache(2)(self.drafts_of)

    @cached_property
    def items(self) -> dict:
        if self.libraries is None:
            raise InputError("the shards show objects of libraries; expected --libraries")
        wanted = people_made.TRAINED + people_made.VALIDATED
        return {shard_making.name_of(item)[:NAME]: item for item in people_made.items_of(self.libraries, wanted)}

    def item(self, name: str):
        if name not in self.items:
            raise InputError(f"{self.libraries}: no object {name}; expected the libraries of p2mpp-shards unpack")
        return self.items[name]

    def drafts_of(self, name: str) -> list:
        item = self.item(name)
        return shard_making.people_drafts(item, people_made.looks_of(item), True, self.seed)

    def of(self, record) -> Scene:
        name = record["name"].decode()
        if records.KINDS[record["kind"]] == "procedural":
            return shard_making.body_of_name(name)
        item = self.item(name)
        if item.library in people_made.VALIDATED or people_made.looks_of(item) == 1:
            return people_made.read_item(item)
        for draft in self.drafts(name):
            if np.array_equal(draft.camera_rows(), record["cameras"]):
                return draft.scene
        raise InputError(f"{name}: no draw has the record's cameras; expected the seed and the libraries with which "
                         "its shard was made")


def distances_of(record, meshes: Meshes) -> Distances:
    """The truth of a record. Throws InputError."""
    mesh = meshes.of(record)
    truth = solid_distances(mesh.vertices, mesh.triangles)
    if not shows(truth, record["points"]):
        raise InputError(f"{record['name'].decode()}: the record's points are not on the object's surface; expected "
                         "the version of p2mpp-shards that made it")
    return truth


def distances_or_none(record, meshes: Meshes) -> Distances:
    """Empty distances, and a line, if the object has no truth: what it shows lies inside a closed body."""
    try:
        return distances_of(record, meshes)
    except InputError as error:
        print(f"{error}; it is left out", file=sys.stderr, flush=True)
        return Distances(np.zeros((0, 0, 0), np.int8), np.zeros(3), 1.0)


def is_made(file: Path, names: np.ndarray) -> bool:
    try:
        return file.is_file() and bool(DistanceFile(file, names))
    except InputError:
        return False


def make_distances(folder: Path, libraries: Optional[Path], seed: int) -> None:
    """Writes the files of all shards that have none, in order. Throws InputError."""
    shards = sorted(file for file in Path(folder).glob("*.npy"))
    if not shards:
        raise InputError(f"{folder}: no shard in it; expected people-*.npy or procedural-*.npy of p2mpp-shards")
    meshes, begun = Meshes(libraries, seed), time.monotonic()
    for shard in shards:
        found = np.load(shard, mmap_mode="r")
        if is_made(file_of(shard), found["name"]):
            continue
        every = [distances_or_none(record, meshes) for record in found]
        without = sum(each.values.size == 0 for each in every)
        if without > MOST_WITHOUT * len(every):
            raise InputError(f"{shard}: {without} of {len(every)} records are not on their objects' surfaces; expected "
                             "the version of p2mpp-shards that made them")
        write_distances(file_of(shard), found["name"], every)
        print(f"{file_of(shard)}: {len(every)} objects, {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
