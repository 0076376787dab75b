"""The plainly written network as ONNX files, for the runtimes that read them."""

from pathlib import Path
from typing import Tuple

import torch
from torch import nn

from .problem import Problem, camera_frames
from .torch_network import DeformationReasoning, Network, PlainLocalSupport

OPSET = 20


def exported(problem: Problem, work: Path) -> Tuple[Path, Path]:
    """(the whole network's file, one deformation reasoning block's); written where they are not
    there."""
    network, drb = work / "network.onnx", work / "drb.onnx"
    if not network.exists():
        frames = tuple(map(torch.from_numpy, camera_frames(problem.cameras)))
        write(Network(problem, "plain"), (torch.from_numpy(problem.images), *frames),
              ["images", "rotations", "origins"], network)
    if not drb.exists():
        block = DeformationReasoning(problem.stage2, 0, PlainLocalSupport(problem.local_support))
        write(block, (torch.from_numpy(problem.drb_input()),), ["features"], drb)
    return network, drb


def write(module: nn.Module, inputs: tuple, names: list, path: Path) -> None:
    partial = path.with_name(f"partial-{path.name}")
    torch.onnx.export(module.eval(), inputs, str(partial), input_names=names,
                      output_names=["result"], opset_version=OPSET, dynamo=True,
                      external_data=False, verbose=False)
    partial.rename(path)
