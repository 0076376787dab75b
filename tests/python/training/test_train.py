"""Training on a tiny network and tiny data: forward pass, loss, resuming."""

import csv
import pickle
import shutil
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
from runs import ROOT, SharedFolderTest, TemporaryTest, run_here
from support import assert_equal, export, hierarchy, load_stages, local_graph_tensors, random_cameras, torch
from templates import BUNDLED_OBJ, octahedron

from p2mpp.commands import train
from p2mpp.network.loaded_model import stage_parameters
from p2mpp.network.local_graph import make_local_graph
from p2mpp.network.template import obj_text
from p2mpp.training import batches, losses, network, samples, start, tasks, trainer
from p2mpp.training.hierarchy import make_hierarchy
from p2mpp.training.run import choose_precision

CPU = torch.device("cpu")


def copy_samples(root: Path) -> None:
    """Four of the bundled samples; the last is held out."""
    names = (ROOT / "data/test_list.txt").read_text().split()[:4]
    for name in names:
        category, model, _ = name.split("_")
        shutil.copytree(ROOT / "data" / category / model, root / category / model)
        shutil.copy(ROOT / f"data/{category}_{model}_00_ground.xyz", root)
    (root / "all.txt").write_text("\n".join(names))
    (root / "held_out.txt").write_text(names[-1])
    (root / "template.obj").write_text(obj_text(octahedron()))
    (root / "generation.json").write_text('{"options": {"seed": 3}}')


class ForwardTest(unittest.TestCase):
    """The forward pass that is trained is that of the modules that are exported."""

    def setUp(self):
        self.generator = torch.Generator().manual_seed(7)
        self.stages = start.make_stages(2, hidden=8, width=0.25)
        self.images = torch.rand(2, 3, 3, 64, 64, generator=self.generator)
        self.cameras = random_cameras(2, 3, self.generator)
        self.tensors = hierarchy(octahedron())
        self.levels = make_hierarchy(octahedron(), make_local_graph(), CPU)

    def disturb(self):
        """Weights for which every part matters."""
        with torch.no_grad():
            for stage in self.stages:
                for parameter in stage.parameters():
                    noise = torch.randn(parameter.shape, generator=self.generator)
                    parameter += 0.02 * noise

    @torch.no_grad()
    def test_both_stages_give_what_the_modules_give(self):
        self.disturb()
        stage1, stage2 = self.stages
        expected = stage1(self.images, self.cameras, *self.tensors)
        found = network.coarse_levels(stage1, self.images, self.cameras, self.levels, torch.float32)
        torch.testing.assert_close([level.vertices for level in found], expected, rtol=0, atol=1e-5)
        refined = stage2(self.images, self.cameras, expected[-1], *local_graph_tensors())
        maps = network.image_maps(stage2, self.images, torch.float32)
        found = network.refine(stage2, maps, self.cameras, expected[-1], self.levels)
        torch.testing.assert_close(list(found), refined, rtol=0, atol=1e-5)

    @torch.no_grad()
    def test_untrained_stage_1_gives_its_template_back(self):
        for level in network.coarse_levels(self.stages[0], self.images, self.cameras, self.levels, torch.float32):
            self.assertLess((level.vertices - level.before).abs().max().item(), 0.2)
            torch.testing.assert_close(level.vertices.mean((0, 1)), level.before.mean((0, 1)), rtol=0, atol=0.1)

    @torch.no_grad()
    def test_a_copied_block_computes_the_same(self):
        self.disturb()
        second, third = self.stages[0].gcn[1:]
        start.copy_block(second, third)
        level = self.levels.levels[1]
        features = torch.rand(1, 18, second[0].weight0.size(0) - 3, generator=self.generator)
        coords = torch.rand(1, 18, 3, generator=self.generator)
        found, expected = (network.graph_block(block, features, coords, level.support) for block in (third, second))
        torch.testing.assert_close(found, expected)


