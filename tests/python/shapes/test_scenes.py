"""Objects for training: OBJ and MTL, the catalogue, pictures, truth that can be seen."""

import unittest

import numpy as np

from boxes import box_scene, write_box
from p2mpp.errors import InputError
from p2mpp.shapes import people_made, scene, studio, visible_surface
from p2mpp.shapes.wavefront import read_obj
from runs import TemporaryTest


class WavefrontTest(TemporaryTest):

    def test_polygons_materials_and_textures(self):
        mesh = read_obj(write_box(self.folder))
        self.assertEqual((len(mesh.triangles), mesh.polygon_triangles), (12, 12))
        corners = mesh.vertices[mesh.triangles]
        volume = np.einsum("ti,ti->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
        self.assertAlmostEqual(volume, 48.0)
        self.assertEqual(mesh.material_ids.tolist(), [0] * 8 + [1] * 4)
        np.testing.assert_allclose(mesh.look.colors[0], [0.4, 0.6, 0.8], atol=1e-6)
        self.assertEqual(mesh.look.texture.tolist(), [-1, 0])
        self.assertEqual(mesh.look.textures[0][0, 0].tolist(), [1, 0, 0])
        self.assertEqual(mesh.uv[8].tolist(), [[0, 0], [1, 0], [1, 1]])
        self.assertFalse(mesh.cutout)

    def test_concave_polygons_keep_their_area(self):
        file = self.folder / "l.obj"
        outline = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)]
        for order in (outline, outline[::-1]):
            for axes in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
                places = np.array([(x, y, 5.0) for x, y in order])[:, axes]
                vertices = "".join("v %g %g %g\n" % tuple(place) for place in places)
                file.write_text(vertices + "f 1 2 3 4 5 6\n")
                mesh = read_obj(file)
                self.assertEqual(len(mesh.triangles), 4)
                across = scene.doubled_areas(mesh.vertices, mesh.triangles)
                self.assertAlmostEqual(np.linalg.norm(across, axis=1).sum() / 2, 5.0)
                self.assertAlmostEqual(np.linalg.norm(across.sum(0)) / 2, 5.0)

    def test_bad_files_are_named(self):
        file = self.folder / "bad.obj"
        for text, words in (("v 0 0 0\n", "no faces"), ("v 0 0 0\nf 1 2 3\n", "not there")):
            file.write_text(text)
            with self.assertRaisesRegex(InputError, f"bad.obj.*{words}"):
                read_obj(file)

    def test_the_catalogue_gives_size_and_rotation(self):
        write_box(self.folder)
        items = people_made.items_of(self.folder, ("Library",))
        self.assertEqual([item.name for item in items], ["Folding chair"])
        self.assertEqual(items[0].category, "chair")
        body = people_made.read_item(items[0])
        sides = np.ptp(body.vertices, axis=0)
        np.testing.assert_allclose(sides / sides[0], [1, 1.5, 0.5])
        self.assertAlmostEqual(np.linalg.norm(sides), 0.57)
        np.testing.assert_allclose(body.vertices.min(0), -sides / 2)

    def test_names_give_categories(self):
        for name, category in (("Desk lamp", "lamp"), ("Chair with cushion", "chair"),
                               ("Pool table", "other"), ("Television cabinet", "cabinet"),
                               ("VW new beetle", "car"), ("Cat", "other")):
            self.assertEqual(people_made.category_of(name), category, name)


class StudioTest(unittest.TestCase):

    def setUp(self):
        self.rng = np.random.default_rng(3)
        self.size = ((-0.2, -0.1, -0.15), (0.2, 0.1, 0.15))
        self.body = box_scene(*self.size)
        self.spread = studio.shadow_maps(self.body, studio.spread_directions(64))

    def test_pictures_show_what_the_cameras_say(self):
        room = studio.Studio(self.body, studio.draw_lighting(self.rng), self.spread)
        for camera in (studio.Camera(30, 27, 0.8), studio.Camera(200, -10, 2.5)):
            picture, hint = room.picture(camera)
            pixels, _ = studio.project(camera, self.body.vertices)
            rows, columns = np.nonzero(picture[..., 3])
            self.assertLess(abs(columns.min() - pixels[:, 0].min()), 1)
            self.assertLess(abs(rows.max() + 1 - pixels[:, 1].max()), 1)
            middle = hint[28, 28].astype(float) / 127
            rotation, origin = camera.frame()
            normal = middle[:3] @ rotation
            self.assertGreater(np.abs(normal).max(), 0.98)  # of a face of the box
            self.assertGreater(normal @ origin, 0)
            self.assertGreater(middle[3], 0.2)

    def test_hidden_surface_is_no_truth(self):
        both = box_scene(*self.size, ((-0.1, -0.05, -0.05), (0.1, 0.05, 0.05)))
        spread = studio.shadow_maps(both, studio.spread_directions(64))
        points, normals = visible_surface.sample_visible(both, spread, 2000, self.rng)
        self.assertEqual(len(points), 2000)
        share = np.abs(points) / [0.2, 0.1, 0.15]
        np.testing.assert_allclose(share.max(1), 1, atol=1e-6)
        np.testing.assert_allclose(np.einsum("ni,ni->n", points, normals) > 0, True)

    def test_a_sheet_has_two_sides(self):
        sheet = scene.Scene(self.body.vertices, self.body.triangles[:2], self.body.normals[:2],
                            self.body.uv[:2], self.body.material_ids[:2], self.body.look)
        spread = studio.shadow_maps(sheet, studio.spread_directions(64))
        _, normals = visible_surface.sample_visible(sheet, spread, 500, self.rng)
        self.assertGreater((normals[:, 0] > 0).mean(), 0.4)
        self.assertGreater((normals[:, 0] < 0).mean(), 0.4)

    def test_shadows_fall(self):
        plate, above = ((-0.25, -0.1, -0.25), (0.25, -0.09, 0.25)), ((-0.1, 0.1, -0.1), (0.1, 0.12, 0.1))
        both = box_scene(*plate, above)
        spread = studio.shadow_maps(both, np.array([[0.0, 1, 0]]))
        points = np.array([[0, -0.09, 0], [0.2, -0.09, 0.2]], np.float32)
        up = np.array([[0, 1, 0]] * 2, np.float32)
        lit = studio.kernels.light(points, up, up, spread.axes, np.ones((1, 3), np.float32),
                                   spread.maps, spread.size, studio.REACH, studio.OFFSET,
                                   studio.BIAS, True)
        np.testing.assert_allclose(lit[:, 0], [0, 1], atol=1e-6)
