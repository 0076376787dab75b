"""Exported full-size models against the numbers of the original code and of its PyTorch port."""

import tempfile
import unittest
from pathlib import Path

from support import (DATA, export, golden_sample, hierarchy, load_stages, local_graph_tensors,
                     np, torch)
from templates import bundled_mesh


class GoldenTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.images, cls.cameras = golden_sample()
        cls.hierarchy = hierarchy(bundled_mesh())
        cls.hypotheses, cls.support = local_graph_tensors()

    def check(self, name, found, expected, vertex_limit, share):
        """So large a share of the vertices is within the limit in each of its numbers."""
        error = np.abs(found.numpy() - expected).reshape(len(expected), -1).max(1)
        within = (error <= vertex_limit).mean()
        self.assertGreaterEqual(within, share, f"{name}: worst {error.max():.2e}")

    def run_model(self, semantics, folder):
        with np.load(DATA / "golden" / f"golden_{semantics}_seed1.npz") as arrays:
            golden = dict(arrays)
        stage1, stage2 = load_stages(folder)
        with torch.inference_mode():
            self.check_stage1(golden, stage1)
            self.check_stage2(golden, stage2, torch.from_numpy(golden["coords3"]).unsqueeze(0))

    def check_stage1(self, golden, stage1):
        """Each level from the golden vertices of the one before: features are looked up at the
        nearest pixel, so a rounding that crosses a border would move vertices."""
        maps = stage1.features(self.images)
        projected = stage1.project(maps, self.cameras, self.hierarchy.coords.unsqueeze(0))
        if "stage1_proj1" in golden:
            self.check("stage1_proj1", projected[0, :, ::37], golden["stage1_proj1"], 1e-4, 1.0)
        x = projected.transpose(0, 1)
        for level, block in enumerate(stage1.gcn.children()):
            hidden, out = block(x, self.hierarchy.supports[level])
            expected = golden[f"coords{level + 1}"]
            self.check(f"coords{level + 1}", out[:, 0], expected, 1e-5, 1.0)
            if level < len(self.hierarchy.edges):
                x = stage1.next_input(maps, self.cameras, torch.from_numpy(expected).unsqueeze(0),
                                      hidden, self.hierarchy.edges[level])

    def check_stage2(self, golden, stage2, coords):
        maps = stage2.features(self.images)
        for block in range(stage2.drb_blocks):
            projected = stage2.project(maps, self.cameras, coords, self.hypotheses)
            scores = stage2.scores(block, projected, self.support)
            coords = stage2.move(coords, self.hypotheses, scores)
            name = f"{block + 1}"
            if block == 0:
                self.check("stage2_proj1", projected[0, ::97], golden["stage2_proj1"], 1e-4, 0.95)
            self.check("scores" + name, scores[0, ::9], golden["scores" + name], 1e-3, 0.99)
            self.check("refined" + name, coords[0], golden["refined" + name], 1e-4, 0.995)
            mean = np.abs(coords[0].numpy() - golden["refined" + name]).mean()
            self.assertLessEqual(mean, 1e-5)

    def test_tf(self):
        self.check_semantics("tf")

    def test_design_b(self):
        self.check_semantics("design_b")

    def check_semantics(self, semantics):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, semantics)
            done = export("--out", out, "--random", 1, "--semantics", semantics)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.run_model(semantics, out)


if __name__ == "__main__":
    unittest.main()
