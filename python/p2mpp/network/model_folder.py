"""Writes a model folder: the two TorchScript stages, the template, the local graph and
model.json."""

import hashlib
import io
import json
import os
import re
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional

import torch

from ..errors import InputError
from .layout import EVIDENCE_KEY, IMAGE_CHANNELS, STAGE1_MAPS, STAGE2_MAPS, STORED_TYPES
from .loaded_model import read_description
from .local_graph import LocalGraph
from .semantics import Semantics
from .stage1 import Stage1
from .stage2 import Stage2
from .template import Mesh, obj_text, subdivide
from .weights import StageWeights

# 2: the stages take camera rows or any pinhole (camera.py); 1: camera rows only.
FORMAT_VERSION = 2
TORCH_TYPES = dict(zip(STORED_TYPES, (torch.float32, torch.float16, torch.bfloat16)))
VIEW_INDICES = (0, 6, 7)
IMAGE_SIZE = 224
MASKED_SEMANTICS = "clean"


@dataclass
class Model:
    """Everything that a model folder holds."""

    semantics: Semantics
    stage1: StageWeights
    stage2: StageWeights
    template: Mesh
    local_graph: LocalGraph
    weights_from: str
    unused_variables: List[str]
    training: Optional[Any] = None
    trained_views: Optional[Dict[str, Any]] = None  # see trained_views.py
    stored_as: str = "fp32"  # one of STORED_TYPES; computed in fp32 all the same


def write_model(model: Model, out: str, force: bool = False) -> None:
    """Write the folder beside its name, then rename it: never half a model.

    Throws InputError where the folder exists and is not to be replaced, or cannot be written.
    """
    target = Path(os.path.abspath(out))
    check_target(target, out, force)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as scratch:
            fresh = Path(scratch, "new")
            fresh.mkdir()
            for name, content in model_files(model, target.name).items():
                write_synced(fresh / name, content)
            if target.exists():
                target.rename(Path(scratch, "old"))
            fresh.rename(target)
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror}; expected a folder that can "
                         "be made there") from None


def check_target(target: Path, out: str, force: bool) -> None:
    if not target.name:
        raise InputError(f"{out}: not a folder's name; expected models/NAME")
    if not os.path.lexists(target) or (target.is_dir() and not any(target.iterdir())):
        return
    if not (target / "model.json").is_file():
        raise InputError(f"{out}: exists and is not a model folder; expected a new name")
    if not force:
        raise InputError(f"{out}: exists; expected a new name, or --force to replace it")


