"""How a mesh is graded, and how the causes of contradictions between masks and cameras are told apart."""

import unittest
from pathlib import Path

import numpy as np
from PIL import Image

from runs import TemporaryTest, require

require("cv2", "trimesh")

import trimesh  # noqa: E402

from p2mpp.photos.doubts import MaskFacts, cause, mask_facts  # noqa: E402
from p2mpp.photos.grade import graded  # noqa: E402
from p2mpp.photos.near import Nearness, nearness  # noqa: E402
from p2mpp.photos.scene import Scene, View  # noqa: E402

NAMES = [f"{number}.jpg" for number in range(10)]


def sample(iou=0.97, worst=0.95, against=0, unexplained=0.0):
    photographs = [{"name": name, "contradicts": name in NAMES[:against], "unexplained": unexplained} for name in NAMES]
    return {"capture": {"photographs": photographs, "views": [0, 3]}, "silhouettes": [{"iou": 0.97}, {"iou": worst}],
            "surface": {"iou": iou}, "fit": {"used": 10, "iou_after": 0.5}}


class GradeTest(unittest.TestCase):
    def test_the_worst_figure_decides_and_is_the_reason(self):
        for made, near, cameras, grade, reason in (
                (sample(), 0.95, 1.0, "good", "0.97 with the masks.*95% of the object's points.*100% of the photographs"),
                (sample(), Nearness(1.0, 0.035), 1.0, "doubtful", "^4% of the object's points lie outside the mesh, side by side: pieces are missing$"),
                (sample(), None, None, "good", "0.97 with the masks"),
                (sample(iou=0.93), 0.95, 1.0, "doubtful", "^the mesh's silhouettes have an IoU of 0.93 with the masks$"),
                (sample(worst=0.6), 0.95, 1.0, "doubtful", "^an IoU of 0.60 in 3.jpg$"),
                (sample(against=3), 0.95, 1.0, "doubtful", r"^the masks of 3 of 10 .* \(0.jpg, 1.jpg, 2.jpg\)$"),
                (sample(), 0.6, 1.0, "doubtful", "^60% of the object's points lie near the mesh$"),
                (sample(unexplained=0.04), 0.95, 1.0, "doubtful", "^4% of a mask on average belong to no object that the others show$"),
                (sample(iou=0.88, unexplained=0.066), 1.0, 0.84, "poor", "^7% of a mask on average"),
                (sample(), 0.95, 0.67, "doubtful", "^67% of the photographs have a camera$"),
                (sample(iou=0.34), 0.95, 0.67, "poor", "^the mesh's silhouettes have an IoU of 0.34 with the masks$"),
                (sample(), 0.04, 1.0, "poor", "^4% of the object's points lie near the mesh$"),
                (sample(against=5), 0.95, 1.0, "poor", "^the masks of 5 of 10")):
            found = graded(made, Nearness(near, 0.01) if isinstance(near, float) else near, cameras)
            self.assertEqual(found["grade"], grade, found)
            self.assertRegex(found["reason"], reason)

    def test_without_a_volume_the_fit_tells_and_without_a_fit_the_views(self):
        made = sample()
        del made["surface"]
        self.assertEqual(graded(made, None, None)["grade"], "poor")
        del made["fit"]
        self.assertEqual(graded(made, None, None)["grade"], "good")


