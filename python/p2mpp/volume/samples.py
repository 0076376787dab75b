"""Samples for the volume's network, from the shards of p2mpp-shards and the truth beside them."""

from pathlib import Path
from typing import List, NamedTuple, Optional, Tuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import max_pool3d

from p2mpp.training import augment
from p2mpp.training.shards import (HELD_OUT_VIEWS, MIRRORED, MIRRORED_CAMERA, NOISY_POSES, PEOPLE_SHARE, HeldOutShards,
                                   Shards, chosen_views, disturbed, drawn_count, pinholes, rig_of, unit)

from .distance_files import DistanceFile, file_of
from .distances import LEVELS, Distances
from .grid import COARSE_VOXELS, MARGIN, Grid, box_of_cells, cells_of_hull, grid_over, upright_frame
from .network import look_up_volume
from .prior import prior_at, prior_field
from .spoil import spoilt
from .template_files import MeshFile, Template, meshes_of

CUBE = 0.33  # half the side of the cube that holds the hull; objects lie within 0.285 of the origin
SMALLEST_GRID = 0.3  # share of the voxels that the smallest grids have
TIGHT = 0.6  # share of the grids that lie around the object itself, as the second pass of a prediction
FACE_ERROR = 0.03  # of those grids' faces, standard deviation as a share of the longest side
AT_SURFACE = 0.7  # share of the fine points that lie around a surface
AT_PRIOR = 0.3  # share of them for which that is the prior's
SPREADS = 0.3, 1.6  # coarse voxels: standard deviations of their distances
DEPTH_AROUND = 3  # stored voxels of the truth: how thick the object is shows the largest depth so near
THIN, THICK = 1.2, 2.8  # stored voxels: a part is thin if that depth is at most the first, and thick from the second on
FLIP = np.array([-1, 1, 1])  # of a picture, and of the axes of its camera and frame


class VolumeSample(NamedTuple):
    """images [V,224,224,4] uint8 (BGR, mask), cameras [V,16] from the frame, its grid, and the prior (prior_field());
    true distances (in the unit of the scene, at most `reach`) of the coarse voxels [X,Y,Z] and at points [P,3], and how
    thin the object is there (see thinness()). Held-out samples have visible points with normals [N,3], the cube's low
    corner and side in which IoU counts, and the object's true distances there."""

    images: Tensor
    cameras: Tensor
    grid: Grid
    prior: Tensor
    reach: float
    coarse: Tensor
    coarse_thinness: Tensor
    points: Tensor
    fine: Tensor
    fine_thinness: Tensor
    surface: Optional[Tensor] = None
    normals: Optional[Tensor] = None
    cube: Optional[Grid] = None
    in_cube: Optional[Tensor] = None

    def network_images(self) -> Tensor:
        return (self.images.float() / 255.0).permute(0, 3, 1, 2)

    def prior_at(self, points: np.ndarray) -> Tensor:
        """[2,P] at points [...,3]."""
        return prior_at(self.prior.numpy(force=True), points).to(self.cameras.device)


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


def look_up_truth(truth: Distances, values: Tensor, points: np.ndarray) -> Tuple[Tensor, Tensor]:
    """Values [C,X,Y,Z] of the truth's voxels at points [...,3] of the world -> [C,P], and the places [P,3] in voxels."""
    places = torch.from_numpy(((points.reshape(-1, 3) - truth.low) / truth.voxel).astype(np.float32))
    return look_up_volume(values[None], places), places


def thinness(truth: Distances) -> Tensor:
    """Of the parts around the truth's voxels: 1 where the object is a sheet or a rod, 0 where it is thick [X,Y,Z]."""
    depth = -torch.from_numpy(truth.values.astype(np.float32))[None, None] * (truth.reach / truth.voxel / LEVELS)
    for axis in range(3):
        size = [2 * DEPTH_AROUND + 1 if k == axis else 1 for k in range(3)]
        depth = max_pool3d(depth, size, 1, [DEPTH_AROUND if k == axis else 0 for k in range(3)])
    return ((THICK - depth[0, 0]) / (THICK - THIN)).clamp(0.0, 1.0)


def true_distances(truth: Distances, points: np.ndarray) -> np.ndarray:
    """At points [...,3] of the world, at most truth.reach."""
    found, places = look_up_truth(truth, torch.from_numpy(truth.values.astype(np.float32))[None], points)
    found = found[0].numpy() * (truth.reach / LEVELS)
    size = np.array(truth.values.shape)
    beyond = np.linalg.norm(places.numpy() - places.numpy().clip(0.5, size - 0.5), axis=1) * truth.voxel
    return np.minimum(found + beyond, truth.reach).reshape(points.shape[:-1]).astype(np.float32)


