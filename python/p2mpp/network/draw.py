"""Weights and a local graph that anyone can draw again from a seed: no checkpoint needs to travel.

Every TensorFlow variable has a random stream of its own, seeded with its name, in TensorFlow's
layout ([kh, kw, in, out], [in, out] or [out]).
"""

import zlib
from typing import Sequence

import numpy as np

COORDINATE_GAIN = 0.12
SCORE_GAIN = 0.4
POSITION_GAIN = 60.0
OBJECT_CENTRE = (0.0, 0.0, -0.8)


def draw(name: str, shape: Sequence[int], seed: int) -> np.ndarray:
    """Weights with which the untrained network does something.

    Convolutions are He-scaled normal. Square graph convolutions are the identity plus noise, so
    that deep stacks keep what distinguishes the vertices; first layers weigh the position more;
    coordinate outputs put the object before camera 0; score outputs use one draw for both supports,
    which cancels what all hypotheses have in common.
    """
    name = name.split(":")[0]
    shape = list(shape)
    if shape == [3]:
        return np.array(OBJECT_CENTRE, np.float32)
    if shape[-1] == 1:
        name = name.replace("weights_1", "weights_0")
    random = np.random.Generator(np.random.PCG64([seed, zlib.crc32(name.encode())]))
    weights = random.standard_normal(shape)
    if len(shape) == 1:
        return (0.01 * weights).astype(np.float32)
    weights *= np.sqrt(2.0 / int(np.prod(shape[:-1])))
    if len(shape) == 2 and shape[0] == shape[1]:
        identity = np.eye(shape[0]) if name.endswith("weights_0") else 0.0
        weights = 0.25 * weights + identity
    elif shape[-1] == 3:
        weights *= COORDINATE_GAIN
    elif shape[-1] == 1:
        weights *= SCORE_GAIN
    elif len(shape) == 2:
        weights[:3] *= POSITION_GAIN
        weights *= 0.75
    return weights.astype(np.float32)
