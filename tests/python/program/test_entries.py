"""The surface of a sample has the same bytes from `predict`, `eval`, `worker`, `serve` and Python."""

import inspect
import json
import shutil
import unittest
import warnings
from pathlib import Path

import numpy as np

from built_package import HAS_MODULE
from runs import TemporaryTest, run_program
from web.server import INPUTS, Server, folder_parts

if HAS_MODULE:
    import p2mpp

TINY = str(INPUTS / "models/tiny")
CAPTURE = INPUTS / "captures/colmap_bin"
PHOTOS = INPUTS / "samples/photos"
SMALL = {"resolution": 40, "surface_vertices": 500}
VOLUME, TEMPLATE = {"surface": "volume", **SMALL}, {"surface": "template"}


def run(*arguments, stdin: str = "") -> str:
    return run_program(*arguments, "--model", TINY, input=stdin, code=0).stdout


def flags(options: dict) -> list:
    return [text for name, value in options.items() for text in ("--" + name.replace("_", "-"), str(value))]


class EntriesTest(TemporaryTest):
    def predicted(self, sample: Path, options: dict) -> bytes:
        run("predict", sample, "--format", "glb", "--out", self.folder / "predict", *flags(options))
        return (self.folder / "predict" / f"{sample.name}_predict.glb").read_bytes()

    def of_worker(self, sample: Path, options: dict) -> dict:
        request = {"id": sample.name, "sample": str(sample), "output": str(self.folder / "worker"), **options}
        answer = json.loads(run("worker", "--format", "glb", stdin=json.dumps(request)).splitlines()[1])
        return {"bytes": Path(answer["files"][0]).read_bytes(), **answer["result"]}

    def of_server(self, sample: Path, options: dict) -> bytes:
        with Server() as server:
            status, body = server.post("/v1/meshes", folder_parts(sample, {"id": sample.name, **options}))
            self.assertEqual(status, 200, body)
            return server.ask("GET", json.loads(body)["files"]["glb"])[1]

    def test_a_capture(self):
        # The test's network draws any mesh: an automatic choice takes the masks' hull instead.
        for options in (SMALL, {**VOLUME, "fit_views": "none", "texture": "vertex"}, {**TEMPLATE, "texture": "none"}):
            with self.subTest(options=options):
                expected = self.predicted(CAPTURE, options)
                answered = self.of_worker(CAPTURE, options)
                self.assertEqual(answered["bytes"], expected)
                self.assertEqual("surface" in answered, options.get("surface") != "template")
                self.assertEqual("fit" in answered, "fit_views" not in options)

    def test_a_sample_folder(self):
        expected = self.predicted(PHOTOS, VOLUME)
        self.assertEqual(self.of_server(PHOTOS, VOLUME), expected)
        self.assertEqual(self.of_worker(PHOTOS, VOLUME)["bytes"], expected)

    @unittest.skipUnless(HAS_MODULE, "this build has no Python module")
    def test_python(self):
        engine = p2mpp.Engine(TINY, device="cpu")
        for sample, options in ((PHOTOS, TEMPLATE), (PHOTOS, VOLUME), (CAPTURE, {**SMALL, "texture": "none"})):
            with self.subTest(sample=sample.name, options=options):
                expected = self.folder / f"{sample.name}_predict.ply"
                run("predict", sample, "--format", "ply", "--out", self.folder, *flags(options))
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    mesh = engine.reconstruct(sample, **options)
                    streamed, = engine.stream([sample], **options)
                np.testing.assert_array_equal(mesh.vertices, p2mpp.read_mesh(expected).vertices)
                self.assertEqual(mesh.surface is None, options == TEMPLATE)
                np.testing.assert_array_equal(streamed.mesh.vertices, mesh.vertices)
        self.assertEqual(mesh.surface.resolution, 40)
        for wrong, said in (({"surfase": "volume"}, 'no option "surfase"; expected background, '),
                            ({"surface": "mesh"}, '"surface": expected auto, template, volume'),
                            ({"resolution": 3}, '"resolution": expected auto or a whole number from 32 to 512'),
                            ({"resolution": [64]}, '"resolution": expected auto or a whole number from 32 to 512')):
            with self.assertRaises(p2mpp.UsageError) as raised:
                engine.stream([], **wrong)
            self.assertIn(said, str(raised.exception))
        self.assertIn("surface_vertices=10000", str(inspect.signature(engine.reconstruct)))

    def test_eval_scores_it(self):
        entry = self.folder / "images" / "chair" / "a"
        shutil.copytree(INPUTS / "samples/shape", entry)
        (self.folder / "list.txt").write_text("chair_a_00.dat\n")
        (self.folder / "truth").mkdir()
        expected = self.predicted(entry, VOLUME)
        (self.folder / "truth/chair_a_00.ply").write_bytes(b"")
        run("predict", entry, "--format", "ply", "--frame", "camera0", "--out", self.folder / "truth", *flags(VOLUME))
        (self.folder / "truth/a_predict.ply").rename(self.folder / "truth/chair_a_00.ply")
        run("eval", "--list", self.folder / "list.txt", "--images-root", self.folder / "images", "--truth-root", self.folder / "truth",
            "--out", self.folder / "eval", "--format", "glb", *flags(VOLUME))
        self.assertEqual((self.folder / "eval/chair_a_00_predict.glb").read_bytes(), expected)
        summary = json.loads((self.folder / "eval/summary.json").read_text())
        self.assertEqual(summary["metrics"]["count"], 1)
        self.assertEqual(summary["metrics"]["vertices"]["f1_tau"], 100)
        self.assertGreater(summary["metrics"]["coarse"]["chamfer_distance"], 0)
        self.assertEqual(summary["volume"]["resolution"]["mean"], 40)
        self.assertEqual(summary["settings"]["fit_views"], "all")
