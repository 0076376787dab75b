"""Training records of procedural objects and of a furniture library's, in shards: the work of p2mpp-shards."""

import sys
import time
import zipfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Optional

import numpy as np

from ..errors import InputError
from . import categories, people_made, records, scene, shape
from .errors import ShapeError
from .people_samples import Extent, write_held_back_samples, write_library_samples
from .wavefront import read_texture

SHARD = 50  # records
TEXTURED = 0.2  # share of procedural objects in their own materials that get pictures
TEXTURES = 150


def unpack(args) -> None:
    wanted = people_made.TRAINED + people_made.VALIDATED + people_made.REPORTED
    for library in wanted:
        file = next(args.package.rglob(f"{library}.sh3f"), None)
        if file is None:
            raise InputError(f"{args.package}: no {library}.sh3f; expected the unpacked package")
        with zipfile.ZipFile(file) as archive:
            archive.extractall(args.libraries / library)


def samples(args) -> None:
    extent = Extent() if args.views is None else Extent(args.views, tuple(range(args.views)), records.POINTS)
    if args.library:
        count = write_library_samples(args.libraries / args.library, args.out, args.seed, extent, args.objects,
                                      args.outside)
    else:
        count = write_held_back_samples(args.libraries, args.out, args.seed, extent)
    print(f"{count} samples in {args.out}")


def people_drafts(item, looks: int, varied: bool, seed: int) -> list:
    """The drafts of an object's records. Throws InputError, ValueError or IndexError if it is not usable."""
    rng = np.random.default_rng([seed, *item.library.encode(), *item.key.encode()])
    body = people_made.read_item(item)
    drafts = [records.draft_record(rng, body, "people", [], 0.0, varied and k > 0) for k in range(looks)]
    return [each for each in drafts if each is not None]


def name_of(item) -> str:
    return f"{item.library}/{item.key}"


def make_people(job, seed):
    """(message, records) of one object; no records if it is not usable."""
    item, looks, varied = job
    try:
        drafts = people_drafts(item, looks, varied, seed)
    except (InputError, ValueError, IndexError) as error:
        return str(error), []
    return "", [records.make_record(each, name_of(item), item.category, "people") for each in drafts]


def people(args) -> None:
    libraries = people_made.VALIDATED if args.validate else people_made.TRAINED
    items = people_made.items_of(args.libraries, libraries)
    jobs = [(item, 1 if args.validate else people_made.looks_of(item), not args.validate) for item in items]
    jobs = [job for job in jobs if people_made.looks_of(job[0])]
    order = np.random.default_rng(args.seed).permutation(len(jobs))
    write(args, "people", partial(make_people, seed=args.seed), [jobs[k] for k in order])


def procedural_body(rng):
    """(category's name, scene) of a procedural object. Throws ShapeError if it is not usable."""
    category = categories.draw(rng)
    for left in reversed(range(20)):
        try:
            return category.name, scene.from_shape(shape.assemble(category.build(rng)))
        except ShapeError:
            if not left:
                raise


def make_procedural(index, seed, textures, varied):
    rng = np.random.default_rng([seed, index])
    try:
        category, body = procedural_body(rng)
    except ShapeError as error:
        return str(error), []
    draft = records.draft_record(rng, body, "procedural", loaded(textures), TEXTURED, varied)
    made = [] if draft is None else [records.make_record(draft, f"{category}/{seed}-{index}", category, "procedural")]
    return "", made


def body_of_name(name: str):
    """The scene of a procedural record, before it got other materials."""
    seed, index = name.rpartition("/")[2].split("-")
    return procedural_body(np.random.default_rng([int(seed), int(index)]))[1]


def texture_files(libraries: Optional[Path]) -> tuple:
    """The pictures that procedural objects may get."""
    if libraries is None:
        return ()
    every = sorted(str(file) for library in people_made.TRAINED
                   for kind in ("jpg", "png")
                   for file in (libraries / library).rglob(f"*/*/*.{kind}"))
    chosen = np.random.default_rng(5).permutation(len(every))[:TEXTURES]
    return tuple(every[k] for k in chosen)


_LOADED: dict = {}


def loaded(files: tuple) -> list:
    """The textures, read once in each process."""
    if files not in _LOADED:
        found = [read_texture(Path(file)) for file in files]
        _LOADED[files] = [each[0] for each in found if each is not None]
    return _LOADED[files]


def procedural(args) -> None:
    indices = list(range(args.first, args.first + args.objects))
    write(args, "procedural", partial(make_procedural, seed=args.seed, textures=texture_files(args.textures),
                                      varied=not args.validate), indices)


def write(args, prefix, make, jobs) -> None:
    """Writes the records of all jobs as shards; prints a line for each job without records."""
    first = len(list(args.out.glob(f"{prefix}-*.npy")))
    writer = records.ShardWriter(args.out, prefix, SHARD, first)
    begun, count = time.monotonic(), 0
    with ProcessPoolExecutor(args.workers) as pool:
        for done, (message, made) in enumerate(pool.map(make, jobs, chunksize=2), 1):
            if message:
                print(message, file=sys.stderr)
            for record in made:
                writer.add(record)
                count += 1
            if done % 50 == 0:
                print(f"{done}/{len(jobs)} objects, {count} records, "
                      f"{time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    writer.flush()
    print(f"{count} records in {args.out}")
