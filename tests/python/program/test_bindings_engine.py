"""p2mpp.Engine: streams, several threads on one engine, Ctrl-C, warnings, and the figures of a fit."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import unittest
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from built_package import FOLDER, HAS_MODULE, INPUTS, PACKAGE, ROOT, TINY, images, needs_module, rows

if HAS_MODULE:
    import p2mpp

OTHER = ROOT / "data/04379243/p2mpp0001"
CAPTURE = Path(INPUTS, "captures/colmap_txt")


def in_threads(*works):
    """Runs them at the same time; raises what one of them raised."""
    with ThreadPoolExecutor(len(works)) as pool:
        for running in [pool.submit(work) for work in works]:
            running.result()


def counted_meanwhile(work) -> int:
    """How often another thread of Python ran, which waits a millisecond each time."""
    times, stop = [], threading.Event()

    def run():
        while not stop.wait(0.001):
            times.append(time.monotonic())

    with ThreadPoolExecutor(1) as pool:
        pool.submit(run)
        begin = time.monotonic()
        work()
        end = time.monotonic()
        stop.set()
    return sum(begin < each < end for each in times)


@needs_module
class EngineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.engine = p2mpp.Engine(TINY, device=os.environ.get("P2MPP_DEVICE", "cpu"))
        cls.meshes = {path: cls.engine.reconstruct(path) for path in (FOLDER, OTHER)}
        cls.mesh = cls.meshes[FOLDER]

    def assert_same(self, mesh, path=FOLDER):
        np.testing.assert_array_equal(mesh.vertices, self.meshes[path].vertices)

    def test_a_mesh_lies_at_the_object_however_far_the_cameras_are(self):
        engine = p2mpp.Engine(device="cpu")
        for distance in (0.75, 2.5):
            cameras = [p2mpp.Camera.from_row([azimuth, 30, 0, distance, 0]) for azimuth in (10, 130, 250)]
            mesh = engine.reconstruct(images(), cameras, surface="template", texture="none")
            self.assertLess(np.linalg.norm(mesh.vertices.mean(0)), 0.3)

    def test_a_stream_gives_results_in_order_and_errors_by_sample(self):
        for engine in (self.engine, p2mpp.Engine(TINY, device="cpu", batch=2)):
            sample = engine.sample(images(), rows(), id="made")
            results = list(engine.stream([FOLDER, "nowhere", 7, OTHER, sample, sample]))
            self.assertEqual([result.id for result in results], ["p2mpp0001", "nowhere", "7", "p2mpp0001", "made", "made"])
            self.assertIn("nowhere: no such folder", results[1].error)
            self.assertIn("of type int; expected a Sample or the path", results[2].error)
            for result, path in zip(results, (FOLDER, None, None, OTHER, FOLDER, FOLDER), strict=True):
                self.assertEqual((result.mesh is None, result.error == ""), (path is None, path is not None))
                if path is not None:
                    self.assert_same(result.mesh, path)

    def test_errors_at_the_beginning_do_not_wait_for_the_end(self):
        def samples():
            yield "nowhere"
            self.fail("the second sample was read before the first result")

        self.assertIn("nowhere", next(iter(self.engine.stream(samples()))).error)

    def test_a_stream_that_is_left_early_leaves_nothing_in_flight(self):
        for _ in self.engine.stream([FOLDER, FOLDER, FOLDER]):
            break
        gc.collect()
        self.assert_same(self.engine.reconstruct(FOLDER))

    def test_a_wrong_frame_is_refused_before_anything_is_read(self):
        for frame in ("moon", None):
            with self.assertRaisesRegex(p2mpp.UsageError, "; expected world, camera0 or source"):
                self.engine.stream(iter(lambda: self.fail("a sample was read"), None), frame=frame)
            with self.assertRaisesRegex(p2mpp.UsageError, "; expected world, camera0 or source"):
                self.engine.reconstruct("nowhere", frame=frame)

    def test_reconstruct_within_a_stream(self):
        for result in self.engine.stream([FOLDER, FOLDER, FOLDER]):
            self.assert_same(result.mesh)
            self.assert_same(self.engine.reconstruct(OTHER), OTHER)

    def test_streams_of_two_threads_have_their_own_results(self):
        def samples(path):
            for number in range(4):
                time.sleep(0.05 * (number % 2))
                yield path

        def work(path):
            results = list(self.engine.stream(samples(path)))
            self.assertEqual(len(results), 4)
            for result in results:
                self.assert_same(result.mesh, path)

        in_threads(lambda: work(FOLDER), lambda: work(OTHER))

    def test_threads_may_share_an_engine(self):
        in_threads(*[lambda path=path: self.assert_same(self.engine.reconstruct(path), path)
                     for path in (FOLDER, OTHER, FOLDER)])

    def test_other_threads_run_while_it_computes(self):
        # If it kept them waiting, they would run between the calls only.
        self.assertGreater(counted_meanwhile(lambda: [self.engine.reconstruct(FOLDER) for _ in range(4)]), 12)

    def test_other_threads_run_while_pixels_are_copied(self):
        pixels = [np.full((3000, 4000, 3), 255, np.uint8) for _ in range(4)]
        cameras = [rows()[0]] * 4
        self.engine.sample(pixels[:2], cameras[:2])
        self.assertGreater(counted_meanwhile(lambda: self.engine.sample(pixels, cameras)), 10)

    def test_an_engine_is_not_for_forks(self):
        script = """
            import os, p2mpp
            engine = p2mpp.Engine(TINY, device="cpu")
            child = os.fork()
            if child == 0:
                try:
                    engine.reconstruct(FOLDER)
                except p2mpp.Error as error:
                    print(error, flush=True)
                del engine
                raise SystemExit(5)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
        said = subprocess.run([sys.executable, "-W", "ignore", "-c", program(script)], capture_output=True, text=True,
                              timeout=120, check=True).stdout.splitlines()
        self.assertIn("made before this process was forked", said[0])
        self.assertEqual(said[1], "5")

    def test_auto_says_why_it_took_the_cpu(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            engine = p2mpp.Engine(TINY)
        if engine.device == "cpu":
            (warning,) = caught
            self.assertIs(warning.category, p2mpp.Warning)
            self.assertRegex(str(warning.message), "^no CUDA device: .*; computing on the CPU$")
            self.assertEqual(Path(warning.filename), Path(__file__))  # the caller's line


@needs_module
class FitTest(unittest.TestCase):
    def test_a_fitted_mesh_has_its_figures_and_the_colours_that_are_chosen(self):
        engine = p2mpp.Engine(TINY, device="cpu")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            sample = engine.read_sample(CAPTURE)
            (result,) = engine.stream([sample], resolution=40, surface_vertices=500)
            vertex, none = (engine.reconstruct(sample, resolution=40, surface_vertices=500, texture=texture)
                            for texture in ("vertex", "none"))
        self.assertEqual(engine.reconstruct(FOLDER).fit, None)
        self.assertEqual(vertex.vertex_colors.shape, vertex.vertices.shape)
        self.assertIsNone(vertex.texture)
        self.assertIsNone(none.vertex_colors)
        fit = result.fit
        self.assertEqual(fit.masks, sample.fit_mask_count)
        self.assertLessEqual(fit.used, fit.masks)
        self.assertGreaterEqual(fit.iou_after, fit.iou_before)
        self.assertGreater(fit.milliseconds, 0)
        said = [str(warning.message) for warning in caught if warning.category is p2mpp.Warning]
        for line in [*sample.doubts, *filter(None, [sample.note, fit.note])]:
            self.assertTrue(any(line in each for each in said), line)
        twin = pickle.loads(pickle.dumps(result))
        self.assertEqual(repr(twin.fit), repr(fit))
        mesh = result.mesh  # of a capture: it has a texture
        self.assertEqual(mesh.uv.shape, (*mesh.faces.shape, 2))
        self.assertTrue(((mesh.uv >= 0) & (mesh.uv <= 1)).all())
        self.assertEqual(mesh.texture.shape, (1024, 1024, 4))
        self.assertGreater(mesh.texture[..., :3].std(), 5)


def program(script: str) -> str:
    """A script that starts with the package and the paths of this test."""
    head = f"import sys; sys.path.insert(0, {str(PACKAGE)!r}); FOLDER, TINY = {str(FOLDER)!r}, {TINY!r}\n"
    lines = script.splitlines()
    indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return head + "\n".join(line[indent:] for line in lines)


@needs_module
class InterruptTest(unittest.TestCase):
    def test_ctrl_c_ends_a_program(self):
        script = """
            import p2mpp
            engine = p2mpp.Engine(TINY, device="cpu")
            print("computing", flush=True)
            for _ in engine.stream(FOLDER for _ in range(1000)):
                pass
        """
        with subprocess.Popen([sys.executable, "-c", program(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as child:
            child.stdout.readline()
            time.sleep(0.4)
            child.send_signal(signal.SIGINT)
            self.assertRegex(child.communicate(timeout=60)[1], "KeyboardInterrupt\n$")
        self.assertEqual(child.returncode, -signal.SIGINT)

    def test_ctrl_c_ends_a_call_and_a_stream_at_once(self):
        """Statements that take seconds. The engine is usable afterwards."""
        script = """
            import time
            import numpy as np, p2mpp
            engine = p2mpp.Engine(device="cpu", threads=1)
            expected = engine.reconstruct(FOLDER).vertices
            rows = np.loadtxt(FOLDER + "/rendering/rendering_metadata.txt")[[0, 6, 7]]
            image = p2mpp.read_image(FOLDER + "/rendering/00.png")
            slow = engine.sample([image] * 32, [rows[i % 3] for i in range(32)])
            for work in (lambda: engine.reconstruct(slow), lambda: list(engine.stream([slow, slow]))):
                print("computing", flush=True)
                try:
                    work()
                    print("not interrupted", flush=True)
                except KeyboardInterrupt:
                    print(time.monotonic(), flush=True)
            assert np.array_equal(engine.reconstruct(FOLDER).vertices, expected)
        """
        with subprocess.Popen([sys.executable, "-c", program(script)], stdout=subprocess.PIPE, text=True) as child:
            for work in ("a call", "a stream"):
                self.assertEqual(child.stdout.readline(), "computing\n", work)
                time.sleep(0.2)
                sent = time.monotonic()
                child.send_signal(signal.SIGINT)
                self.assertLess(float(child.stdout.readline()) - sent, 1, work)  # 0.05 s on an idle machine
        self.assertEqual(child.returncode, 0)
