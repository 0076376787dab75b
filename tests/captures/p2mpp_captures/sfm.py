"""Debian's COLMAP on a folder of photographs, on the CPU and without a display, and how its frame lies to another."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Dict

import numpy as np

from .pose import Similarity

FEATURES = 2048  # a picture: matching takes their square
THREADS = 2


def installed() -> bool:
    return shutil.which("colmap") is not None


def run(command: str, **options) -> str:
    """One command of COLMAP; its output. Options as COLMAP's, with __ for the dot."""
    arguments = [str(item) for name, value in options.items() for item in ("--" + name.replace("__", "."), value)
                 if item is not None]
    done = subprocess.run(["colmap", command, *arguments], check=False, capture_output=True, text=True,
                          env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
    if done.returncode != 0:
        raise RuntimeError(f"colmap {command}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def _group(command: str, older: str, newer: str) -> str:
    """Which of two groups holds use_gpu and num_threads: COLMAP 4 has renamed them."""
    return newer if f"--{newer}.use_gpu" in run(command, help=None) else older


def reconstruct(folder: Path) -> None:
    """folder/images to folder/sparse/0: features, matches of all pairs, poses."""
    database, images = folder / "database.db", folder / "images"
    extraction = _group("feature_extractor", "SiftExtraction", "FeatureExtraction")
    matching = _group("exhaustive_matcher", "SiftMatching", "FeatureMatching")
    run("feature_extractor", database_path=database, image_path=images, ImageReader__single_camera=1,
        ImageReader__camera_model="SIMPLE_RADIAL", SiftExtraction__max_num_features=FEATURES,
        **{f"{extraction}__use_gpu": 0, f"{extraction}__num_threads": THREADS})
    run("exhaustive_matcher", database_path=database,
        **{f"{matching}__use_gpu": 0, f"{matching}__num_threads": THREADS})
    (folder / "sparse").mkdir()
    run("mapper", database_path=database, image_path=images, output_path=folder / "sparse",
        Mapper__num_threads=THREADS)


def as_text(model: Path, out: Path) -> None:
    """A model in text, by COLMAP's own reader and writer."""
    out.mkdir(parents=True, exist_ok=True)
    run("model_converter", input_path=model, output_path=out, output_type="TXT")


def centers(images_txt: Path) -> Dict[str, np.ndarray]:
    """Where the camera of each picture was, from images.txt."""
    lines = [line for line in images_txt.read_text().splitlines() if not line.startswith("#")]
    found = {}
    for line in lines[::2]:
        parts = line.split(maxsplit=9)
        found[parts[9]] = -rotated_back(np.array(parts[1:5], float), np.array(parts[5:8], float))
    return found


def rotated_back(quaternion: np.ndarray, point: np.ndarray) -> np.ndarray:
    """A point turned by the inverse of a quaternion (w, x, y, z)."""
    w, axis = quaternion[0], -quaternion[1:]
    return point + 2 * np.cross(axis, np.cross(axis, point) + w * point)


def similarity_between(points: np.ndarray, others: np.ndarray) -> Similarity:
    """The similarity from points [N,3] to others [N,3] by least squares (Umeyama, 1991)."""
    means = points.mean(0), others.mean(0)
    near, far = points - means[0], others - means[1]
    u, singular, vt = np.linalg.svd(far.T @ near)
    signs = np.array([1, 1, np.linalg.det(u) * np.linalg.det(vt)])
    rotation = u @ np.diag(signs) @ vt
    scale = (singular * signs).sum() / (near**2).sum()
    return Similarity(float(scale), rotation, means[1] - scale * rotation @ means[0])
