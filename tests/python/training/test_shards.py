"""Shards of training data, what is drawn from them, a run on them, and compiled loops of its step."""

import csv
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
from boxes import box_scene, write_box
from runs import SharedFolderTest, TemporaryTest, run_here
from support import assert_equal, export, torch
from templates import octahedron

from p2mpp.commands import shards as make_shards
from p2mpp.commands import train
from p2mpp.shapes import people_made, records
from p2mpp.network.layout import STAGE2_MAPS, projected_width
from p2mpp.network.camera import pixels_from_views, views_from_network
from p2mpp.network.local_graph import make_local_graph
from p2mpp.network.template import obj_text
from p2mpp.training import (augment, compiled, graph_op, hint_head, lookup_op, losses, metrics, nearest,
                            report, tasks)
from p2mpp.training import shards as drawn_shards
from p2mpp.training.hierarchy import make_hierarchy


def tiny_shard(folder: Path, prefix: str, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    writer = records.ShardWriter(folder, prefix, count)
    for number in range(count):
        half = rng.uniform(0.3, 1, 3)
        half *= 0.285 / np.linalg.norm(half)
        draft = records.draft_record(rng, box_scene(-half, half), prefix, [], 0.0, True)
        writer.add(records.make_record(draft, f"box/{number}", "other", prefix))


class ShardTest(SharedFolderTest):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        tiny_shard(cls.folder / "train", "people", 2, 1)
        tiny_shard(cls.folder / "train", "procedural", 2, 2)
        tiny_shard(cls.folder / "validate", "procedural", 1, 3)
        (cls.folder / "template.obj").write_text(obj_text(octahedron()))
        write_box(cls.folder)

    def test_truth_falls_into_the_masks(self):
        source = drawn_shards.Shards(self.folder / "train")
        inside = []
        for seed in range(12):
            drawn = source.draw(np.random.default_rng(seed), 0, 1, 500)
            row, column = pixels_from_views(views_from_network(drawn.points, drawn.cameras), drawn.cameras)
            mask = drawn.pictures[0, ..., 3]
            at = [each[0].long().clamp(0, 223) for each in (row, column)]
            for view in range(len(mask)):
                inside.append((mask[view][at[0][view], at[1][view]] > 0).float().mean().item())
        self.assertGreater(np.median(inside), 0.97)  # poses of a part are off
        self.assertGreater(min(inside), 0.5)

    def test_the_network_frame_looks_at_the_object(self):
        held_out = drawn_shards.HeldOutShards(self.folder / "validate", 1)
        drawn = held_out.batch("procedural", 0)
        self.assertEqual(list(drawn.pictures.shape), [1, 3, 224, 224, 4])
        np.testing.assert_allclose(drawn.cameras[0, 0, :9].view(3, 3), np.eye(3), atol=1e-12)
        np.testing.assert_allclose(drawn.cameras[0, 0, 9:12], 0, atol=1e-12)
        centre = (drawn.points.amax(1) + drawn.points.amin(1))[0] / 2
        self.assertLess(abs(centre[2] + 0.775), 0.13)
        self.assertLess(centre[:2].abs().max(), 0.03)

    def test_a_far_camera_is_moved_to_where_the_network_knows_objects(self):
        rig = drawn_shards.rig_of(np.array([[30.0, 10, 2.7], [100, 50, 0.7]]))
        rotation, origin = drawn_shards.network_frame(rig.place[0])
        self.assertAlmostEqual(np.linalg.norm(origin), 0.9)
        cameras = drawn_shards.pinholes(rig, rotation, origin)
        np.testing.assert_allclose(cameras[0, 9:12], [0, 0, -1.8], atol=1e-12)
        np.testing.assert_allclose(cameras[:, 12], [248 * 3, 248])

    def test_white_on_white_is_told_by_the_mask(self):
        rgba = np.zeros((1, 224, 224, 4), np.uint8)
        rgba[:, 60:90, 60:90] = 255
        seen = augment.plain(rgba, "white")
        self.assertEqual(seen[..., :3].min(), 255)
        self.assertEqual((seen[..., 3] == 255).sum(), 900)
        grey = augment.plain(rgba, "grey")
        self.assertEqual(grey[0, 70, 70].tolist(), [128, 128, 128, 255])

    def test_patterns_have_two_shades_and_keep_the_mask(self):
        rgba = np.full((60, 60, 4), 200, np.uint8)
        rgba[..., 3] = np.where(np.indices((60, 60))[0] < 20, 0, 255)
        for kind in ("checks", "stripes", "blotches"):
            with self.subTest(kind=kind):
                pattern = augment.Pattern(kind, 6.0, 0.5, 0.5, 1.25)
                found = augment.painted(np.random.default_rng(1), rgba, pattern)
                np.testing.assert_array_equal(found[..., 3], rgba[..., 3])
                shades = np.unique(found[..., :3])
                self.assertTrue(100 <= shades.min() < 130 and 220 < shades.max() <= 250)
                if kind != "blotches":
                    self.assertEqual(shades.tolist(), [100, 250])
                    light = (found[..., 0] == 250).mean()
                    self.assertTrue(0.35 < light < 0.65, light)

    def test_a_plan_keeps_what_is_drawn(self):
        folder = self.folder / "growing"
        folder.mkdir()
        for name in ("people-0000", "procedural-0000"):
            (folder / f"{name}.npy").symlink_to(self.folder / "train" / f"{name}.npy")
        source = drawn_shards.Shards(folder)
        before = source.draw(np.random.default_rng(1), 700, 1, 50)
        (folder / "people-0001.npy").symlink_to(self.folder / "train" / "people-0000.npy")
        self.assertEqual(source.look_for_more(650), 1500)
        self.assertIsNone(source.look_for_more(700))
        again = drawn_shards.Shards(folder)
        again.resume(source.plan)
        for each in (source, again):
            same = each.draw(np.random.default_rng(1), 700, 1, 50)
            assert_equal([same.pictures, same.points], [before.pictures, before.points])
        self.assertEqual(sum(map(len, source.kinds(1500).values())), 3)

    def train(self, out, *more, code=0):
        run_here(
            train.main, "--shards", self.folder / "train", "--validate", self.folder / "validate", "--out",
            self.folder / out, "--template", self.folder / "template.obj", "--hidden", 8, "--width", 0.1,
            "--batch", 2, "--points-a-step", 300, "--device", "cpu", "--threads", 2, "--eval-every", 3,
            "--eval-samples", 1, *more, code=code)

    def rows(self, out):
        with open(self.folder / out / "log.csv", newline="") as stream:
            return [{**row, "seconds": ""} for row in csv.DictReader(stream)]

    def test_a_resumed_run_gives_the_same_numbers(self):
        length = ["--samples", 11, "--stage2-samples", 2]
        self.train("whole", *length)
        self.train("parts", *length, "--stop-after", 2, code=5)
        self.train("parts", *length, "--resume", "--stop-after", 2, code=5)
        self.train("parts", *length, "--resume")
        self.assertEqual(self.rows("whole"), self.rows("parts"))
        self.assertIn("f1_tau_white", self.rows("whole")[0])
        whole, parts = (torch.load(self.folder / out / "state.pt") for out in ("whole", "parts"))
        self.check_start_of_stage_2(whole)
        for stage in ("stage1", "stage2"):
            self.assertEqual(whole[stage]["cnn.0.weight"].shape[1], 4)
            assert_equal(parts[stage], whole[stage])
        views = whole["training"]["trained_views"]
        self.assertEqual(views["cameras"], "pinhole")
        self.assertTrue(0.64 < views["distance"][0] < 0.8 < 0.9 < views["distance"][1] <= 3)
        self.assertTrue(-10 <= views["elevation_deg"][0] < 30 <= views["elevation_deg"][1] <= 60)

    def check_start_of_stage_2(self, whole):
        """Stage 2 on top of a model's stage 1, which stays; the stage reads the mask's evidence."""
        channels = [len(whole["stage2"][f"cnn.{layer}.bias"]) for layer in STAGE2_MAPS]
        self.assertEqual(len(whole["stage2"]["drb.0.0.weight0"]),
                         projected_width(channels, range(len(channels)), evidence=True))
        export("--out", self.folder / "model", "--state", self.folder / "whole" / "state.pt", "--template",
               self.folder / "template.obj", code=0)
        self.train("fine", "--stage", 2, "--stage2-samples", 2, code=3)
        more = ["--stage", 2, "--stage2-samples", 4, "--start", self.folder / "model", "--disturb", 0.5,
                "--loss", "flip=3,crossed=2000"]
        self.train("fine", *more, "--stop-after", 1, code=5)
        self.train("fine", *more, "--resume")
        fine = torch.load(self.folder / "fine" / "state.pt")
        assert_equal(fine["stage1"], whole["stage1"])
        self.assertEqual(fine["training"]["stage1"], whole["training"]["stage1"])
        self.assertFalse(torch.equal(whole["stage2"]["drb.0.0.bias"], fine["stage2"]["drb.0.0.bias"]))

    def test_options_that_do_not_go_together(self):
        run_here(train.main, "--shards", "x", "--out", "y", code=2)
        self.train("none", "--validate", self.folder / "nothing", code=3)

    def test_make_shards_from_a_library(self):
        with mock.patch.object(people_made, "TRAINED", ("Library",)):
            run_here(make_shards.main, "people", "--libraries", self.folder, "--out", self.folder / "made", code=0)
        made = np.load(self.folder / "made" / "people-0000.npy")
        self.assertEqual(len(made), 4)
        self.assertEqual(set(made["category"]), {b"chair"})
        self.assertGreater(made["pictures"][0, 0, ..., 3].mean(), 5)

    def test_samples_of_a_library(self):
        (self.folder / "Library" / "LICENSE.TXT").write_text("free\n")
        out = self.folder / "samples"
        arguments = ["samples", "--libraries", self.folder, "--library", "Library", "--out", out]
        run_here(make_shards.main, *arguments, code=0)
        self.assertEqual((out / "test_list.txt").read_text(), "03001627_box_00.dat\n")
        self.assertEqual((out / "LICENSE-Library.txt").read_text(), "free\n")
        for wrong, code, said in (([*arguments, "--outside"], 3, "no object outside the ten categories"),
                                  (["samples", "--libraries", "x", "--out", "y", "--objects", "2"], 2, "there is no --library")):
            self.assertIn(said, run_here(make_shards.main, *wrong, code=code).stderr)


@unittest.skipUnless(compiled.AVAILABLE, "Numba is not installed")
class CompiledTest(unittest.TestCase):
    """Compiled loops against PyTorch's operations in fp32."""

    def setUp(self):
        self.generator = torch.Generator().manual_seed(4)

    def drawn(self, *shape, kind=torch.bfloat16):
        return torch.randn(shape, generator=self.generator).to(kind).requires_grad_()

    def compare(self, found, expected, share):
        for each, other in zip(found, expected):
            self.assertEqual(each.shape, other.shape)
            difference = (each.float() - other.float()).norm() / other.float().norm()
            self.assertLess(difference.item(), share)

    def test_graph_convolutions(self):
        levels = make_hierarchy(octahedron(), make_local_graph(), torch.device("cpu"))
        for support in (levels.levels[2].support, levels.local_support):
            with self.subTest(support=type(support).__name__):
                self.check_convolutions(support)

    def check_convolutions(self, support):
        x, residual = (self.drawn(2, support.size, 24) for _ in range(2))
        weight0, weight1 = (self.drawn(24, 24, kind=torch.float32) for _ in range(2))
        bias, slope = self.drawn(24, kind=torch.float32), self.drawn(2, support.size, 24).detach()
        for before, rectify in ((residual, True), (None, True), (None, False)):
            inputs = [x, weight0, weight1, bias] + ([] if before is None else [before])
            out = graph_op.CompiledConvolution.apply(x, weight0, weight1, bias, before, support, rectify, 0.5)
            wide = graph_op.GraphConvolutionFunction.apply(
                x.float(), None, weight0, weight1, bias,
                None if before is None else before.float(), support, rectify, 0.5)
            self.compare([out, *torch.autograd.grad(out, inputs, slope)],
                         [wide, *torch.autograd.grad(wide, inputs, slope.float())], 0.07)

    def test_nearest_points(self):
        points = torch.rand(700, 3, generator=self.generator) * torch.tensor([0.5, 0.2, 0.01])
        for queries in (torch.rand(300, 3, generator=self.generator) * 0.5,
                        torch.rand(5, 3, generator=self.generator) + 3, points[:40].clone()):
            found = nearest.nearest_indices(queries, points)
            squared = torch.cdist(queries.double(), points.double()).square()
            for dim, index in enumerate(found):
                picked = squared.gather(1 - dim, index.unsqueeze(1 - dim)).squeeze(1 - dim)
                torch.testing.assert_close(picked, squared.amin(1 - dim), rtol=1e-4, atol=1e-6)
        lost = points.clone()
        lost[3] = float("nan")
        self.assertEqual(len(nearest.nearest_indices(lost, points)[0]), 700)

    def test_lookups(self):
        maps = [self.drawn(6, 9, size, size).relu().unflatten(0, [2, 3]) for size in (12, 5)]
        row, column = (260 * torch.rand(2, 3, 40, generator=self.generator) - 20 for _ in range(2))
        slope = torch.randn(2, 40, 54, generator=self.generator).bfloat16()
        found = lookup_op.CompiledLookup.apply(row, column, *maps)
        wide = lookup_op.PooledLookup.apply(row, column, *[each.float() for each in maps])
        self.compare([found, *torch.autograd.grad(found, maps, slope)],
                     [wide, *torch.autograd.grad(wide, maps, slope.float())], 0.02)


class LogTest(TemporaryTest):

    def test_columns_of_former_versions_are_dropped(self):
        file = self.folder / "log.csv"
        file.write_text("stage,step,seconds,subset,cd,f1_tau,f1_2tau\n1,10,9,0.5,4e-4,60,80\n")
        log = report.Log(self.folder)
        log.resume(1, 10)
        log.add({"stage": 1, "step": 20, "seconds": 18, "cd": 3e-4, "f1_tau": 61, "f1_2tau": 81})
        rows = list(csv.DictReader(file.read_text().splitlines()))
        self.assertEqual([row["f1_tau"] for row in rows], ["60", "61"])
        self.assertNotIn("subset", rows[0])


class LateLossTest(unittest.TestCase):

    def test_terms_of_a_known_mesh(self):
        levels = make_hierarchy(octahedron(), make_local_graph(), torch.device("cpu"))
        level, vertices = levels.levels[0], levels.vertices[None]
        self.assertEqual(sorted(map(len, map(set, level.adjacent.tolist()))), [2] * 12)
        cosines = losses.adjacent_cosines(vertices, level.faces, level.adjacent)
        self.assertAlmostEqual(cosines.mean().item(), 1 / 3, places=5)
        self.assertEqual(losses.flip_loss(cosines).item(), 0)
        pushed = vertices.clone()  # a corner through the middle to beyond the other side
        pushed[0, 0] -= 3 * (pushed[0, 0] - vertices.mean(1)[0])
        cosines = losses.adjacent_cosines(pushed, level.faces, level.adjacent)
        expected = sum(-each for each in cosines[0].tolist() if each < 0) / 12
        self.assertGreater(expected, 0.02)
        self.assertAlmostEqual(losses.flip_loss(cosines).item(), expected, places=5)
        edges = losses.edge_vectors(vertices, level.edges)
        self.assertAlmostEqual(losses.spacing_loss(edges).item(), 0, places=5)
        up = torch.tensor([[[0.0, 0, 1], [0, 3, 0]]])
        truth = torch.tensor([[[0.0, 0, -1], [0, 0, 1]]])
        self.assertAlmostEqual(losses.facing_loss(up, truth).item(), 0.5)
        far, near = torch.tensor([0.0, 1e-4]), torch.tensor([0.0, 0.0])
        self.assertAlmostEqual(losses.share_beyond(far).item(), 0.25)
        self.assertAlmostEqual(losses.share_missed(far, near, 0.6).item(), 0.25 * 0.6 / 1.6)
        self.assertAlmostEqual(losses.share_missed(near, far, 0.6).item(), 0.25 / 1.6)

    def test_only_a_surface_below_the_truth_is_sunk(self):
        truth = torch.zeros(1, 4, 3)
        normals = torch.tensor([0.0, 0, 1]).expand(1, 4, 3)
        surface = torch.tensor([[[0.01, 0, -0.01], [0, 0, 0.01], [0, 0, -0.03], [0, 0, 0]]])
        each = [losses.sunk_loss(surface, truth, normals, torch.full((1, 4), k)).item() for k in range(4)]
        self.assertAlmostEqual(each[0], 1e-4)  # its depth alone
        self.assertEqual(each[1:], [0, 0, 0])  # above the truth, out of reach, on the truth

    def test_only_vertices_that_cross_another_sheet_count(self):
        """Two squares above each other; a vertex of the upper one moves through the lower."""
        square = torch.tensor([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
        before = torch.cat([square * 0.01, square * 0.01 + torch.tensor([0, 0, 0.004])])[None]
        faces = torch.tensor([[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]])
        template = torch.cat([square * 0.01, square * 0.01 + torch.tensor([0, 0, 1.0])])
        moved = torch.tensor([4, 5, 6, 7])

        def crossed(shift):
            vertices = before.clone()
            vertices[0, 4:, 2] += shift
            return losses.crossed_loss(vertices.requires_grad_(), before, faces, moved, template)

        self.assertEqual(crossed(0.0).item(), 0)
        self.assertEqual(crossed(-0.003).item(), 0)
        self.assertAlmostEqual(crossed(-0.006).item(), 0.002 ** 2, 9)
        vertices = before.clone()
        vertices[0, 4:, 2] -= 0.006
        losses.crossed_loss(vertices.requires_grad_(), before, faces, moved, template).backward()
        self.assertTrue((vertices.grad[0, 4:, 2] < 0).all(), "the loss falls as they move back up")

    def test_a_patch_is_connected(self):
        levels = make_hierarchy(octahedron(), make_local_graph(), torch.device("cpu"))
        with mock.patch.object(tasks, "PATCH", 20):
            patches = [set(tasks.draw_patch(levels.finest, np.random.default_rng(seed)).tolist())
                       for seed in range(8)]
        self.assertGreater(len(set(map(frozenset, patches))), 4)
        for patch in patches:
            self.assertEqual(len(patch), 20)
            edges = [edge for edge in levels.levels[-1].edges.tolist() if patch.issuperset(edge)]
            reached, grown = set(), {min(patch)}
            while grown != reached:
                reached = grown
                grown = reached.union(*(edge for edge in edges if reached.intersection(edge)))
            self.assertEqual(reached, patch)

    def test_a_part_of_the_meshes_is_disturbed(self):
        meshes = 0.1 * torch.randn(200, 30, 3, generator=torch.Generator().manual_seed(1))
        found = tasks.disturbed(meshes, 0.4, np.random.default_rng(2))
        shifts = (found - meshes).norm(dim=-1)
        touched = shifts.amax(1) > 0
        self.assertAlmostEqual(touched.float().mean().item(), 0.4, delta=0.1)
        self.assertTrue(torch.equal(found[~touched], meshes[~touched]))
        self.assertLess(shifts.amax().item(), 0.1)
        self.assertTrue(0.003 < shifts[touched].mean().item() < 0.02)

    def test_faces_are_wound_alike(self):
        """However the template winds them: a ball's normals all point out, or all in."""
        mesh = octahedron()
        mixed = mesh._replace(faces=np.where(np.arange(8)[:, None] % 3 == 0, mesh.faces[:, ::-1], mesh.faces))
        levels = make_hierarchy(mixed, make_local_graph(), torch.device("cpu"))
        vertices = levels.vertices
        cosines = losses.adjacent_cosines(vertices[None], levels.levels[0].faces, levels.levels[0].adjacent)
        self.assertAlmostEqual(cosines.mean().item(), 1 / 3, places=5)
        centred = vertices - vertices.mean(0)
        normals = metrics.vertex_normals(vertices, levels.levels[0].faces)
        outward = (normals * centred).sum(1)
        self.assertGreater(abs(outward.sign().sum().item()), 5)
        directions = torch.nn.functional.normalize(centred, dim=1)
        self.assertGreater(metrics.normal_consistency(vertices, levels.levels[0].faces, vertices, directions), 0.99)

    def test_hints_count_where_the_object_is(self):
        hints = torch.zeros(1, 1, 2, 2, 4, dtype=torch.int8)
        hints[0, 0, 0, 0] = torch.tensor([0, 0, 127, 64])
        found = torch.zeros(1, 4, 2, 2)
        found[0, 2, 0, 0] = 5.0
        found[0, 3, 0, 0] = 64 / 127
        found[0, :, 1, 1] = 9.0
        self.assertAlmostEqual(hint_head.hint_loss(found, hints).item(), 0, places=5)
