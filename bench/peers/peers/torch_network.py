"""The network in PyTorch, semantics design_b, in two writings.

"port" reads as the PyTorch port does: both Chebyshev supports are multiplied, the identity T0 too,
and those of a mesh are sparse matrices. "plain" leaves T0 out and gathers each vertex's few
neighbours: for what has no sparse matrices.
"""

from typing import List

import numpy as np
import torch
import torch.nn.functional as F
from p2mpp.network.layout import STAGE1_MAPS, STAGE2_MAPS, STRIDES
from torch import Tensor, nn

from .problem import IMAGE_SIZE, Arrays, Problem, blocks, layers, same_padding


class PortMeshSupport(nn.Module):
    """Sparse T0 and T1 [N,N]."""

    def __init__(self, support: np.ndarray):
        super().__init__()
        self.register_buffer("t0", torch.eye(len(support)).to_sparse_coo().coalesce())
        self.register_buffer("t1", torch.from_numpy(support).to_sparse_coo().coalesce())

    def forward(self, own: Tensor, neighbours: Tensor) -> Tensor:
        """[N,C] each -> T0 own + T1 neighbours."""
        return torch.sparse.mm(self.t0, own) + torch.sparse.mm(self.t1, neighbours)


class PlainMeshSupport(nn.Module):
    """Each row's nonzero columns and values of T1 [N,N], padded with zeros to the longest row."""

    def __init__(self, support: np.ndarray):
        super().__init__()
        longest = (support != 0).sum(1).max()
        index = np.argsort(support == 0, axis=1, kind="stable")[:, :longest]
        weight = np.take_along_axis(support, index, 1)
        self.register_buffer("index", torch.from_numpy(index))
        self.register_buffer("weight", torch.from_numpy(weight).unsqueeze(-1))

    def forward(self, own: Tensor, neighbours: Tensor) -> Tensor:
        return own + (neighbours[self.index] * self.weight).sum(1)


class PortLocalSupport(nn.Module):
    """Dense T0 and T1 [S,S]."""

    def __init__(self, support: np.ndarray):
        super().__init__()
        self.register_buffer("t0", torch.eye(len(support)))
        self.register_buffer("t1", torch.from_numpy(support))

    def forward(self, own: Tensor, neighbours: Tensor) -> Tensor:
        """[N,S,C] each -> T0 own + T1 neighbours, for each of the N graphs."""
        return torch.matmul(self.t0, own) + torch.matmul(self.t1, neighbours)


class PlainLocalSupport(nn.Module):
    """Dense T1 [S,S] alone."""

    def __init__(self, support: np.ndarray):
        super().__init__()
        self.register_buffer("t1", torch.from_numpy(support))

    def forward(self, own: Tensor, neighbours: Tensor) -> Tensor:
        return own + torch.matmul(self.t1, neighbours)


MESH_SUPPORTS = {"port": PortMeshSupport, "plain": PlainMeshSupport}
LOCAL_SUPPORTS = {"port": PortLocalSupport, "plain": PlainLocalSupport}


class Convolution(nn.Module):
    """Convolution with TensorFlow's SAME padding, bias, ReLU; images are square."""

    def __init__(self, weight: np.ndarray, bias: np.ndarray, stride: int):
        super().__init__()
        self.weight, self.bias = parameter(weight), parameter(bias)
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        before, odd = divmod(same_padding(x.size(2), self.weight.size(2), self.stride), 2)
        if odd:
            x = F.pad(x, [before, before + 1, before, before + 1])
            before = 0
        return F.relu(F.conv2d(x, self.weight, self.bias, self.stride, before))


class ImageFeatures(nn.Module):
    """[V,3,224,224] -> the maps that are read, [V,C,h,w] each, finest first."""

    def __init__(self, parameters: Arrays, maps_read):
        super().__init__()
        self.convolutions = nn.ModuleList(
            Convolution(*each) for each in zip(layers(parameters, "cnn", "weight"),
                                               layers(parameters, "cnn", "bias"), STRIDES))
        self.maps_read = maps_read

    def forward(self, x: Tensor) -> List[Tensor]:
        maps = []
        for index, convolution in enumerate(self.convolutions):
            x = convolution(x)
            if index in self.maps_read:
                maps.append(x.float())
        return maps


