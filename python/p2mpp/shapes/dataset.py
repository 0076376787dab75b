"""Generates a folder of samples in several processes; an interrupted run continues."""

import json
import os
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from ..errors import InputError
from .categories import CATEGORIES
from .sample import SampleOptions, sample_id, truth_path, write_sample

RECORD = "generation.json"
LIBRARIES = ("numpy", "manifold3d", "pillow")


@dataclass(frozen=True)
class DatasetOptions:
    """Which models a run makes, and how."""

    sample: SampleOptions
    categories: tuple  # Category
    per_category: int
    first_index: int = 1
    list_name: str = "test_list.txt"
    workers: int = 1  # processes


def categories_named(names):
    """Categories by name or synset id. Throws InputError for an unknown one."""
    known = {key: category for category in CATEGORIES for key in (category.name, category.synset)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(
            f"--categories: no category {unknown[0]!r}; expected "
            + ", ".join(category.name for category in CATEGORIES)
        )
    return tuple(category for category in CATEGORIES if category in {known[name] for name in names})


def generate(out, options, report):
    """Makes the run's missing samples under `out`, and its list file.

    report(done, total) is called now and then. Returns (samples made, seconds). Throws InputError
    if the folder was made with other options, ShapeError if a category fails.
    """
    out = Path(out)
    _check_record(out, options.sample)
    wanted = [
        (category, index)
        for category in options.categories
        for index in range(options.first_index, options.first_index + options.per_category)
    ]
    missing = [job for job in wanted if not truth_path(out, options.sample, *job).exists()]
    start = time.perf_counter()
    for done, _ in enumerate(_in_processes(out, options, missing), start=1):
        report(done, len(missing))
    ids = [sample_id(category, index) for category, index in wanted]
    (out / options.list_name).write_text("".join(line + "\n" for line in ids))
    return len(missing), time.perf_counter() - start


def _in_processes(out, options, jobs):
    """Yields once for each finished job."""
    if options.workers <= 1 or len(jobs) < 2:
        for category, index in jobs:
            yield write_sample(out, options.sample, category, index)
        return
    with ProcessPoolExecutor(options.workers) as pool:
        yield from pool.map(_write_one, ((out, options.sample, job) for job in jobs), chunksize=4)


def _write_one(job):
    out, options, (category, index) = job
    write_sample(out, options, category, index)


def _check_record(out, options):
    """Reads or writes OUT/generation.json: a folder is made with one set of options only."""
    path = out / RECORD
    record = json.loads(
        json.dumps(
            {"options": asdict(options), "libraries": {name: version(name) for name in LIBRARIES}}
        )
    )
    if not path.exists():
        out.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record, indent=2) + "\n")
        return
    try:
        existing = json.loads(path.read_text())
    except ValueError as error:
        raise InputError(
            f"{path}: not JSON ({error}); expected the record of an earlier run"
        ) from error
    if existing != record:
        raise InputError(
            f"{path}: made with {_difference(existing, record)}; expected the same options "
            "and library versions, or another folder"
        )


def _difference(existing, record):
    """The first setting that differs, and the folder's value."""
    for group, settings in record.items():
        for name, value in settings.items():
            found = existing.get(group, {}).get(name) if isinstance(existing, dict) else None
            if found != value:
                return f"{name} = {json.dumps(found)}, not {json.dumps(value)}"
    return "settings that this version does not know"


def default_workers():
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0))
