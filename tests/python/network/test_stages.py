"""The TorchScript contract on small networks: shapes, batches, views, devices. The tests of the
backends compare its numbers with plain loops (tests/backends/pinhole_test.cc)."""

import unittest

from support import (SEMANTICS, hierarchy, local_graph_tensors, make_small_stages, random_cameras,
                     small_stages, torch)
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

    def test_batches_equal_single_samples_of_any_number_of_views(self):
        for semantics in SEMANTICS:
            stage1, stage2 = small_stages(semantics)
            for views in (2, 5):
                with self.subTest(semantics=semantics, views=views), torch.inference_mode():
                    images, cameras = self.sample(3, views)
                    coarse = stage1(images, cameras, *self.mesh)
                    self.assertEqual([list(c.shape) for c in coarse], [[3, 6, 3], [3, 18, 3], [3, 66, 3]])
                    refined = stage2(images, cameras, coarse[-1], self.hypotheses, self.support)
                    self.assertEqual([list(c.shape) for c in refined], [[3, 66, 3]] * 2)
                    for i in range(3):
                        one = (images[i:i + 1], cameras[i:i + 1])
                        alone = stage1(*one, *self.mesh) + stage2(*one, coarse[-1][i:i + 1], self.hypotheses, self.support)
                        torch.testing.assert_close([level[i:i + 1] for level in coarse + refined], alone, rtol=0, atol=2e-6)

    def test_nothing_is_bound_to_the_cpu(self):
        """On the meta device every tensor that the modules made elsewhere would be refused."""
        for semantics in SEMANTICS:
            with self.subTest(semantics=semantics):
                stage1, stage2 = (stage.to("meta") for stage in make_small_stages(semantics))
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