class NearTest(TemporaryTest):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(0)
        self.vertices = (rng.random((3000, 3)) - 0.5) * (0.5, 0.2, 0.3)
        self.vertices[:, 1] += 0.15 * (self.vertices[:, 0] > 0)  # no symmetry
        mesh = trimesh.Trimesh(self.vertices, np.arange(3000).reshape(-1, 3), vertex_colors=[7, 7, 7], process=False)
        mesh.export(self.folder / "a.ply", vertex_normal=False)
        # The world's axes and the first view's camera in the capture; the camera's place is moved along its axis in the .xyz.
        self.turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        self.turn *= np.linalg.det(self.turn)
        self.scale, self.centre, self.up = 4.0, np.array([3.0, -2, 5]), self.turn[:, 1]
        towards = np.array([0.6, 0.3, 0.7])
        ahead = -towards / np.linalg.norm(towards)
        right = np.cross(ahead, [0, 1, 0])
        right /= np.linalg.norm(right)
        rotation = np.stack([right, np.cross(ahead, right), ahead])
        np.savetxt(self.folder / "a.xyz", (self.vertices - 0.8 * towards) @ rotation.T)
        place = self.centre + self.scale * self.turn @ towards
        view = View("b.jpg", 100, 100, np.eye(3), -place, None, None)
        self.scene = Scene([view], np.zeros((0, 3)), np.zeros((0, 3)), {})
        self.sample = {"capture": {"centre": self.centre.tolist(), "scale": self.scale, "up": self.up.tolist(), "views": [1],
                                   "photographs": [{"name": "a.jpg"}, {"name": "b.jpg"}]}}

    def share(self, points, scene=None):
        found = nearness(points, scene or self.scene, self.sample, self.folder / "a.ply", self.folder / "a.xyz")
        return None if found is None else found.near

    def test_points_on_the_mesh_and_beside_it(self):
        corners = self.vertices.reshape(-1, 3, 3)
        points = self.centre + self.scale * corners.mean(1)[::4] @ self.turn.T
        self.assertGreater(self.share(points), 0.99)
        self.assertEqual(self.share(points + 3 * self.up), 0)
        half = np.where(np.arange(len(points))[:, None] % 2, points, points + 3 * self.up)
        self.assertAlmostEqual(self.share(half), 0.5, delta=0.01)

    def test_a_mesh_in_the_capture_s_coordinates(self):
        points = self.vertices.reshape(-1, 3, 3).mean(1)[::4]
        for off, share in ((0, 1), (0.1, 0)):
            found = nearness(points + (0, 0, 3 * off), self.scene, self.sample, self.folder / "a.ply", None)
            self.assertEqual(found.near, share)

    def test_a_cut_into_the_mesh_is_seen_by_the_points_that_it_leaves_outside(self):
        """A ball, with errors of single points, whose mesh is smaller than the points say, and lacks a piece."""
        rng = np.random.default_rng(1)
        points = rng.normal(size=(1500, 3))
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        points[::40] *= 1.1
        ball = trimesh.creation.icosphere(4, 0.995)
        for deep, least, most in ((0, 0, 0), (0.08, 0.03, 0.06)):
            cut = np.where(ball.vertices[:, :1] > 0.9, 1 - deep, 1.0) * ball.vertices
            trimesh.Trimesh(cut, ball.faces, process=False).export(self.folder / "ball.ply", vertex_normal=False)
            found = nearness(points, self.scene, self.sample, self.folder / "ball.ply", None)
            self.assertGreater(found.near, 0.95)
            self.assertTrue(least <= found.cut_off <= most, found)

    def test_a_first_view_whose_camera_is_not_known(self):
        self.assertIsNone(self.share(np.zeros((3, 3)), Scene([], np.zeros((0, 3)), np.zeros((0, 3)), {})))


class CauseTest(TemporaryTest):
    def test_three_causes_are_told_apart(self):
        sheet = Path("masks.jpg")
        good = {"held": dict.fromkeys(NAMES, 0.95), "ground": dict.fromkeys(NAMES, 0.05), "border": dict.fromkeys(NAMES, 0.0),
                "unexplained": {**dict.fromkeys(NAMES, 0.0), "7.jpg": 0.5, "2.jpg": 0.2}}
        for change, line in (
                ({"held": {**dict.fromkeys(NAMES, 0.1), "4.jpg": 0.04, "5.jpg": 0.9}}, "^most masks miss a part of the object; look at 4.jpg, 0.jpg, "),
                ({"ground": {**good["ground"], "1.jpg": 0.4, "3.jpg": 0.8, "8.jpg": 0.5}}, "^masks hold ground beside the object; look at 3.jpg, 8.jpg, 1.jpg in "),
                ({"border": {**good["border"], "1.jpg": 0.4, "6.jpg": 0.5, "9.jpg": 0.1}}, "^the border cuts the object in 3 of 10 photographs; "
                 "look at 6.jpg, 1.jpg, 9.jpg in "),
                ({}, "^if the object was moved, .*; look at 7.jpg, 2.jpg in masks.jpg$")):
            self.assertRegex(cause(MaskFacts(**{**good, **change}), sheet), line)
        self.assertRegex(cause(MaskFacts(), sheet), "look at masks.jpg$")

    def test_what_masks_cover_of_the_border(self):
        mask = np.zeros((20, 30), np.uint8)
        mask[5:15, 10:20] = 255
        Image.fromarray(mask).save(self.folder / "inside.png")
        mask[:, 10:20] = 255
        Image.fromarray(mask).save(self.folder / "cut.png")
        found = mask_facts({}, {"a": self.folder / "inside.png", "b": self.folder / "cut.png", "c": None},
                           [{"name": "a", "contradicts": True, "unexplained": 0.1}])
        self.assertEqual(found.border, {"a": 0, "b": 20 / 96})
        self.assertEqual(found.unexplained, {"a": 1.0})