class LossTest(unittest.TestCase):

    def test_the_loss_of_both_stages_falls(self):
        generator = torch.Generator().manual_seed(9)
        directions = torch.nn.functional.normalize(torch.randn(2, 150, 3, generator=generator), dim=-1)
        points = directions * torch.tensor([0.25, 0.1, 0.15]) + torch.tensor([0.02, 0.03, -0.82])
        batch = batches.Batch(torch.rand(2, 3, 3, 64, 64, generator=generator),
                              random_cameras(2, 3, generator), points, directions)
        modules = start.make_stages(2, hidden=8, width=0.25)
        levels = make_hierarchy(octahedron(), make_local_graph(), CPU)
        coarse = tasks.CoarseTask(modules[0], levels, losses.LossWeights(), torch.float32)
        coarse.enter(1.0)
        fine = tasks.RefinementTask(modules[1], coarse, losses.LossWeights())
        for task, rate in ((coarse, 4e-4), (fine, 1e-2)):
            with self.subTest(stage=task.stage):
                optimiser = torch.optim.Adam(task.module.parameters(), lr=rate)
                history = []
                for _ in range(12):
                    optimiser.zero_grad()
                    loss = sum(task.loss(batch, np.random.default_rng(1)).values())
                    loss.backward()
                    optimiser.step()
                    history.append(loss.item())
                self.assertLess(history[-1], 0.98 * history[0])


class ScheduleTest(unittest.TestCase):

    def test_the_rate_rises_holds_and_falls(self):
        for begin in (7000, 4000):
            shares = [trainer.rate_share(step, step / 10000, begin / 10000) for step in range(10001)]
            self.assertAlmostEqual(shares[0], 1 / trainer.WARM_UP_STEPS)
            self.assertEqual(set(shares[trainer.WARM_UP_STEPS:begin + 1]), {1.0})
            falling = shares[begin:]
            self.assertTrue(all(after < before for before, after in zip(falling, falling[1:])))
            self.assertAlmostEqual(shares[-1], trainer.LAST_RATE_SHARE)

    def test_the_length_does_not_matter_before_the_rate_falls(self):
        for step in (0, 50, 500, 6000):
            self.assertEqual(trainer.rate_share(step, step / 10000, 0.7), trainer.rate_share(step, step / 50000, 0.7))


class SharedStepTest(unittest.TestCase):

    def test_threads_add_up_to_the_mean_over_the_samples(self):
        """Three samples for two threads: shares of two thirds and one third."""
        kinds = [("numbers", "u1", (3,)), ("pictures", "u1", (3, 24, 24, 3)),
                 ("cameras", "f8", (3, 5)), ("points", "f4", (60, 3)), ("normals", "f2", (60, 3))]
        random = np.random.default_rng(5)
        pack = np.zeros(6, np.dtype(kinds))
        pack["numbers"] = range(3)
        pack["pictures"] = random.integers(0, 255, pack["pictures"].shape)
        pack["cameras"] = random_cameras(6, 3, torch.Generator().manual_seed(3)).numpy()
        pack["points"] = random.uniform(-0.2, 0.2, pack["points"].shape)
        pack["normals"][..., 0] = 1
        module = start.make_stages(2, hidden=8, width=0.25)[0]
        levels = make_hierarchy(octahedron(), make_local_graph(), CPU)
        task = tasks.CoarseTask(module, levels, losses.LossWeights(), torch.float32)
        task.enter(1.0)
        settings = trainer.Settings(
            Path(), seed=1, batch=3, points=50, learning_rate=0.0, steps=10, minutes=0.0,
            eval_every=10, eval_samples=1, eval_batch=1, save_minutes=10.0, stop_after=0, workers=2,
            decay_from=0.7)
        shared = trainer.Trainer(task, pack, pack, settings, CPU, {}, print)
        drawn = shared.draw(0)
        terms = shared.update(drawn)
        losses_of_parts = [
            sum(task.loss(part.to(CPU), batches.random_of(1, 1, 0, 1 + number)).values())
            for number, part in enumerate(drawn.split(2))]
        loss = 2 / 3 * losses_of_parts[0] + 1 / 3 * losses_of_parts[1]
        self.assertAlmostEqual(terms["loss"].item(), loss.item(), places=3)
        parameters = list(module.parameters())
        torch.testing.assert_close([parameter.grad for parameter in parameters], list(torch.autograd.grad(loss, parameters)),
                                   rtol=1e-4, atol=1e-4)