class GraphConvolution(nn.Module):
    """T0 (x W0) + T1 (x W1) + b; x [N,in] or [N,S,in]."""

    def __init__(self, weight0: np.ndarray, weight1: np.ndarray, bias: np.ndarray):
        super().__init__()
        self.weight0, self.weight1 = parameter(weight0), parameter(weight1)
        self.bias = parameter(bias)

    def forward(self, x: Tensor, support: nn.Module) -> Tensor:
        return support(x @ self.weight0, x @ self.weight1) + self.bias


class GraphBlock(nn.Module):
    """Graph convolutions with ReLU but on the last. From the third on every second inner one is
    added to what entered the one before it; `residual_factor` scales the sum."""

    def __init__(self, parameters: Arrays, prefix: str, support: nn.Module,
                 residual_factor: float):
        super().__init__()
        self.support = support
        self.residual_factor = residual_factor
        arrays = (layers(parameters, prefix, name) for name in ("weight0", "weight1", "bias"))
        self.convolutions = nn.ModuleList(GraphConvolution(*each) for each in zip(*arrays))

    def forward(self, x: Tensor):
        """-> (last hidden state, what the last layer gives)."""
        before = x
        for index, convolution in enumerate(self.convolutions[:-1]):
            out = F.relu(convolution(x, self.support))
            if index >= 2 and index % 2 == 0:
                out = (out + before) * self.residual_factor
            before, x = x, out
        return x, self.convolutions[-1](x, self.support)


class DeformationReasoning(GraphBlock):
    """Features [N,S,F] -> scores [N,S]; the matrix products in bf16 where that is asked for."""

    def __init__(self, parameters: Arrays, block: int, support: nn.Module, bfloat16: bool = False):
        super().__init__(parameters, f"drb.{block}", support, 1.0)
        self.bfloat16 = bfloat16

    def forward(self, x: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=self.bfloat16):
            return super().forward(x)[1].squeeze(-1).float()


