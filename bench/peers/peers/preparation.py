"""From a model folder and a sample's folder to the problem that the peers are given."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import torch
from p2mpp.network.loaded_model import stage_parameters
from p2mpp.network.template import read_obj, supports_and_edges
from p2mpp.training.samples import network_input

from .problem import Problem

ROOT = Path(__file__).resolve().parents[3]
COLOURS = 3


def export_with_semantics(model: Path, semantics: str, out: Path) -> None:
    """A model folder with the same weights and template in other semantics. Those that the first
    convolutions apply to a mask are left out: only `clean` has one."""
    state = out.with_suffix(".state")
    stages = {f"stage{stage}": stage_parameters(model, stage) for stage in (1, 2)}
    for parameters in stages.values():
        parameters["cnn.0.weight"] = parameters["cnn.0.weight"][:, :COLOURS].contiguous()
    torch.save(stages, state)
    subprocess.run([sys.executable, "-m", "p2mpp.commands.export", "--out", out, "--state", state, "--template",
                    model / "template.obj", "--semantics", semantics],
                   check=True, stdout=subprocess.DEVNULL)


def make_problem(model: Path, sample: Path) -> Problem:
    """`sample` has rendering/NN.png and rendering/rendering_metadata.txt."""
    description = json.loads((model / "model.json").read_text())
    images, cameras = network_input(sample / "rendering", description["view_indices"],
                                    description["semantics"])
    mesh = read_obj(str(model / "template.obj"))
    supports, edges = supports_and_edges(mesh, len(description["sizes"]["vertices"]))
    graph = json.loads((model / "local_graph.json").read_text())
    stage1, stage2 = ({name: tensor.numpy() for name, tensor in
                       stage_parameters(model, stage).items()} for stage in (1, 2))
    return Problem(stage1, stage2, images.numpy(), cameras.numpy(), mesh.vertices, supports, edges,
                   np.array(graph["hypotheses"], np.float32),
                   np.array(graph["support"], np.float32))