def write_synced(path: Path, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def model_files(model: Model, name: str) -> Dict[str, bytes]:
    """Content of each file by its name; model.json, last, has the others' hashes."""
    files = {
        "stage1.pt": stage_bytes(Stage1, model.stage1, model),
        "stage2.pt": stage_bytes(Stage2, model.stage2, model),
        "template.obj": obj_text(model.template).encode(),
        "local_graph.json": local_graph_text(model.local_graph).encode(),
    }
    hashes = {file: {"sha256": hashlib.sha256(content).hexdigest()}
              for file, content in files.items()}
    description = {
        "format": "p2mpp-model",
        "version": FORMAT_VERSION,
        "name": name,
        "semantics": model.semantics.name,
        "image_size": IMAGE_SIZE,
        "view_indices": list(VIEW_INDICES),
        **({"trained_views": model.trained_views} if model.trained_views is not None else {}),
        "sizes": model_sizes(model),
        "weights_from": model.weights_from,
        "stored_as": model.stored_as,
        "unused_variables": model.unused_variables,
        "training": model.training,
        "files": hashes,
    }
    files["model.json"] = (readable_json(description) + "\n").encode()
    return files


def change_description(folder: Path, values: Dict[str, Any]) -> None:
    """Writes values by key into model.json, whose others stay as they are. Throws InputError."""
    path, fresh = folder / "model.json", folder / ".model.json.new"
    content = readable_json({**read_description(folder), **values}) + "\n"
    try:
        write_synced(fresh, content.encode())
        os.replace(fresh, path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written: {error.strerror}; expected a folder that can "
                         "be written to") from None


def readable_json(value: Any) -> str:
    """Indented, a list of numbers in one line."""
    text = json.dumps(value, indent=2, allow_nan=False)
    return re.sub(r"\[\n([\d\s,.e+-]+)\]", lambda found: f"[{' '.join(found[1].split())}]", text)


def model_sizes(model: Model) -> Dict[str, Any]:
    stage1, stage2 = model.stage1.sizes, model.stage2.sizes
    vertices, faces = [len(model.template.vertices)], [model.template.faces]
    for _ in stage1.layers[1:]:
        edges, children = subdivide(vertices[-1], faces[-1])
        vertices.append(vertices[-1] + len(edges))
        faces.append(children)
    if stage1.image_channels != stage2.image_channels:
        raise InputError(f"stage 1 reads {stage1.image_channels} channels of an image and stage 2 "
                         f"{stage2.image_channels}; expected stages of one training")
    masked = stage1.image_channels != IMAGE_CHANNELS[0]
    if masked and model.semantics.name != MASKED_SEMANTICS:
        raise InputError(f"images of {stage1.image_channels} channels with semantics "
                         f"{model.semantics.name}; expected {MASKED_SEMANTICS}: the others have no "
                         "mask")
    return {
        **({"image_channels": stage1.image_channels} if masked else {}),
        **({EVIDENCE_KEY: True} if stage2.mask_evidence else {}),
        "hidden": stage1.hidden,
        "drb_hidden": stage2.hidden,
        "stage1_channels": [stage1.channels[index] for index in STAGE1_MAPS],
        "stage2_channels": [stage2.channels[index] for index in STAGE2_MAPS],
        "stage1_cnn": {"channels": stage1.channels, "kernels": stage1.kernels},
        "stage2_cnn": {"channels": stage2.channels, "kernels": stage2.kernels},
        "gcn_layers": stage1.layers,
        "drb_blocks": stage2.blocks,
        "drb_layers": stage2.layers,
        "vertices": vertices,
        "faces": [len(level) for level in faces],
        "hypotheses": len(model.local_graph.hypotheses),
    }


def local_graph_text(graph: LocalGraph) -> str:
    """JSON with the 9 significant digits that float32 needs."""
    rows = {key: [[float(f"{x:.9g}") for x in row] for row in array.astype(float)]
            for key, array in graph._asdict().items()}
    return json.dumps(rows) + "\n"


def store_weights(module: torch.nn.Module, name: str) -> None:
    """Convert the parameters to a type of STORED_TYPES. Throws InputError where one is too large
    for it."""
    for key, parameter in module.named_parameters():
        parameter.data = parameter.data.to(TORCH_TYPES[name])
        if not parameter.data.isfinite().all():
            raise InputError(f"{key}: holds numbers too large for {name}; expected --store fp32")


def stage_bytes(stage_class, weights: StageWeights, model: Model) -> bytes:
    module = stage_class(weights.sizes, model.semantics)
    module.load_state_dict(weights.parameters)
    return torchscript_bytes(module, model.stored_as)


def torchscript_bytes(module: torch.nn.Module, stored_as: str) -> bytes:
    """The module as a TorchScript archive that holds code and weights alone. Where weights are not
    stored in fp32, the module must be made so (`.float()`) before it computes.

    torch.jit.save also writes where on this machine each line of code came from; that goes, so that
    the same source gives the same bytes anywhere.
    """
    store_weights(module.eval(), stored_as)
    saved = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.jit.save(torch.jit.script(module.requires_grad_(False)), saved)
    saved.seek(0)
    reader = torch._C.PyTorchFileReader(saved)
    stripped = io.BytesIO()
    writer = torch._C.PyTorchFileWriter(stripped)
    written_at_end = ("version", "byteorder", ".data/serialization_id")
    for record in reader.get_all_records():
        if not record.endswith(".debug_pkl") and record not in written_at_end:
            content = reader.get_record(record)
            writer.write_record(record, content, len(content))
    writer.write_end_of_file()
    return stripped.getvalue()
