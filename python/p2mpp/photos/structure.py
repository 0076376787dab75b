"""Structure from motion by COLMAP (pycolmap): `python -m p2mpp.photos.structure JOB.json`.

It runs in a process of its own, because COLMAP writes its log to stderr, cannot be interrupted, and may abort. COLMAP's database
keeps features and matches, so that a second run goes on. On stdout it prints a JSON object per line: {"stage", "done", "of"}.
"""

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import numpy as np
import pycolmap

from p2mpp.photos.markers import from_json
from p2mpp.photos.mat_cameras import model_of_mat, photographs_with_mat
from p2mpp.photos.mat_fit import Disagreement, NotEnough
from p2mpp.photos.pairs import similar_pairs

FEATURES, THOROUGH_FEATURES = 4096, 8192  # of a photograph: matching takes their square
ENOUGH = 0.75  # of the photographs: if fewer have a camera, features are looked for more thoroughly
PATIENT_BELOW = 0.5  # of the photographs: if fewer have a camera, few matches suffice
PAIRS_AT_ONCE = 120  # between two lines of progress
SMALLEST_MODEL = 3  # photographs
SEED = 1
FEWER = 0.9  # of the photographs that show the mat: if COLMAP finds fewer cameras, the mat gives them


@dataclass(frozen=True)
class Job:
    """What the parent asks for. groups: the names of each camera's photographs. exhaustive: match all pairs."""

    images: Path
    database: Path
    folder: Path  # of the models; empty
    groups: List[List[str]]
    exhaustive: bool
    largest_side: int  # pixels, for features
    threads: int
    markers: Dict[str, list]  # of the mat, by photograph
    is_thorough: bool = False  # in the search for features

    @property
    def names(self) -> List[str]:
        return sorted(name for group in self.groups for name in group)

    def thorough(self) -> "Job":
        """The same with a database for thorough features."""
        return replace(self, database=self.database.with_name("thorough.db"), is_thorough=True)


def read_job(path: Path) -> Job:
    job = json.loads(path.read_text(encoding="utf-8"))
    return Job(Path(job["images"]), Path(job["database"]), Path(job["folder"]), job["groups"], job["exhaustive"], job["largest_side"],
               job["threads"], from_json(job["markers"]))


def say(stage: str, done: int, of: int) -> None:
    print(json.dumps({"stage": stage, "done": done, "of": of}), flush=True)


def extract(job: Job) -> None:
    """SIFT. A call per photograph would make a camera each; COLMAP skips photographs that the database has."""
    options = pycolmap.FeatureExtractionOptions(num_threads=job.threads, max_image_size=job.largest_side)
    options.sift.max_num_features = FEATURES
    if job.is_thorough:  # three times as slow, and they match across wider angles (Dong and Soatto, DSP-SIFT, 2015)
        options.sift.max_num_features = THOROUGH_FEATURES
        options.sift.estimate_affine_shape = options.sift.domain_size_pooling = True
    done = 0
    for group in job.groups:
        first = None
        for start in range(0, len(group), 2 * job.threads):
            names = group[start:start + 2 * job.threads]
            reader = pycolmap.ImageReaderOptions(camera_model="SIMPLE_RADIAL")
            if first is not None:
                reader.existing_camera_id = camera_of(job.database, first)
            pycolmap.extract_features(job.database, job.images, image_names=names, camera_mode=pycolmap.CameraMode.SINGLE,
                                      reader_options=reader, extraction_options=options, device=pycolmap.Device.cpu)
            first = first or next((name for name in names if camera_of(job.database, name) >= 0), None)
            done += len(names)
            say("thorough features" if job.is_thorough else "features", done, len(job.names))


def camera_of(database: Path, name: str) -> int:
    """-1: COLMAP could not read the photograph. Not by Python's SQLite: two copies of it in a process break its locks."""
    with pycolmap.Database.open(database) as opened:
        image = opened.read_image_with_name(name)
        return -1 if image is None else image.camera_id


