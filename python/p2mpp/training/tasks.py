"""The interface of both stages to the trainer: a loss and predicted vertices for a batch."""

from typing import Dict, List, Optional

import numpy as np
import torch
from torch import Tensor, nn

from .batches import Batch
from .hierarchy import Hierarchy
from .hint_head import HintHead, hint_loss
from .losses import FACE_SAMPLES, LossWeights, crossed_loss, level_losses
from .metrics import measure, normal_consistency
from .network import coarse_levels, image_maps, refine
from .start import copy_block

LAST_BLOCK_FROM = 0.3  # share of the training from which stage 1's last block takes part
SCALE_ERROR, PLACE_ERROR = 0.03, 0.005  # standard deviations an axis: share; the object's unit
WAVES, WAVE_HEIGHT, WAVE_LENGTHS = 4, 0.006, (0.08, 0.5)  # the object's diagonal is 0.57
ROUGHNESS = 0.003  # largest standard deviation of each vertex alone
PATCH = 300  # vertices that stage 2 refines in a step
PANEL = 512  # vertices that stage 2 refines at once when it predicts

Terms = Dict[str, Tensor]


def uniform_numbers(random: np.random.Generator, batch: int, count: int, device) -> Tensor:
    """[B,count,3] float32 in 0..1."""
    return torch.from_numpy(random.random((batch, count, 3), np.float32)).to(device)


def add_up(total: Terms, terms: Terms, factor: float = 1.0) -> None:
    """Add terms to those of the same name."""
    for name, value in terms.items():
        total[name] = total.get(name, 0.0) + factor * value


def draw_patch(template: Tensor, random: np.random.Generator) -> Tensor:
    """Indices of a connected part of a mesh: a random vertex and those nearest to it on the
    template [N,3]."""
    middle = template[int(random.integers(len(template)))]
    squared = (template - middle).square().sum(-1)
    return squared.topk(min(PATCH, len(template)), largest=False).indices


def disturbed(meshes: Tensor, share: float, random: np.random.Generator) -> Tensor:
    """Meshes [B,N,3], a share of them scaled, shifted, waved and roughened, as meshes of wrong poses
    and of other programs are."""
    found = []
    for mesh in meshes:
        if random.random() < share:
            mesh = torch.from_numpy(disturb(mesh.double().numpy(force=True), random)).to(mesh)
        found.append(mesh)
    return torch.stack(found)


