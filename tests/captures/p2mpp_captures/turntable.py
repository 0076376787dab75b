"""Pictures of an object on a turntable: a camera that stands still, equal turns in between, no other files."""

from pathlib import Path
from typing import List

import numpy as np
from PIL import Image

from .lens import Lens
from .pose import Pose, looking_at
from .rendering import render
from .shapes import Subject

FOCAL_SHARE = 248 / 224  # of the shorter side: the lens that the published model knows


def poses(views: int, elevation: float, distance: float, clockwise: bool, first: float = 0.0) -> List[Pose]:
    """cam_from_world of each picture, with the object at rest. Seen from above, the table turns clockwise or against
    the clock, so the camera goes around the object the other way. The published azimuths grow from x towards z, which
    is clockwise seen from above (y)."""
    found = []
    for number in range(views):
        turned = 360 * number / views
        azimuth, height = np.radians(first + (-turned if clockwise else turned)), np.radians(elevation)
        center = distance * np.array([np.cos(height) * np.cos(azimuth), np.sin(height),
                                      np.cos(height) * np.sin(azimuth)])
        found.append(looking_at(center, np.zeros(3)))
    return found


def write(subject: Subject, folder: Path, views: int, elevation: float, distance: float = 0.8, clockwise: bool = False,
          first: float = 0.0, width: int = 900, height: int = 1200) -> None:
    """turn_01.png, turn_02.png ... with alpha."""
    focal = FOCAL_SHARE * min(width, height)
    lens = Lens(width, height, focal, focal, width / 2, height / 2)
    folder.mkdir(parents=True, exist_ok=True)
    for number, pose in enumerate(poses(views, elevation, distance, clockwise, first), start=1):
        Image.fromarray(render(subject, pose, lens)).save(folder / f"turn_{number:02d}.png", compress_level=1)