class DataTest(TemporaryTest):

    def test_a_bundled_sample_lies_inside_its_silhouettes(self):
        name = "03001627_p2mpp0001_00"
        sample = samples.read_sample(ROOT / "data", ROOT / "data", name, 3, 1000)
        self.assertEqual(sample.numbers.tolist(), [0, 6, 7])
        for picture, camera in zip(sample.pictures, sample.cameras):
            rotation, origin = samples.rotation_and_origin(camera)
            x, y, z = ((sample.points - origin) @ rotation.T).T
            column, row = (137 * (248 * each / -z + 112) / 224 for each in (x, -y))
            inside = (picture[row.astype(int), column.astype(int)] < 255).any(-1)
            self.assertGreater(inside.mean(), 0.97)

    def test_published_pickles_are_read_and_of_a_pair_the_second(self):
        truth = np.arange(12, dtype=np.float32).reshape(2, 6)
        for content in (truth, (np.zeros((3, 3), np.float32), truth)):
            (self.folder / "a_b_00.dat").write_bytes(pickle.dumps(content, protocol=2))
            self.assertTrue(np.array_equal(samples.read_truth(self.folder, "a_b_00"), truth))

    def test_batches_put_the_truth_before_their_first_camera(self):
        kind = np.dtype([("numbers", "u1", (4,)), ("cameras", "f8", (4, 5)),
                         ("pictures", "u1", (4, 8, 8, 3)), ("points", "f4", (9, 3)),
                         ("normals", "f2", (9, 3))])
        pack = np.zeros(3, kind)
        pack["cameras"] = random_cameras(3, 4, torch.Generator().manual_seed(1)).numpy()
        drawn = batches.draw_batch(pack, batches.random_of(1, 1, 0), 2, 5)
        self.assertEqual(list(drawn.points.shape), [2, 5, 3])
        distances = drawn.cameras[:, :1, 3].float()
        torch.testing.assert_close(drawn.points[..., 2], -distances.expand(2, 5))
        torch.testing.assert_close(drawn.points[..., :2], torch.zeros(2, 5, 2))


