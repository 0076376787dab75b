"""The Python package, of the build folder: its results are the bytes of the command line's, its arrays are views, its
exceptions those of C++, it takes what NumPy makes arrays of, and the notebook of docs runs."""

import copy
import gc
import os
import pickle
import subprocess
import sys
from unittest import mock

import numpy as np

from built_package import FOLDER, HAS_MODULE, PACKAGE, PROGRAM, ROOT, TINY, TRUTH, images, needs_module, rows
from runs import SharedFolderTest, without_comments

if HAS_MODULE:
    import p2mpp


@needs_module
class BindingsTest(SharedFolderTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.engine = p2mpp.Engine(TINY, device="cpu")
        cls.mesh = cls.engine.reconstruct(FOLDER)

    def test_the_bytes_are_those_of_the_command_line_in_every_precision(self):
        for precision in ("fp32", "bf16"):
            subprocess.run([PROGRAM, "predict", FOLDER, "--model", TINY, "--device", "cpu", "--precision", precision, "--frame", "world",
                            "--out", self.folder], check=True, capture_output=True)
            engine = p2mpp.Engine(TINY, device="cpu", precision=precision)
            engine.reconstruct(FOLDER).save(self.folder / "python.obj")
            written = [without_comments(self.folder / name) for name in ("p2mpp0001_predict.obj", "python.obj")]
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
        self.assertEqual((vertices.dtype, vertices.shape), (np.float32, (162, 3)))
        self.assertEqual((mesh.faces.dtype, mesh.faces.shape), (np.int32, (320, 3)))
        self.assertEqual(vertices.ctypes.data, mesh.vertices.ctypes.data)  # no copy
        self.assertFalse(vertices.flags.writeable)
        del mesh
        gc.collect()
        np.testing.assert_array_equal(vertices, self.mesh.vertices)

    def test_exceptions_are_those_of_the_program(self):
        self.assertTrue(issubclass(p2mpp.InputError, p2mpp.Error))
        arrays = np.stack([p2mpp.read_image(path) for path in images()])
        for call, exception, message in (
                (lambda: self.engine.reconstruct("nowhere"), p2mpp.InputError, "nowhere: no such folder"),
                (lambda: self.engine.reconstruct(arrays[:1], rows()[:1]), p2mpp.InputError, "1 views; expected 2"),
                (lambda: self.engine.reconstruct(arrays, rows()[:2]), p2mpp.InputError, "3 images and 2 cameras"),
                (lambda: self.engine.reconstruct(arrays.astype(float), rows()), p2mpp.InputError, "expected uint8"),
                (lambda: self.engine.reconstruct(arrays, rows()[:, :4]), p2mpp.InputError,
                 r"camera 0: of shape \[4\]; expected a Camera or a row of five"),
                (lambda: self.engine.reconstruct(images()), p2mpp.UsageError, "^images without cameras; expected"),
                (lambda: self.engine.read_sample(FOLDER, views=[-1, 0]), p2mpp.UsageError, "^views: -1; expected"),
                (lambda: self.engine.read_sample(7), p2mpp.InputError, "of type int; expected a Sample or the path"),
                (lambda: p2mpp.Engine(device="tpu"), p2mpp.UsageError, "^device tpu: no such device"),
                (lambda: p2mpp.Engine(device="cuda:99"), p2mpp.Error, "^device cuda:99: "),
                (lambda: p2mpp.Engine(batch=-1), p2mpp.UsageError, "^batch -1: out of range; expected 0 to 1024"),
                (lambda: p2mpp.metrics(self.mesh, self.mesh, threads=-3), p2mpp.UsageError, "^threads -3: out of"),
                (lambda: p2mpp.Engine("nowhere"), p2mpp.InputError, "nowhere: no such folder"),
                (lambda: p2mpp.Camera(2 * np.eye(3), np.zeros(3)), p2mpp.InputError, "camera: "),
                (lambda: p2mpp.Camera([[1, 0], [0, 1]], [0, 0, 0]), p2mpp.InputError, r"^rotation: of shape \[2, 2\]"),
                (lambda: p2mpp.Mesh(None, []), p2mpp.InputError, "^vertices: NoneType; expected numbers"),
                (lambda: p2mpp.Camera.from_row("row"), p2mpp.InputError, "^row: str; expected a Camera or a row"),
                (lambda: p2mpp.Mesh(self.mesh.vertices, self.mesh.vertices), p2mpp.InputError, "^faces of float32"),
                (lambda: p2mpp.Mesh(np.zeros((3, 3), np.float32), np.array([[0, 1, 3]], np.int32)), p2mpp.InputError,
                 "face 0 names vertex 3"),
                (lambda: self.mesh.save("mesh.doc"), p2mpp.UsageError, "'doc' is not a mesh format"),
                (lambda: self.mesh.save("/nowhere/mesh.obj"), p2mpp.Error, "/nowhere")):
            with self.assertRaisesRegex(exception, message):
                call()

    def test_array_likes_are_taken(self):
        mesh = p2mpp.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        self.assertEqual((mesh.vertices.dtype, mesh.faces.tolist()), (np.float32, [[0, 1, 2]]))
        camera = p2mpp.Camera([[1, 0, 0], [0, 1, 0], [0, 0, 1]], (0, 0, 2))
        np.testing.assert_array_equal(camera.origin, [0, 0, 2])
        row = p2mpp.Camera.from_row(tuple(rows()[0]))
        np.testing.assert_array_equal(row.rotation, p2mpp.Camera.from_row(rows()[0]).rotation)
        flipped = [p2mpp.read_image(path)[:, ::-1] for path in images()]  # not contiguous
        copies = [np.ascontiguousarray(pixels) for pixels in flipped]
        meshes = [self.engine.reconstruct(pixels, rows().tolist()) for pixels in (flipped, copies)]
        np.testing.assert_array_equal(meshes[0].vertices, meshes[1].vertices)

    def test_images_with_and_without_alpha(self):
        opaque = [np.full((50, 50, 3), 200, np.uint8) for _ in range(3)]
        with_alpha = [np.dstack([pixels, np.full((50, 50), 255, np.uint8)]) for pixels in opaque]
        meshes = [self.engine.reconstruct(pixels, rows()) for pixels in (opaque, with_alpha)]
        np.testing.assert_array_equal(meshes[0].vertices, meshes[1].vertices)

    def test_metrics_take_the_bundled_truth_in_every_form(self):
        mesh = p2mpp.Engine(device="cpu").reconstruct(FOLDER, frame="camera0")  # of the bundled model
        truth = np.loadtxt(TRUTH)
        self.assertEqual(truth.shape, (3000, 6))
        forms = (TRUTH, str(TRUTH), truth, truth.tolist(), p2mpp.read_mesh(TRUTH))
        scores = [p2mpp.metrics(mesh, form) for form in forms]
        for score in scores:
            self.assertAlmostEqual(score.f1_tau, scores[0].f1_tau)
            self.assertAlmostEqual(score.normal_consistency, scores[0].normal_consistency, places=4)
        self.assertGreater(scores[0].f1_tau, 30)  # per cent: both are in one frame
        self.assertTrue(np.isnan(p2mpp.metrics(mesh, truth[:, :3]).normal_consistency))
        self.assertEqual(p2mpp.metrics(mesh.to_trimesh(), mesh).chamfer_distance, 0)
        expected = r"; expected a Mesh or points \[N, 3\] or \[N, 6\]$"
        for wrong, said in ((truth[:, :4], r"truth: of shape \[3000, 4\]"), ([1, 2, 3], r"truth: of shape \[3\]"),
                            ({}, "truth: dict"), ([["a"]], "truth: list"), (None, "truth: NoneType")):
            with self.assertRaisesRegex(p2mpp.InputError, f"^{said}{expected}"):
                p2mpp.metrics(mesh, wrong)
        with self.assertRaisesRegex(p2mpp.InputError, "have length .*; expected unit normals"):
            p2mpp.metrics(mesh, truth * 5)

    def test_meshes_and_cameras_are_pickled_and_copied(self):
        cloud = p2mpp.read_mesh(TRUTH)
        for twin in (pickle.loads(pickle.dumps(self.mesh)), copy.copy(self.mesh), copy.deepcopy(self.mesh)):
            np.testing.assert_array_equal(twin.vertices, self.mesh.vertices)
            np.testing.assert_array_equal(twin.faces, self.mesh.faces)
        self.assertGreater(p2mpp.metrics(copy.copy(cloud), cloud).normal_consistency, 0.99)  # normals are kept
        camera = p2mpp.Camera.from_row(rows()[1])
        twin = pickle.loads(pickle.dumps(camera))
        np.testing.assert_array_equal(twin.rotation, camera.rotation)
        self.assertEqual((twin.fx, twin.cy), (camera.fx, camera.cy))

    def test_without_trimesh_the_packages_are_named(self):
        with mock.patch.dict(sys.modules, {"trimesh": None}):
            with self.assertRaisesRegex(ModuleNotFoundError, r"expected it: pip install trimesh pillow$"):
                self.mesh.to_trimesh()

    def test_without_the_compiled_module_one_line_says_how_to_build_it(self):
        run = subprocess.run([sys.executable, "-c", "from p2mpp import Engine"], capture_output=True, text=True,
                             env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        self.assertRegex(run.stderr.splitlines()[-1], "^ImportError: .*PYTHONPATH=build/python .*docs/building.md")

    def test_stubs_name_types(self):
        stub = next(PACKAGE.glob("p2mpp/_core.pyi")).read_text()
        self.assertNotIn("-> object", stub)
        self.assertNotIn(": object", stub)
        compile(stub, "_core.pyi", "exec")

    def test_meshes_are_scored_saved_converted_and_shown(self):
        same = p2mpp.metrics(self.mesh, self.mesh)
        self.assertEqual((same.chamfer_distance, same.f1_tau), (0, 100))
        self.assertAlmostEqual(same.normal_consistency, 1, places=5)
        self.assertTrue(np.isnan(p2mpp.metrics(self.mesh.vertices, self.mesh.vertices).normal_consistency))
        file, shouting = self.folder / "mesh.glb", self.folder / "MESH.GLB"
        self.mesh.save(file)
        np.testing.assert_array_equal(p2mpp.read_mesh(file).vertices, self.mesh.vertices)
        self.mesh.save(shouting)
        self.assertEqual(shouting.read_bytes(), file.read_bytes())
        self.assertEqual(self.mesh.to_trimesh().faces.shape, (320, 3))
        self.assertRegex(self.mesh._repr_html_(), "^<iframe srcdoc=\"&lt;!DOCTYPE html&gt;")

    def test_the_notebook_runs(self):
        import nbclient
        import nbformat

        notebook = nbformat.read(ROOT / "docs/quickstart.ipynb", as_version=4)
        with mock.patch.dict(os.environ, PYTHONPATH=str(PACKAGE), P2MPP_SAMPLES=str(ROOT / "data")):
            nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(self.folder)}}).execute()
        self.assertTrue((self.folder / "aeroplane.glb").is_file())
