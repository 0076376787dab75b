"""The shapes of the bundled samples, made again by their generator, with the truth that comes with them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import List

import numpy as np

ROOT = Path(__file__).resolve().parents[3]

from p2mpp.shapes.camera import View, parse_row, world_from_cam
from p2mpp.shapes.dataset import categories_named
from p2mpp.shapes.sample import SampleOptions, build_shape, lights_of
from p2mpp.shapes.shading import Lights
from p2mpp.shapes.shape import Shape

DATA = ROOT / "data"


@dataclass(frozen=True)
class Subject:
    """An object to be photographed. truth: points [N,3] of its surface in the normalised world, from the file."""

    name: str  # CATEGORY_MODEL
    shape: Shape
    lights: Lights
    truth: np.ndarray
    views: List[View]  # of the sample's metadata


def names(data: Path = DATA) -> List[str]:
    """CATEGORY_MODEL of each sample of the folder's list."""
    return [line.removesuffix(".dat").removesuffix("_00") for line in (data / "test_list.txt").read_text().split()]


def folder_of(name: str, data: Path = DATA) -> Path:
    """The sample as `p2mpp predict` takes it."""
    return data.joinpath(*name.split("_"))


def subject(name: str, data: Path = DATA) -> Subject:
    """One sample of a folder that p2mpp-generate made, with its truth as text."""
    category, model = name.split("_")
    options = SampleOptions(seed=json.loads((data / "generation.json").read_text())["options"]["seed"])
    which = (options, categories_named([category])[0], int(model.removeprefix("p2mpp")))
    rows = (folder_of(name, data) / "rendering" / "rendering_metadata.txt").read_text().splitlines()
    views = [parse_row(row) for row in rows]
    truth = world_from_cam(views[0], np.loadtxt(data / f"{name}_00_ground.xyz")[:, :3])
    return Subject(name, build_shape(*which), lights_of(*which), truth, views)
