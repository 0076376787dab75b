"""p2mpp-photos on rendered photographs on a patterned ground, without cameras and masks: as good as with exact ones, and by
`p2mpp serve`. And the true size by a mat. Slow: five minutes of two cores."""

import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from runs import ROOT, SharedFolderTest, require

require("manifold3d", "trimesh", "pycolmap")
sys.path[:0] = [str(ROOT / "tests" / "captures"), str(ROOT / "bench" / "quality"), str(ROOT / "tests/python/web")]

from from_photographs import draw, measured  # noqa: E402
from p2mpp_captures.photographs import textured  # noqa: E402
from p2mpp_captures.rig import RigOptions  # noqa: E402
from p2mpp_captures.shapes import subject  # noqa: E402
from server import Server  # noqa: E402
from shared import Tools  # noqa: E402

PROGRAM = Path(os.environ.get("P2MPP", "build/p2mpp")).resolve()
RIG = RigOptions(640, 480, 16, lens="simple_radial", centered=True)
LOWEST_IOU = 0.93  # of the median mask
LARGEST_SIZE_ERROR = 0.003
LARGEST_LOSS = 4.5  # points of F1@tau against exact cameras and masks; 3.9 with the masks of U2-Net-p


class EndToEndTest(SharedFolderTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = draw(textured(subject("02958343_p2mpp0003")), RIG, cls.folder)

    def test_as_good_as_with_exact_cameras_and_masks(self):
        found = measured(Tools(PROGRAM, ROOT / "models/p2mpp-shapes", self.folder), self.made)
        print(found, file=sys.stderr)
        self.assertEqual(found["registered"], 16)
        self.assertEqual(found["grade"], "good")
        self.assertGreater(found["iou"], LOWEST_IOU)
        self.assertGreater(found["f1"], found["exact_f1"] - LARGEST_LOSS)

    def test_by_the_server(self):
        program = self.folder / "p2mpp-photos"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m p2mpp.commands.photos "$@"\n')
        program.chmod(0o700)
        images = [("image", path.name, path.read_bytes()) for path in sorted(self.made.photographs.iterdir())]
        key, lines = "/v1/photographs/0123456789abcdef", []
        with Server("--photos", str(program), model=ROOT / "models/p2mpp-shapes") as server, ThreadPoolExecutor(1) as pool:
            answer = pool.submit(server.post, key, images)
            while not answer.done():
                status, body = server.ask("GET", key)
                lines = json.loads(body)["lines"] if status == 200 else lines
                time.sleep(0.2)
            status, body = answer.result()
            self.assertEqual(status, 200, body)
            self.assertIn("cameras: 16 of 16 photographs, 1 camera", lines)
            self.assertTrue(any(line.startswith("masks: 16 cut out") and line.endswith("; all in masks.jpg") for line in lines), lines)
            self.assertNotIn(b"/tmp/", body)
            document = json.loads(body)
            self.assertEqual([step["step"] for step in document["result"]["steps"]],
                             ["photographs", "mat", "cameras", "masks", "check", "mesh"])
            mesh = server.ask("GET", document["files"]["glb"])[1]
            self.assertIn(b'"baseColorTexture"', mesh)
            for kind in ("view", "report"):
                self.assertIn(b"<html", server.ask("GET", document["files"][kind])[1])

    def test_true_size_on_a_white_table(self):
        from size import CASES, draw as draw_on_mat, placed_in, size_alone

        case = next(each for each in CASES if not each.patterned)
        made = draw_on_mat(textured(subject("02958343_p2mpp0003")), case, self.folder / "mat")
        out = size_alone(made)
        placed = placed_in(out, made)
        self.assertEqual(len(json.loads((out / "work/cameras.json").read_text())["result"]["registered"]), case.views)
        self.assertAlmostEqual(1000 * placed.scale, 1, delta=LARGEST_SIZE_ERROR)
        self.assertGreater(placed.rotation[1, 2], np.cos(np.radians(0.2)))
        self.assertLess(abs(1000 * placed.points(np.zeros((1, 3)))[0, 1]), 0.3)  # millimetres: the ground
