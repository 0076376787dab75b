"""Samples for the volume's network, from the shards of p2mpp-shards and the truth beside them."""

from pathlib import Path
from typing import List, NamedTuple, Optional, Tuple

import numpy as np
import torch
from torch import Tensor

from p2mpp.training import augment
from p2mpp.training.shards import (HELD_OUT_VIEWS, MIRRORED, MIRRORED_CAMERA, NOISY_POSES, PEOPLE_SHARE, HeldOutShards,
                                   Shards, chosen_views, disturbed, drawn_count, pinholes, rig_of, unit)

from .distance_files import DistanceFile, file_of
from .distances import LEVELS, Distances
from .grid import COARSE_VOXELS, MARGIN, Grid, box_of_cells, cells_of_hull, grid_over, upright_frame
from .network import look_up_volume
from .spoil import spoilt

CUBE = 0.33  # half the side of the cube that holds the hull; objects lie within 0.285 of the origin
SMALLEST_GRID = 0.3  # share of the voxels that the smallest grids have
TIGHT = 0.6  # share of the grids that lie around the object itself, as the second pass of a prediction
FACE_ERROR = 0.03  # of those grids' faces, standard deviation as a share of the longest side
AT_SURFACE = 0.7  # share of the fine points that lie around visible points
SPREADS = 0.3, 1.6  # coarse voxels: standard deviations of their distances


class VolumeSample(NamedTuple):
    """images [V,224,224,4] uint8 (BGR, mask), cameras [V,16] from the frame, its grid; true distances (in the unit of
    the scene, at most `reach`) of the coarse voxels [X,Y,Z] and at points [P,3]. Held-out samples have visible points
    with normals [N,3], the cube's low corner and side in which IoU counts, and the object's true distances there."""

    images: Tensor
    cameras: Tensor
    grid: Grid
    reach: float
    coarse: Tensor
    points: Tensor
    fine: Tensor
    surface: Optional[Tensor] = None
    normals: Optional[Tensor] = None
    cube: Optional[Grid] = None
    in_cube: Optional[Tensor] = None

    def network_images(self) -> Tensor:
        return (self.images.float() / 255.0).permute(0, 3, 1, 2)


