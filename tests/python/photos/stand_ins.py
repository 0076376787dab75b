"""Runs that say nothing, and photographs that have nothing in common."""

from pathlib import Path
from unittest import mock

import numpy as np
from PIL import Image

from runs import require

require("cv2", "pycolmap")

from p2mpp.photos.options import Options  # noqa: E402
from p2mpp.photos.run import Run  # noqa: E402


def quiet_run(options: Options, engine=mock.Mock(refused=lambda paths: {})) -> Run:
    """A run whose program refuses no photograph."""
    return Run(options, engine, lambda line: None)


def noise(folder: Path, count: int) -> Path:
    """A folder of so many photographs of 640x480 pixels, each of another noise: 0.jpg, 1.jpg, ..."""
    folder.mkdir(exist_ok=True)
    for number in range(count):
        small = np.random.default_rng(number).integers(0, 256, (48, 64), np.uint8)
        Image.fromarray(small).resize((640, 480), Image.Resampling.BICUBIC).save(folder / f"{number}.jpg")
    return folder
