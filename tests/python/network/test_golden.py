"""Stage 1 of exported full-size models against the numbers of the original code and of its PyTorch port. The rest of both
stages is compared in tests/backends/golden_test.cc."""

import os
import sys
import unittest
from pathlib import Path

from runs import ROOT
from support import DATA, hierarchy, load_stages, np, torch
from templates import bundled_mesh

sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
from make_test_models import CAMERAS, draw_images  # noqa: E402

MODELS = Path(os.environ.get("P2MPP_TEST_MODELS", ROOT / "build-fixtures/test_models"))


class GoldenTest(unittest.TestCase):

    @torch.inference_mode()
    def test_each_level_from_the_golden_vertices_of_the_one_before(self):
        """Features are looked up at the nearest pixel, so a rounding that crosses a border would move vertices."""
        images = torch.from_numpy(draw_images(1)).permute(0, 3, 1, 2)[None] / 255
        cameras = torch.tensor([[[float(number) for number in row.split()] for row in CAMERAS]])
        mesh = hierarchy(bundled_mesh())
        for semantics in ("tf", "design_b"):
            stage1, _ = load_stages(MODELS / f"golden-{semantics}")
            maps = stage1.features(images)
            x = stage1.project(maps, cameras, mesh.coords.unsqueeze(0)).transpose(0, 1)
            with np.load(DATA / "golden" / f"golden_{semantics}_seed1.npz") as golden:
                for level, block in enumerate(stage1.gcn.children()):
                    hidden, found = block(x, mesh.supports[level])
                    expected = golden[f"coords{level + 1}"]
                    np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=1e-5,
                                               err_msg=f"{semantics}, level {level}")
                    if level < len(mesh.edges):
                        x = stage1.next_input(maps, cameras, torch.from_numpy(expected).unsqueeze(0),
                                              hidden, mesh.edges[level])
