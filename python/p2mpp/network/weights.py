"""Fits a source's weights to the network: all of them, nothing else, each of the expected shape."""

from dataclasses import dataclass, field
from typing import Dict, List, Union

import numpy as np
import torch

from ..errors import InputError
from . import layout
from .layout import Shapes, Stage1Sizes, Stage2Sizes
from .naming import OwnNaming, Sizes
from .template import as_float32


@dataclass
class StageSource:
    """One stage's arrays under the source's own names.

    `file` is named in messages, `origin` in model.json; `unused` are names that the source may hold
    and the network does not read.
    """

    naming: OwnNaming
    file: str
    origin: str
    arrays: Dict[str, np.ndarray]
    unused: List[str] = field(default_factory=list)


@dataclass
class StageWeights:
    """One stage's parameters under our names, float32, and the sizes that follow from them."""

    sizes: Union[Stage1Sizes, Stage2Sizes]
    parameters: Dict[str, torch.Tensor]


def fit(source: StageSource) -> StageWeights:
    """Throws InputError with a list of every missing, extra, misshapen or non-finite weight."""
    naming = source.naming
    found = {}
    twice = []
    for name in source.arrays:
        twice += [name] if naming.key(name) in found else []
        found.setdefault(naming.key(name), name)
    sizes = infer_sizes(naming, source.arrays)
    expected = {naming.key(naming.name(parameter, sizes)): (parameter, naming.shape(shape))
                for parameter, shape in sizes.shapes().items()}
    extra = [name for key, name in found.items() if key not in expected] + twice
    problems = [f"missing: {key}, expected {list(shape)}"
                for key, (_, shape) in expected.items() if key not in found]
    problems += [f"extra: {name} {list(source.arrays[name].shape)}" for name in extra]
    for key, (_, shape) in expected.items():
        if key in found:
            problems += problems_of(found[key], source.arrays[found[key]], shape)
    if problems:
        raise InputError(summary(source, problems, len(expected)), problems)
    parameters = {}
    for key, (parameter, _) in expected.items():
        array = source.arrays[found[key]]
        array = as_float32(array.transpose(naming.axes(array.ndim)))
        parameters[parameter] = torch.from_numpy(np.ascontiguousarray(array))
    return StageWeights(sizes, parameters)


def problems_of(name: str, array: np.ndarray, shape: tuple) -> List[str]:
    """The faults of one weight that the network reads."""
    if array.shape != shape:
        return [f"misshapen: {name}, found {list(array.shape)}, expected {list(shape)}"]
    if array.dtype.kind != "f":
        return [f"not floating-point: {name}, found {array.dtype}, expected float32"]
    bad = int((~np.isfinite(as_float32(array))).sum())
    if bad:
        return [f"not finite: {name}, found {bad} of {array.size} numbers NaN or infinite"]
    return []


def summary(source: StageSource, problems: List[str], expected: int) -> str:
    """How many problems of each kind there are."""
    kinds = [problem.split(":")[0] for problem in problems]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    return (f"{source.file}: its weights do not fit stage {source.naming.stage} ({counts}); "
            f"expected {expected} weights, each of its shape:")


def infer_sizes(naming: OwnNaming, arrays: Dict[str, np.ndarray]) -> Sizes:
    """The sizes that the arrays speak for; where one says nothing, the published size."""
    shapes: Shapes = {}
    for name, array in arrays.items():
        parameter = naming.parse(name)
        if parameter is not None:
            shapes[parameter] = tuple(array.shape[axis] for axis in naming.axes(array.ndim))
    if naming.stage == 1:
        channels, kernels = infer_cnn(shapes, len(layout.STRIDES))
        hidden = width(shapes, "gcn.0.0", layout.PUBLISHED_HIDDEN)
        layers = tuple(infer_layers(shapes, f"gcn.{block}", count)
                       for block, count in enumerate(layout.PUBLISHED_GCN_LAYERS))
        return Stage1Sizes(channels, kernels, hidden, layers, infer_image_channels(shapes))
    channels, kernels = infer_cnn(shapes, layout.STAGE2_CONVOLUTIONS)
    hidden = width(shapes, "drb.0.0", layout.PUBLISHED_HIDDEN)
    blocks = 1 + max((int(name.split(".")[1]) for name in shapes if name.startswith("drb.")),
                     default=layout.PUBLISHED_DRB_BLOCKS - 1)
    image_channels = infer_image_channels(shapes)
    first = shapes.get("drb.0.0.weight0", ())
    evidence = image_channels == layout.IMAGE_CHANNELS[1] and first[:1] == (
        layout.projected_width(channels, layout.STAGE2_MAPS, evidence=True),)
    return Stage2Sizes(channels, kernels, hidden, blocks, image_channels=image_channels,
                       mask_evidence=evidence)


def infer_image_channels(shapes: Shapes) -> int:
    """The input channels of the first convolution; the published number if they are impossible."""
    weight = shapes.get("cnn.0.weight", ())
    known = len(weight) == 4 and weight[1] in layout.IMAGE_CHANNELS
    return weight[1] if known else layout.IMAGE_CHANNELS[0]


def infer_cnn(shapes: Shapes, convolutions: int) -> tuple:
    """(channels, kernels) of so many convolutions."""
    channels, kernels = [], []
    for index in range(convolutions):
        channels.append(width(shapes, f"cnn.{index}", layout.PUBLISHED_CHANNELS[index]))
        weight = shapes.get(f"cnn.{index}.weight", ())
        square = len(weight) == 4 and weight[2] == weight[3] and weight[2] % 2 == 1
        kernels.append(weight[2] if square else layout.PUBLISHED_KERNELS[index])
    return tuple(channels), tuple(kernels)


def width(shapes: Shapes, layer: str, published: int) -> int:
    """A layer's number of outputs, from its bias."""
    bias = shapes.get(f"{layer}.bias", ())
    return bias[0] if len(bias) == 1 and bias[0] > 0 else published


def infer_layers(shapes: Shapes, block: str, published: int) -> int:
    """Graph convolutions in a block: up to the one that gives coordinates."""
    indices = [int(name.split(".")[2]) for name in shapes if name.startswith(f"{block}.")]
    count = 1 + max(indices, default=-1)
    complete = count >= 2 and width(shapes, f"{block}.{count - 1}", 0) == 3
    return count if complete else max(count, published)
