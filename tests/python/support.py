"""Shared by the tests with PyTorch: small networks, cameras, and p2mpp-export."""

import contextlib
import functools
import subprocess
import sys
import warnings
from pathlib import Path
from typing import List, NamedTuple, Optional, Tuple

import numpy as np  # noqa: F401
import torch
from torch import Tensor

from runs import ROOT, Done, run_command, run_here
from p2mpp.commands import export as exporter
from p2mpp.network.local_graph import make_local_graph
from p2mpp.network.semantics import SEMANTICS
from p2mpp.network.sources import from_random
from p2mpp.network.stage1 import Stage1
from p2mpp.network.stage2 import Stage2
from p2mpp.network.template import Mesh, supports_and_edges
from p2mpp.network.weights import fit

DATA = ROOT / "tests" / "data"
torch.set_num_threads(1)  # small tensors: threads would only wait for each other

SMALL = ["--hidden", "8", "--width", "0.25"]


class Hierarchy(NamedTuple):
    """Level-0 vertices, T1 a level (sparse), unpooled edges between the levels."""

    coords: Tensor
    supports: List[Tensor]
    edges: List[Tensor]


def hierarchy(mesh: Mesh, levels: int = 3) -> Hierarchy:
    supports, edges = supports_and_edges(mesh, levels)
    return Hierarchy(torch.from_numpy(mesh.vertices),
                     [torch.from_numpy(each).to_sparse_coo().coalesce() for each in supports],
                     [torch.from_numpy(each) for each in edges])


def local_graph_tensors() -> Tuple[Tensor, Tensor]:
    """Hypotheses [43,3] and their T1 [43,43]."""
    graph = make_local_graph()
    return torch.from_numpy(graph.hypotheses), torch.from_numpy(graph.support)


@contextlib.contextmanager
def without_deprecation():
    """PyTorch says at every use that TorchScript is deprecated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def assert_equal(found, expected) -> None:
    """Two tensors, or two lists or dictionaries of them."""
    torch.testing.assert_close(found, expected, rtol=0, atol=0)


def load_stages(folder: Path):
    """Both stages of an exported model folder."""
    with without_deprecation():
        return [torch.jit.load(str(folder / f"stage{stage}.pt")) for stage in (1, 2)]


def make_small_stages(semantics: str):
    """Both stages of a small drawn network, scripted."""
    sources = from_random(1, hidden=8, width=0.25)
    stages = []
    for stage_class, weights in zip((Stage1, Stage2), map(fit, sources)):
        module = stage_class(weights.sizes, SEMANTICS[semantics]).eval()
        module.load_state_dict(weights.parameters)
        with without_deprecation():
            stages.append(torch.jit.script(module))
    return stages


small_stages = functools.lru_cache(make_small_stages)  # for tests that do not change them


def random_cameras(batch: int, views: int, generator: torch.Generator) -> Tensor:
    """[B,V,5] as ShapeNet's renderings have them."""
    low = torch.tensor([0.0, 25.0, 0.0, 0.65, 25.0])
    high = torch.tensor([360.0, 30.0, 0.0, 0.9, 25.0])
    return low + (high - low) * torch.rand(batch, views, 5, generator=generator)


def export(*arguments, code: Optional[int] = None) -> Done:
    """Run p2mpp-export within this process, which already has PyTorch loaded."""
    return run_here(exporter.main, *arguments, code=code)


def export_in_a_process(*arguments) -> subprocess.CompletedProcess:
    """Run p2mpp-export as a user does."""
    return run_command([sys.executable, "-m", "p2mpp.commands.export", *arguments])
