"""3MF and USDZ files that p2mpp writes, read by lib3mf and OpenUSD, which share no code with it."""

import io
import pathlib
import struct
import unittest
import zipfile

import numpy as np

import outside_checkers
from built_package import HAS_MODULE, needs_module
from runs import SharedFolderTest
from test_mesh_files import coloured_sphere, looks, painted_box

try:
    import lib3mf
    from PIL import Image
    from pxr import UsdGeom
except ModuleNotFoundError:
    lib3mf = None
if HAS_MODULE:
    import p2mpp


def linear(srgb):
    part = np.asarray(srgb) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


@needs_module
@unittest.skipUnless(outside_checkers.lib3mf, outside_checkers.MISSING)
class PrintFilesTest(SharedFolderTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.box, (cls.sphere, cls.colours) = painted_box(), coloured_sphere()
        cls.box.export(cls.folder / "box.glb")
        cls.sphere.export(cls.folder / "sphere.ply")
        for name in ("box.glb", "sphere.ply"):
            mesh = p2mpp.read_mesh(cls.folder / name)
            for ending in (".3mf", ".usdz"):
                mesh.save((cls.folder / name).with_suffix(ending))

    def model(self, name):
        model, mesh, complaints = outside_checkers.open_3mf(self.folder / name)
        self.assertEqual(complaints, [])
        return model, mesh

    def properties(self, mesh, resource, look_up):
        """What lib3mf finds at the corners of triangles: [T, 3, ...]."""
        found = []
        for triangle in range(mesh.GetTriangleCount()):
            given = mesh.GetTriangleProperties(triangle)
            self.assertEqual(given.ResourceID, resource.GetResourceID())
            found.append([look_up(resource, given.PropertyIDs[corner]) for corner in range(3)])
        return np.array(found)

    @staticmethod
    def corners(mesh):
        places = np.array([list(vertex.Coordinates) for vertex in mesh.GetVertices()])
        return places[np.array([list(triangle.Indices) for triangle in mesh.GetTriangleIndices()])]

    def test_3mf_has_the_texture(self):
        model, mesh = self.model("box.3mf")
        self.assertEqual(model.GetUnit(), lib3mf.ModelUnit.MilliMeter)
        self.assertEqual(model.GetBuildItems().Count(), 1)
        triangles, uv, pixels = looks(self.box)
        np.testing.assert_allclose(self.corners(mesh), triangles, atol=1e-6)
        groups = model.GetTexture2DGroups()
        self.assertTrue(groups.MoveNext())
        group = groups.GetCurrentTexture2DGroup()

        def place(group, number):
            found = group.GetTex2Coord(number)
            return found.U, found.V

        np.testing.assert_allclose(self.properties(mesh, group, place), uv, atol=1e-6)
        coded = bytes(group.GetTexture2D().GetAttachment().WriteToBuffer())
        np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(coded)).convert("RGB")), pixels)

    def test_3mf_has_the_colours_of_vertices(self):
        model, mesh = self.model("sphere.3mf")
        self.assertTrue(mesh.IsManifoldAndOriented())
        np.testing.assert_allclose(self.corners(mesh), self.sphere.triangles, atol=1e-6)
        groups = model.GetColorGroups()
        self.assertTrue(groups.MoveNext())

        def colour(group, number):
            found = group.GetColor(number)
            return found.Red, found.Green, found.Blue, found.Alpha

        found = self.properties(mesh, groups.GetCurrentColorGroup(), colour)
        np.testing.assert_array_equal(found[..., :3], self.colours[self.sphere.faces])
        self.assertTrue((found[..., 3] == 255).all())

    def stage(self, name):
        """An opened stage, its mesh, and the shader that its material's surface comes from."""
        path = str(self.folder / name)
        self.assert_stored_and_aligned(path)
        stage, mesh, surface = outside_checkers.open_usd(path)
        self.assertEqual((UsdGeom.GetStageMetersPerUnit(stage), UsdGeom.GetStageUpAxis(stage)), (1, "Y"))
        return stage, mesh, surface

    def assert_stored_and_aligned(self, path):
        """The rules of USDZ: nothing is compressed, and each file begins at a multiple of 64 bytes."""
        data = pathlib.Path(path).read_bytes()
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
        for entry in entries:
            name_size, extra_size = struct.unpack_from("<HH", data, entry.header_offset + 26)
            self.assertEqual((entry.header_offset + 30 + name_size + extra_size) % 64, 0, entry.filename)
            self.assertEqual(entry.compress_type, zipfile.ZIP_STORED)
        self.assertEqual(entries[0].filename, "object.usda")

    def faces(self, mesh):
        self.assertEqual(set(mesh.GetFaceVertexCountsAttr().Get()), {3})
        return outside_checkers.faces_of(mesh)

    def test_usdz_has_the_texture(self):
        stage, mesh, surface = self.stage("box.usdz")
        triangles, uv, pixels = looks(self.box)
        points = np.array(mesh.GetPointsAttr().Get())
        np.testing.assert_allclose(points[self.faces(mesh)], triangles, atol=1e-6)
        np.testing.assert_allclose(np.array(mesh.GetExtentAttr().Get()), self.box.bounds, atol=1e-6)
        np.testing.assert_allclose(np.linalg.norm(mesh.GetNormalsAttr().Get(), axis=1), 1, atol=1e-5)
        places = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st")
        self.assertEqual(places.GetInterpolation(), "faceVarying")
        np.testing.assert_allclose(np.array(places.ComputeFlattened()).reshape(-1, 3, 2), uv, atol=1e-6)
        picture = outside_checkers.source_of(surface, "diffuseColor")
        self.assertEqual(outside_checkers.source_of(picture, "st").GetInput("varname").Get(), "st")
        np.testing.assert_array_equal(np.asarray(outside_checkers.picture_of(self.folder / "box.usdz", picture).convert("RGB")), pixels)
        del stage

    def test_usdz_has_the_colours_of_vertices(self):
        stage, mesh, surface = self.stage("sphere.usdz")
        np.testing.assert_allclose(np.array(mesh.GetPointsAttr().Get())[self.faces(mesh)], self.sphere.triangles, atol=1e-6)
        colours = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("displayColor")
        self.assertEqual(colours.GetInterpolation(), "vertex")
        np.testing.assert_allclose(np.array(colours.Get()), linear(self.colours), atol=1e-6)
        self.assertEqual(outside_checkers.source_of(surface, "diffuseColor").GetInput("varname").Get(), "displayColor")
        del stage