def drawn_grid(random, masks: Tensor, cameras: Tensor, points: np.ndarray, voxels: int) -> Grid:
    """Around the masks' hull or around the object, whose visible points are given in the frame."""
    budget = int(voxels * np.exp(random.uniform(np.log(SMALLEST_GRID), 0)))
    if random.random() < TIGHT:
        low, high = points.min(0), points.max(0)
        longest = (high - low).max()
        low = low - longest * (MARGIN + FACE_ERROR * random.standard_normal(3))
        high = high + longest * (MARGIN + FACE_ERROR * random.standard_normal(3))
        return grid_over(low, np.maximum(high, low + MARGIN * longest), budget)  # faces of a thin object could be exchanged
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


class SampleViews(NamedTuple):
    """Images and cameras of a sample, and its frame."""

    images: Tensor
    cameras: Tensor
    placement: Placement

    def grid_masks(self) -> Tensor:
        return self.images[..., 3].float() / 255.0


def drawn_views(random, record, exact: bool = False, looks=None) -> SampleViews:
    """Augmented views; if `exact`, without errors of poses and masks, and with colours that the generator `looks` draws."""
    chosen = chosen_views(random, drawn_count(random), len(record["cameras"]))
    pictures, cameras = record["pictures"][chosen], record["cameras"][chosen]
    mirrored = random.random() < 0.5
    if mirrored:
        pictures, cameras = pictures[:, :, ::-1], cameras * MIRRORED_CAMERA
    rig = rig_of(cameras)
    if not exact and random.random() < NOISY_POSES:
        rig = disturbed(random, rig)
    placement = Placement(upright_frame(rig.rotation[0]), mirrored)
    if exact:
        images = augment.augmented(looks or random, pictures, {"own": 1.0})
    else:
        images = augment.augmented(random, spoilt(random, pictures))
    return SampleViews(torch.from_numpy(images), torch.from_numpy(pinholes(rig, placement.rotation, np.zeros(3))), placement)


def varied(random, views: SampleViews, vertices: np.ndarray, triangles: np.ndarray) -> Tuple[SampleViews, tuple]:
    """A sample and its mesh as another sample: the frame is another view's, colours are exchanged, and all may be mirrored.
    A draw costs a mesh of stage 2, this nothing."""
    order = random.permutation(len(views.cameras))
    images, cameras = views.images[order], views.cameras.numpy()[order]
    images = torch.cat([images[..., torch.from_numpy(random.permutation(3))], images[..., 3:]], -1)
    axes, placement = cameras[:, :9].reshape(-1, 3, 3), views.placement
    turn = upright_frame(axes[0])
    axes, vertices, placement = axes @ turn.T, vertices @ turn.T, placement._replace(rotation=turn @ placement.rotation)
    shifts = cameras[:, 9:12]
    if random.random() < 0.5:
        images = images.flip(2)
        axes, shifts, vertices = FLIP[:, None] * axes * FLIP, shifts * FLIP, vertices * FLIP
        triangles = triangles[:, ::-1]
        placement = Placement(FLIP[:, None] * placement.rotation * MIRRORED, not placement.mirrored)
    cameras = np.concatenate([axes.reshape(-1, 9), shifts, cameras[:, 12:]], 1)
    return SampleViews(images, torch.from_numpy(cameras), placement), (vertices, triangles)


def draw_volume_sample(random, record, truth: Distances, views: SampleViews, mesh: tuple, points: int,
                       voxels: int) -> VolumeSample:
    """A sample of drawn views and stage 2's mesh of them (vertices, triangles), with `points` fine points."""
    surface = views.placement.to_frame(record["points"].astype(np.float64))
    grid = drawn_grid(random, views.grid_masks(), views.cameras, surface, voxels)
    of_prior = int(AT_PRIOR * points)
    places = np.concatenate([fine_points(random, grid, surface, points - of_prior),
                             fine_points(random, grid, mesh[0], of_prior)])
    return with_truth(views, grid, mesh, truth, places)


