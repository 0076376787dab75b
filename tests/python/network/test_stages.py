"""The TorchScript contract on small networks: shapes, parts against the whole, batches and
views."""

import unittest

from support import SEMANTICS, hierarchy, local_graph_tensors, random_cameras, small_stages, torch
from templates import octahedron

SIZE = 64


class StagesTest(unittest.TestCase):

    def setUp(self):
        self.generator = torch.Generator().manual_seed(7)
        self.mesh = hierarchy(octahedron())
        self.hypotheses, self.support = local_graph_tensors()

    def sample(self, batch, views):
        images = torch.rand(batch, views, 3, SIZE, SIZE, generator=self.generator)
        return images, random_cameras(batch, views, self.generator)

    def assert_close(self, first, second):
        torch.testing.assert_close(first, second, rtol=0, atol=2e-6)

    def test_batches_equal_single_samples_for_2_to_5_views(self):
        for semantics in SEMANTICS:
            stage1, stage2 = small_stages(semantics)
            for views in range(2, 6):
                with self.subTest(semantics=semantics, views=views), torch.inference_mode():
                    images, cameras = self.sample(3, views)
                    coarse = stage1(images, cameras, *self.mesh)
                    self.assertEqual([list(c.shape) for c in coarse],
                                     [[3, 6, 3], [3, 18, 3], [3, 66, 3]])
                    refined = stage2(images, cameras, coarse[-1], self.hypotheses, self.support)
                    self.assertEqual([list(c.shape) for c in refined], [[3, 66, 3]] * 2)
                    for i in range(3):
                        one = (images[i:i + 1], cameras[i:i + 1])
                        for level, alone in zip(coarse, stage1(*one, *self.mesh)):
                            self.assert_close(level[i:i + 1], alone)
                        alone = stage2(*one, coarse[-1][i:i + 1], self.hypotheses, self.support)
                        for block, coords in enumerate(alone):
                            self.assert_close(refined[block][i:i + 1], coords)

    def test_forward_is_the_composition_of_the_parts(self):
        for semantics in SEMANTICS:
            with self.subTest(semantics=semantics), torch.inference_mode():
                stage1, stage2 = small_stages(semantics)
                images, cameras = self.sample(2, 3)
                coarse = stage1(images, cameras, *self.mesh)
                parts = stage1.deform(stage1.features(images), cameras, *self.mesh)
                for level, other in zip(coarse, parts):
                    self.assertTrue(torch.equal(level, other))
                refined = stage2(images, cameras, coarse[-1], self.hypotheses, self.support)
                maps, coords = stage2.features(images), coarse[-1]
                for block in range(stage2.drb_blocks):
                    projected = stage2.project(maps, cameras, coords, self.hypotheses)
                    self.assertEqual(list(projected.shape), [2, 66, 43, 3 + 3 * (4 + 8 + 16)])
                    scores = stage2.scores(block, projected, self.support)
                    self.assertEqual(list(scores.shape), [2, 66, 43])
                    coords = stage2.move(coords, self.hypotheses, scores)
                    self.assertTrue(torch.equal(refined[block], coords))

    def test_modules_say_what_they_are(self):
        for semantics in SEMANTICS:
            for number, stage in enumerate(small_stages(semantics), 1):
                self.assertEqual((stage.stage, stage.semantics), (number, semantics))
        names = [name for name, _ in stage.named_parameters()]
        self.assertEqual(len(names), 2 * 8 + 2 * 6 * 3)
        self.assertIn("drb.1.5.weight1", names)

    def test_nothing_is_bound_to_the_cpu(self):
        """On the meta device every tensor that the modules made elsewhere would be refused."""
        for semantics in SEMANTICS:
            with self.subTest(semantics=semantics):
                stage1, stage2 = (stage.to("meta") for stage in small_stages(semantics))
                images, cameras = (tensor.to("meta") for tensor in self.sample(2, 3))
                coords, hypotheses, support = (torch.empty(size, device="meta") for size in
                                               ((2, 6, 3), (43, 3), (43, 43)))
                projected = stage1.project(stage1.features(images), cameras, coords)
                self.assertEqual(projected.device.type, "meta")
                refined = stage2(images, cameras, coords, hypotheses, support)
                self.assertEqual([coords.device.type for coords in refined], ["meta"] * 2)

    def test_scores_of_a_block_that_is_not_there(self):
        _, stage2 = small_stages("clean")
        with self.assertRaises(Exception) as raised:
            stage2.scores(2, torch.zeros(1, 1, 43, 87), self.support)
        self.assertIn("no such deformation reasoning block", str(raised.exception))

    def test_only_clean_reads_every_views_own_maps_in_stage_1(self):
        images, cameras = self.sample(1, 4)
        other = images.clone()
        other[:, 1:] = 1 - other[:, 1:]
        for semantics in SEMANTICS:
            with torch.inference_mode():
                stage1, _ = small_stages(semantics)
                first, second = (stage1(each, cameras, *self.mesh)[0] for each in (images, other))
            self.assertEqual(torch.equal(first, second), semantics != "clean", semantics)

    def test_scores_are_rectified_only_in_tf(self):
        for semantics in SEMANTICS:
            with torch.inference_mode():
                _, stage2 = small_stages(semantics)
                projected = torch.randn(1, 5, 43, 87, generator=self.generator)
                lowest = stage2.scores(0, projected, self.support).min().item()
            self.assertEqual(lowest >= 0, semantics == "tf", semantics)

    def test_degenerate_points_and_cameras_stay_inside_the_maps(self):
        images, cameras = self.sample(1, 3)
        cameras[0, 1] = float("nan")
        coords = torch.tensor([[[0.0, 0.0, 0.0], [float("nan"), 0, 0], [0, float("inf"), -1.0],
                                [1e30, -1e30, 1e-30]]])
        for semantics in SEMANTICS:
            with self.subTest(semantics=semantics), torch.inference_mode():
                stage1, stage2 = small_stages(semantics)
                maps = stage1.features(images)
                projected = stage1.project(maps, cameras, coords)
                self.assertEqual(list(projected.shape), [1, 4, 3 + 3 * 240])
                self.assertTrue(torch.isfinite(projected[..., 3:]).all())
                maps = stage2.features(images)
                projected = stage2.project(maps, cameras, coords, self.hypotheses)
                self.assertTrue(torch.isfinite(projected[..., 3:]).all())

    def test_blocks_follow_the_published_pattern_of_residuals(self):
        """Layer by layer, with dense products, as the method is written down."""
        with torch.inference_mode():
            stage1, stage2 = small_stages("clean")
            x = torch.randn(6, 1, 3 + 3 * 240, generator=self.generator)
            hidden, coords = stage1.gcn.__getattr__("0")(x, self.mesh.supports[0])
            expected = dense_gcn(stage1.state_dict(), x[:, 0], self.mesh.supports[0].to_dense())
            torch.testing.assert_close(hidden[:, 0], expected[-2], rtol=1e-4, atol=1e-4)
            torch.testing.assert_close(coords[:, 0], expected[-1], rtol=1e-4, atol=1e-4)
            points = torch.randn(1, 2, 43, 87, generator=self.generator)
            scores = stage2.scores(1, points, self.support)
            expected = dense_drb(stage2.state_dict(), points[0, 1], self.support)
            torch.testing.assert_close(scores[0, 1], expected[:, 0], rtol=1e-4, atol=1e-4)


