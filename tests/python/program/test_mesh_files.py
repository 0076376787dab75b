"""Mesh files between p2mpp and another program, trimesh: what one writes, the other reads as the same triangles, places in
the picture, pixels and colours."""

import pickle
import unittest

import numpy as np

from built_package import HAS_MODULE, needs_module
from runs import TemporaryTest, run_program

try:
    import trimesh
    from PIL import Image
except ModuleNotFoundError:
    trimesh = None
if HAS_MODULE:
    import p2mpp


def painted_box():
    """A box whose faces have a place of their own in a picture each."""
    box = trimesh.creation.box((0.4, 0.3, 0.2))
    box = box.subdivide()
    corners = box.triangles.reshape(-1, 3)
    faces = np.arange(len(corners)).reshape(-1, 3)
    rng = np.random.default_rng(1)
    uv = rng.uniform(0.02, 0.98, (len(corners), 2))
    picture = Image.fromarray(rng.integers(0, 255, (32, 64, 3), dtype=np.uint8))
    material = trimesh.visual.material.PBRMaterial(baseColorTexture=picture, baseColorFactor=[255, 255, 255, 255])
    return trimesh.Trimesh(corners, faces, visual=trimesh.visual.TextureVisuals(uv, material), process=False)


def coloured_sphere(subdivisions=2):
    """A sphere, and the colours [N,3] of its vertices."""
    sphere = trimesh.creation.icosphere(subdivisions)
    colours = np.random.default_rng(2).integers(0, 255, (len(sphere.vertices), 3), dtype=np.uint8)
    sphere.visual = trimesh.visual.ColorVisuals(sphere, vertex_colors=colours)
    return sphere, colours


def looks(mesh):
    """The corners of each triangle in space and in the picture, and the picture."""
    material = mesh.visual.material
    picture = getattr(material, "baseColorTexture", None) or material.image
    return mesh.triangles, np.asarray(mesh.visual.uv)[mesh.faces], np.asarray(picture.convert("RGB"))


@needs_module
@unittest.skipUnless(trimesh, "trimesh is missing")
class MeshFilesTest(TemporaryTest):
    def path(self, name):
        return self.folder / name

    def load(self, name):
        return trimesh.load(self.path(name), force="mesh", process=False)

    def convert(self, mesh, given, wanted):
        """Written by trimesh, read and written by p2mpp, read by trimesh."""
        mesh.export(self.path(given))
        p2mpp.read_mesh(self.path(given)).save(self.path(wanted))
        return self.load(wanted)

    def test_textures_are_the_same_in_other_programs(self):
        box = painted_box()
        for given, wanted in (("a.glb", "b.glb"), ("a.glb", "b.obj"), ("a.obj", "c.glb"), ("a.obj", "c.obj")):
            with self.subTest(given=given, wanted=wanted):
                found = self.convert(box, given, wanted)
                for of_found, of_given in zip(looks(found), looks(box)):
                    np.testing.assert_allclose(of_found, of_given, atol=1e-6)
        self.assertTrue(self.path("c_texture.png").is_file())

    def test_arrays_and_trimesh_have_the_texture(self):
        box = painted_box()
        box.export(self.path("a.glb"))
        mesh = p2mpp.read_mesh(self.path("a.glb"))
        _, uv, picture = looks(box)
        for twin in (mesh, pickle.loads(pickle.dumps(mesh))):
            np.testing.assert_array_equal(twin.texture[..., :3], picture)
            np.testing.assert_allclose(twin.uv, uv * [1, -1] + [0, 1], atol=1e-6)  # trimesh begins at the lower left
            self.assertIsNone(twin.vertex_colors)
            for of_found, of_given in zip(looks(twin.to_trimesh()), looks(box)):
                np.testing.assert_allclose(of_found, of_given, atol=1e-6)

    def test_textures_of_one_layout_are_blended(self):
        boxes = painted_box(), painted_box()
        picture = boxes[1].visual.material.baseColorTexture
        boxes[1].visual.material.baseColorTexture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        for box, name in zip(boxes, ("a.glb", "b.glb")):
            box.export(self.path(name))
        done = run_program("morph", "a.glb", "b.glb", "--frames", "3", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = [looks(self.load(f"a_to_b_00{frame}.obj")) for frame in range(3)]
        pictures = [np.asarray(each, float) for _, _, each in found]
        for frame, box in ((0, boxes[0]), (2, boxes[1])):
            np.testing.assert_array_equal(pictures[frame], looks(box)[2])
        linear = [np.where(each <= 10, each / 255 / 12.92, ((each / 255 + 0.055) / 1.055) ** 2.4) for each in pictures]
        np.testing.assert_allclose(linear[1], (linear[0] + linear[2]) / 2, atol=0.01)
        np.testing.assert_allclose(found[1][1], looks(boxes[0])[1], atol=1e-6)
        boxes[1].visual.uv[0] += 0.01
        boxes[1].export(self.path("b.glb"))
        done = run_program("morph", "a.glb", "b.glb", "--frames", "2", cwd=self.folder)
        self.assertIn("a.glb and b.glb: not two textures of one layout and size; the frames have none", done.stderr)

    def test_colours_of_vertices_are_the_same_in_other_programs(self):
        sphere, colours = coloured_sphere()
        for wanted in ("b.ply", "b.obj"):
            found = self.convert(sphere, "a.ply", wanted)
            np.testing.assert_array_equal(found.visual.vertex_colors[:, :3], colours)
            np.testing.assert_array_equal(found.faces, sphere.faces)
        mesh = pickle.loads(pickle.dumps(p2mpp.read_mesh(self.path("a.ply"))))
        self.assertIsNone(mesh.texture)
        np.testing.assert_array_equal(mesh.vertex_colors, colours)
        np.testing.assert_array_equal(mesh.to_trimesh().visual.vertex_colors[:, :3], colours)