def with_truth(views: SampleViews, grid: Grid, mesh: tuple, truth: Distances, points) -> VolumeSample:
    every = [views.placement.to_world(each) for each in (grid.centres(), points)]
    coarse, fine = (torch.from_numpy(true_distances(truth, each)) for each in every)
    thin = thinness(truth)[None]
    coarse_thin, fine_thin = (look_up_truth(truth, thin, each)[0][0].view(each.shape[:-1]) for each in every)
    prior = torch.from_numpy(prior_field(*mesh))
    return VolumeSample(views.images, views.cameras, grid, prior, truth.reach, coarse, coarse_thin, torch.from_numpy(points),
                        fine, fine_thin)


def held_out_views(record, views: slice, variant: str = "own") -> SampleViews:
    """Views as the engine sees them."""
    rig = rig_of(record["cameras"][views])
    placement = Placement(upright_frame(rig.rotation[0]), False)
    images = torch.from_numpy(augment.plain(record["pictures"][views], variant))
    return SampleViews(images, torch.from_numpy(pinholes(rig, placement.rotation, np.zeros(3))), placement)


def held_out_sample(record, truth: Distances, views: SampleViews, mesh: tuple) -> VolumeSample:
    """A sample of such views, with a grid over the masks' hull."""
    placement = views.placement
    sample = with_truth(views, hull_grid(views.grid_masks(), views.cameras), mesh, truth, np.zeros((1, 3)))
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

    expected = "shards of p2mpp-shards with what p2mpp-volume truth makes of them"
    needs = staticmethod(lambda shard: file_of(shard).is_file())

    def __init__(self, folder: Path, people_share: float = PEOPLE_SHARE, voxels: int = COARSE_VOXELS):
        self.voxels = voxels
        self.truths: dict = {}
        super().__init__(folder, people_share)

    def names(self) -> List[str]:
        return [name for name in super().names() if self.needs(self.folder / name)]

    def truth(self, place: Tuple[str, int]) -> Distances:
        name, index = place
        if name not in self.truths:
            self.truths[name] = DistanceFile(file_of(self.folder / name), self.file(name)["name"])
        return self.truths[name][index]


class TrainingVolumes(VolumeShards):
    """Those that have the meshes of draws, too."""

    expected = "shards of p2mpp-shards with what p2mpp-volume truth and p2mpp-volume meshes make of them"
    needs = staticmethod(lambda shard: file_of(shard).is_file() and meshes_of(shard).is_file())

    def __init__(self, *arguments):
        self.meshes: dict = {}
        super().__init__(*arguments)

    def draw_of(self, random, place: Tuple[str, int]) -> Optional[Tuple[SampleViews, tuple]]:
        """One of the record's draws, varied, and its mesh; None if it has none."""
        name, index = place
        if name not in self.meshes:
            self.meshes[name] = MeshFile(meshes_of(self.folder / name), self.file(name)["name"])
        file = self.meshes[name]
        own = np.flatnonzero(file.records == index)
        if len(own) == 0:
            return None
        number = own[int(random.integers(len(own)))]
        views = drawn_views(np.random.default_rng(int(file.seeds[number])), self.file(name)[index], bool(file.exact[number]), random)
        return varied(random, views, file.vertices[number].astype(np.float64), file.triangles)

    def draw_one(self, random, step: int, points: int) -> VolumeSample:
        while True:
            place = self.place(random, step)
            found = self.draw_of(random, place)
            if found is not None:
                return draw_volume_sample(random, self.file(place[0])[place[1]], self.truth(place), *found, points,
                                          self.voxels)

    def draw(self, random, step: int, batch: int, points: int) -> VolumeDraw:
        return VolumeDraw([self.draw_one(random, step, points) for _ in range(batch)])


class HeldOutVolumes(HeldOutShards):
    """Held-out records with their truth. `template` makes stage 2's meshes, once for each sample."""

    shards: VolumeShards

    def __init__(self, folder: Path, samples: int, template: Template):
        self.template = template
        self.meshes: dict = {}
        super().__init__(folder, samples)

    def open(self, folder: Path) -> VolumeShards:
        return VolumeShards(folder)

    def batch(self, group: str, index: int) -> VolumeDraw:
        variant, first, records = self.groups[group]
        record = records[index]
        place = next((name, int(found[0])) for name in self.shards.names()
                     if len(found := np.flatnonzero(self.shards.file(name)["name"] == record["name"])))
        views = held_out_views(record, slice(first, first + HELD_OUT_VIEWS), variant)
        if (group, index) not in self.meshes:
            self.meshes[group, index] = self.template.mesh(views.images, views.cameras.numpy())
        return VolumeDraw([held_out_sample(record, self.shards.truth(place), views, self.meshes[group, index])])
