"""A training run of the volume's network, and what its checkpoint is used for: measurements and the export."""

import hashlib
from pathlib import Path
from typing import Any, Callable, Dict, List

import numpy as np
import torch

from p2mpp.errors import InputError, first_line
from p2mpp.network.loaded_model import read_description, script_parameters
from p2mpp.network.model_folder import change_description, torchscript_bytes, write_synced
from p2mpp.training.checkpoint import checkpoint_file, load
from p2mpp.training.metrics import TAU
from p2mpp.training.run import choose_device, keep_freed_memory, say
from p2mpp.training.trainer import Settings, Trainer

from . import network as layers
from .hull import hull_field
from .network import TRUNCATION, VolumeNetwork, drawn_network
from .predict import FACTOR
from .prior import HALF, VOXELS
from .samples import HeldOutVolumes, TrainingVolumes, VolumeSample
from .surface import scores
from .task import VolumeTask
from .template_files import Template

FILE = "volume.pt"
FORMAT_VERSION = 2  # 1: without a prior


class Run:
    """`options` are those of p2mpp-volume train."""

    def __init__(self, options):
        self.options = options
        self.device = choose_device(options.device)
        if options.threads:
            torch.set_num_threads(options.threads)
        if self.device.type == "cpu":
            keep_freed_memory()
        torch.set_flush_denormal(True)
        task = VolumeTask(self.first_network().to(self.device), options.voxels)
        wanted = {"seed": options.seed, "batch": options.batch, "points": options.points, "voxels": options.voxels,
                  "people_share": options.people_share}
        self.trainer = Trainer(task, TrainingVolumes(options.shards, options.people_share, options.voxels),
                               HeldOutVolumes(options.validate, options.eval_samples, Template(options.model)),
                               self.settings(), self.device, wanted, say)
        self.trainer.begin_with(str(options.start) if options.start else None)

    def first_network(self) -> VolumeNetwork:
        """Throws InputError."""
        start = self.options.start
        return network_of_model(start) if start else drawn_network(self.options.seed)

    def settings(self) -> Settings:
        options = self.options
        workers = 1 if self.device.type == "cuda" else min(options.batch, options.threads or torch.get_num_threads())
        return Settings(options.out, options.seed, options.batch, options.points, options.learning_rate,
                        -(-options.samples // options.batch), 0.0, options.eval_every, options.eval_samples, 1,
                        options.save_minutes, options.stop_after, workers, options.decay_from)

    def request_stop(self, *_) -> None:
        """Finishes the current step and saves; a second request ends the run at once."""
        if self.trainer.stop_requested:
            raise KeyboardInterrupt
        self.trainer.stop_requested = True

    def go(self) -> None:
        """Throws InputError and Stopped."""
        out, file = self.options.out, self.trainer.file
        out.mkdir(parents=True, exist_ok=True)
        if file.is_file() and not self.options.resume:
            raise InputError(f"{file}: there is a run already; expected --resume, or another --out")
        if self.options.resume and not self.trainer.resume():
            say(f"{file}: not there; the run begins")
        self.trainer.run()
        say(f"{file}: complete; p2mpp-volume export reads it")


def network_of_model(model: Path) -> VolumeNetwork:
    """With the weights of a model folder's volume.pt. Throws InputError."""
    file, network = model / FILE, VolumeNetwork()
    try:
        network.load_state_dict(script_parameters(file))
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(f"{file}: {first_line(error)}; expected what p2mpp-volume export wrote") from None
    return network


def trained_network(run: Path) -> tuple:
    """(network with a run's averaged weights, the checkpoint). Throws InputError."""
    file = checkpoint_file(run, VolumeTask.stage)
    saved, network = load(file), VolumeNetwork()
    try:
        network.load_state_dict(saved["module"])
        with torch.no_grad():
            for parameter, average in zip(network.parameters(), saved["average"]):
                parameter.copy_(average)
    except (KeyError, RuntimeError) as error:
        raise InputError(f"{file}: {str(error).splitlines()[0]}; expected a checkpoint of p2mpp-volume train") from None
    return network, saved


def measure(options) -> List[str]:
    """Lines of a table: each group's means with the masks' hull, the mesh of stage 2, and the network of a run, or else that
    of the model, if it has one."""
    held_out = HeldOutVolumes(options.validate, options.objects, Template(options.model))
    ways = {"masks' hull": lambda draw: measure_field(draw, hull_field),
            "stage 2's mesh": lambda draw: measure_field(draw, distances_to_mesh)}
    if options.run or (options.model / FILE).is_file():
        task = VolumeTask(trained_network(options.run)[0] if options.run else network_of_model(options.model), options.voxels)
        ways["network"] = lambda draw: task.measure(draw)[0]
    found: Dict[tuple, list] = {}
    for group, make in held_out.pieces():
        if group in options.groups:
            draw = make()
            for way, compute in ways.items():
                found.setdefault((group, way), []).append(compute(draw))
    lines = ["| group | | objects | F1@tau | CD x1000 | normals | IoU |",
             "| --- | --- | ---: | ---: | ---: | ---: | ---: |"]
    for (group, way), every in found.items():
        f1, cd, normals, iou = (sum(each[name] for each in every) / len(every)
                                for name in ("f1_tau", "cd", "normals", "iou"))
        lines.append(f"| {group} | {way} | {len(every)} | {f1:.2f} | {1000 * cd:.3f} | {normals:.3f} | {iou:.3f} |")
    return lines


def measure_field(draw, field: Callable[[VolumeSample, int], np.ndarray]) -> Dict[str, float]:
    sample = draw.each[0]
    return scores(field(sample, FACTOR), sample.grid, FACTOR, sample)


def distances_to_mesh(sample: VolumeSample, factor: int) -> np.ndarray:
    """Signed, of stage 2's mesh, at the centres of the sample's grid, `factor` times as fine, in the scene's unit."""
    centres = sample.grid.centres(factor)
    return sample.prior_at(centres)[0].numpy().reshape(centres.shape[:3])


def export(run: Path, model: Path, stored_as: str) -> str:
    """Writes volume.pt into a model folder, and its hash and sizes into model.json. Returns the hash. Throws
    InputError."""
    network, saved = trained_network(run)
    return write_network(model, network, stored_as, facts(saved, stored_as))


def write_network(model: Path, network: VolumeNetwork, stored_as: str, description_of_network: Dict[str, Any]) -> str:
    """The same of any weights. Throws InputError."""
    description = read_description(model)
    content = torchscript_bytes(network, stored_as)
    digest = hashlib.sha256(content).hexdigest()
    try:
        write_synced(model / FILE, content)
    except OSError as error:
        raise InputError(f"{model / FILE}: cannot be written: {error.strerror}; expected a folder that can be written "
                         "to") from None
    change_description(model, {"volume": description_of_network,
                               "files": {**description.get("files", {}), FILE: {"sha256": digest}}})
    return digest


def facts(saved: Dict[str, Any], stored_as: str) -> Dict[str, Any]:
    """What model.json says of the network."""
    return {"version": FORMAT_VERSION, "stored_as": stored_as, "truncation": TRUNCATION, "near": layers.NEAR,
            "sizes": {"image_channels": list(layers.IMAGE_CHANNELS), "lateral": [layers.HALF_LATERAL, layers.LATERAL],
                      "prior": [HALF, VOXELS],
                      "view_widths": list(layers.VIEW_WIDTHS), "fine_view_widths": list(layers.FINE_VIEW_WIDTHS),
                      "coarse_widths": list(layers.COARSE_WIDTHS), "fine_width": layers.FINE_WIDTH},
            "training": {"steps": saved["step"], "batch": saved["settings"]["batch"],
                         "minutes": round(saved["seconds"] / 60, 1), "started_from": saved.get("started_from"), "tau": TAU, "groups": saved["groups"]}}
