"""p2mpp-calibrate as a user runs it: what it finds, what it leaves, and what is wrong with
its input."""

import json
import shutil
import tempfile
import unittest
from pathlib import Path

from support import (ROOT, SMALL, Done, export, hierarchy, load_stages, local_graph_tensors, np,
                     run_here, torch)
from templates import bundled_mesh

from p2mpp.commands import calibrate as calibration
from p2mpp.network.template import Mesh, obj_text
from p2mpp.training.samples import network_input

SAMPLES = ROOT / "data"
VIEWS = [0, 6, 7]


def calibrate(*arguments) -> Done:
    """Run p2mpp-calibrate within this process."""
    return run_here(calibration.main, *arguments)


def largest_inputs(folder: Path, names: list, image_channels: int = 3) -> torch.Tensor:
    """[blocks,layers], layer by layer as the method has it, by the archive's own modules."""
    stage1, stage2 = load_stages(folder)
    hypotheses, support = local_graph_tensors()
    found = []
    for name in names:
        category, model, _ = name.split("_")
        rendering = SAMPLES / category / model / "rendering"
        images, cameras = (each[None] for each in
                           network_input(rendering, VIEWS, "clean", image_channels))
        coords = stage1(images, cameras, *hierarchy(bundled_mesh()))[-1][:, ::4]
        maps = stage2.features(images)
        for drb in stage2.drb.children():
            x = stage2.project(maps, cameras, coords, hypotheses)[0]
            inputs, largest = [x], [x[..., 3:].abs().max()]
            layers = list(drb.children())
            for index, layer in enumerate(layers[:-1]):
                x = torch.relu(layer(x, support))
                if index in (2, 4):
                    x = x + inputs[-2]
                inputs.append(x)
                largest.append(x.abs().max())
            scores = layers[-1](x, support).squeeze(-1)
            coords = stage2.move(coords, hypotheses, scores[None])
            found.append(torch.stack(largest))
    return torch.stack(found).view(len(names), 2, -1).amax(0)


class CalibrationTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.names = (SAMPLES / "test_list.txt").read_text().replace(".dat", "").split()[:2]
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.exported = Path(folder.name, "model")
        done = export("--out", cls.exported, "--random", 3, *SMALL)
        assert done.returncode == 0, done.stderr

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.model, self.list = self.folder / "model", self.folder / "list.txt"
        self.list.write_text("\n".join(self.names))
        shutil.copytree(self.exported, self.model)

    def text(self) -> str:
        return (self.model / "model.json").read_text()

    def succeed(self, *arguments) -> torch.Tensor:
        done = calibrate(self.model, "--list", self.list, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return torch.tensor(json.loads(self.text())["fp8_largest_inputs"])

    def reject(self, expected: str, *arguments) -> None:
        """One line on stderr; model.json as it was."""
        before = self.text() if self.model.is_dir() else None
        done = calibrate(self.model, "--list", self.list, *arguments)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertRegex(done.stderr, rf"\Ap2mpp-calibrate: error: .*{expected}.*\n\Z")
        if before is not None:
            self.assertEqual(self.text(), before)

    @torch.inference_mode()
    def test_finds_the_largest_input_of_each_layer(self):
        found = self.succeed()
        self.assertEqual(list(found.shape), [2, 6])
        torch.testing.assert_close(found, largest_inputs(self.model, self.names), rtol=1e-4, atol=0)

    @torch.inference_mode()
    def test_images_with_masks(self):
        self.list.write_text(self.names[0])
        done = export("--out", self.model, "--random", 3, *SMALL, "--image-channels", 4, "--force")
        self.assertEqual(done.returncode, 0)
        torch.testing.assert_close(self.succeed(), largest_inputs(self.model, self.names[:1], 4),
                                   rtol=1e-4, atol=0)

    def test_leaves_the_rest_of_the_model_as_it_is(self):
        before, files = self.text(), sorted(self.model.iterdir())
        self.succeed()
        once = self.text()
        self.assertTrue(once.startswith(before.rstrip("}\n") + "}"), once)
        self.assertEqual(len(once.splitlines()), len(before.splitlines()) + 4)
        self.assertEqual(sorted(self.model.iterdir()), files)
        self.succeed()
        self.assertEqual(self.text(), once)

    def test_more_samples_are_at_least_as_large(self):
        both = self.succeed()
        self.list.write_text(self.names[0])
        one = self.succeed()
        self.assertTrue((both >= one).all())
        self.assertTrue((both > one).any())

    def test_says_what_is_wrong_with_samples(self):
        self.reject("nowhere.*rendering_metadata.txt", "--data", self.folder / "nowhere")
        self.list.write_text("nonsense")
        self.reject("list.txt: 'nonsense'; expected ids")
        self.list.unlink()
        self.reject("list.txt: No such file")

    def test_says_what_is_wrong_with_models(self):
        (self.model / "stage2.pt").write_bytes((self.model / "stage1.pt").read_bytes())
        self.reject("model: .*; expected a model folder")
        (self.model / "stage2.pt").unlink()
        self.reject("model: .*stage2.pt.*; expected a model folder")
        (self.model / "model.json").write_text("{}")
        self.reject("model: 'semantics'; expected a model folder")
        (self.model / "model.json").write_text("[")
        self.reject("model.json: .*; expected the file")
        self.model = self.folder / "none"
        self.reject("none/model.json: No such file or directory; expected a model folder")

    def test_refuses_layers_that_nothing_enters(self):
        state = self.folder / "zeros.pt"
        stages = [dict(stage.state_dict()) for stage in load_stages(self.model)]
        for part in ("weight0", "weight1", "bias"):
            stages[1][f"drb.1.1.{part}"].zero_()
        torch.save({"stage1": stages[0], "stage2": stages[1]}, state)
        self.assertEqual(export("--out", self.model, "--state", state, "--force").returncode, 0)
        self.reject("largest input of layer 2 of deformation reasoning block 1 is 0; expected")

    def test_a_template_of_another_mesh(self):
        vertices = np.array([(1, 1, 1), (-1, -1, 1), (-1, 1, -1), (1, -1, -1)]) * 0.2 - [0, 0, 0.8]
        faces = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
        template = self.folder / "tetrahedron.obj"
        template.write_text(obj_text(Mesh(vertices.astype(np.float32), faces)))
        self.assertEqual(export("--out", self.model, "--random", 3, "--template", template,
                                "--force", *SMALL).returncode, 0)
        self.assertTrue((self.succeed() > 0).all())


if __name__ == "__main__":
    unittest.main()
