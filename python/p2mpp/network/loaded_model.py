"""A model folder read back into modules that compute."""

import json
import warnings
from pathlib import Path
from typing import Any, Dict

import torch
from torch import Tensor

from ..errors import InputError, first_line
from .layout import EVIDENCE_KEY, IMAGE_CHANNELS, Stage1Sizes, Stage2Sizes
from .semantics import SEMANTICS
from .stage1 import Stage1
from .stage2 import Stage2
from .template import read_obj, supports_and_edges


class LoadedModel:
    """Both stages in fp32 and what they take besides images and cameras: hypotheses [S,3] and their
    local_support T1 [S,S], and stage 1's template, supports and edges. semantics: their name;
    view_indices: which views of a numbered folder it was trained on; image_channels: 3, or 4 with
    the mask."""

    def __init__(self, folder: Path):
        """Throws InputError."""
        description = read_description(folder)
        try:
            self.semantics = description["semantics"]
            self.view_indices = description["view_indices"]
            semantics, sizes = SEMANTICS[self.semantics], description["sizes"]
            self.image_channels = sizes.get("image_channels", IMAGE_CHANNELS[0])
            stage1 = Stage1Sizes(hidden=sizes["hidden"], layers=tuple(sizes["gcn_layers"]),
                                 image_channels=self.image_channels,
                                 **cnn_sizes(sizes["stage1_cnn"]))
            stage2 = Stage2Sizes(hidden=sizes["drb_hidden"], blocks=sizes["drb_blocks"],
                                 layers=sizes["drb_layers"], image_channels=self.image_channels,
                                 mask_evidence=sizes.get(EVIDENCE_KEY, False),
                                 **cnn_sizes(sizes["stage2_cnn"]))
            graph = json.loads((folder / "local_graph.json").read_text())
            self.hypotheses, self.local_support = (torch.tensor(graph[name])
                                                   for name in ("hypotheses", "support"))
            self.stage1, self.stage2 = Stage1(stage1, semantics), Stage2(stage2, semantics)
            for number, stage in enumerate((self.stage1, self.stage2), 1):
                stage.load_state_dict(stage_parameters(folder, number))
        except (OSError, KeyError, TypeError, ValueError, RuntimeError) as error:
            raise InputError(f"{folder}: {first_line(error)}; expected a model folder written by "
                             "p2mpp-export") from None
        mesh = read_obj(str(folder / "template.obj"))
        supports, edges = supports_and_edges(mesh, len(stage1.layers))
        self.template = torch.from_numpy(mesh.vertices)
        self.supports = [torch.from_numpy(each).to_sparse_coo().coalesce() for each in supports]
        self.edges = [torch.from_numpy(each) for each in edges]

    def coarse(self, images: Tensor, cameras: Tensor) -> Tensor:
        """Images [B,V,3 or 4,224,224], cameras [B,V,5] or [B,V,16] (camera.py) -> vertices
        [B,N,3] after stage 1."""
        return self.stage1(images, cameras, self.template, self.supports, self.edges)[-1]


def read_description(folder: Path) -> Dict[str, Any]:
    """model.json. Throws InputError."""
    path = folder / "model.json"
    try:
        description = json.loads(path.read_text())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a model folder written by "
                         "p2mpp-export") from None
    except ValueError as error:
        raise InputError(f"{path}: {error}; expected the file that p2mpp-export wrote") from None
    if not isinstance(description, dict):
        raise InputError(f"{path}: not a JSON object; expected the file that p2mpp-export wrote")
    return description


def cnn_sizes(cnn: Dict[str, Any]) -> Dict[str, tuple]:
    return {name: tuple(cnn[name]) for name in ("channels", "kernels")}


def stage_parameters(folder: Path, stage: int) -> Dict[str, Tensor]:
    """float32, by the names that the package lists."""
    return script_parameters(folder / f"stage{stage}.pt")


def script_parameters(file: Path) -> Dict[str, Tensor]:
    """The parameters of a TorchScript package as float32, by the names that it lists."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return dict(torch.jit.load(str(file)).float().state_dict())
