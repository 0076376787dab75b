"""Meshes that `p2mpp finish` writes for a printer, judged by programs that are not ours: trimesh, manifold3d, lib3mf and
OpenUSD."""

import json
import unittest

import numpy as np

import outside_checkers
from runs import TemporaryTest, run_program
from test_mesh_files import coloured_sphere

try:
    import trimesh
except ModuleNotFoundError:
    trimesh = None


def lying_ring():
    """A ring around y, which is up."""
    return trimesh.creation.torus(20, 6).apply_transform(trimesh.transformations.rotation_matrix(-np.pi / 2, [1, 0, 0]))


def vase():
    """A vase with a thin wall around y, as wide above as below."""
    outside = [[0, 0], [14, 0], [15, 0.5], [11, 12], [15, 40]]
    inside = [[14.4, 40], [10.4, 12], [14, 3], [0, 3]]
    mesh = trimesh.creation.revolve(np.array(outside + inside, float), sections=64)
    mesh.merge_vertices()
    return mesh.apply_transform(trimesh.transformations.rotation_matrix(-np.pi / 2, [1, 0, 0])).subdivide_to_size(4)


def first_hits(origins, directions, triangles):
    """The distance along each ray to the nearest triangle of all, beyond its own; Moeller and Trumbore (1997)."""
    corner, one, two = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    found = []
    for origin, direction in zip(origins, directions):
        across = np.cross(direction, two)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = 1 / (one * across).sum(1)
            from_corner = origin - corner
            u = (from_corner * across).sum(1) * scale
            turned = np.cross(from_corner, one)
            v, distance = (turned @ direction) * scale, (two * turned).sum(1) * scale
            hit = (u >= 0) & (v >= 0) & (u + v <= 1) & (distance > 1e-4)
        found.append(distance[hit].min(initial=np.inf))
    return np.array(found)


@unittest.skipUnless(outside_checkers.lib3mf, outside_checkers.MISSING)
class FinishTest(TemporaryTest):
    def export(self, mesh):
        mesh.export(self.folder / "given.ply")
        return self.folder / "given.ply"

    def finish(self, mesh, name, *options):
        done = run_program("finish", self.export(mesh), "--unit", "mm", "--out", name, "--json", *options, cwd=self.folder, code=0)
        found = json.loads(done.stdout)
        self.assertEqual((found["sound"], found["unit"]), (True, "mm"))
        return found

    def assert_solid(self, vertices, faces, found, unit=1.0):
        """Closed, manifold and wound outward, with the volume and the area of the certificate."""
        complaints, mesh = outside_checkers.solid((vertices, faces))
        self.assertEqual(complaints, [])
        self.assertEqual(mesh.body_count, found["bodies"])
        np.testing.assert_allclose(mesh.volume, found["volume"] * unit**3, rtol=1e-4)
        np.testing.assert_allclose(mesh.area, found["area"] * unit**2, rtol=1e-4)

    def read_3mf(self, name):
        mesh, complaints = outside_checkers.read_3mf(self.folder / name)
        self.assertEqual(complaints, [])
        return mesh

    def test_a_ring_stands_on_the_ground(self):
        ring = lying_ring()
        found = self.finish(ring, "ring.3mf", "--base", "1mm")
        vertices, faces = self.read_3mf("ring.3mf")
        self.assert_solid(vertices, faces, found)
        self.assertAlmostEqual(vertices[:, 2].min(), 0)
        np.testing.assert_allclose(np.ptp(vertices, axis=0), [52, 52, 11], atol=0.2)
        # The base is a ring, too: all its triangles are in the plane, and they face down.
        base = trimesh.Trimesh(vertices, faces, process=False)
        flat = (base.triangles[..., 2] == 0).all(axis=1)
        np.testing.assert_allclose(base.face_normals[flat], [[0, 0, -1]] * flat.sum(), atol=1e-6)
        half = np.sqrt(6**2 - 5**2)
        np.testing.assert_allclose(base.area_faces[flat].sum(), np.pi * ((20 + half)**2 - (20 - half)**2), rtol=0.02)

    def test_thin_walls_grow(self):
        thin = vase()
        thickness = run_program("finish", self.export(thin), "--json").stdout
        self.assertLess(json.loads(thickness)["thinnest_wall"]["thickness"], 0.65)
        found = self.finish(thin, "thick.stl", "--wall", "1.2mm", "--base", "none")
        thick = trimesh.load(self.folder / "thick.stl")
        self.assert_solid(thick.vertices, thick.faces, found)
        self.assertGreater(found["thinnest_wall"]["thickness"], 1.1)
        # By rays that are not ours.
        places, index = trimesh.sample.sample_surface(thick, 200, seed=1)
        measured = first_hits(places, -thick.face_normals[index], thick.triangles)
        self.assertGreater(np.quantile(measured[np.isfinite(measured)], 0.02), 1.1)
        self.assertGreater(found["volume"], thin.volume)

    def test_levels_have_a_normal_map(self):
        sphere, _ = coloured_sphere(4)
        for name in ("low.glb", "low.usdz"):
            run_program("finish", self.export(sphere), "--unit", "mm", "--faces", "10%", "--out", name, cwd=self.folder, code=0)
        glb = trimesh.load(self.folder / "low.glb", force="mesh")
        maps = [glb.visual.material.normalTexture, outside_checkers.normal_map(self.folder / "low.usdz")]
        for found in maps:
            directions = np.asarray(found.convert("RGB"), float) / 127.5 - 1
            np.testing.assert_allclose(np.linalg.norm(directions, axis=2).mean(), 1, atol=0.02)
            self.assertGreater(directions[..., 2].min(), 0)
            self.assertGreater(np.abs(directions[..., :2]).max(), 0.05)  # a face is flat, and the sphere is not

    def test_other_formats_have_their_units_and_axes(self):
        found = self.finish(lying_ring(), "ring.usdz")
        (points, faces), metres = outside_checkers.read_usd(self.folder / "ring.usdz")
        self.assert_solid(points, faces, found, metres / 1000)
        self.assertAlmostEqual(points[:, 1].min(), 0)
        self.finish(lying_ring(), "ring.glb")
        glb = trimesh.load(self.folder / "ring.glb", force="mesh")
        np.testing.assert_allclose(np.ptp(glb.vertices, axis=0), np.ptp(points, axis=0), atol=1e-6)
        self.finish(lying_ring(), "ring.obj")
        obj = trimesh.load(self.folder / "ring.obj", force="mesh")
        np.testing.assert_allclose(np.ptp(obj.vertices, axis=0), 1000 * np.ptp(points, axis=0), atol=1e-3)