def pairs_of(job: Job) -> List[Tuple[str, str]]:
    names = job.names
    if job.exhaustive:
        return [(a, b) for k, a in enumerate(names) for b in names[k + 1:]]
    descriptors = []
    with pycolmap.Database.open(job.database) as database:
        for name in names:
            image = database.read_image_with_name(name)
            descriptors.append(np.zeros((0, 128), np.uint8) if image is None
                               else np.asarray(database.read_descriptors(image.image_id).data).view(np.uint8).reshape(-1, 128))
    return [(names[a], names[b]) for a, b in similar_pairs(descriptors)]


def match(job: Job) -> None:
    """Matches and their geometric verification. COLMAP skips pairs that the database has."""
    pairs = pairs_of(job)
    options = pycolmap.FeatureMatchingOptions(num_threads=job.threads)
    listed = job.folder / "pairs.txt"
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        part = pairs[start:start + PAIRS_AT_ONCE]
        listed.write_text("".join(f"{a} {b}\n" for a, b in part), encoding="utf-8")
        pycolmap.match_image_pairs(job.database, matching_options=options,
                                   pairing_options=pycolmap.ImportedPairingOptions(match_list_path=listed),
                                   device=pycolmap.Device.cpu)
        say("matches", start + len(part), len(pairs))


def mapped(job: Job, patient: bool) -> List[pycolmap.Reconstruction]:
    """The models, the largest first. patient: also with few matches."""
    out = job.folder / f"{job.database.stem}-{'patient' if patient else 'first'}"
    out.mkdir()
    options = pycolmap.IncrementalPipelineOptions(num_threads=job.threads, random_seed=SEED, min_model_size=SMALLEST_MODEL)
    if patient:
        options.mapper.init_min_num_inliers, options.mapper.init_min_tri_angle = 40, 6.0
        options.mapper.abs_pose_min_num_inliers = 15
    placed = [0]

    def count() -> None:
        placed[0] += 1
        say("cameras", placed[0], len(job.names))

    models = pycolmap.incremental_mapping(job.database, job.images, out, options=options, next_image_callback=count)
    return sorted(models.values(), key=lambda model: -model.num_reg_images())


def by_mat(job: Job, found: int) -> Optional[pycolmap.Reconstruction]:
    """If it gives cameras where COLMAP found only so many."""
    shown = len(photographs_with_mat(job.markers))
    if found >= FEWER * shown:
        return None
    say("mat", 0, shown)
    (job.folder / "matches").mkdir()
    try:
        model = model_of_mat(job.markers, job.groups, job.database, job.images, job.folder / "matches")
    except NotEnough:
        return None
    if model is None or model.num_reg_images() <= found:
        return None
    say("mat", model.num_reg_images(), shown)
    return model


def registered(models: List[pycolmap.Reconstruction]) -> int:
    return models[0].num_reg_images() if models else 0


def best_models(job: Job) -> Tuple[Job, List[pycolmap.Reconstruction], bool]:
    """The largest model first, the job with the database of its features, and whether the mat gave it. Throws Disagreement. Thorough
    features are looked for, and few matches suffice, only where too few photographs would have a camera."""
    extract(job)
    match(job)
    found = [(job, mapped(job, patient=False))]
    other = by_mat(job, registered(found[0][1]))
    if other is not None:
        return job, [other], True
    if registered(found[0][1]) < ENOUGH * len(job.names):
        thorough = job.thorough()
        extract(thorough)
        match(thorough)
        found.append((thorough, mapped(thorough, patient=False)))
    if max(registered(models) for _, models in found) < PATIENT_BELOW * len(job.names):
        found += [(each, mapped(each, patient=True)) for each, _ in found]
    return (*max(found, key=lambda each: registered(each[1])), False)


def main() -> int:
    job = read_job(Path(sys.argv[1]))
    try:
        best, models, by_the_mat = best_models(job)
    except Disagreement as error:
        print(json.dumps({"disagreement": str(error)}), flush=True)
        return 0
    if models:
        (job.folder / "model").mkdir()
        models[0].write(job.folder / "model")
    others = [len(model.reg_image_ids()) for model in models[1:]]
    print(json.dumps({"models": [registered(models), *others] if models else [], "mat": by_the_mat, "database": best.database.name}),
          flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
