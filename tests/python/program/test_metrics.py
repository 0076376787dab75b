"""`p2mpp metrics` against SciPy's cKDTree and NumPy's quantiles."""

import json
from typing import Dict

import numpy as np

from runs import TemporaryTest, require, run_program

require("scipy")

from scipy.spatial import cKDTree

TAU = 1e-4


def one_way(points: np.ndarray, others: np.ndarray) -> tuple:
    """(distances [N], indices [N]) of the nearest of others, for float32 positions in doubles."""
    return cKDTree(others[:, :3].astype(np.float64)).query(points[:, :3].astype(np.float64))


def expected_metrics(predicted: np.ndarray, truth: np.ndarray) -> Dict[str, float]:
    """The metrics by their definitions, of [N,3] or, with normals, [N,6]."""
    forth, to_truth = one_way(predicted, truth)
    back, to_predicted = one_way(truth, predicted)
    figures = {"chamfer_distance": (forth ** 2).mean() + (back ** 2).mean(),
               "hausdorff_90": max(np.quantile(forth, 0.9), np.quantile(back, 0.9))}
    for name, threshold in (("tau", TAU), ("2tau", 2 * TAU)):
        precision = 100 * (forth ** 2 <= threshold).mean()
        recall = 100 * (back ** 2 <= threshold).mean()
        both = precision + recall
        figures.update({f"precision_{name}": precision, f"recall_{name}": recall,
                        f"f1_{name}": 2 * precision * recall / both if both else 0.0})
    if predicted.shape[1] == 6 and truth.shape[1] == 6:
        cosines = [np.abs((a[:, 3:] * b[nearest, 3:]).sum(1)).mean()
                   for a, b, nearest in ((predicted, truth, to_truth),
                                         (truth, predicted, to_predicted))]
        figures["normal_consistency"] = sum(cosines) / 2
    return figures


def random_cloud(random: np.random.Generator, count: int, normals: bool) -> np.ndarray:
    """Points near a plane patch of the objects' size, so that many lie within tau of others."""
    points = random.uniform(-0.2, 0.2, (count, 3)) * [1, 1, 0.05]
    if not normals:
        return points.astype(np.float32)
    directions = random.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return np.concatenate([points, directions], 1).astype(np.float32)


class MetricsAgainstSciPy(TemporaryTest):
    """Every figure of --json. geometry/metrics_test.cc has repeated points and other special cases."""

    def run_metrics(self, predicted: np.ndarray, truth: np.ndarray, *options: str) -> dict:
        for name, cloud in (("predicted", predicted), ("truth", truth)):
            np.savetxt(self.folder / f"{name}.xyz", cloud, fmt="%.9g")
        done = run_program("metrics", self.folder / "predicted.xyz", self.folder / "truth.xyz", "--json", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_random_clouds(self):
        random = np.random.default_rng(81)
        for sizes in ((1, 500), (700, 1200)):
            for normals in (False, True):
                with self.subTest(sizes=sizes, normals=normals):
                    predicted, truth = (random_cloud(random, size, normals) for size in sizes)
                    found = self.run_metrics(predicted, truth)["vertices"]
                    self.assertEqual(found["normal_consistency"] is not None, normals)
                    for name, value in expected_metrics(predicted, truth).items():
                        self.assertAlmostEqual(found[name], value, delta=1e-6 * max(1.0, abs(value)), msg=name)
                        if name == "chamfer_distance":
                            self.assertAlmostEqual(found[name] / value, 1, delta=1e-9)

    def test_bounds_hold(self):
        random = np.random.default_rng(84)
        predicted, truth = (random_cloud(random, 5000, False) for _ in range(2))
        bounds = self.run_metrics(predicted, truth, "--bounds", "10")["bounds"]
        wanted = expected_metrics(predicted, truth)
        for name in ("chamfer_distance", "f1_tau", "f1_2tau", "hausdorff_90"):
            low, high = bounds[name]
            self.assertLessEqual(low, wanted[name], name)
            self.assertGreaterEqual(high, wanted[name], name)
        self.assertLess(bounds["predicted_cells"], 5001)
