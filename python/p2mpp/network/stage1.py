"""Stage 1: images and a template mesh -> coarse meshes, one a level."""

from typing import List, Tuple

import torch
from torch import Tensor, nn

from .camera import pixels_from_views, views_from_network
from .cnn import ImageStage
from .graph import GraphConvolution, unpool
from .layout import STAGE1_MAPS, Stage1Sizes
from .sampling import pool_views, sample_bilinear, sample_nearest
from .semantics import Semantics


class GraphBlock(nn.Sequential):
    """Graph convolutions with ReLU but on the last, which gives coordinates; from the third on,
    every second inner one averages with what entered the one before it."""

    last: int

    def __init__(self, widths: List[Tuple[int, int]]):
        super().__init__(*[GraphConvolution(into, out) for into, out in widths])
        self.last = len(widths) - 1

    def forward(self, x: Tensor, support: Tensor) -> List[Tensor]:
        """x [N,B,in] -> [last hidden state [N,B,hidden], coordinates [N,B,3]]."""
        before = x
        for index, layer in enumerate(self):
            out = layer(x, support)
            if index < self.last:
                out = out.relu_()
                if index >= 2 and index % 2 == 0:
                    out = (out + before) * 0.5
            before = x
            x = out
        return [before, x]


class Stage1(ImageStage):
    """See the package's docstring for the parameters' names. Shapes: B samples, V views, C_k
    channels of the four maps that are read, sumC their sum."""

    stage: int
    semantics: str
    bilinear: bool
    view_index_scaled: bool
    unpools_features: bool

    def __init__(self, sizes: Stage1Sizes, semantics: Semantics):
        super().__init__(sizes, STAGE1_MAPS)
        self.stage = 1
        self.semantics = semantics.name
        self.bilinear = semantics.stage1_bilinear
        self.view_index_scaled = semantics.view_index_scaled
        self.unpools_features = semantics.unpools_features
        self.gcn = nn.ModuleList(GraphBlock(sizes.layer_widths(block))
                                 for block in range(len(sizes.layers)))

    @torch.jit.export
    def project(self, features: List[Tensor], cameras: Tensor, coords: Tensor) -> Tensor:
        """Vertices [B,N,3] in the network's frame -> [xyz, max, mean, std] over views
        [B,N,3+3*sumC]."""
        row, column = pixels_from_views(views_from_network(coords, cameras), cameras)
        samples: List[Tensor] = []
        for maps in features:
            if self.bilinear:
                samples.append(sample_bilinear(maps, row, column))
            else:
                samples.append(sample_nearest(maps, row, column, self.view_index_scaled))
        return pool_views(coords, samples)

    @torch.jit.export
    def deform(self, features: List[Tensor], cameras: Tensor, coords: Tensor,
               supports: List[Tensor], edges: List[Tensor]) -> List[Tensor]:
        """Template vertices [N0,3], T1 a level (sparse [Nk,Nk]), unpooled edges between the levels
        ([E,2] int64) -> vertices of each level [B,Nk,3], coarse to fine."""
        vertices = coords.expand(cameras.size(0), -1, -1)
        x = self.project(features, cameras, vertices).transpose(0, 1)
        levels: List[Tensor] = []
        for level, block in enumerate(self.gcn):
            hidden, out = block(x, supports[level])
            vertices = out.transpose(0, 1).contiguous()
            levels.append(vertices)
            if level + 1 < len(self.gcn):
                x = self.next_input(features, cameras, vertices, hidden, edges[level])
        return levels

    def next_input(self, features: List[Tensor], cameras: Tensor, vertices: Tensor,
                   hidden: Tensor, edges: Tensor) -> Tensor:
        """[projection, unpooled hidden state] of the next level, [N,B,3+3*sumC+hidden]."""
        if self.unpools_features:
            projected = self.project(features, cameras, vertices).transpose(0, 1)
            return unpool(torch.cat([projected, hidden], -1), edges)
        finer = unpool(vertices.transpose(0, 1), edges).transpose(0, 1)
        projected = self.project(features, cameras, finer).transpose(0, 1)
        return torch.cat([projected, unpool(hidden, edges)], -1)

    def forward(self, images: Tensor, cameras: Tensor, coords: Tensor, supports: List[Tensor],
                edges: List[Tensor]) -> List[Tensor]:
        """deform(features(images), ...)."""
        return self.deform(self.features(images), cameras, coords, supports, edges)
