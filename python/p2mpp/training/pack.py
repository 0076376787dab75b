"""All samples of a list in one file, so that training reads no folders: a .npy of records."""

import hashlib
import json
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Callable, List, NamedTuple

import numpy as np
from p2mpp.errors import InputError

from .samples import Sample, read_sample, rendering_folder

SMALLEST_VIEWS = 3


def record_type(sample: Sample) -> np.dtype:
    """The type of a sample's record: the fields of Sample, in their order."""
    views, side = sample.pictures.shape[:2]
    points = (len(sample.points), 3)
    return np.dtype([("name", "S96"), ("numbers", "u1", (views,)),
                     ("pictures", "u1", (views, side, side, 3)), ("cameras", "f8", (views, 5)),
                     ("points", "f4", points), ("normals", "f2", points)])


class Source(NamedTuple):
    """Samples by name: folders of pictures and of ground truth, numbers of views and points."""

    root: Path
    truth_root: Path
    names: List[str]
    views: int
    points: int


def open_pack(folder: Path, source: Source, workers: int,
              say: Callable[[str], None]) -> np.ndarray:
    """The samples as records in a memory map, read from `folder` or packed there first.

    The file's name holds a digest of what it was made from; `views` is lowered to what the samples
    have. Throws InputError.
    """
    source = source._replace(views=min(source.views, fewest_views(source.root, source.names)))
    roots = [str(Path(each).resolve()) for each in source[:2]]
    key = json.dumps([*roots, *source[2:]])
    file = Path(folder) / f"pack-{hashlib.sha256(key.encode()).hexdigest()[:16]}.npy"
    if not file.is_file():
        say(f"packing {len(source.names)} samples of {source.views} views and {source.points} "
            f"points into {file}")
        file.parent.mkdir(parents=True, exist_ok=True)
        write_pack(file, source, workers)
    return np.load(file, mmap_mode="r")


def fewest_views(root: Path, names: List[str]) -> int:
    """The smallest number of pictures that a sample has."""
    fewest, name = min((len(list(rendering_folder(root, name).glob("[0-9][0-9].png"))), name)
                       for name in names)
    if fewest < SMALLEST_VIEWS:
        raise InputError(f"{rendering_folder(root, name)}: {fewest} pictures; expected "
                         f"{SMALLEST_VIEWS} or more, as 00.png")
    return fewest


def write_pack(file: Path, source: Source, workers: int) -> None:
    """Writes a temporary file and renames it, so that the file is always complete."""
    partial_file = file.with_name(file.name + ".partial")
    read = partial(read_sample, source.root, source.truth_root, views=source.views,
                   points=source.points)
    records = None
    with ProcessPoolExecutor(workers) as pool:
        for index, sample in enumerate(pool.map(read, source.names, chunksize=8)):
            kind = record_type(sample)
            if records is None:
                records = np.lib.format.open_memmap(partial_file, "w+", kind, (len(source.names),))
            if kind != records.dtype or sample.pictures.shape[1] != sample.pictures.shape[2]:
                raise InputError(f"{sample.name}: pictures {list(sample.pictures.shape[1:3])}; "
                                 "expected square ones of one size")
            records[index] = (sample.name.encode(), *sample[1:])
    records.flush()
    os.replace(partial_file, file)
