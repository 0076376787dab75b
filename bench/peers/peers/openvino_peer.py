"""OpenVINO on the CPU, tuned for latency."""

from pathlib import Path

import openvino

from .onnx_export import exported
from .problem import Problem, camera_frames
from .registry import Ready, Settings

PRECISION_HINTS = {"fp32": "f32", "bf16": "bf16"}


def build(problem: Problem, settings: Settings) -> Ready:
    network_file, drb_file = exported(problem, settings.work)
    network, reasoning = compiled(network_file, settings), compiled(drb_file, settings)
    features = problem.drb_input()

    def sample():
        frames = camera_frames(problem.cameras)
        return network({"images": problem.images, **frames._asdict()})[0]

    def drb():
        return reasoning({"features": features})[0]

    return Ready(f"OpenVINO {openvino.__version__.split('-')[0]}", sample, drb)


def compiled(file: Path, settings: Settings) -> openvino.CompiledModel:
    return openvino.Core().compile_model(str(file), "CPU", {
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": PRECISION_HINTS[settings.precision],
        "INFERENCE_NUM_THREADS": settings.threads})
