"""Which peers there are. Nothing heavy is imported before a peer's own process runs it."""

from pathlib import Path
from typing import Callable, NamedTuple

import numpy as np


class Peer(NamedTuple):
    """`module`.`builder` makes it ready; `reason` says why it is not there at all."""

    name: str
    precision: str
    semantics: str
    module: str = ""
    builder: str = ""
    reason: str = ""

    @property
    def key(self) -> str:
        return f"{self.name}, {self.precision}"


class Settings(NamedTuple):
    """Threads of the CPU, and a folder for what a peer writes, such as an exported network."""

    precision: str
    threads: int
    work: Path


class Ready(NamedTuple):
    """A peer that is ready. `sample`: from images and cameras to refined vertices [N,3]; `drb`: a
    deformation reasoning block alone, scores [N,S]."""

    version: str
    sample: Callable[[], np.ndarray]
    drb: Callable[[], np.ndarray]


PEERS = (
    Peer("PyTorch eager, as the port", "fp32", "design_b", "torch_peers", "eager"),
    Peer("torch.compile, as the port", "fp32", "design_b", "torch_peers", "compiled_port"),
    Peer("torch.compile, T0 left out", "fp32", "design_b", "torch_peers", "compiled_plain"),
    Peer("torch.compile, T0 left out", "bf16", "design_b", "torch_peers", "compiled_plain"),
    Peer("ONNX Runtime", "fp32", "design_b", "onnxruntime_peer", "build"),
    Peer("ONNX Runtime", "bf16", "design_b",
         reason="not available: its CPU provider has no bf16 kernels for these operators"),
    Peer("OpenVINO", "fp32", "design_b", "openvino_peer", "build"),
    Peer("OpenVINO", "bf16", "design_b", "openvino_peer", "build"),
    Peer("TensorFlow, as the original", "fp32", "tf", "tensorflow_peer", "build"),
)
