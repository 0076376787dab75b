"""The truth of the learned volume: distances to solids, meshes of fields, and the files beside shards."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
from boxes import box_scene, write_box
from runs import run_here
from support import torch

from p2mpp.commands import volume
from p2mpp.errors import InputError
from p2mpp.shapes import people_made, records, shard_making
from p2mpp.volume import distance_files, kernels, samples, surface, template_files
from p2mpp.volume.distances import LEVELS, SHEET, STORED, Distances, solid_distances
from p2mpp.volume.grid import Grid

COARSE = 72  # voxels along the longest side, in these tests
GRID = Grid(np.full(3, -1.0), 0.1, (20, 20, 20))


def ball(radius: float) -> tuple:
    field = np.linalg.norm(GRID.centres(2), axis=-1) - radius
    return field, surface.mesh_of_field(field, GRID, 2)


def joined(*boxes) -> tuple:
    """Vertices and triangles of several boxes (low, high)."""
    scenes = [box_scene(*each) for each in boxes]
    firsts = np.cumsum([0] + [len(each.vertices) for each in scenes])
    return (np.concatenate([each.vertices for each in scenes]),
            np.concatenate([each.triangles + first for each, first in zip(scenes, firsts)]))


class SolidTest(unittest.TestCase):

    def distances(self, vertices, triangles):
        """Distances in the mesh's unit as a function of points."""
        truth = solid_distances(vertices, triangles, COARSE)
        self.voxel = truth.voxel
        return lambda *points: samples.true_distances(truth, np.array(points, float))

    def test_a_ball(self):
        _, (vertices, triangles) = ball(0.7)
        found = self.distances(vertices, triangles)
        random = np.random.default_rng(1)
        points = random.uniform(-0.75, 0.75, (500, 3))
        expected = np.linalg.norm(points, axis=1) - 0.7
        near = np.abs(expected) < 5 * self.voxel
        self.assertLess(np.abs(found(*points[near]) - expected[near]).max(), 0.6 * self.voxel)
        self.assertTrue((found(*points[~near]) * expected[~near] > 0).all())

    def test_a_thick_box_is_as_large_as_it_is(self):
        found = self.distances(*joined(([-0.3, -0.2, -0.2], [0.3, 0.2, 0.2])))
        distance = found([0.28, 0, 0], [0, 0.23, 0], [0.28, 0.18, 0.18], [0.32, 0.22, 0.22])
        np.testing.assert_allclose(distance, [-0.02, 0.03, -0.02, 0.0346], atol=0.5 * self.voxel)

    def test_sheets_are_thin_and_boxes_are_not(self):
        truth = solid_distances(*joined(([-0.3, -0.2, -0.2], [0.3, 0.2, 0.2]), ([-0.3, 0.35, -0.2], [0.3, 0.352, 0.2])), COARSE)
        found = samples.look_up_truth(truth, samples.thinness(truth)[None],
                                      np.array([[0, 0, 0], [0.29, 0, 0], [0, 0.351, 0], [0.2, 0.351, 0.1]]))[0][0]
        self.assertEqual(found.tolist(), [0, 0, 1, 1])

    def test_inner_walls_do_not_count(self):
        outer, wall = ([-0.3, -0.2, -0.2], [0.3, 0.2, 0.2]), ([-0.001, -0.2, -0.2], [0.001, 0.2, 0.2])
        found = self.distances(*joined(outer, wall, ([0.1, -0.1, -0.1], [0.2, 0.1, 0.1])))
        self.assertLess(found([0, 0, 0], [0.1, 0, 0], [0.15, 0, 0]).max(), -0.07)

    def test_an_open_box_stays_open_and_its_walls_have_a_body(self):
        vertices, triangles = joined(([-0.3, -0.3, -0.3], [0.3, 0.3, 0.3]))
        top = (vertices[triangles][:, :, 1] > 0.29).all(1)
        found = self.distances(vertices, triangles[~top])
        self.assertGreater(found([0, 0, 0])[0], 0.06)
        walls = found([0, -0.3, 0], [0.3, 0, 0], [0, 0, -0.3], [-0.3, 0.1, 0.1])
        self.assertLess(walls.max(), -0.2 * self.voxel)

    def test_a_sheet_gets_a_body(self):
        vertices = np.array([[-0.4, 0.01, -0.3], [0.4, 0.01, -0.3], [0.4, 0.01, 0.3], [-0.4, 0.01, 0.3]])
        found = self.distances(vertices, np.array([[0, 1, 2], [0, 2, 3]]))
        heights = np.linspace(-0.03, 0.05, 200)
        inside = found(*[[0.05, height, 0.02] for height in heights]) < 0
        thickness = inside.mean() * 0.08
        self.assertAlmostEqual(thickness / (self.voxel / STORED), SHEET, delta=1.0)
        self.assertAlmostEqual(heights[inside].mean(), 0.01, delta=0.6 * self.voxel)

    def test_the_nearest_voxel_is_that_of_brute_force(self):
        random = np.random.default_rng(3)
        seeds = (random.random((9, 11, 7)) < 0.02).astype(np.uint8)
        seeds[4, 5, 3] = 1
        nearest = kernels.nearest_voxel(seeds, 5.0)
        marked = np.argwhere(seeds)
        places = np.stack(np.indices(seeds.shape), -1)
        expected = np.linalg.norm(places[..., None, :] - marked, axis=-1).min(-1)
        there = np.stack(np.unravel_index(np.maximum(nearest, 0), seeds.shape), -1)
        found = np.where(nearest < 0, 99, np.linalg.norm(places - there, axis=-1))
        np.testing.assert_allclose(found, np.where(expected <= 5, expected, 99))


