"""How large the inputs of the deformation reasoning blocks' layers are: the magnitudes from which
FP8 (e4m3) takes its scales, in model.json under KEY."""

import math
from pathlib import Path
from typing import Iterable, List, Tuple

import torch
from torch import Tensor

from ..errors import InputError
from .loaded_model import LoadedModel, read_description

KEY = "fp8_largest_inputs"
COORDINATES = 3  # the first of the features, which FP8 leaves in 16 bits
CALIBRATED_VERTICES = 4  # every fourth of a sample's

LargestInputs = List[List[float]]  # [blocks][layers]


@torch.inference_mode()
def find_largest_inputs(model: LoadedModel,
                        samples: Iterable[Tuple[Tensor, Tensor]]) -> LargestInputs:
    """The largest magnitude of each layer's input over samples of images [V,3 or 4,224,224] and
    cameras [V,5]; of the first layer's, coordinates left out. Throws InputError."""
    stage2 = model.stage2
    largest = torch.zeros(len(stage2.drb), len(stage2.drb[0]))

    def recorder(block: int, layer: int):
        first = COORDINATES if layer == 0 else 0

        def record(_, inputs: tuple) -> None:
            magnitude = inputs[0][..., first:].abs().max()
            largest[block, layer] = torch.maximum(largest[block, layer], magnitude)

        return record

    hooks = [module.register_forward_pre_hook(recorder(block, layer))
             for block, drb in enumerate(stage2.drb) for layer, module in enumerate(drb)]
    for images, cameras in samples:
        batch = images[None], cameras[None]
        stage2(*batch, model.coarse(*batch)[:, ::CALIBRATED_VERTICES], model.hypotheses,
               model.local_support)
    for hook in hooks:
        hook.remove()
    return [[checked(value, block, layer) for layer, value in enumerate(layers)]
            for block, layers in enumerate(largest.tolist())]


def checked(value: float, block: int, layer: int) -> float:
    """With the 9 significant digits that float32 needs."""
    if not math.isfinite(value) or value <= 0:
        raise InputError(f"the largest input of layer {layer} of deformation reasoning block "
                         f"{block} is {value:g}; expected a number above 0")
    return float(f"{value:.9g}")


def read_largest_inputs(folder: Path) -> LargestInputs:
    """Throws InputError where the model folder has none."""
    largest = read_description(folder).get(KEY)
    if largest is None:
        raise InputError(f'{folder / "model.json"}: no "{KEY}"; expected a model that '
                         "p2mpp-calibrate has calibrated")
    return largest
