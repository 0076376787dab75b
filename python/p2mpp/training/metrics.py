"""The published metrics: squared distances between vertices and ground truth, both ways."""

from typing import NamedTuple

import torch
from torch import Tensor

from .nearest import nearest_distances, nearest_indices

TAU = 1e-4


class Metrics(NamedTuple):
    """Chamfer distance (mean d1 + mean d2); F1 at tau and 2 tau in percent."""

    cd: float
    f1_tau: float
    f1_2tau: float


def f1(to_truth: Tensor, to_prediction: Tensor, threshold: float) -> float:
    """2PR / (P + R) of the shares of squared distances up to the threshold, in percent."""
    precision, recall = (100.0 * (each <= threshold).double().mean().item()
                         for each in (to_truth, to_prediction))
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def measure(vertices: Tensor, points: Tensor) -> Metrics:
    """Vertices [N,3] against ground-truth points [P,3], in one frame."""
    to_truth, to_prediction = nearest_distances(vertices, points)
    cd = to_truth.double().mean() + to_prediction.double().mean()
    return Metrics(cd.item(), f1(to_truth, to_prediction, TAU),
                   f1(to_truth, to_prediction, 2 * TAU))


def vertex_normals(vertices: Tensor, faces: Tensor) -> Tensor:
    """Unit normals of one mesh or several of the same faces, [N,3] or [B,N,3] as the vertices; faces
    weighted by area."""
    first, second, third = vertices[..., faces, :].unbind(-2)
    across = torch.linalg.cross(second - first, third - first)
    total = torch.zeros_like(vertices)
    for corner in range(3):
        total = total.index_add(-2, faces[:, corner], across)
    return torch.nn.functional.normalize(total, dim=-1, eps=1e-12)


def normal_consistency(vertices: Tensor, faces: Tensor, points: Tensor, normals: Tensor) -> float:
    """Mean |cosine| between the normals of nearest points, both ways."""
    own = vertex_normals(vertices, faces)
    of_vertices, of_points = nearest_indices(vertices, points)
    ways = ((own * normals[of_vertices]).sum(1), (own[of_points] * normals).sum(1))
    return float(sum(way.abs().mean() for way in ways) / 2)


def mean_metrics(each: list) -> Metrics:
    """Mean of every column."""
    return Metrics(*torch.tensor(each, dtype=torch.float64).mean(0).tolist())