class SurfaceTest(unittest.TestCase):

    def test_the_mesh_of_a_ball_is_closed_and_winds_outward(self):
        _, (vertices, triangles) = ball(0.7)
        np.testing.assert_allclose(np.linalg.norm(vertices, axis=1), 0.7, atol=0.01)
        edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
        forward, backward = (set(map(tuple, each)) for each in (edges, edges[:, ::-1]))
        self.assertEqual(forward, backward)
        corners = vertices[triangles]
        volume_of = np.einsum("ni,ni->n", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
        self.assertAlmostEqual(volume_of, 4 / 3 * np.pi * 0.7 ** 3, delta=0.02)

    def test_a_field_is_closed_at_the_border(self):
        _, triangles = surface.mesh_of_field(np.full((4, 4, 4), -1.0), GRID, 1)
        self.assertGreater(len(triangles), 0)
        self.assertEqual(len(surface.mesh_of_field(np.full((4, 4, 4), 1.0), GRID, 1)[1]), 0)


class DistanceFilesTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.place.name)
        _, made = shard_making.make_procedural(4, 20, (), True)
        cls.shard = cls.folder / "procedural-0000.npy"
        np.save(cls.shard, np.array(made, records.RECORD))
        cls.file = distance_files.file_of(cls.shard)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def truth(self):
        return run_here(volume.main, "truth", "--shards", self.folder)

    def test_a_record_gets_its_truth_once(self):
        self.assertEqual(self.truth().returncode, 0)
        made, content = self.file.stat().st_mtime_ns, self.file.read_bytes()
        record = np.load(self.shard)[0]
        truth = distance_files.DistanceFile(self.file, np.load(self.shard)["name"])[0]
        self.assertLess(np.abs(samples.true_distances(truth, record["points"].astype(float))).mean(), 0.6 * truth.voxel)
        self.assertEqual(max(abs(int(truth.values.min())), int(truth.values.max())), LEVELS)
        self.truth()
        self.assertEqual(self.file.stat().st_mtime_ns, made)
        self.file.write_bytes(content[:1000])  # torn
        self.truth()
        self.assertEqual(self.file.read_bytes(), content)

    def test_points_of_another_object_are_refused(self):
        found = np.load(self.shard)
        found["points"] *= 1.3
        with mock.patch.object(distance_files, "solid_distances", lambda *mesh: solid_distances(*mesh, COARSE)):
            with self.assertRaisesRegex(InputError, "points are not on the object's surface"):
                distance_files.distances_of(found[0], distance_files.Meshes(None, 1))

    def test_records_without_truth_are_left_out_if_they_are_few(self):
        truth = Distances(np.ones((2, 2, 2), np.int8), np.zeros(3), 0.1)
        for without, is_refused in ((1, False), (2, True)):
            with tempfile.TemporaryDirectory() as folder:
                np.save(Path(folder) / "procedural-0000.npy", np.repeat(np.load(self.shard), 12))
                every = [InputError("off")] * without + [truth] * (12 - without)
                with mock.patch.object(distance_files, "distances_of", side_effect=every):
                    found = run_here(volume.main, "truth", "--shards", folder)
                self.assertEqual(found.returncode, 3 if is_refused else 0, found.stderr)
                if is_refused:
                    self.assertIn("2 of 12 records are not on their objects' surfaces", found.stderr)
                    continue
                template = mock.Mock(mesh=lambda *_: (np.zeros((3, 3)), [[0, 1, 2]]))
                template_files.make_meshes(Path(folder), None, 1, 0.0, 1, template)
                shards = samples.TrainingVolumes(Path(folder))
                found = [shards.draw_of(np.random.default_rng(1), ("procedural-0000.npy", index)) is None for index in range(12)]
                self.assertEqual(found, [True] + [False] * 11)

    def test_a_stretched_object_is_stretched_again(self):
        with tempfile.TemporaryDirectory() as folder:
            write_box(Path(folder))
            item = people_made.items_in(Path(folder) / "Library")[0]
            meshes = distance_files.Meshes(Path(folder), 1)
            meshes.items = {"Library/box": item}
            with mock.patch.object(people_made, "looks_of", lambda _: 2):
                drafts = shard_making.people_drafts(item, 2, True, 1)
                record = {"name": b"Library/box", "kind": 1, "cameras": drafts[1].camera_rows()}
                np.testing.assert_array_equal(meshes.of(record).vertices, drafts[1].scene.vertices)
                self.assertGreater(np.abs(drafts[1].scene.vertices - drafts[0].scene.vertices).max(), 0.005)
                record["cameras"] = record["cameras"] + 1
                with self.assertRaisesRegex(InputError, "no draw has the record's cameras"):
                    meshes.of(record)

    def test_a_folder_without_shards_is_refused(self):
        with tempfile.TemporaryDirectory() as empty:
            found = run_here(volume.main, "truth", "--shards", empty)
        self.assertEqual(found.returncode, 3)
        self.assertIn("no shard in it; expected people-*.npy", found.stderr)


class IouTest(unittest.TestCase):

    def test_the_same_solid_has_one_and_a_shifted_one_less(self):
        field, (vertices, _) = ball(0.7)
        cube = samples.cube_around(vertices)
        true = torch.from_numpy((np.linalg.norm(cube.centres(), axis=-1) - 0.7).astype(np.float32))
        sample = mock.Mock(cube=cube, in_cube=true)
        self.assertGreater(surface.iou(field, GRID, 2, sample), 0.97)  # some voxels are just at the limit
        self.assertLess(surface.iou(np.roll(field, 2, 0), GRID, 2, sample), 0.9)


if __name__ == "__main__":
    unittest.main()
