"""Stage 2: moves each vertex to a weighted mean of hypotheses around it, twice."""

from typing import List, Tuple

import torch
from torch import Tensor, nn

from .camera import pixels_from_views, views_from_network, views_with_normalised_origin
from .cnn import ImageStage
from .graph import LocalGraphConvolution
from .layout import STAGE2_MAPS, Stage2Sizes
from .mask_evidence import mask_evidence
from .sampling import pool_views, sample_bilinear, sample_floor_ceil
from .semantics import Semantics


class DeformationReasoning(nn.Sequential):
    """Local graph convolutions with ReLU but on the last; from the third on, every second inner one
    adds what entered the one before it."""

    last: int

    def __init__(self, widths: List[Tuple[int, int]]):
        super().__init__(*[LocalGraphConvolution(into, out) for into, out in widths])
        self.last = len(widths) - 1

    def forward(self, x: Tensor, support: Tensor) -> Tensor:
        """x [M,S,in] -> scores [M,S]."""
        before = x
        for index, layer in enumerate(self):
            out = layer(x, support)
            if index < self.last:
                out = out.relu_()
                if index >= 2 and index % 2 == 0:
                    out = out.add_(before)
            before = x
            x = out
        return x.squeeze(-1)


class Stage2(ImageStage):
    """See the package's docstring for the parameters' names. Shapes: B samples, V views, N
    vertices, S hypotheses, C_k channels of the maps that are read, sumC their sum: three maps of the
    CNN and, if the stage reads it, the mask's evidence."""

    stage: int
    semantics: str
    drb_blocks: int
    normalised_origin: bool
    bilinear: bool
    scores_rectified: bool
    mask_evidence: bool

    def __init__(self, sizes: Stage2Sizes, semantics: Semantics):
        super().__init__(sizes, STAGE2_MAPS)
        self.stage = 2
        self.semantics = semantics.name
        self.drb_blocks = sizes.blocks
        self.normalised_origin = semantics.normalised_origin
        self.bilinear = semantics.stage2_bilinear
        self.scores_rectified = semantics.scores_rectified
        self.mask_evidence = sizes.mask_evidence
        self.drb = nn.ModuleList(DeformationReasoning(sizes.layer_widths())
                                 for _ in range(sizes.blocks))

    @torch.jit.export
    def features(self, images: Tensor) -> List[Tensor]:
        """Images [B,V,3 or 4,H,W] -> the maps that project reads, [B,V,C_k,h,w]."""
        maps = self.cnn_features(images)
        if self.mask_evidence:
            maps.append(mask_evidence(images[:, :, 3]))
        return maps

    @torch.jit.export
    def project(self, features: List[Tensor], cameras: Tensor, coords: Tensor,
                hypotheses: Tensor) -> Tensor:
        """Vertices [B,N,3] in the network's frame and offsets [S,3] -> [xyz, max, mean, std] over
        the views at every hypothesis, [B,N,S,3+3*sumC]."""
        points = (coords.unsqueeze(2) + hypotheses).flatten(1, 2)
        if self.normalised_origin:
            views = views_with_normalised_origin(points, cameras)
        else:
            views = views_from_network(points, cameras)
        row, column = pixels_from_views(views, cameras)
        samples: List[Tensor] = []
        for maps in features:
            if self.bilinear:
                samples.append(sample_bilinear(maps, row, column))
            else:
                samples.append(sample_floor_ceil(maps, row, column))
        return pool_views(points, samples).unflatten(1, [-1, hypotheses.size(0)])

    @torch.jit.export
    def scores(self, block: int, projected: Tensor, local_support: Tensor) -> Tensor:
        """The input of the softmax of deformation reasoning block `block`: [B,N,S,F], T1 of the
        local graph [S,S] -> [B,N,S].

        Vertices go through all layers in panels: on a CPU a panel stays in the cache, elsewhere it
        bounds the memory of a batch.
        """
        assert 0 <= block < self.drb_blocks, "no such deformation reasoning block"
        graphs = projected.flatten(0, 1)
        panel = 64 if graphs.device.type == "cpu" else 8192
        scores: List[Tensor] = []
        for index, drb in enumerate(self.drb):
            if index == block:
                for x in graphs.split(panel):
                    scores.append(drb(x, local_support))
        out = torch.cat(scores)
        if self.scores_rectified:
            out = out.relu_()
        return out.unflatten(0, [projected.size(0), projected.size(1)])

    @torch.jit.export
    def move(self, coords: Tensor, hypotheses: Tensor, scores: Tensor) -> Tensor:
        """Vertices [B,N,3] + softmax(scores [B,N,S]) times offsets [S,3]."""
        return coords + torch.matmul(scores.softmax(-1), hypotheses)

    def forward(self, images: Tensor, cameras: Tensor, coords: Tensor, hypotheses: Tensor,
                local_support: Tensor) -> List[Tensor]:
        """Vertices [B,N,3] -> vertices after each deformation reasoning block."""
        features = self.features(images)
        refined: List[Tensor] = []
        for block in range(self.drb_blocks):
            projected = self.project(features, cameras, coords, hypotheses)
            scores = self.scores(block, projected, local_support)
            coords = self.move(coords, hypotheses, scores)
            refined.append(coords)
        return refined
