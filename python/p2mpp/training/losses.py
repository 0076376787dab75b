"""The loss: the paper's terms on each level, with Chamfer distances of samples of the surface as
well as of vertices."""

from dataclasses import dataclass, fields, replace
from typing import Dict, Optional, Tuple

import torch
from p2mpp.errors import InputError
from torch import Tensor

from .hierarchy import Level
from .metrics import vertex_normals
from .nearest import nearest_in_batch, pick

FACE_SAMPLES = (1000, 2000, 3000)


@dataclass(frozen=True)
class LossWeights:
    """Factors of the terms; `prediction_share` weighs distances from prediction to truth against
    those from truth to prediction. Laplacian and move compare with a block's input."""

    chamfer: float = 3000.0
    prediction_share: float = 0.55
    surface: float = 3000.0
    edge: float = 350.0
    normal: float = 0.5
    laplacian: float = 1500.0
    laplacian_first: float = 0.1  # of the Laplacian at level 1, whose input is the template
    move: float = 50.0
    facing: float = 0.0  # the faces' normals against those of the nearest truth
    fold: float = 0.0  # normals of adjacent faces, on the last level
    flip: float = 0.0  # adjacent faces that face each other, on the last level
    spacing: float = 0.0  # how much the edges' lengths differ
    near: float = 0.0  # shares of points farther than tau, made smooth, on the last level
    sunk: float = 0.0  # depth of the surface below the truth, on the last level
    crossed: float = 0.0  # depth of vertices behind parts of the surface that they were in front of
    hint: float = 0.0  # normals and depth in the pictures, from the CNN's maps

    def at(self, progress: float) -> "LossWeights":
        """The weights at a share of the training, 0..1. Terms that smooth the surface or raise F1
        grow, because they help only when the rough shape is there; the hint's weight falls."""
        late = 0.1 + 0.9 * progress
        return replace(self, facing=late * self.facing, fold=late * self.fold,
                       flip=late * self.flip, near=late * self.near, laplacian=(1 + progress) * self.laplacian,
                       hint=(1 - 0.75 * progress) * self.hint)


TAU = 1e-4
SUNK_REACH = 0.02  # the diagonal of an object is 0.57
CROSSED_REACH = 0.03
SAME_SHEET = 0.08  # distance on the template below which vertices belong to one part of the surface
LATE = LossWeights(facing=1.5, fold=0.15, spacing=0.1, near=3.0, hint=12.0)
STAGE_WEIGHTS = {1: LATE,
                 2: replace(LATE, edge=500.0, move=100.0, near=1.0, sunk=6000.0, hint=0.0)}


def weights_from(text: Optional[str], stage: int) -> LossWeights:
    """A stage's weights, some of them replaced as NAME=NUMBER,... says. Throws InputError."""
    known = {field.name for field in fields(LossWeights)}
    changes = {}
    for part in (text or "").split(",") if text else []:
        name, _, number = part.partition("=")
        try:
            changes[name] = float(number)
        except ValueError:
            raise InputError(f"--loss: {part!r}; expected NAME=NUMBER") from None
        if name not in known:
            raise InputError(f"--loss: no term {name!r}; expected {', '.join(sorted(known))}")
    return replace(STAGE_WEIGHTS[stage], **changes)


