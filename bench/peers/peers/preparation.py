"""From a model folder and a sample's folder to the problem that the peers are given."""

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import torch
from p2mpp_model.template import adjacency_matrix, chebyshev_support, read_obj, subdivide
from p2mpp_train.images import composite_on_white, network_images
from PIL import Image

from .problem import Problem

ROOT = Path(__file__).resolve().parents[3]
EXPORTER = ROOT / "scripts" / "export_model.py"


def export_with_semantics(model: Path, semantics: str, out: Path) -> None:
    """A model folder with the same weights and template in other semantics."""
    state = out.with_suffix(".state")
    torch.save({f"stage{stage}": stage_parameters(model, stage) for stage in (1, 2)}, state)
    subprocess.run([sys.executable, EXPORTER, "--out", out, "--state", state, "--template",
                    model / "template.obj", "--semantics", semantics],
                   check=True, stdout=subprocess.DEVNULL)


def stage_parameters(model: Path, stage: int) -> dict:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return dict(torch.jit.load(str(model / f"stage{stage}.pt")).float().state_dict())


def make_problem(model: Path, sample: Path) -> Problem:
    """`sample` has rendering/NN.png and rendering/rendering_metadata.txt."""
    description = json.loads((model / "model.json").read_text())
    views = description["view_indices"]
    rendering = sample / "rendering"
    blend = description["semantics"] != "tf"
    images = [read_image(rendering / f"{view:02}.png", blend) for view in views]
    cameras = np.loadtxt(rendering / "rendering_metadata.txt", dtype=np.float32)[views]
    mesh = read_obj(str(model / "template.obj"))
    levels = len(description["sizes"]["vertices"])
    supports, edges = hierarchy(len(mesh.vertices), mesh.faces, levels)
    graph = json.loads((model / "local_graph.json").read_text())
    stage1, stage2 = ({name: tensor.numpy() for name, tensor in
                       stage_parameters(model, stage).items()} for stage in (1, 2))
    return Problem(stage1, stage2, np.stack(images), cameras, mesh.vertices, supports, edges,
                   np.array(graph["hypotheses"], np.float32),
                   np.array(graph["support"], np.float32))


def hierarchy(count: int, faces: np.ndarray, levels: int):
    """(T1 a level, unpooled edges between the levels) of a mesh of `count` vertices."""
    supports, edges = [], []
    for level in range(levels):
        supports.append(chebyshev_support(adjacency_matrix(count, faces)).astype(np.float32))
        if level + 1 < levels:
            step, faces = subdivide(count, faces)
            edges.append(step)
            count += len(step)
    return supports, edges


def read_image(path: Path, blend: bool) -> np.ndarray:
    """[3,224,224] BGR, 0..1: blended on white, or else white only where wholly transparent."""
    with Image.open(path) as picture:
        rgba = np.asarray(picture.convert("RGBA"))
    bgr = composite_on_white(rgba) if blend else np.where(rgba[..., 3:] == 0, np.uint8(255), rgba[..., 2::-1])
    return network_images(torch.from_numpy(bgr)[None, None])[0, 0].numpy()