def disturb(mesh: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A mesh [N,3] with random errors, small and large ones alike."""
    strength, middle = random.random(), mesh.mean(0)
    scale = np.exp(strength * SCALE_ERROR * random.standard_normal(3))
    moved = (mesh - middle) * scale + middle + strength * PLACE_ERROR * random.standard_normal(3)
    for _ in range(WAVES):
        direction = random.standard_normal(3)
        length = np.exp(random.uniform(*np.log(WAVE_LENGTHS))) * np.linalg.norm(direction)
        phase = 2 * np.pi * (mesh @ direction / length + random.random())
        moved += strength * WAVE_HEIGHT * np.sin(phase)[:, None] * random.standard_normal(3)
    return moved + random.uniform(0, ROUGHNESS) * random.standard_normal(mesh.shape)


class MeshTask:
    """What both stages have in common."""

    def measure(self, batch: Batch) -> List[Dict[str, float]]:
        """Metrics and normal consistency of each sample."""
        faces = self.hierarchy.levels[-1].faces
        return [{**measure(mesh, points)._asdict(), "normals": normal_consistency(mesh, faces, points, normals)}
                for mesh, points, normals in zip(self.predict(batch), batch.points, batch.normals)]


class CoarseTask(MeshTask):
    """Stage 1: all levels. Its last block joins late, as a copy of the one before."""

    stage = 1

    def __init__(self, module, hierarchy: Hierarchy, weights: LossWeights, precision: torch.dtype,
                 head: Optional[HintHead] = None):
        """`module` is the network, which is exported; `trained` also contains the auxiliary head,
        if there is one."""
        self.module, self.hierarchy, self.head = module, hierarchy, head
        self.trained = module if head is None else nn.ModuleDict({"network": module, "head": head})
        self.weights, self.precision = weights, precision
        self.now = weights
        self.all_blocks = False
        self.trained_before = False  # if so, the rough shape is there: the loss has its last weights

    def enter(self, progress: float) -> None:
        """Sets the loss weights for a share of the training, 0..1, and lets the last block join."""
        self.now = self.weights.at(1.0 if self.trained_before else progress)
        if progress >= LAST_BLOCK_FROM and not self.all_blocks:
            copy_block(self.module.gcn[-2], self.module.gcn[-1])
            self.all_blocks = True

    def loss(self, batch: Batch, random: np.random.Generator) -> Terms:
        blocks: Optional[int] = None if self.all_blocks else len(self.module.gcn) - 1
        maps = image_maps(self.module, batch.images, self.precision)
        total: Terms = {}
        if self.head is not None and batch.hints is not None:
            with torch.autocast(batch.images.device.type, torch.bfloat16,
                                self.precision == torch.bfloat16):
                found = self.head(maps)
            total["hint"] = self.now.hint * hint_loss(found, batch.hints)
        levels = coarse_levels(self.module, batch.images, batch.cameras, self.hierarchy,
                               self.precision, blocks, maps)
        for number, (vertices, before) in enumerate(levels):
            uniform = uniform_numbers(random, len(vertices), FACE_SAMPLES[number], vertices.device)
            add_up(total, level_losses(vertices, before, self.hierarchy.levels[number], number,
                                       batch.points, batch.normals, uniform, self.now))
        return total

    def prepare(self) -> None:
        """Called before predictions. Until the last block joins, it is a copy of the block before
        it."""
        if not self.all_blocks:
            copy_block(self.module.gcn[-2], self.module.gcn[-1])

    @torch.no_grad()
    def predict(self, batch: Batch) -> Tensor:
        """Vertices [B,N,3] of the finest mesh."""
        return coarse_levels(self.module, batch.images, batch.cameras, self.hierarchy,
                             self.precision)[-1].vertices


class RefinementTask(MeshTask):
    """Stage 2 on the vertices of a finished stage 1, a patch of each mesh a step. Random vertices
    would be held back by their neighbours, which stay where they are."""

    stage = 2
    all_blocks = trained_before = True

    def __init__(self, module, coarse: CoarseTask, weights: LossWeights, disturb: float = 0.0):
        """`disturb`: share of stage 1's meshes that are disturbed."""
        self.module, self.coarse, self.disturb = module, coarse, disturb
        self.trained, self.now = module, weights.at(1.0)  # the rough shape is there
        self.hierarchy, self.precision = coarse.hierarchy, coarse.precision

    def enter(self, progress: float) -> None:
        """Nothing depends on the share of the training."""

    def prepare(self) -> None:
        """Nothing is needed before predictions."""

    def start_cnn(self) -> None:
        """Copies stage 1's weights into the convolutions that both stages have."""
        for convolution, trained in zip(self.module.cnn, self.coarse.module.cnn):
            convolution.load_state_dict(trained.state_dict())

    def loss(self, batch: Batch, random: np.random.Generator) -> Terms:
        coarse = disturbed(self.coarse.predict(batch), self.disturb, random)
        patch = draw_patch(self.hierarchy.finest, random)
        maps = image_maps(self.module, batch.images, self.precision)
        total: Terms = {}
        last = len(self.hierarchy.levels) - 1
        for refined in refine(self.module, maps, batch.cameras, coarse[:, patch], self.hierarchy):
            mesh = coarse.index_copy(1, patch, refined)
            uniform = uniform_numbers(random, len(mesh), FACE_SAMPLES[last], mesh.device)
            add_up(total, level_losses(mesh, coarse, self.hierarchy.levels[last], last,
                                       batch.points, batch.normals, uniform, self.now))
            if self.now.crossed:
                crossed = crossed_loss(mesh, coarse, self.hierarchy.levels[last].faces, patch,
                                       self.hierarchy.finest)
                add_up(total, {"crossed": self.now.crossed * crossed})
        return total

    @torch.no_grad()
    def predict(self, batch: Batch) -> Tensor:
        """Vertices [B,N,3] after the last deformation reasoning block."""
        coarse = self.coarse.predict(batch)
        maps = image_maps(self.module, batch.images, self.precision)
        panels = [refine(self.module, maps, batch.cameras, panel, self.hierarchy)[-1]
                  for panel in coarse.split(PANEL, 1)]
        return torch.cat(panels, 1)
