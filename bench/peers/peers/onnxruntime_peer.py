"""ONNX Runtime on its CPU provider."""

from pathlib import Path

import onnxruntime

from .onnx_export import exported
from .problem import Problem, camera_frames
from .registry import Ready, Settings


def build(problem: Problem, settings: Settings) -> Ready:
    network_file, drb_file = exported(problem, settings.work)
    network = session(network_file, settings.threads)
    reasoning = session(drb_file, settings.threads)
    features = problem.drb_input()

    def sample():
        frames = camera_frames(problem.cameras)
        return network.run(None, {"images": problem.images, **frames._asdict()})[0]

    def drb():
        return reasoning.run(None, {"features": features})[0]

    return Ready(f"ONNX Runtime {onnxruntime.__version__}", sample, drb)


def session(file: Path, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