class VolumeDraw(NamedTuple):
    """Samples of a step. They have grids of different sizes."""

    each: List[VolumeSample]

    def samples(self) -> int:
        return len(self.each)

    def split(self, parts: int) -> List["VolumeDraw"]:
        size = -(-len(self.each) // parts)
        return [VolumeDraw(self.each[first:first + size]) for first in range(0, len(self.each), size)]

    def to(self, device: torch.device) -> "VolumeDraw":
        moved = [each._replace(**{name: value.to(device) for name, value in each._asdict().items()
                                  if isinstance(value, Tensor)}) for each in self.each]
        return VolumeDraw(moved)


class Placement(NamedTuple):
    """From a record's world to the sample's frame: mirrored or not, then rotated."""

    rotation: np.ndarray
    mirrored: bool

    def to_frame(self, vectors: np.ndarray) -> np.ndarray:
        return (vectors * MIRRORED if self.mirrored else vectors) @ self.rotation.T

    def to_world(self, vectors: np.ndarray) -> np.ndarray:
        turned = vectors @ self.rotation
        return turned * MIRRORED if self.mirrored else turned


def true_distances(truth: Distances, points: np.ndarray) -> np.ndarray:
    """At points [...,3] of the world, at most truth.reach."""
    places = torch.from_numpy(((points.reshape(-1, 3) - truth.low) / truth.voxel).astype(np.float32))
    values = torch.from_numpy(truth.values.astype(np.float32))[None, None]
    found = look_up_volume(values, places)[0].numpy() * (truth.reach / LEVELS)
    size = np.array(truth.values.shape)
    beyond = np.linalg.norm(places.numpy() - places.numpy().clip(0.5, size - 0.5), axis=1) * truth.voxel
    return np.minimum(found + beyond, truth.reach).reshape(points.shape[:-1]).astype(np.float32)


def drawn_grid(random, masks: Tensor, cameras: Tensor, points: np.ndarray, voxels: int) -> Grid:
    """Around the masks' hull or around the object, whose visible points are given in the frame."""
    budget = int(voxels * np.exp(random.uniform(np.log(SMALLEST_GRID), 0)))
    if random.random() < TIGHT:
        low, high = points.min(0), points.max(0)
        longest = (high - low).max()
        return grid_over(low - longest * (MARGIN + FACE_ERROR * random.standard_normal(3)),
                         high + longest * (MARGIN + FACE_ERROR * random.standard_normal(3)), budget)
    return hull_grid(masks, cameras, budget, CUBE * random.uniform(0.95, 1.2), 0.02 * random.standard_normal(3))


def hull_grid(masks: Tensor, cameras: Tensor, voxels: int = COARSE_VOXELS, half: float = CUBE,
              middle: np.ndarray = np.zeros(3)) -> Grid:
    cells = cells_of_hull(masks, cameras, middle - half, 2 * half)
    return grid_over(*box_of_cells(cells, middle - half, 2 * half), voxels)


def fine_points(random, grid: Grid, surface: np.ndarray, count: int) -> np.ndarray:
    """[count,3] in the grid: around points of the surface, and anywhere."""
    sides = grid.voxel * np.array(grid.shape)
    near = int(AT_SURFACE * count)
    chosen = surface[random.integers(len(surface), size=near)]
    spread = grid.voxel * np.where(random.random((near, 1)) < 0.6, *SPREADS)
    near_points = chosen + spread * random.standard_normal((near, 3))
    points = np.concatenate([near_points, grid.low + sides * random.random((count - near, 3))])
    return points.clip(grid.low, grid.low + sides)


def draw_volume_sample(random, record, truth: Distances, views: int, points: int, voxels: int) -> VolumeSample:
    """An augmented sample, with `points` fine points."""
    chosen = chosen_views(random, views, len(record["cameras"]))
    pictures, cameras = record["pictures"][chosen], record["cameras"][chosen]
    mirrored = random.random() < 0.5
    if mirrored:
        pictures, cameras = pictures[:, :, ::-1], cameras * MIRRORED_CAMERA
    rig = rig_of(cameras)
    if random.random() < NOISY_POSES:
        rig = disturbed(random, rig)
    placement = Placement(upright_frame(rig.rotation[0]), mirrored)
    images = torch.from_numpy(augment.augmented(random, spoilt(random, pictures)))
    seen = torch.from_numpy(pinholes(rig, placement.rotation, np.zeros(3)))
    surface = placement.to_frame(record["points"].astype(np.float64))
    grid = drawn_grid(random, images[..., 3].float() / 255.0, seen, surface, voxels)
    return with_truth(images, seen, grid, truth, placement, fine_points(random, grid, surface, points))


def with_truth(images, cameras, grid: Grid, truth: Distances, placement: Placement, points) -> VolumeSample:
    coarse, fine = (torch.from_numpy(true_distances(truth, placement.to_world(each)))
                    for each in (grid.centres(), points))
    return VolumeSample(images, cameras, grid, truth.reach, coarse, torch.from_numpy(points), fine)


def held_out_sample(record, truth: Distances, views: slice, variant: str = "own") -> VolumeSample:
    """A sample as the engine sees it: some views of a record, a grid over the masks' hull."""
    rig = rig_of(record["cameras"][views])
    placement = Placement(upright_frame(rig.rotation[0]), False)
    images = torch.from_numpy(augment.plain(record["pictures"][views], variant))
    cameras = torch.from_numpy(pinholes(rig, placement.rotation, np.zeros(3)))
    grid = hull_grid(images[..., 3].float() / 255.0, cameras)
    sample = with_truth(images, cameras, grid, truth, placement, np.zeros((1, 3)))
    surface = placement.to_frame(record["points"].astype(np.float64))
    cube = cube_around(surface)
    in_cube = true_distances(truth, placement.to_world(cube.centres()))
    normals = placement.to_frame(unit(record["normals"].astype(np.float64)))
    return sample._replace(surface=torch.from_numpy(surface.astype(np.float32)),
                           normals=torch.from_numpy(normals.astype(np.float32)), cube=cube,
                           in_cube=torch.from_numpy(in_cube))


def cube_around(points: np.ndarray, voxels: int = 32) -> Grid:
    """The cube around points, of `voxels` along a side."""
    low, high = points.min(0), points.max(0)
    voxel = float((high - low).max()) / voxels
    return Grid((low + high) / 2 - voxel * voxels / 2, voxel, (voxels,) * 3)


class VolumeShards(Shards):
    """The shards of a folder that have their truth beside them. Throws InputError if there is none."""

    expected = "shards of p2mpp-shards with their truth, which p2mpp-volume truth makes"

    def __init__(self, folder: Path, people_share: float = PEOPLE_SHARE, voxels: int = COARSE_VOXELS):
        self.voxels = voxels
        self.truths: dict = {}
        super().__init__(folder, people_share)

    def names(self) -> List[str]:
        return [name for name in super().names() if file_of(self.folder / name).is_file()]

    def truth(self, place: Tuple[str, int]) -> Distances:
        name, index = place
        if name not in self.truths:
            self.truths[name] = DistanceFile(file_of(self.folder / name), self.file(name)["name"])
        return self.truths[name][index]

    def place_with_truth(self, random, step: int) -> Tuple[str, int]:
        while True:
            place = self.place(random, step)
            if self.truth(place).values.size > 0:
                return place

    def draw(self, random, step: int, batch: int, points: int) -> VolumeDraw:
        views = drawn_count(random)
        places = [self.place_with_truth(random, step) for _ in range(batch)]
        return VolumeDraw([draw_volume_sample(random, self.file(place[0])[place[1]], self.truth(place), views, points,
                                              self.voxels) for place in places])


class HeldOutVolumes(HeldOutShards):
    """Held-out records with their truth."""

    shards: VolumeShards

    def open(self, folder: Path) -> VolumeShards:
        return VolumeShards(folder)

    def batch(self, group: str, index: int) -> VolumeDraw:
        variant, first, records = self.groups[group]
        record = records[index]
        place = next((name, int(found[0])) for name in self.shards.names()
                     if len(found := np.flatnonzero(self.shards.file(name)["name"] == record["name"])))
        sample = held_out_sample(record, self.shards.truth(place), slice(first, first + HELD_OUT_VIEWS), variant)
        return VolumeDraw([sample])
