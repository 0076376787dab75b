"""The operations that training is made of: values, and gradients against autograd's."""

import unittest

from support import torch
from templates import octahedron

from p2mpp.network.template import adjacency_matrix, chebyshev_support
from p2mpp.training import graph_op, lookup_op, losses, metrics, nearest

CPU = torch.device("cpu")


class OperationsTest(unittest.TestCase):

    def setUp(self):
        self.generator = torch.Generator().manual_seed(5)

    def drawn(self, *shape, grad=True):
        return torch.randn(shape, generator=self.generator, dtype=torch.float64, requires_grad=grad)

    def test_graph_convolution_has_the_gradients_of_autograd(self):
        mesh = octahedron()
        matrix = chebyshev_support(adjacency_matrix(6, mesh.faces))
        for support in (graph_op.SparseSupport(matrix, CPU), graph_op.DenseSupport(matrix, CPU)):
            for rectify, residual, position in ((True, True, True), (True, False, False),
                                                (False, False, True), (True, True, False)):
                with self.subTest(support=type(support).__name__, rectify=rectify,
                                  residual=residual, position=position):
                    width = 5 + 3 * position
                    self.check_convolution(support, matrix, width, rectify, residual, position)

    def check_convolution(self, support, matrix, width, rectify, residual, position):
        x, weight0, weight1, bias = (self.drawn(*shape) for shape in ((2, 6, 5), (width, 4), (width, 4), (4,)))
        before = self.drawn(2, 6, 4) if residual else None
        place = self.drawn(2, 6, 3) if position else None

        def convolve(*tensors):
            return graph_op.GraphConvolutionFunction.apply(*tensors, support, rectify, 0.5)

        inputs = (x, place, weight0, weight1, bias, before)
        wide = torch.cat([place, x], -1) if position else x
        expected = wide @ weight0 + torch.from_numpy(matrix) @ (wide @ weight1) + bias
        expected = expected.relu() if rectify else expected
        expected = (expected + before) * 0.5 if residual else expected
        torch.testing.assert_close(convolve(*inputs), expected)
        self.assertTrue(torch.autograd.gradcheck(convolve, inputs))

    def test_lookup_has_the_gradients_of_autograd(self):
        maps = [self.drawn(2, 3, 2, size, size) for size in (7, 4)]
        row, column = (300 * torch.rand(2, 3, 5, generator=self.generator,
                                        dtype=torch.float64) - 40 for _ in range(2))

        def look_up(*maps):
            return lookup_op.pooled_lookup(list(maps), row, column)

        self.assertTrue(torch.autograd.gradcheck(look_up, maps))

    def test_nearest_neighbours_are_those_of_all_distances(self):
        first, second = (torch.rand(n, 3, generator=self.generator) - 0.5 for n in (150, 333))
        squared = torch.cdist(first.double(), second.double()).square()
        distances = nearest.nearest_distances(first, second)
        indices = nearest.nearest_indices(first, second)
        for dim, (found, index) in enumerate(zip(distances, indices)):
            smallest = squared.amin(1 - dim).float()
            torch.testing.assert_close(found, smallest, rtol=1e-4, atol=1e-6)
            picked = squared.gather(1 - dim, index.unsqueeze(1 - dim)).squeeze(1 - dim).float()
            torch.testing.assert_close(picked, smallest, rtol=2e-3, atol=1e-6)

    def test_metrics_count_what_lies_within_the_thresholds(self):
        points = torch.tensor([[0.0, 0, 0], [1, 0, 0]])
        measured = metrics.measure(points + torch.tensor([0.012, 0, 0]), points)
        self.assertAlmostEqual(measured.cd, 2 * 0.012 ** 2, places=6)
        self.assertEqual((measured.f1_tau, measured.f1_2tau), (0.0, 100.0))

    def test_face_samples_lie_on_the_faces(self):
        mesh = octahedron()
        vertices = torch.from_numpy(mesh.vertices).expand(2, -1, -1)
        uniform = torch.rand(2, 40, 3, generator=self.generator)
        points, _ = losses.sample_faces(vertices, torch.from_numpy(mesh.faces), uniform)
        heights = (points - torch.tensor([0, 0, -0.8])).abs().sum(-1)
        torch.testing.assert_close(heights, torch.full((2, 40), 0.2), rtol=0, atol=1e-6)
