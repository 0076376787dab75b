"""Sizes of a network and the shapes of its parameters."""

from dataclasses import dataclass
from typing import Dict, List, Tuple

# Convolution strides of the CNN, and the convolutions whose output is read (counted from 0).
STRIDES = (1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 1)
STAGE1_MAPS = (7, 10, 13, 17)
STAGE2_MAPS = (1, 4, 7)
STAGE2_CONVOLUTIONS = STAGE2_MAPS[-1] + 1

PUBLISHED_CHANNELS = (16, 16, 32, 32, 32, 64, 64, 64, 128, 128, 128, 256, 256, 256, 512, 512, 512,
                      512)
PUBLISHED_KERNELS = (3,) * 11 + (5, 3, 3, 5, 3, 3, 3)
IMAGE_CHANNELS = (3, 4)  # blue, green, red; the fourth is the mask: how much of a pixel is object
EVIDENCE_CHANNELS = 2  # of the map that stage 2 may make of the mask, see mask_evidence.py
EVIDENCE_KEY = "stage2_mask_evidence"  # in the sizes of model.json
PUBLISHED_HIDDEN = 192
SMALLEST_WIDTH = 4  # of a layer
STORED_TYPES = ("fp32", "fp16", "bf16")
PUBLISHED_GCN_LAYERS = (14, 14, 15)
PUBLISHED_DRB_BLOCKS = 2
PUBLISHED_DRB_LAYERS = 6

Shapes = Dict[str, Tuple[int, ...]]


def projected_width(channels: Tuple[int, ...], maps: Tuple[int, ...],
                    evidence: bool = False) -> int:
    """Width of [xyz, max, mean, std] over the views. Each statistic has the maps' channels in their
    order and, if the stage reads them, then those of the mask's evidence."""
    channels_read = sum(channels[index] for index in maps) + EVIDENCE_CHANNELS * evidence
    return 3 + 3 * channels_read


@dataclass(frozen=True)
class Stage1Sizes:
    """Output channels and kernel size of each convolution, hidden width, graph convolutions a
    block, channels of the images (one of IMAGE_CHANNELS)."""

    channels: Tuple[int, ...] = PUBLISHED_CHANNELS
    kernels: Tuple[int, ...] = PUBLISHED_KERNELS
    hidden: int = PUBLISHED_HIDDEN
    layers: Tuple[int, ...] = PUBLISHED_GCN_LAYERS
    image_channels: int = IMAGE_CHANNELS[0]

    def layer_widths(self, block: int) -> List[Tuple[int, int]]:
        """(in, out) of each graph convolution of a block; the last gives coordinates."""
        first = projected_width(self.channels, STAGE1_MAPS) + (self.hidden if block else 0)
        inner = [(self.hidden, self.hidden)] * (self.layers[block] - 2)
        return [(first, self.hidden), *inner, (self.hidden, 3)]

    def shapes(self) -> Shapes:
        """Shape of every parameter by name."""
        shapes = convolution_shapes(self.image_channels, self.channels, self.kernels)
        for block in range(len(self.layers)):
            shapes.update(graph_shapes(f"gcn.{block}", self.layer_widths(block)))
        return shapes


@dataclass(frozen=True)
class Stage2Sizes:
    """Output channels and kernel size of the convolutions that are read, hidden width, deformation
    reasoning blocks and local graph convolutions in each, and whether the stage reads the mask's
    evidence, for which images have four channels."""

    channels: Tuple[int, ...] = PUBLISHED_CHANNELS[:STAGE2_CONVOLUTIONS]
    kernels: Tuple[int, ...] = PUBLISHED_KERNELS[:STAGE2_CONVOLUTIONS]
    hidden: int = PUBLISHED_HIDDEN
    blocks: int = PUBLISHED_DRB_BLOCKS
    layers: int = PUBLISHED_DRB_LAYERS
    image_channels: int = IMAGE_CHANNELS[0]
    mask_evidence: bool = False

    def layer_widths(self) -> List[Tuple[int, int]]:
        """(in, out) of each local graph convolution of a block; the last gives a score."""
        first = projected_width(self.channels, STAGE2_MAPS, self.mask_evidence)
        inner = [(self.hidden, self.hidden)] * (self.layers - 2)
        return [(first, self.hidden), *inner, (self.hidden, 1)]

    def shapes(self) -> Shapes:
        """Shape of every parameter by name."""
        shapes = convolution_shapes(self.image_channels, self.channels, self.kernels)
        for block in range(self.blocks):
            shapes.update(graph_shapes(f"drb.{block}", self.layer_widths()))
        return shapes


def convolution_shapes(image_channels: int, channels: Tuple[int, ...],
                       kernels: Tuple[int, ...]) -> Shapes:
    shapes: Shapes = {}
    inputs = (image_channels, *channels[:-1])
    for index, (into, out, kernel) in enumerate(zip(inputs, channels, kernels)):
        shapes[f"cnn.{index}.weight"] = (out, into, kernel, kernel)
        shapes[f"cnn.{index}.bias"] = (out,)
    return shapes


def graph_shapes(prefix: str, widths: List[Tuple[int, int]]) -> Shapes:
    shapes: Shapes = {}
    for index, (into, out) in enumerate(widths):
        shapes[f"{prefix}.{index}.weight0"] = (into, out)
        shapes[f"{prefix}.{index}.weight1"] = (into, out)
        shapes[f"{prefix}.{index}.bias"] = (out,)
    return shapes
