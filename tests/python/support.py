"""Shared by the tests: paths, the golden sample, small networks, and the command line run as a
user would."""

import contextlib
import io
import subprocess
import sys
import warnings
from pathlib import Path
from typing import List, NamedTuple, Tuple

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
EXPORTER = (sys.executable, "-m", "p2mpp.commands.export")
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch import Tensor  # noqa: E402

from make_test_models import draw_images  # noqa: E402
from p2mpp.commands import export as exporter  # noqa: E402
from p2mpp.network.camera import camera_frames  # noqa: E402
from p2mpp.network.local_graph import make_local_graph  # noqa: E402
from p2mpp.network.semantics import SEMANTICS  # noqa: E402
from p2mpp.network.sources import from_random  # noqa: E402
from p2mpp.network.stage1 import Stage1  # noqa: E402
from p2mpp.network.stage2 import Stage2  # noqa: E402
from p2mpp.network.template import Mesh, supports_and_edges  # noqa: E402
from p2mpp.network.weights import fit  # noqa: E402

torch.set_num_threads(1)  # small tensors: threads would only wait for each other

GOLDEN_CAMERAS = [[250.5, 29.5, 0, 0.652, 25], [8.4, 26.5, 0, 0.713, 25],
                  [59.4, 28.9, 0, 0.806, 25]]
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


def load_stages(folder: Path):
    """Both stages of an exported model folder."""
    with without_deprecation():
        return [torch.jit.load(str(folder / f"stage{stage}.pt")) for stage in (1, 2)]


def small_stages(semantics: str, seed: int = 1):
    """Both stages of a small drawn network, scripted."""
    sources = from_random(seed, hidden=8, width=0.25)
    stages = []
    for stage_class, weights in zip((Stage1, Stage2), map(fit, sources)):
        module = stage_class(weights.sizes, SEMANTICS[semantics]).eval()
        module.load_state_dict(weights.parameters)
        with without_deprecation():
            stages.append(torch.jit.script(module))
    return stages


def golden_sample() -> Tuple[Tensor, Tensor]:
    """Images [1,3,3,224,224] and cameras [1,3,5] of the golden files."""
    views = draw_images(1).astype(np.float32) / np.float32(255)
    images = torch.from_numpy(views).permute(0, 3, 1, 2).contiguous()
    return images.unsqueeze(0), torch.tensor([GOLDEN_CAMERAS])


def random_cameras(batch: int, views: int, generator: torch.Generator) -> Tensor:
    """[B,V,5] as ShapeNet's renderings have them."""
    low = torch.tensor([0.0, 25.0, 0.0, 0.65, 25.0])
    high = torch.tensor([360.0, 30.0, 0.0, 0.9, 25.0])
    return low + (high - low) * torch.rand(batch, views, 5, generator=generator)


def random_pinholes(batch: int, views: int, generator: torch.Generator) -> Tensor:
    """[B,V,16]: any roll and aim, fx != fy, the principal point off the middle; the network's
    template lies before each."""
    def around(middle, spread, *shape):
        there = torch.tensor(middle, dtype=torch.float64)
        random = torch.rand(batch, views, *shape, generator=generator, dtype=torch.float64)
        return there + spread * (2 * random - 1)

    rotation = torch.linalg.qr(around(0.0, 1.0, 3, 3))[0]
    rotation = rotation * torch.linalg.det(rotation).sign()[..., None, None]
    centre = torch.tensor([0.0, 0.0, -0.8], dtype=torch.float64)
    translation = around([0.0, 0.0, -0.8], 0.1, 3) - rotation @ centre
    return torch.cat([rotation.flatten(-2), translation, around(250.0, 60.0, 2),
                      around(112.0, 30.0, 2)], -1)


def pinholes_of_rows(rows: Tensor, normalised_origin: bool = False) -> Tensor:
    """Camera rows [B,V,5] as pinholes [B,V,16] from camera 0's frame, or as design_b's stage 2 has
    them."""
    rotation, origin = camera_frames(rows)
    if normalised_origin:
        unit = origin / origin.norm(dim=-1, keepdim=True)
        turned, moved = rotation, -(rotation @ unit.unsqueeze(-1)).squeeze(-1)
    else:
        turned = rotation @ rotation[:, :1].transpose(-1, -2)
        moved = (rotation @ (origin[:, :1] - origin).unsqueeze(-1)).squeeze(-1)
    inner = torch.tensor([248.0, 248, 112, 112]).double().expand(*rows.shape[:2], 4)
    return torch.cat([turned.flatten(-2), moved, inner], -1)


class Done(NamedTuple):
    """A finished command."""

    returncode: int
    stdout: str
    stderr: str


def export(*arguments) -> Done:
    """Run p2mpp-export within this process, which already has PyTorch loaded."""
    return run_here(exporter.main, *arguments)


def run_here(main, *arguments) -> Done:
    """Run a script's main() within this process."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = stop.code
    return Done(code, stdout.getvalue(), stderr.getvalue())


def export_in_a_process(*arguments) -> Done:
    """Run p2mpp-export as a user does."""
    done = subprocess.run([*EXPORTER, *map(str, arguments)], text=True,
                          capture_output=True, check=False)
    return Done(done.returncode, done.stdout, done.stderr)
