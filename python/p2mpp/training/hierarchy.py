"""The template's levels, for the forward pass and the losses."""

from typing import List, NamedTuple

import numpy as np
import torch
from p2mpp.network.local_graph import LocalGraph
from p2mpp.network.template import (Mesh, adjacency_matrix, chebyshev_support, face_edges,
                                  subdivide)
from torch import Tensor

from .graph_op import DenseSupport, SparseSupport

LEVELS = 3


class Level(NamedTuple):
    """One level of the template. `support`: T1; `unpooled` [E,2]: the edges whose midpoints the
    next level appends; `faces` [F,3], oriented consistently; `edges` [E,2]: each edge once;
    `neighbour_mean`: sparse [N,N], the mean of a vertex's neighbours; `adjacent` [E,2]: the faces
    on both sides of an edge."""

    support: SparseSupport
    unpooled: Tensor
    faces: Tensor
    edges: Tensor
    neighbour_mean: Tensor
    adjacent: Tensor


class Hierarchy(NamedTuple):
    """Template vertices [N0,3], those of the finest level [N2,3], the levels, coarse to fine, and
    the hypotheses [S,3] with their T1."""

    vertices: Tensor
    finest: Tensor
    levels: List[Level]
    hypotheses: Tensor
    local_support: DenseSupport


def make_hierarchy(mesh: Mesh, graph: LocalGraph, device: torch.device) -> Hierarchy:
    """From the level-0 mesh and the hypotheses' graph."""
    count, faces, levels = len(mesh.vertices), mesh.faces, []
    for _ in range(LEVELS):
        adjacency = adjacency_matrix(count, faces)
        unpooled, children = subdivide(count, faces)
        edges = np.unique(np.sort(face_edges(faces), axis=1), axis=0)
        mean = adjacency / adjacency.sum(1, keepdims=True)
        levels.append(Level(
            SparseSupport(chebyshev_support(adjacency), device),
            *(torch.from_numpy(each).to(device)
              for each in (unpooled, consistently_oriented(faces), edges)),
            torch.from_numpy(mean.astype(np.float32)).to_sparse_coo().coalesce().to(device),
            torch.from_numpy(adjacent_faces(faces)).to(device)))
        count, faces = count + len(unpooled), children
    vertices = finest = torch.from_numpy(mesh.vertices).to(device)
    for level in levels[:-1]:
        finest = unpool(finest[None], level.unpooled)[0]
    return Hierarchy(vertices, finest, levels,
                     torch.from_numpy(graph.hypotheses).to(device),
                     DenseSupport(graph.support, device))


def consistently_oriented(faces: np.ndarray) -> np.ndarray:
    """The faces [F,3], some of them reversed so that adjacent faces have the same orientation. The
    published template's are oriented at random."""
    neighbours = [[] for _ in faces]
    for first, second in adjacent_faces(faces):
        neighbours[first].append(second)
        neighbours[second].append(first)
    found, done = faces.copy(), np.zeros(len(faces), bool)
    for start in range(len(faces)):
        waiting = [] if done[start] else [start]
        done[start] = True
        while waiting:
            face = waiting.pop()
            directed = {(found[face, k], found[face, (k + 1) % 3]) for k in range(3)}
            for other in neighbours[face]:
                if done[other]:
                    continue
                done[other] = True
                waiting.append(other)
                if any((found[other, k], found[other, (k + 1) % 3]) in directed for k in range(3)):
                    found[other] = found[other, ::-1]
    return found


def adjacent_faces(faces: np.ndarray) -> np.ndarray:
    """Pairs of faces [E,2] that share an edge; an edge of one face gives none."""
    corners = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    keys = np.sort(corners, axis=1)
    order = np.lexsort((keys[:, 1], keys[:, 0]))
    same = (keys[order][1:] == keys[order][:-1]).all(1)
    owner = order % len(faces)
    return np.stack([owner[:-1][same], owner[1:][same]], axis=1).astype(np.int64)


def unpool(x: Tensor, edges: Tensor) -> Tensor:
    """Append the mean of both ends of each edge: x [B,N,C], edges [E,2] -> [B,N+E,C]."""
    return torch.cat([x, (x[:, edges[:, 0]] + x[:, edges[:, 1]]) * 0.5], 1)