class TrainTest(SharedFolderTest):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        copy_samples(cls.folder)

    def train(self, out, *more, code=0):
        return run_here(
            train.main, "--data", self.folder, "--list", self.folder / "all.txt", "--held-out",
            self.folder / "held_out.txt", "--out", self.folder / out, "--template",
            self.folder / "template.obj", "--pack", self.folder / "packed", "--points", 200,
            "--points-a-step", 150, "--hidden", 8, "--width", 0.1, "--batch", 2, "--device", "cpu",
            "--precision", "fp32", "--threads", 1, "--eval-every", 5, *more,
            code=code).stderr

    def rows(self, out):
        with open(self.folder / out / "log.csv", newline="") as stream:
            return list(csv.DictReader(stream))

    def test_a_resumed_run_gives_the_same_numbers_and_exports(self):
        steps = ["--steps", 10, "--stage2-steps", 4]
        self.train("whole", *steps)
        rows = self.rows("whole")
        self.assertEqual([(row["stage"], row["step"]) for row in rows],
                         [("1", "0"), ("1", "5"), ("1", "10"), ("2", "0"), ("2", "4")])
        self.assertTrue((self.folder / "whole" / "plot.png").is_file())

        self.train("parts", *steps, "--stop-after", 3, code=5)
        self.train("parts", *steps, code=3)
        self.train("parts", *steps, "--resume", "--stop-after", 2, code=5)
        self.train("parts", *steps, "--resume", "--stage", 1)
        self.train("parts", *steps, "--resume", "--stop-after", 3, code=5)
        self.train("parts", *steps, "--resume", "--stage", 2)
        self.assertEqual([{**row, "seconds": ""} for row in rows],
                         [{**row, "seconds": ""} for row in self.rows("parts")])
        whole, parts = (torch.load(self.folder / out / "state.pt") for out in ("whole", "parts"))
        for stage in ("stage1", "stage2"):
            assert_equal(parts[stage], whole[stage])
        self.assertEqual(whole["training"]["data"], {"options": {"seed": 3}})

        # A finished run goes on, in its own precision.
        self.train("parts", "--steps", 12, "--resume", "--stage", 1, "--precision", "auto")
        self.assertEqual([(row["stage"], row["step"]) for row in self.rows("parts")],
                         [("1", "0"), ("1", "5"), ("1", "10"), ("1", "12")])

        export("--out", self.folder / "model", "--state", self.folder / "whole" / "state.pt", "--template",
               self.folder / "template.obj", code=0)
        stage1, _ = load_stages(self.folder / "model")
        assert_equal(dict(stage1.state_dict()), dict(whole["stage1"]))
        self.check_start(self.folder / "model", rows[2])

    def check_start(self, model, last):
        """A run that starts with a model, and a stage that also reads the mask."""
        self.train("started", "--start", model, "--steps", 1, "--stage2-steps", 1)
        first = self.rows("started")[0]
        self.assertEqual(first["step"], "0")
        self.check_last_weights()
        for name in ("cd", "f1_tau"):
            self.assertAlmostEqual(float(first[name]), float(last[name]), 6)
        facts = torch.load(self.folder / "started" / "state.pt")["training"]
        self.assertEqual(facts["started_from"], "model")
        self.train("started", "--steps", 1000, "--stage", 1, "--resume", "--stop-after", 4, code=5)
        self.check_last_weights()
        self.check_kept_stage2("started", "--steps", 3, "--resume")
        self.train("coarse", "--steps", 1000, "--stage", 1, "--start", model, "--stop-after", 1, code=5)
        facts = self.check_kept_stage2("coarse", "--steps", 2, "--resume", module=model)
        self.assertEqual((facts["started_from"], facts["stage2"]["steps"]), ("model", 4))
        self.assertIn("a model of the same sizes", self.train("other", "--start", model, "--hidden", 9, code=3))
        masked = start.make_stages(1, hidden=8, width=0.1, image_channels=4)[0]
        start.load_weights(masked, model, 1)
        images = torch.rand(1, 2, 4, 64, 64, generator=torch.Generator().manual_seed(1))
        found, expected = (network.image_maps(stage, pictures, torch.float32) for stage, pictures
                           in ((masked, images), (load_stages(model)[0], images[:, :, :3])))
        torch.testing.assert_close(list(found), list(expected))

    def check_kept_stage2(self, out, *options, module=None):
        """Stage 1 alone is trained: the state has stage 2 as the run, or a model, has it. Returns
        the state's facts."""
        kept = (stage_parameters(module, 2) if module else torch.load(self.folder / out / "stage2.ckpt")["module"])
        self.train(out, "--stage", 1, *options)
        state = torch.load(self.folder / out / "state.pt")
        assert_equal(dict(state["stage2"]), dict(kept))
        return state["training"]

    def check_last_weights(self):
        """The loss of the last step of stage 1 has not its first weights."""
        last = [row for row in self.rows("started") if row["stage"] == "1"][-1]
        weights = losses.STAGE_WEIGHTS[1]  # 1 - |cosine| is at most 1 on each level
        self.assertGreater(float(last["facing"]), len(losses.FACE_SAMPLES) * weights.at(0).facing)

    def test_bf16_trains_with_the_bundled_template(self):
        self.train("bf16", "--steps", 2, "--stage2-steps", 1, "--precision", "bf16", "--template", BUNDLED_OBJ)
        self.train("bf16", "--steps", 3, "--stage", 1, "--precision", "auto", "--resume", "--template", BUNDLED_OBJ)
        self.assertEqual(torch.load(self.folder / "bf16" / "state.pt")["training"]["precision"], "bf16")

    def test_precision_follows_the_processor(self):
        options = train.parse(["--shards", "S", "--validate", "V", "--out", "OUT"])
        for there, expected in (({"avx512_bf16": True}, "bf16"), ({"amx_bf16": True}, "bf16"),
                                ({"avx512_bf16": False, "avx2": True}, "fp32"), ({}, "fp32")):
            with mock.patch.object(torch.cpu, "get_capabilities", return_value=there):
                self.assertEqual(choose_precision(options, CPU), expected)

    def test_bad_input_is_named(self):
        self.assertIn("--loss: no term 'gravity'", self.train("bad", "--loss", "gravity=1", code=3))
        self.assertIn("expected stage 1, trained", self.train("bad", "--stage", "2", code=3))
        (self.folder / "wrong.txt").write_text("chair\n")
        self.assertIn("'chair'", self.train("bad", "--list", self.folder / "wrong.txt", code=3))
        self.train("bad", "--hidden", 3, code=2)
        record = self.folder / "generation.json"
        content = record.read_text()
        record.write_text("{")
        self.assertIn("expected what p2mpp-generate wrote", self.train("bad", code=3))
        record.write_text(content)