def distances(first: Tensor, truth: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    """(squared distances from first [B,N] to the truth, from the truth [B,P] to first, the index of
    the nearest truth of each of first [B,N], of the nearest of first of each truth [B,P])."""
    of_first, of_truth = nearest_in_batch(first, truth)
    return ((first - pick(truth, of_first)).square().sum(-1),
            (pick(first, of_truth) - truth).square().sum(-1), of_first, of_truth)


def sunk_loss(surface: Tensor, truth: Tensor, normals: Tensor, nearest: Tensor) -> Tensor:
    """Mean squared depth of a surface [B,K,3] below the truth [B,P,3] with outward normals [B,P,3];
    `nearest` [B,P]: the nearest point of the surface to each of the truth's. Points of the truth
    that the surface does not reach do not count. The other terms count distances on both sides
    alike, and leave the surface too deep: uncertain thin parts shrink to their middle."""
    offset = truth - pick(surface, nearest)
    depth = (offset * normals).sum(-1).clamp(min=0)
    close = offset.detach().square().sum(-1) < SUNK_REACH ** 2
    return torch.where(close, depth.square(), 0.0).mean()


def crossed_loss(vertices: Tensor, before: Tensor, faces: Tensor, moved: Tensor,
                 template: Tensor) -> Tensor:
    """Mean squared depth by which the vertices `moved` [K] of [B,N,3] went through another part of
    the surface: from one side in `before` to the other. Every vertex is compared with the nearest
    one that is close in `before` and far on the template [N,3]. Intersections that are there before
    do not count."""
    with torch.no_grad():
        apart = torch.cdist(template[moved], template) > SAME_SHEET
        distance = torch.cdist(before[:, moved], before).where(apart, torch.inf)
        nearest, other = distance.min(-1)
        close = nearest < CROSSED_REACH
        side = ((before[:, moved] - pick(before, other))
                * pick(vertex_normals(before, faces), other)).sum(-1).sign()
    now = ((vertices[:, moved] - pick(vertices, other))
           * pick(vertex_normals(vertices, faces), other)).sum(-1)
    through = (-side * now).clamp(min=0).square()
    return torch.where(close, through, 0.0).sum() / close.sum().clamp(min=1)


def chamfer(to_truth: Tensor, to_first: Tensor, prediction_share: float) -> Tensor:
    """Mean squared distance from truth to first + share times the other way."""
    return to_first.mean() + prediction_share * to_truth.mean()


def share_beyond(squared: Tensor) -> Tensor:
    """A smooth version of the share of squared distances beyond tau, which F1 counts."""
    return (squared / (squared + TAU)).mean()


def share_missed(to_truth: Tensor, to_first: Tensor, prediction_share: float) -> Tensor:
    """Smooth shares of points beyond tau, weighted as in chamfer; the weights' sum is 1."""
    found = share_beyond(to_first) + prediction_share * share_beyond(to_truth)
    return found / (1 + prediction_share)


def sample_faces(vertices: Tensor, faces: Tensor, uniform: Tensor) -> Tuple[Tensor, Tensor]:
    """Points on the triangles of [B,N,3], by area, from uniform numbers [B,K,3]: [B,K,3], and the
    normals there, doubled areas long [B,K,3]."""
    corners = vertices.detach()[:, faces]
    area = torch.linalg.cross(corners[:, :, 1] - corners[:, :, 0],
                              corners[:, :, 2] - corners[:, :, 0]).norm(dim=-1)
    reach = area.cumsum(1)
    count = uniform.size(1)
    steps = torch.arange(count, device=vertices.device)
    targets = (steps + uniform[..., 0]) / count * reach[:, -1:]
    chosen = torch.searchsorted(reach, targets.contiguous()).clamp(max=len(faces) - 1)
    root, share = uniform[..., 1].sqrt(), uniform[..., 2]
    weights = torch.stack([1 - root, root * (1 - share), root * share], -1)
    picked = pick(vertices, faces[chosen].flatten(1)).unflatten(1, (count, 3))
    first, second, third = picked.unbind(2)
    return ((picked * weights.unsqueeze(-1)).sum(2),
            torch.linalg.cross(second - first, third - first))


def edge_vectors(vertices: Tensor, edges: Tensor) -> Tensor:
    """[B,N,3] -> [B,E,3]."""
    return vertices[:, edges[:, 0]] - vertices[:, edges[:, 1]]


def normal_loss(vectors: Tensor, edges: Tensor, normals: Tensor) -> Tensor:
    """Mean |cosine| between edges [B,E,3] and the normal [B,N,3] at both of their ends."""
    unit = torch.nn.functional.normalize(vectors, dim=-1, eps=1e-8)
    return sum((unit * normals[:, edges[:, end]]).sum(-1).abs().mean() for end in (0, 1)) * 0.5


def facing_loss(normals: Tensor, truth: Tensor) -> Tensor:
    """Mean 1 - |cosine| between normals of any length and unit normals, [B,K,3] both. The sign is
    left open: on a thin plate the nearest truth may be the other side's."""
    unit = torch.nn.functional.normalize(normals, dim=-1, eps=1e-8)
    return 1 - (unit * truth).sum(-1).abs().mean()


def adjacent_cosines(vertices: Tensor, faces: Tensor, adjacent: Tensor) -> Tensor:
    """Cosines [B,E] between the normals of adjacent faces: vertices [B,N,3], faces [F,3], adjacent
    [E,2]."""
    corners = vertices[:, faces]
    across = torch.linalg.cross(corners[:, :, 1] - corners[:, :, 0],
                                corners[:, :, 2] - corners[:, :, 0])
    normals = torch.nn.functional.normalize(across, dim=-1, eps=1e-9)
    return (normals[:, adjacent[:, 0]] * normals[:, adjacent[:, 1]]).sum(-1)


def flip_loss(cosines: Tensor) -> Tensor:
    """Mean excess of adjacent faces' angle over 90 degrees, as minus the cosine. Faces that cross
    others are mostly such folds."""
    return (-cosines).clamp(min=0).mean()


def spacing_loss(vectors: Tensor) -> Tensor:
    """Variance of the edges' lengths over their squared mean: edges [B,E,3]."""
    lengths = (vectors.square().sum(-1) + 1e-12).sqrt()
    return (lengths / lengths.mean(1, keepdim=True).detach() - 1).square().mean()


def laplacian(vertices: Tensor, neighbour_mean: Tensor) -> Tensor:
    """Each vertex minus the mean of its neighbours, [B,N,3]."""
    batch = vertices.size(0)
    columns = vertices.transpose(0, 1).flatten(1)
    mean = torch.sparse.mm(neighbour_mean, columns).unflatten(1, (batch, 3)).transpose(0, 1)
    return vertices - mean


def level_losses(vertices: Tensor, before: Tensor, level: Level, number: int, points: Tensor,
                 normals: Tensor, uniform: Tensor, weights: LossWeights) -> Dict[str, Tensor]:
    """Weighted terms of one level (`number` counts from 0): vertices [B,N,3], the block's input
    vertices `before` [B,N,3], truth [B,P,3] and its normals, uniform numbers [B,K,3] for the
    surface."""
    share = weights.prediction_share
    *on_vertices, nearest, _ = distances(vertices, points)
    surface, facing = sample_faces(vertices, level.faces, uniform)
    *on_surface, opposite, covering = distances(surface, points)
    vectors = edge_vectors(vertices, level.edges)
    change = laplacian(vertices - before, level.neighbour_mean).square().sum(-1).mean()
    first = weights.laplacian_first if number == 0 else 1.0
    terms = {
        "chamfer": weights.chamfer * chamfer(*on_vertices, share),
        "surface": weights.surface * chamfer(*on_surface, share),
        "edge": weights.edge * vectors.square().sum(-1).mean(),
        "normal": weights.normal * normal_loss(vectors, level.edges, pick(normals, nearest)),
        "laplacian": weights.laplacian * first * change,
    }
    if weights.facing:
        terms["facing"] = weights.facing * facing_loss(facing, pick(normals, opposite))
    if weights.spacing:
        terms["spacing"] = weights.spacing * spacing_loss(vectors)
    if number + 1 == len(FACE_SAMPLES):
        if weights.fold or weights.flip:
            cosines = adjacent_cosines(vertices, level.faces, level.adjacent)
            terms["fold"] = weights.fold * (1 - cosines.mean())
            if weights.flip:
                terms["flip"] = weights.flip * flip_loss(cosines)
        if weights.near:
            terms["near"] = weights.near * (share_missed(*on_vertices, share)
                                            + share_missed(*on_surface, share))
        if weights.sunk:
            terms["sunk"] = weights.sunk * sunk_loss(surface, points, normals, covering)
    if number > 0:
        terms["move"] = weights.move * (vertices - before).square().sum(-1).mean()
    return terms