class Network(nn.Module):
    """Stage 1 and stage 2. The CNNs and the deformation reasoning blocks can compute in bfloat16. Geometry,
    pooling and stage 1's graph convolutions stay in fp32, because sparse products have no bf16."""

    def __init__(self, problem: Problem, writing: str, bfloat16: bool = False):
        super().__init__()
        self.bfloat16 = bfloat16
        self.coarse_features = ImageFeatures(problem.stage1, STAGE1_MAPS)
        self.fine_features = ImageFeatures(problem.stage2, STAGE2_MAPS)
        self.graph_blocks = nn.ModuleList(
            GraphBlock(problem.stage1, f"gcn.{block}", MESH_SUPPORTS[writing](support), 0.5)
            for block, support in enumerate(problem.supports))
        self.register_buffer("coords", torch.from_numpy(problem.coords))
        self.register_buffer("hypotheses", torch.from_numpy(problem.hypotheses))
        for level, edges in enumerate(problem.edges):
            self.register_buffer(f"edges{level}", torch.from_numpy(edges))
        local_support = LOCAL_SUPPORTS[writing](problem.local_support)
        self.reasoning = nn.ModuleList(
            DeformationReasoning(problem.stage2, block, local_support, bfloat16)
            for block in blocks(problem.stage2, "drb"))

    def forward(self, images: Tensor, rotations: Tensor, origins: Tensor) -> Tensor:
        """[V,3,224,224], [V,3,3], [V,3] -> refined vertices [N,3] in camera 0's frame."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.bfloat16):
            coarse_maps, fine_maps = self.coarse_features(images), self.fine_features(images)
        coords = self.deform(coarse_maps, rotations, origins)
        for reasoning in self.reasoning:
            features = self.project_hypotheses(fine_maps, rotations, origins, coords)
            coords = coords + torch.matmul(reasoning(features).softmax(-1), self.hypotheses)
        return coords

    def deform(self, maps: List[Tensor], rotations: Tensor, origins: Tensor) -> Tensor:
        """Stage 1 -> vertices [N,3] of the finest level."""
        coords = self.coords
        x = project_vertices(maps, rotations, origins, coords)
        for level, block in enumerate(self.graph_blocks):
            hidden, coords = block(x)
            if level + 1 < len(self.graph_blocks):
                edges = self.get_buffer(f"edges{level}")
                coords = unpool(coords, edges)
                projected = project_vertices(maps, rotations, origins, coords)
                x = torch.cat([projected, unpool(hidden, edges)], -1)
        return coords

    def project_hypotheses(self, maps: List[Tensor], rotations: Tensor, origins: Tensor,
                           coords: Tensor) -> Tensor:
        """Vertices [N,3] -> [xyz, max, mean, std] at each hypothesis around them, [N,S,F]."""
        points = (coords.unsqueeze(1) + self.hypotheses).flatten(0, 1)
        directions = F.normalize(origins, dim=-1)
        views = []
        for view in range(rotations.size(0)):
            x, y, z = ((points - directions[view]) @ rotations[view].T).unbind(-1)
            row, column = pixels(x, y, z.clamp(max=-0.1))
            views.append(torch.cat([sample_bilinear(each[view], row, column) for each in maps], -1))
        return pool_views(points, views).unflatten(0, [-1, self.hypotheses.size(0)])


def parameter(array: np.ndarray) -> nn.Parameter:
    return nn.Parameter(torch.from_numpy(array), requires_grad=False)


def unpool(x: Tensor, edges: Tensor) -> Tensor:
    """[N,C], [E,2] -> [N+E,C]: the mean of both ends of each edge appended."""
    return torch.cat([x, 0.5 * (x[edges[:, 0]] + x[edges[:, 1]])])


def pixels(x: Tensor, y: Tensor, z: Tensor):
    """Points in a camera's frame -> (row, column) in the 224x224 image, not clamped."""
    return 248.0 * (-y / -z) + 112.0, 248.0 * (x / -z) + 112.0


def project_vertices(maps: List[Tensor], rotations: Tensor, origins: Tensor,
                     coords: Tensor) -> Tensor:
    """Vertices [N,3] -> [xyz, max, mean, std], [N,3+3*sumC]. The view's index is divided by the
    map's scale as the pixel's is: so the original has it."""
    world = coords @ rotations[0] + origins[0]
    views = []
    for view in range(rotations.size(0)):
        row, column = pixels(*((world - origins[view]) @ rotations[view].T).unbind(-1))
        row, column = row.clamp(0.0, IMAGE_SIZE - 1.0), column.clamp(0.0, IMAGE_SIZE - 1.0)
        samples = []
        for each in maps:
            scale = IMAGE_SIZE / each.size(2)
            table = each[int(view / scale)]
            samples.append(table[:, (row / scale).long(), (column / scale).long()].T)
        views.append(torch.cat(samples, -1))
    return pool_views(coords, views)


def sample_bilinear(features: Tensor, row: Tensor, column: Tensor) -> Tensor:
    """Map [C,h,w], pixels [P] of the 224x224 image -> [P,C]; beyond the border the border's."""
    size = features.size(1)
    to_grid = 2.0 * size / IMAGE_SIZE / (size - 1)
    grid = torch.stack([column * to_grid - 1.0, row * to_grid - 1.0], -1)
    found = F.grid_sample(features.unsqueeze(0), grid.view(1, 1, -1, 2), mode="bilinear",
                          padding_mode="border", align_corners=True)
    return found.view(features.size(0), -1).T


def pool_views(points: Tensor, views: List[Tensor]) -> Tensor:
    """[P,3] and [P,C] a view -> [xyz, max, mean, std], [P,3+3C]."""
    stacked = torch.stack(views)
    mean = stacked.mean(0)
    variance = (stacked - mean).square().mean(0)
    return torch.cat([points, stacked.amax(0), mean, (variance + 1e-6).sqrt()], -1)
