"""Real COLMAP (Debian's package) on photographs of a textured object on a textured ground, then `p2mpp predict` with
masks: from pictures to a mesh in COLMAP's coordinates. And COLMAP's own reading of the models that tests/captures
writes. Slow: about a minute of two cores."""

import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from runs import PROGRAM, ROOT, require

require("manifold3d")
sys.path[:0] = [str(ROOT / "tests" / "captures"), str(ROOT / "bench" / "quality")]

from captures import score  # noqa: E402
from p2mpp_captures import sfm  # noqa: E402
from p2mpp_captures.capture import KINDS, draw_capture, write_cameras  # noqa: E402
from p2mpp_captures.photographs import photograph, textured  # noqa: E402
from p2mpp_captures.rig import RigOptions, draw_rig  # noqa: E402
from p2mpp_captures.shapes import subject  # noqa: E402

SHAPE = "02958343_p2mpp0003"
RIG = RigOptions(800, 600, 16, lens="simple_radial", centered=True)  # COLMAP takes the middle for the principal point
FLOOR_F1_TAU = 60.0  # per cent; the same textured object as a published sample reaches 76
LARGEST_OFFSET = 0.03  # of the object's size, of the box's centre; as a published sample 0.01
LARGEST_CAMERA_ERROR = 0.002  # of the normalised world's unit; 0.0005 are usual
MODELS = ("colmap_bin", "colmap_txt", "colmap_simple_radial", "colmap_radial", "colmap_opencv", "colmap_full_opencv",
          "colmap_fisheye")


@unittest.skipUnless(sfm.installed(), "COLMAP is not installed")
class ColmapTest(unittest.TestCase):
    def test_from_photographs_to_a_mesh(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / "capture"
            shown = textured(subject(SHAPE))
            rig = draw_rig(np.random.default_rng(3), shown, RIG)
            truth = self.write_photographs(shown, rig, folder)
            sfm.reconstruct(folder)
            self.assertEqual([each.name for each in (folder / "sparse").iterdir()], ["0"], "models")
            sfm.as_text(folder / "sparse" / "0", folder / "text")
            found = sfm.centers(folder / "text" / "images.txt")
            self.assertEqual(sorted(found), sorted(truth), "registered pictures")
            order = sorted(truth)
            world = sfm.similarity_between(np.array([truth[name] for name in order]),
                                           np.array([found[name] for name in order]))
            for name in order:
                off = np.linalg.norm(world.points_back(found[name]) - truth[name])
                self.assertLess(off, LARGEST_CAMERA_ERROR, name)
            self.check_mesh(folder, Path(temporary) / "out", world, shown.truth)

    def write_photographs(self, shown, rig, folder):
        """The cameras' places by the pictures' names."""
        for part in ("images", "masks"):
            (folder / part).mkdir(parents=True)
        truth = {}
        for number, (pose, lens) in enumerate(rig, start=1):
            picture, mask = photograph(shown, pose, lens)
            Image.fromarray(picture).save(folder / "images" / f"IMG_{number:04d}.jpg", quality=95)
            Image.fromarray(mask).save(folder / "masks" / f"IMG_{number:04d}.png")
            truth[f"IMG_{number:04d}.jpg"] = pose.center
        return truth

    def check_mesh(self, folder, out, world, truth):
        self.assertIsNotNone(PROGRAM, "the environment variable P2MPP names no program")
        done = subprocess.run([PROGRAM, "predict", folder, "--masks", folder / "masks", "--frame", "source", "--format",
                               "obj,xyz", "--model", ROOT / "models/p2mpp-shapes", "--out", out], check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        points = world.points_back(np.loadtxt(next(out.glob("*_predict.xyz")))[:, :3])
        reached = score(points, truth)
        print(reached, file=sys.stderr)
        self.assertGreaterEqual(reached.f1, FLOOR_F1_TAU)
        self.assertLess(reached.offset, LARGEST_OFFSET)

    def test_colmap_reads_what_the_writers_write(self):
        shown = subject(SHAPE)
        for kind in MODELS:
            with self.subTest(kind=kind), tempfile.TemporaryDirectory() as temporary:
                options, folder = replace(KINDS[kind], rig=replace(KINDS[kind].rig, views=4)), Path(temporary)
                capture = draw_capture(shown, options, 1)
                write_cameras(capture, options, folder, 1)
                sfm.as_text(folder / "sparse" / "0", folder / "text")
                found = sfm.centers(folder / "text" / "images.txt")
                for each in capture.photographs:
                    np.testing.assert_allclose(found[f"{each.name}.{options.suffix}"], each.written_pose.center,
                                               rtol=1e-9, atol=1e-9 * capture.source_from_world.scale)
