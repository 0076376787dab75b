"""The Python package, of the build folder: its results are the bytes of the command line's, its arrays are views, its
exceptions those of C++, other threads run while it computes, and the notebook of docs runs."""

import gc
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np

from runs import without_comments

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("P2MPP", "build/p2mpp")).resolve()
PACKAGE = PROGRAM.parent / "python"
FOLDER = ROOT / "data/02691156/p2mpp0001"
VIEWS = (0, 6, 7)
HAS_MODULE = any(PACKAGE.glob("p2mpp/_core*.so"))
if HAS_MODULE:
    sys.path.insert(0, str(PACKAGE))
    import p2mpp


def rows() -> np.ndarray:
    return np.loadtxt(FOLDER / "rendering/rendering_metadata.txt")[list(VIEWS)]


def images():
    return [FOLDER / f"rendering/{view:02d}.png" for view in VIEWS]


@unittest.skipUnless(HAS_MODULE, "this build has no Python module")
class BindingsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.engine = p2mpp.Engine(device="cpu")
        cls.mesh = cls.engine.reconstruct(FOLDER)

    def test_the_bytes_are_those_of_the_command_line_in_every_precision(self):
        with tempfile.TemporaryDirectory() as folder:
            for precision in ("fp32", "bf16"):
                subprocess.run([PROGRAM, "predict", FOLDER, "--device", "cpu", "--precision", precision, "--frame", "world",
                                "--out", folder], check=True, capture_output=True)
                engine = p2mpp.Engine(device="cpu", precision=precision)
                engine.reconstruct(FOLDER).save(Path(folder) / "python.obj")
                written = [without_comments(Path(folder) / name) for name in ("p2mpp0001_predict.obj", "python.obj")]
                self.assertEqual(written[0], written[1], precision)

    def test_files_arrays_and_folders_give_the_same(self):
        of_files = self.engine.reconstruct(images(), rows())
        arrays = np.stack([p2mpp.read_image(path) for path in images()])
        self.assertEqual(arrays.dtype, np.uint8)
        of_arrays = self.engine.reconstruct(arrays, [p2mpp.Camera.from_row(list(row)) for row in rows()])
        for mesh in (of_files, of_arrays):
            np.testing.assert_array_equal(mesh.vertices, self.mesh.vertices)

    def test_arrays_are_views_that_keep_the_mesh_alive(self):
        mesh = p2mpp.Mesh(self.mesh.vertices, self.mesh.faces)
        vertices = mesh.vertices
        self.assertEqual((vertices.dtype, vertices.shape), (np.float32, (2466, 3)))
        self.assertEqual((mesh.faces.dtype, mesh.faces.shape), (np.int32, (4928, 3)))
        self.assertEqual(vertices.ctypes.data, mesh.vertices.ctypes.data)  # no copy
        self.assertFalse(vertices.flags.writeable)
        del mesh
        gc.collect()
        np.testing.assert_array_equal(vertices, self.mesh.vertices)

    def test_a_stream_gives_results_in_order_and_errors_by_sample(self):
        sample = self.engine.sample(images(), rows(), id="made")
        results = list(self.engine.stream([FOLDER, "nowhere", sample]))
        self.assertEqual([result.id for result in results], ["p2mpp0001", "nowhere", "made"])
        self.assertIn("nowhere: no such folder", results[1].error)
        self.assertIsNone(results[1].mesh)
        for result in (results[0], results[2]):
            self.assertEqual(result.error, "")
            np.testing.assert_array_equal(result.mesh.vertices, self.mesh.vertices)

    def test_a_stream_that_is_left_early_leaves_nothing_in_flight(self):
        for _ in self.engine.stream([FOLDER, FOLDER, FOLDER]):
            break
        gc.collect()
        np.testing.assert_array_equal(self.engine.reconstruct(FOLDER).vertices, self.mesh.vertices)

    def test_a_stream_that_fails_leaves_nothing_in_flight(self):
        with self.assertRaisesRegex(p2mpp.UsageError, "'moon'; expected world"):
            list(self.engine.stream([FOLDER, FOLDER], frame="moon"))
        np.testing.assert_array_equal(self.engine.reconstruct(FOLDER).vertices, self.mesh.vertices)

    def test_exceptions_are_those_of_the_program(self):
        self.assertTrue(issubclass(p2mpp.InputError, p2mpp.Error))
        arrays = np.stack([p2mpp.read_image(path) for path in images()])
        for call, exception, message in (
                (lambda: self.engine.reconstruct("nowhere"), p2mpp.InputError, "nowhere: no such folder"),
                (lambda: self.engine.reconstruct(arrays[:1], rows()[:1]), p2mpp.InputError, "1 views; expected 2"),
                (lambda: self.engine.reconstruct(arrays, rows()[:2]), p2mpp.InputError, "3 images and 2 cameras"),
                (lambda: self.engine.reconstruct(arrays.astype(float), rows()), p2mpp.InputError, "expected uint8"),
                (lambda: self.engine.reconstruct(arrays, rows()[:, :4]), p2mpp.InputError, "row of 4 numbers"),
                (lambda: self.engine.reconstruct(FOLDER, frame="moon"), p2mpp.UsageError, "'moon'; expected world"),
                (lambda: p2mpp.Engine(device="tpu"), p2mpp.UsageError, "no such device"),
                (lambda: p2mpp.Engine("nowhere"), p2mpp.InputError, "nowhere: no such folder"),
                (lambda: p2mpp.Camera(2 * np.eye(3), np.zeros(3)), p2mpp.InputError, "camera: "),
                (lambda: p2mpp.Mesh(np.zeros((3, 3), np.float32), np.array([[0, 1, 3]], np.int32)), p2mpp.InputError,
                 "face 0 names vertex 3"),
                (lambda: self.mesh.save("mesh.doc"), p2mpp.UsageError, "'doc' is not a mesh format"),
                (lambda: self.mesh.save("/nowhere/mesh.obj"), p2mpp.Error, "/nowhere")):
            with self.assertRaisesRegex(exception, message):
                call()

    def test_other_threads_run_meanwhile(self):
        """The interpreter's lock is released: a thread counts while the engine computes."""
        counts, stop = [0], threading.Event()

        def count():
            while not stop.is_set():
                counts[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        before = counts[0]
        self.engine.reconstruct(FOLDER)
        during = counts[0] - before
        stop.set()
        thread.join()
        self.assertGreater(during, 10)

    def test_threads_may_share_an_engine(self):
        meshes = [None] * 4

        def work(number):
            meshes[number] = self.engine.reconstruct(FOLDER)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for mesh in meshes:
            np.testing.assert_array_equal(mesh.vertices, self.mesh.vertices)

    def test_meshes_are_scored_saved_converted_and_shown(self):
        same = p2mpp.metrics(self.mesh, self.mesh)
        self.assertEqual((same.chamfer_distance, same.f1_tau), (0, 100))
        self.assertAlmostEqual(same.normal_consistency, 1, places=5)
        self.assertTrue(np.isnan(p2mpp.metrics(self.mesh.vertices, self.mesh.vertices).normal_consistency))
        with tempfile.TemporaryDirectory() as folder:
            self.mesh.save(Path(folder) / "mesh.glb")
            read = p2mpp.read_mesh(Path(folder) / "mesh.glb")
            np.testing.assert_array_equal(read.vertices, self.mesh.vertices)
        self.assertEqual(self.mesh.to_trimesh().faces.shape, (4928, 3))
        self.assertRegex(self.mesh._repr_html_(), "^<iframe srcdoc=\"&lt;!DOCTYPE html&gt;")

    def test_the_notebook_runs(self):
        import nbclient
        import nbformat

        notebook = nbformat.read(ROOT / "docs/quickstart.ipynb", as_version=4)
        with tempfile.TemporaryDirectory() as folder:
            environment = {"PYTHONPATH": str(PACKAGE), "P2MPP_SAMPLES": str(ROOT / "data")}
            os.environ.update(environment)
            try:
                nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}}).execute()
            finally:
                for name in environment:
                    del os.environ[name]
            self.assertTrue((Path(folder) / "aeroplane.glb").is_file())


if __name__ == "__main__":
    unittest.main()