def dense_layer(state, prefix, x, support):
    own = x.double() @ state[f"{prefix}.weight0"].double()
    neighbours = support.double() @ (x.double() @ state[f"{prefix}.weight1"].double())
    return (own + neighbours + state[f"{prefix}.bias"]).float()


def dense_gcn(state, x, support):
    """Activations of gcn.0, the last two: hidden state and coordinates."""
    outs = [dense_layer(state, "gcn.0.0", x, support).relu()]
    for layer in range(1, 13):
        out = dense_layer(state, f"gcn.0.{layer}", outs[-1], support).relu()
        outs.append((out + outs[-2]) / 2 if layer in (2, 4, 6, 8, 10, 12) else out)
    return [*outs, dense_layer(state, "gcn.0.13", outs[-1], support)]


def dense_drb(state, x, support):
    """x3 = conv3 + x1, x5 = conv5 + x3."""
    x1 = dense_layer(state, "drb.1.0", x, support).relu()
    x2 = dense_layer(state, "drb.1.1", x1, support).relu()
    x3 = dense_layer(state, "drb.1.2", x2, support).relu() + x1
    x4 = dense_layer(state, "drb.1.3", x3, support).relu()
    x5 = dense_layer(state, "drb.1.4", x4, support).relu() + x3
    return dense_layer(state, "drb.1.5", x5, support)


if __name__ == "__main__":
    unittest.main()
