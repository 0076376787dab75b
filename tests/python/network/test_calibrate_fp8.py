"""p2mpp-calibrate as a user runs it: what it finds, what it leaves, and what is wrong with
its input."""

import json
import shutil
from pathlib import Path

from runs import ROOT, Done, SharedFolderTest, run_here
from support import SMALL, export, hierarchy, load_stages, local_graph_tensors, torch
from templates import octahedron

from p2mpp.commands import calibrate as calibration
from p2mpp.network.template import obj_text
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
        images, cameras = (each[None] for each in network_input(rendering, VIEWS, "clean", image_channels))
        coords = stage1(images, cameras, *hierarchy(octahedron()))[-1][:, ::4]
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


class CalibrationTest(SharedFolderTest):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.names = (SAMPLES / "test_list.txt").read_text().replace(".dat", "").split()[:2]
        cls.exported = cls.folder / "exported"
        template = cls.folder / "template.obj"
        template.write_text(obj_text(octahedron()))
        cls.drawn = ["--random", 3, "--template", template, *SMALL]
        export("--out", cls.exported, *cls.drawn, code=0)

    def setUp(self):
        self.model, self.list = self.folder / "model", self.folder / "list.txt"
        self.list.write_text("\n".join(self.names))
        shutil.rmtree(self.model, ignore_errors=True)
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
    def test_finds_the_largest_input_of_each_layer_and_leaves_the_rest_as_it_is(self):
        before, files = self.text(), sorted(self.model.iterdir())
        found = self.succeed()
        self.assertEqual(list(found.shape), [2, 6])
        torch.testing.assert_close(found, largest_inputs(self.model, self.names), rtol=1e-4, atol=0)
        once = self.text()
        self.assertTrue(once.startswith(before.rstrip("}\n") + "}"), once)
        self.assertEqual(len(once.splitlines()), len(before.splitlines()) + 4)
        self.assertEqual(sorted(self.model.iterdir()), files)
        self.succeed()
        self.assertEqual(self.text(), once)

    @torch.inference_mode()
    def test_images_with_masks(self):
        self.list.write_text(self.names[0])
        export("--out", self.model, *self.drawn, "--image-channels", 4, "--force", code=0)
        torch.testing.assert_close(self.succeed(), largest_inputs(self.model, self.names[:1], 4), rtol=1e-4, atol=0)

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
        export("--out", self.model, "--state", state, "--template", self.folder / "template.obj", "--force", code=0)
        self.reject("largest input of layer 2 of deformation reasoning block 1 is 0; expected")
