"""Where weights come from: TensorFlow checkpoints, the PyTorch port's .npz files, a seed, our own
state.

Every reader gives the two stages' arrays under the source's own names and throws InputError.
"""

import json
import os
import re
from pathlib import Path
from typing import Any, List, Optional, Tuple

import numpy as np

from ..errors import InputError, MissingPackageError, first_line, how_to_install
from .draw import draw
from .layout import (IMAGE_CHANNELS, PUBLISHED_CHANNELS, PUBLISHED_HIDDEN, SMALLEST_WIDTH,
                     STAGE2_CONVOLUTIONS, Stage1Sizes, Stage2Sizes)
from .naming import OwnNaming, PortNaming, TensorFlowNaming
from .weights import StageSource

Stages = Tuple[StageSource, StageSource]
SEARCH_DEPTH = 4


def split_unused(source: StageSource) -> StageSource:
    """Move what the network does not read from the arrays to the list of unused names."""
    source.unused += sorted(name for name in source.arrays if source.naming.is_unused(name))
    for name in source.unused:
        source.arrays.pop(name, None)
    return source


def from_random(seed: int, hidden: int = PUBLISHED_HIDDEN, width: float = 1.0,
                image_channels: int = IMAGE_CHANNELS[0], mask_evidence: bool = False) -> Stages:
    """Drawn weights; `hidden` and `width` (a factor on the CNN's channels) make small networks."""
    channels = tuple(max(SMALLEST_WIDTH, round(width * c)) for c in PUBLISHED_CHANNELS)
    sizes = {1: Stage1Sizes(channels=channels, hidden=hidden, image_channels=image_channels),
             2: Stage2Sizes(channels=channels[:STAGE2_CONVOLUTIONS], hidden=hidden,
                            image_channels=image_channels, mask_evidence=mask_evidence)}
    stages = []
    for stage in (1, 2):
        naming = TensorFlowNaming(stage)
        arrays = {}
        for parameter, shape in sizes[stage].shapes().items():
            name = naming.name(parameter, sizes[stage])
            arrays[name] = draw(name, naming.shape(shape), seed)
        stages.append(StageSource(naming, f"random seed {seed}", f"random seed {seed}", arrays))
    return stages[0], stages[1]


def from_npz(stage1: str, stage2: str) -> Stages:
    """The PyTorch port's converted weights."""
    first, second = (read_npz(file, stage) for stage, file in ((1, stage1), (2, stage2)))
    return first, second


def read_npz(file: str, stage: int) -> StageSource:
    try:
        with open(file, "rb") as stream, np.load(stream, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}; expected a readable .npz of weights") from None
    except Exception as error:  # damage surfaces anywhere in zip, zlib or array header
        raise InputError(f"{file}: damaged or not an .npz archive of numeric arrays "
                         f"({first_line(error)}); expected the PyTorch port's weights") from None
    return split_unused(StageSource(PortNaming(stage), file, Path(file).name, arrays))


def from_state(file: str) -> Tuple[Stages, Optional[Any]]:
    """Our own state file {"stage1": {...}, "stage2": {...}}, and its "training" facts if it has
    any."""
    import torch
    try:
        state = torch.load(file, map_location="cpu", weights_only=True)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}; expected a readable state file") from None
    except Exception as error:  # whatever damage makes of zip archive and pickle
        raise InputError(f"{file}: not a state file of tensors ({first_line(error)}); expected "
                         '{"stage1": {...}, "stage2": {...}} written by torch.save') from None
    if not isinstance(state, dict) or not {"stage1", "stage2"} <= state.keys() <= {
            "stage1", "stage2", "training"}:
        keys = list(state) if isinstance(state, dict) else type(state).__name__
        raise InputError(f'{file}: holds {keys}; expected a dictionary of "stage1", "stage2" and '
                         'at most "training"')
    training = state.get("training")
    try:
        json.dumps(training, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f'{file}: "training" cannot be written as JSON ({error}); expected plain '
                         "finite values") from None
    stages = [state_stage(file, stage, state[f"stage{stage}"]) for stage in (1, 2)]
    return (stages[0], stages[1]), training


def state_stage(file: str, stage: int, tensors: Any) -> StageSource:
    import torch
    if not isinstance(tensors, dict) or not all(
            isinstance(name, str) and isinstance(tensor, torch.Tensor)
            for name, tensor in tensors.items()):
        raise InputError(f"{file}: stage{stage} is not a dictionary of tensors; expected one")
    arrays = {name: (tensor.float() if tensor.is_floating_point() else tensor).numpy()
              for name, tensor in tensors.items()}
    return StageSource(OwnNaming(stage), file, Path(file).name, arrays)


def from_tensorflow(folder: str) -> Stages:
    """The published checkpoints, found in the folder by their names' pattern."""
    prefixes = [find_checkpoint(folder, scope) for scope in TensorFlowNaming.SCOPES.values()]
    tensorflow = import_tensorflow()
    first, second = (read_checkpoint(tensorflow, prefix, stage)
                     for stage, prefix in enumerate(prefixes, 1))
    return first, second


def find_checkpoint(folder: str, scope: str) -> str:
    """The prefix of SCOPE.ckpt-STEP.index in the folder itself, else up to four folders below
    it."""
    if not os.path.isdir(folder):
        raise InputError(f"{folder}: no such folder; expected the TensorFlow checkpoints in it")
    pattern = re.compile(re.escape(scope) + r"\.ckpt-\d+\.index")
    for depths in ((0,), range(1, SEARCH_DEPTH + 1)):
        found = sorted(str(path) for depth in depths
                       for path in Path(folder).glob("*/" * depth + f"{scope}.ckpt-*.index")
                       if pattern.fullmatch(path.name))
        if len(found) > 1:
            raise InputError(f"{folder}: {len(found)} checkpoints fit: {', '.join(found)}; "
                             f"expected one {scope}.ckpt-STEP.index")
        if found:
            return found[0].removesuffix(".index")
    raise InputError(f"{folder}: no {scope}.ckpt-STEP.index in it; expected the published "
                     "checkpoint")


def import_tensorflow():
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # with it, every import logs a line
    try:
        import tensorflow
    except ImportError:
        raise MissingPackageError(
            "reading a TensorFlow checkpoint needs the package tensorflow-cpu; "
            f"expected {how_to_install('tensorflow')}") from None
    return tensorflow


def read_checkpoint(tensorflow, prefix: str, stage: int) -> StageSource:
    naming = TensorFlowNaming(stage)
    try:
        reader = tensorflow.train.load_checkpoint(prefix)
        names: List[str] = sorted(reader.get_variable_to_shape_map())
        arrays = {name: reader.get_tensor(name) for name in names if not naming.is_unused(name)}
    except Exception as error:  # TensorFlow's own classes, and ValueError where a shard is missing
        raise InputError(f"{prefix}: not a readable TensorFlow checkpoint ({first_line(error)}); "
                         "expected its .index and .data files, whole") from None
    unused = [name for name in names if naming.is_unused(name)]
    return StageSource(naming, prefix, Path(prefix).name, arrays, unused)
