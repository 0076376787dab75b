"""PyTorch, eager and compiled."""

import torch

from .problem import Problem, camera_frames
from .registry import Ready, Settings
from .torch_network import LOCAL_SUPPORTS, DeformationReasoning, Network


def eager(problem: Problem, settings: Settings) -> Ready:
    return ready(problem, settings, "port", lambda module: module)


def compiled_port(problem: Problem, settings: Settings) -> Ready:
    return ready(problem, settings, "port", torch.compile)


def compiled_plain(problem: Problem, settings: Settings) -> Ready:
    return ready(problem, settings, "plain", torch.compile)


def ready(problem: Problem, settings: Settings, writing: str, transform) -> Ready:
    """`transform` is applied to the network and to a single deformation reasoning block."""
    torch.set_num_threads(settings.threads)
    bfloat16 = settings.precision == "bf16"
    network = transform(Network(problem, writing, bfloat16).eval())
    reasoning = transform(DeformationReasoning(
        problem.stage2, 0, LOCAL_SUPPORTS[writing](problem.local_support), bfloat16).eval())
    images, features = torch.from_numpy(problem.images), torch.from_numpy(problem.drb_input())

    @torch.inference_mode()
    def sample():
        return network(images, *map(torch.from_numpy, camera_frames(problem.cameras))).numpy()

    @torch.inference_mode()
    def drb():
        return reasoning(features).numpy()

    return Ready(f"PyTorch {torch.__version__}", sample, drb)
