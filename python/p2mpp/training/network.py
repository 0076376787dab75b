"""The forward pass of Stage1 and Stage2 (semantics `clean`) with the operations of this package.

It uses the modules' own parameters; in fp32 its results agree with those of their forward.
"""

from typing import List, NamedTuple, Optional

import torch
from p2mpp.network.camera import pixels_from_views, views_from_network
from p2mpp.network.stage1 import Stage1
from p2mpp.network.stage2 import Stage2
from torch import Tensor

from .graph_op import graph_convolution
from .hierarchy import Hierarchy, unpool
from .lookup_op import pooled_lookup


class CoarseLevel(NamedTuple):
    """Output and input vertices [B,N,3] of a block of stage 1."""

    vertices: Tensor
    before: Tensor


def image_maps(stage, images: Tensor, precision: torch.dtype) -> List[Tensor]:
    """The maps that a stage reads, [B,V,C,h,w] in the given precision, channels-last."""
    with torch.autocast(images.device.type, torch.bfloat16, precision == torch.bfloat16):
        return [each.to(precision) for each in stage.features(images)]


def look_up(maps: List[Tensor], cameras: Tensor, points: Tensor) -> Tensor:
    """Points [B,P,3] in the network's frame -> pooled features [B,P,3*sumC]."""
    with torch.no_grad():
        row, column = pixels_from_views(views_from_network(points, cameras), cameras)
    return pooled_lookup(maps, row, column)


def graph_block(block, features: Tensor, coords: Tensor, support) -> tuple:
    """Features [B,N,F] and coordinates [B,N,3] through a GraphBlock -> (last hidden state, new
    coordinates [B,N,3]). The layer that gives coordinates is computed in their type."""
    before = x = graph_convolution(features, block[0], support, position=coords)
    for index in range(1, block.last):
        residual = before if index >= 2 and index % 2 == 0 else None
        before, x = x, graph_convolution(x, block[index], support, residual=residual, share=0.5)
    return x, graph_convolution(x.to(coords.dtype), block[block.last], support, rectify=False)


def coarse_levels(stage1: Stage1, images: Tensor, cameras: Tensor, hierarchy: Hierarchy,
                  precision: torch.dtype, blocks: Optional[int] = None,
                  maps: Optional[List[Tensor]] = None) -> List[CoarseLevel]:
    """Stage 1's levels, coarse to fine; the first `blocks` of them. `maps`: the images' feature
    maps, if they are computed already."""
    maps = image_maps(stage1, images, precision) if maps is None else maps
    coords = hierarchy.vertices.expand(images.size(0), -1, -1)
    features = look_up(maps, cameras, coords)
    found: List[CoarseLevel] = []
    for number, block in enumerate(stage1.gcn[:blocks]):
        level = hierarchy.levels[number]
        hidden, moved = graph_block(block, features, coords, level.support)
        found.append(CoarseLevel(moved, coords))
        if number + 1 < len(stage1.gcn[:blocks]):
            coords = unpool(moved, level.unpooled)
            pooled = look_up(maps, cameras, coords)
            features = torch.cat([pooled, unpool(hidden, level.unpooled)], -1)
    return found


def hypothesis_scores(drb, features: Tensor, points: Tensor, support) -> Tensor:
    """Features [M,S,F] and places [M,S,3] of M vertices' hypotheses through a
    DeformationReasoning block -> scores [M,S]."""
    before = x = graph_convolution(features, drb[0], support, position=points)
    for index in range(1, drb.last):
        residual = before if index >= 2 and index % 2 == 0 else None
        before, x = x, graph_convolution(x, drb[index], support, residual=residual)
    last = graph_convolution(x.to(points.dtype), drb[drb.last], support, rectify=False)
    return last.squeeze(-1)


def refine(stage2: Stage2, maps: List[Tensor], cameras: Tensor, coords: Tensor,
           hierarchy: Hierarchy) -> List[Tensor]:
    """Vertices [B,N,3], any subset of a mesh's, after each deformation reasoning block."""
    hypotheses = hierarchy.hypotheses
    refined: List[Tensor] = []
    for drb in stage2.drb:
        points = coords.unsqueeze(2) + hypotheses
        features = look_up(maps, cameras, points.flatten(1, 2))
        scores = hypothesis_scores(drb, features.view(-1, len(hypotheses), features.size(-1)),
                                   points.flatten(0, 1), hierarchy.local_support)
        shift = torch.matmul(scores.softmax(-1), hypotheses).view(coords.shape)
        coords = coords + shift
        refined.append(coords)
    return refined
