"""Makes shards of training data: procedural objects, or objects of a furniture library.

Examples:
  apt-get download sweethome3d-furniture && dpkg -x sweethome3d-furniture_*.deb PACKAGE
  p2mpp-shards unpack --package PACKAGE --libraries LIBRARIES
  p2mpp-shards people --libraries LIBRARIES --out DATA/train
  p2mpp-shards people --libraries LIBRARIES --out DATA/validate --validate
  p2mpp-shards procedural --out DATA/train --objects 3000 --textures LIBRARIES
  p2mpp-shards samples --libraries LIBRARIES --out data/people
  p2mpp-shards samples --libraries LIBRARIES --out OUT --views 24 --validate 20
"""

import argparse
import os
import re
import sys
import time
import zipfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from p2mpp.shapes import categories, people_made, records, scene, shape
from p2mpp.shapes.errors import DataError, ShapeError
from p2mpp.shapes.people_samples import Extent, write_samples, write_validation_samples
from p2mpp.shapes.wavefront import read_texture

SHARD = 50  # records
TEXTURED = 0.2  # share of procedural objects in their own materials that get pictures
TEXTURES = 150
# What a library has dozens of that look alike is taken once; trees are no bodies of one surface.
RARE = r"window|door|plug|switch|railing|pedestrian|parking|arrow|rail|pencil|plant|plate|frame"
NEVER = (r"tree|acacia|bamboo|palm|\bpine|beech|maple|cypress|poplar|hedge|\bbush|blossom|ficus|"
         r"parking|arrow|crossing|\bbill\b|swimming pool|carpet|doormat|newspaper")


def looks_of(item) -> int:
    """How often an object is taken, each time in other materials and proportions."""
    name = item.name.lower()
    if re.search(NEVER, name):
        return 0
    if re.search(RARE, name):
        return 1
    return 4 if item.category != "other" else 2


def unpack(args) -> None:
    wanted = people_made.TRAINED + people_made.VALIDATED
    for library in wanted:
        file = next(args.package.rglob(f"{library}.sh3f"), None)
        if file is None:
            raise DataError(f"{args.package}: no {library}.sh3f; expected the unpacked package")
        with zipfile.ZipFile(file) as archive:
            archive.extractall(args.libraries / library)


def samples(args) -> None:
    extent = Extent() if args.views is None else Extent(args.views, tuple(range(args.views)), records.POINTS)
    if args.validate is None:
        count = write_samples(args.libraries, args.out, args.seed, extent)
    else:
        count = write_validation_samples(args.libraries, args.out, args.seed, extent, args.validate)
    print(f"{count} samples in {args.out}")


def make_people(job, seed):
    """Records of one object, [] where it is not usable."""
    item, looks, varied = job
    rng = np.random.default_rng([seed, *item.library.encode(), *item.key.encode()])
    try:
        body = people_made.read_item(item)
    except (DataError, ValueError, IndexError) as error:
        return str(error), []
    name = f"{item.library}/{item.key}"
    made = [records.make_record(rng, body, name, item.category, "people", [], 0.0,
                                varied and k > 0) for k in range(looks)]
    return "", [each for each in made if each is not None]


def people(args) -> None:
    libraries = people_made.VALIDATED if args.validate else people_made.TRAINED
    items = people_made.items_of(args.libraries, libraries)
    jobs = [(item, 1 if args.validate else looks_of(item), not args.validate) for item in items]
    jobs = [job for job in jobs if looks_of(job[0])]
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
    """A line on each job that gave nothing."""
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


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="p2mpp-shards", description=__doc__,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = top.add_subparsers(required=True)
    for function in (unpack, people, procedural, samples):
        each = kinds.add_parser(function.__name__)
        each.set_defaults(run=function)
        if function is unpack:
            each.add_argument("--package", type=Path, required=True)
        if function is not procedural:
            each.add_argument("--libraries", type=Path, required=True)
        if function is not unpack:
            each.add_argument("--out", type=Path, required=True)
            each.add_argument("--seed", type=int, default=1)
        if function in (people, procedural):
            each.add_argument("--workers", type=int, default=1)
            each.add_argument("--validate", action="store_true",
                              help="the validation library, or objects in their own materials")
        if function is samples:
            each.add_argument("--views", type=int, metavar="N",
                              help="render N views and 8,000 points (default: views 0, 6, 7 of eight, 3,000)")
            each.add_argument("--validate", type=int, metavar="N",
                              help="N objects of the validation library instead of those held back")
        if function is procedural:
            each.add_argument("--objects", type=int, required=True)
            each.add_argument("--first", type=int, default=0, help="number of the first object")
            each.add_argument("--textures", type=Path, help="libraries whose textures are used")
    return top


def main(arguments=None) -> int:
    args = parser().parse_args(arguments)
    try:
        args.run(args)
    except (DataError, OSError) as error:
        print(f"p2mpp-shards: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
