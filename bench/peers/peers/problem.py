"""The input of every peer, in one .npz file, and values derived from it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, NamedTuple

import numpy as np
from p2mpp.network.layout import STRIDES

IMAGE_SIZE = 224

Arrays = Dict[str, np.ndarray]


class CameraFrames(NamedTuple):
    """float32: cam_from_world rotations [V,3,3], origins in the world [V,3]."""

    rotations: np.ndarray
    origins: np.ndarray


@dataclass
class Problem:
    """Parameters by the names that python/p2mpp/network/__init__.py lists.

    images [V,3,224,224] float32, BGR, 0..1; cameras [V,5] rows as in cameras.txt; coords [N0,3];
    supports: dense T1 [Nk,Nk] a level; edges: unpooled edges [E,2] between the levels; hypotheses
    [S,3]; local_support: T1 [S,S].
    """

    stage1: Arrays
    stage2: Arrays
    images: np.ndarray
    cameras: np.ndarray
    coords: np.ndarray
    supports: List[np.ndarray]
    edges: List[np.ndarray]
    hypotheses: np.ndarray
    local_support: np.ndarray

    def save(self, path: Path) -> None:
        arrays: Arrays = {}
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                arrays[name] = value
            else:
                items = value.items() if isinstance(value, dict) else enumerate(value)
                arrays.update((f"{name}/{key}", array) for key, array in items)
        np.savez(path, **arrays)

    @staticmethod
    def load(path: Path) -> "Problem":
        fields: Dict[str, object] = {}
        with np.load(path) as arrays:
            for name in arrays.files:
                field, _, key = name.partition("/")
                if not key:
                    fields[field] = arrays[name]
                elif key.isdigit():
                    fields.setdefault(field, []).append(arrays[name])
                else:
                    fields.setdefault(field, {})[key] = arrays[name]
        return Problem(**fields)

    @property
    def vertices(self) -> int:
        """At the finest level."""
        return len(self.supports[-1])

    def drb_input(self) -> np.ndarray:
        """Drawn features [N,S,F] with which a deformation reasoning block is timed alone."""
        features = self.stage2["drb.0.0.weight0"].shape[0]
        shape = (self.vertices, len(self.hypotheses), features)
        return np.random.default_rng(1).standard_normal(shape, dtype=np.float32)

    def gigaflop(self) -> float:
        """Multiplications and additions of the network's matrix products and convolutions, T0 and
        the sparse supports left out, in 10^9."""
        convolutions = sum(convolution_products(stage, len(self.images))
                           for stage in (self.stage1, self.stage2))
        mesh = sum(array.size * len(self.supports[int(name.split(".")[1])])
                   for name, array in self.stage1.items() if "gcn" in name and "weight" in name)
        rows = self.vertices * len(self.hypotheses)
        local = sum(array.size * rows for name, array in self.stage2.items()
                    if "drb" in name and "weight" in name)
        neighbours = sum(array.shape[1] * rows * len(self.hypotheses)
                         for name, array in self.stage2.items() if name.endswith("weight1"))
        return 2e-9 * (convolutions + mesh + local + neighbours)


def convolution_products(parameters: Arrays, views: int) -> int:
    """Multiplications of a stage's CNN over all views."""
    side, products = IMAGE_SIZE, 0
    for weight, stride in zip(layers(parameters, "cnn", "weight"), STRIDES):
        side = -(-side // stride)
        products += views * weight.size * side * side
    return products


def layers(parameters: Arrays, prefix: str, array: str) -> List[np.ndarray]:
    """prefix.0.array, prefix.1.array, ... as far as they go."""
    found = []
    while f"{prefix}.{len(found)}.{array}" in parameters:
        found.append(parameters[f"{prefix}.{len(found)}.{array}"])
    return found


def blocks(parameters: Arrays, kind: str) -> range:
    """Indices of the blocks "gcn" or "drb"."""
    return range(1 + max(int(name.split(".")[1]) for name in parameters if name.startswith(kind)))


def same_padding(size: int, kernel: int, stride: int) -> int:
    """Pixels that TensorFlow's SAME adds in total along one axis."""
    return max(((size - 1) // stride) * stride + kernel - size, 0)


def camera_frames(cameras: np.ndarray) -> CameraFrames:
    """Rows [V,5] -> each camera's frame."""
    azimuth, elevation = np.radians(cameras[:, :2].astype(np.float64)).T
    distance = cameras[:, 3].astype(np.float64)
    height, ground = distance * np.sin(elevation), distance * np.cos(elevation)
    opposite = azimuth + np.pi
    origin = np.stack([ground * np.cos(azimuth), height, ground * np.sin(azimuth)], 1)
    upward = np.stack([height * np.cos(opposite), ground, height * np.sin(opposite)], 1)
    axes = np.stack([np.cross(upward, origin), upward, origin], 1)
    rotations = axes / np.linalg.norm(axes, axis=2, keepdims=True)
    return CameraFrames(rotations.astype(np.float32), origin.astype(np.float32))
