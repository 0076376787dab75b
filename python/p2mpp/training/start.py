"""Initial weights: the first six hidden channels carry the coordinates through every block.

Channels 0 to 5 hold relu(x - c) and relu(c - x), where c is the object's centre. An identity in W0
passes them on, and the output layer recombines them. So an untrained network returns its template,
and does not have to learn first where the vertices are.
"""

import math
from pathlib import Path

import torch
from p2mpp.errors import InputError, first_line
from p2mpp.network.layout import (EVIDENCE_CHANNELS, IMAGE_CHANNELS, PUBLISHED_CHANNELS,
                                  PUBLISHED_HIDDEN, SMALLEST_WIDTH, STAGE2_CONVOLUTIONS,
                                  Stage1Sizes, Stage2Sizes)
from p2mpp.network.loaded_model import stage_parameters
from p2mpp.network.semantics import SEMANTICS
from p2mpp.network.stage1 import Stage1
from p2mpp.network.stage2 import Stage2
from torch import nn

CENTRE = (0.0, 0.0, -0.8)
CARRIED = 6
OUTPUT_GAIN = 0.02
FIRST_WEIGHT = "cnn.0.weight"
POSITION_GAIN = 2.0


def make_stages(seed: int, hidden: int = PUBLISHED_HIDDEN, width: float = 1.0,
                image_channels: int = IMAGE_CHANNELS[0], mask_evidence: bool = False) -> tuple:
    """Stage1 and Stage2 with drawn weights; `width` is a factor on the CNN's channels. `hidden` is
    at least CARRIED."""
    channels = tuple(max(SMALLEST_WIDTH, round(width * c)) for c in PUBLISHED_CHANNELS)
    clean = SEMANTICS["clean"]
    stage1 = Stage1(Stage1Sizes(channels=channels, hidden=hidden,
                                image_channels=image_channels), clean)
    cut = channels[:STAGE2_CONVOLUTIONS]
    stage2 = Stage2(Stage2Sizes(channels=cut, kernels=(3,) * len(cut), hidden=hidden,
                                image_channels=image_channels, mask_evidence=mask_evidence), clean)
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for stage in (stage1, stage2):
            for convolution in stage.cnn:
                draw_scaled(convolution.weight, math.sqrt(2.0 / convolution.weight[0].numel()),
                            draw)
                convolution.bias.zero_()
        for block in stage1.gcn:
            start_block(block, draw)
        for drb in stage2.drb:
            start_reasoning(drb, draw)
    return stage1, stage2


def draw_scaled(tensor: torch.Tensor, deviation: float, draw: torch.Generator) -> None:
    tensor.copy_(torch.randn(tensor.shape, generator=draw) * deviation)


def draw_layer(layer, draw: torch.Generator) -> None:
    """Weights that keep the variance through ReLU, for the sum of both products."""
    for weight in (layer.weight0, layer.weight1):
        draw_scaled(weight, math.sqrt(1.0 / len(weight)), draw)
    layer.bias.zero_()


def draw_first_layer(layer, draw: torch.Generator) -> None:
    """Larger weights for the coordinates, three inputs of thousands, relative to the centre."""
    draw_layer(layer, draw)
    draw_scaled(layer.weight0[:3], POSITION_GAIN, draw)
    layer.bias.copy_(-torch.tensor(CENTRE) @ layer.weight0[:3])


def start_block(block, draw: torch.Generator) -> None:
    """A block of stage 1 that returns its input coordinates."""
    identity, centre = torch.eye(3), torch.tensor(CENTRE)
    draw_first_layer(block[0], draw)
    for layer in list(block)[1:-1]:
        draw_layer(layer, draw)
    for layer in list(block)[:-1]:
        layer.weight0[:, :CARRIED] = 0.0
        layer.weight1[:, :CARRIED] = 0.0
    block[0].weight0[:3, :CARRIED] = torch.cat([identity, -identity], 1)
    block[0].bias[:CARRIED] = torch.cat([-centre, centre])
    for layer in list(block)[1:-1]:
        layer.weight0[:CARRIED, :CARRIED] = torch.eye(CARRIED)
    last = block[block.last]
    draw_layer(last, draw)
    last.weight0.mul_(OUTPUT_GAIN)
    last.weight1.mul_(OUTPUT_GAIN)
    last.weight0[:CARRIED] = torch.cat([identity, -identity])
    last.weight1[:CARRIED] = 0.0
    last.bias.copy_(centre)


def start_reasoning(drb, draw: torch.Generator) -> None:
    """A deformation reasoning block whose scores are nearly equal, so that vertices hardly move."""
    draw_first_layer(drb[0], draw)
    for layer in list(drb)[1:]:
        draw_layer(layer, draw)
    drb[drb.last].weight0.mul_(OUTPUT_GAIN)
    drb[drb.last].weight1.mul_(OUTPUT_GAIN)


@torch.no_grad()
def copy_block(source: nn.Module, target: nn.Module) -> None:
    """Copies a block's weights into one with as many layers or more. Additional layers become
    identities, so that both compute the same."""
    for index, layer in enumerate(list(target)[:-1]):
        if index < source.last:
            layer.load_state_dict(source[index].state_dict())
        else:
            layer.weight0.copy_(torch.eye(*layer.weight0.shape))
            layer.weight1.zero_()
            layer.bias.zero_()
    target[target.last].load_state_dict(source[source.last].state_dict())


def with_evidence(weight: torch.Tensor) -> torch.Tensor:
    """Rows [xyz, max, mean, std] of a layer that reads no evidence -> the same with zeros for the
    evidence at the end of each statistic."""
    position, *statistics = weight.split([3] + 3 * [(len(weight) - 3) // 3])
    zeros = weight.new_zeros(EVIDENCE_CHANNELS, weight.size(1))
    return torch.cat([position, *(part for each in statistics for part in (each, zeros))])


@torch.no_grad()
def load_weights(module: nn.Module, folder: Path, stage: int) -> None:
    """Loads the weights of an exported model of the same sizes. If the stage reads a mask or its
    evidence and the model does not, their weights are zero, so that both compute the same. Throws
    InputError."""
    try:
        found = stage_parameters(folder, stage)
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(f"{folder}: {first_line(error)}; expected a model folder written by "
                         "p2mpp-export") from None
    first = module.cnn[0].weight
    given = found.get(FIRST_WEIGHT)
    if given is not None and given.dim() == first.dim() and given.size(1) + 1 == first.size(1):
        found[FIRST_WEIGHT] = torch.cat([given, torch.zeros_like(given[:, :1])], 1)
    if stage == 2 and module.mask_evidence:
        for name in (f"drb.{block}.0.weight{k}" for block in range(len(module.drb)) for k in (0, 1)):
            if name in found and found[name].dim() == 2:
                wanted = module.get_parameter(name)
                if len(found[name]) + 3 * EVIDENCE_CHANNELS == len(wanted):
                    found[name] = with_evidence(found[name])
    for name, tensor in module.state_dict().items():
        if name not in found or found[name].shape != tensor.shape:
            there = list(found[name].shape) if name in found else "missing"
            raise InputError(f"{folder}: {name} of stage {stage} is {there}; expected "
                             f"{list(tensor.shape)}: a model of the same sizes")
    module.load_state_dict(found)
