"""Training records of procedural objects and of a furniture library's, in shards: the work of p2mpp-shards."""

import sys
import time
import zipfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

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


def make_people(job, seed):
    """(message, records) of one object; no records if it is not usable."""
    item, looks, varied = job
    rng = np.random.default_rng([seed, *item.library.encode(), *item.key.encode()])
    try:
        body = people_made.read_item(item)
    except (InputError, ValueError, IndexError) as error:
        return str(error), []
    name = f"{item.library}/{item.key}"
    made = [records.make_record(rng, body, name, item.category, "people", [], 0.0,
                                varied and k > 0) for k in range(looks)]
    return "", [each for each in made if each is not None]


def people(args) -> None:
    libraries = people_made.VALIDATED if args.validate else people_made.TRAINED
    items = people_made.items_of(args.libraries, libraries)
    jobs = [(item, 1 if args.validate else people_made.looks_of(item), not args.validate) for item in items]
    jobs = [job for job in jobs if people_made.looks_of(job[0])]
    order = np.random.default_rng(args.seed).permutation(len(jobs))
    write(args, "people", partial(make_people, seed=args.seed), [jobs[k] for k in order])


def make_procedural(index, seed, textures, varied):
    rng = np.random.default_rng([seed, index])
    category = categories.draw(rng)
    for _ in range(20):
        try:
            body = scene.from_shape(shape.assemble(category.build(rng)))
        except ShapeError as error:
            message = str(error)
            continue
        made = records.make_record(rng, body, f"{category.name}/{seed}-{index}", category.name,
                                   "procedural", loaded(textures), TEXTURED, varied)
        return "", [made] if made is not None else []
    return message, []


_LOADED: dict = {}


def loaded(files: tuple) -> list:
    """The textures, read once in each process."""
    if files not in _LOADED:
        found = [read_texture(Path(file)) for file in files]
        _LOADED[files] = [each[0] for each in found if each is not None]
    return _LOADED[files]


def procedural(args) -> None:
    files = ()
    if args.textures:
        every = sorted(str(file) for library in people_made.TRAINED
                       for kind in ("jpg", "png")
                       for file in (args.textures / library).rglob(f"*/*/*.{kind}"))
        chosen = np.random.default_rng(5).permutation(len(every))[:TEXTURES]
        files = tuple(every[k] for k in chosen)
    indices = list(range(args.first, args.first + args.objects))
    write(args, "procedural", partial(make_procedural, seed=args.seed, textures=files,
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
