"""The mesh of a field of distances, and how well it matches the truth."""

from typing import Dict, Tuple

import numpy as np
import torch

from p2mpp.shapes.ground_truth import sample_surface
from p2mpp.training.metrics import measure
from p2mpp.training.nearest import nearest_indices

from .grid import Grid
from .network import look_up_volume
from .samples import VolumeSample

SURFACE_POINTS = 10_000
TOUCHING = 0.5  # voxels: a voxel counts if the solid comes so near to its centre, so that sheets count


def mesh_of_field(field: np.ndarray, grid: Grid, factor: int) -> Tuple[np.ndarray, np.ndarray]:
    """Surface nets: distances [X,Y,Z] at the grid's centres, `factor` times as fine -> vertices [N,3], triangles
    [M,3] wound outward. The field is closed at the grid's border. Both are empty if nothing is inside."""
    voxel = grid.voxel / factor
    values = np.pad(field.astype(np.float64), 1, constant_values=max(float(np.abs(field).max()), 1e-6))
    sizes = values.shape
    total, count = np.zeros((*(size - 1 for size in sizes), 3)), np.zeros([size - 1 for size in sizes], np.int32)
    crossings = []
    for axis in range(3):
        first = values[tuple(slice(0, -1) if k == axis else slice(None) for k in range(3))]
        second = values[tuple(slice(1, None) if k == axis else slice(None) for k in range(3))]
        at = np.argwhere((first < 0) != (second < 0))  # not at the outermost corners, which are outside
        here, there = first[tuple(at.T)], second[tuple(at.T)]
        place = at.astype(np.float64)
        place[:, axis] += here / (here - there)
        around = cells_around(at, axis)
        for cells in around:
            np.add.at(total, tuple(cells.T), place)
            np.add.at(count, tuple(cells.T), 1)
        crossings.append((around, here < 0))
    number = np.cumsum(count.ravel() > 0).reshape(count.shape) - 1
    filled = count > 0
    vertices = total[filled] / count[filled][:, None]
    quads = [quads_of([number[tuple(cells.T)] for cells in around], inside) for around, inside in crossings]
    corners = np.concatenate(quads).reshape(-1, 4)
    triangles = np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]])
    return grid.low + (vertices - 0.5) * voxel, triangles


def cells_around(at: np.ndarray, axis: int) -> list:
    """The four cells around edges that begin at corners [N,3], in the order of a turn."""
    second, third = (axis + 1) % 3, (axis + 2) % 3
    found = []
    for one, two in ((1, 1), (0, 1), (0, 0), (1, 0)):
        cells = at.copy()
        cells[:, second] -= one
        cells[:, third] -= two
        found.append(cells)
    return found


def quads_of(corners: list, inside_first: np.ndarray) -> np.ndarray:
    """Quads [N,4] of the cells around edges, turned where the edge leads inward."""
    quads = np.stack(corners, -1)
    return np.where(inside_first[:, None], quads, quads[:, ::-1])


def scores(field: np.ndarray, grid: Grid, factor: int, sample: VolumeSample, seed: int = 0) -> Dict[str, float]:
    """Of distances [X,Y,Z] in the scene's unit: metrics of SURFACE_POINTS points of the mesh against a held-out
    sample's visible points, and the IoU of the cube's 32^3 voxels."""
    found = {"iou": iou(field, grid, factor, sample)}
    vertices, triangles = mesh_of_field(field, grid, factor)
    if len(triangles) == 0:
        size = float(sample.surface.norm(dim=-1).max())
        return {"cd": 2 * size * size, "f1_tau": 0.0, "f1_2tau": 0.0, "normals": 0.0, **found}
    points, normals = sample_surface(vertices, triangles, SURFACE_POINTS, np.random.default_rng(seed))
    points, normals = (torch.from_numpy(np.nan_to_num(each).astype(np.float32)) for each in (points, normals))
    of_points, of_truth = nearest_indices(points, sample.surface)
    ways = (normals * sample.normals[of_points]).sum(1), (normals[of_truth] * sample.normals).sum(1)
    return {**measure(points, sample.surface)._asdict(), "normals": float(sum(way.abs().mean() for way in ways)) / 2,
            **found}


def iou(field: np.ndarray, grid: Grid, factor: int, sample: VolumeSample) -> float:
    """Of the voxels of the sample's cube that the solids touch."""
    places = torch.from_numpy((sample.cube.centres().reshape(-1, 3) - grid.low) / (grid.voxel / factor)).float()
    found = look_up_volume(torch.from_numpy(field.astype(np.float32))[None, None], places)[0]
    beyond = (places < 0).any(1) | (places > torch.tensor(field.shape)).any(1)
    reach = TOUCHING * sample.cube.voxel
    predicted, true = (found < reach) & ~beyond, sample.in_cube.flatten() < reach
    return float((predicted & true).sum() / (predicted | true).sum().clamp(min=1))
