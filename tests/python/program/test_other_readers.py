"""Textured meshes that p2mpp wrote, read by programs that share no code with it: pygltflib, Open3D and assimp. Each finds
the same corners of the triangles in space and in the picture, and the same pixels."""

import io
import shutil
import subprocess
import unittest

import numpy as np

from built_package import HAS_MODULE, needs_module
from runs import SharedFolderTest
from test_mesh_files import looks, painted_box

try:
    import open3d
    import pygltflib
    import trimesh
    from PIL import Image
except ModuleNotFoundError:
    open3d = None
if HAS_MODULE:
    import p2mpp

COMPONENTS = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}


def array_of(document, index):
    """The numbers of an accessor."""
    accessor = document.accessors[index]
    view = document.bufferViews[accessor.bufferView]
    width = WIDTHS[accessor.type]
    begin = (view.byteOffset or 0) + (accessor.byteOffset or 0)
    return np.frombuffer(document.binary_blob(), COMPONENTS[accessor.componentType], accessor.count * width,
                         begin).reshape(-1, width)


def upright(uv):
    """glTF's v goes down, that of trimesh goes up."""
    return np.asarray(uv, float) * [1, -1] + [0, 1]


@needs_module
@unittest.skipUnless(open3d and shutil.which("assimp"), "other readers of meshes are missing: "
                     "pip install -r scripts/requirements-readers.txt; apt-get install assimp-utils")
class OtherReadersTest(SharedFolderTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.box = painted_box()
        cls.box.export(cls.folder / "given.glb")
        mesh = p2mpp.read_mesh(cls.folder / "given.glb")
        cls.written = [cls.folder / "box.glb", cls.folder / "box.obj"]
        for path in cls.written:
            mesh.save(path)

    def assert_looks(self, corners, uv, pixels=None):
        places, given_uv, picture = looks(self.box)
        np.testing.assert_allclose(np.reshape(corners, places.shape), places, atol=1e-6)
        np.testing.assert_allclose(np.reshape(uv, given_uv.shape), given_uv, atol=1e-6)
        if pixels is not None:
            np.testing.assert_array_equal(pixels, picture)

    def test_pygltflib(self):
        document = pygltflib.GLTF2().load(str(self.written[0]))
        part = document.meshes[0].primitives[0]
        faces = array_of(document, part.indices).ravel()
        view = document.bufferViews[document.images[0].bufferView]
        coded = document.binary_blob()[view.byteOffset:view.byteOffset + view.byteLength]
        self.assert_looks(array_of(document, part.attributes.POSITION)[faces],
                          upright(array_of(document, part.attributes.TEXCOORD_0))[faces],
                          np.asarray(Image.open(io.BytesIO(coded)).convert("RGB")))

    def test_open3d(self):
        for path in self.written:
            with self.subTest(path.name):
                mesh = open3d.io.read_triangle_mesh(str(path))
                pixels = next(np.asarray(each) for each in mesh.textures if np.asarray(each).ndim == 3)[..., :3]
                # Open3D keeps pictures upside down.
                self.assert_looks(np.asarray(mesh.vertices)[np.asarray(mesh.triangles)], np.asarray(mesh.triangle_uvs),
                                  pixels[::-1])

    def test_assimp(self):
        for path in self.written:
            with self.subTest(path.name):
                copy = self.folder / f"of_{path.suffix[1:]}.obj"
                subprocess.run(["assimp", "export", path, copy], check=True, capture_output=True)
                mesh = trimesh.load(copy, force="mesh", process=False)
                self.assert_looks(mesh.triangles, np.asarray(mesh.visual.uv)[mesh.faces])
