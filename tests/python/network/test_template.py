"""Templates: OBJ and both pickles, and what is derived from the mesh."""

import pickle
import unittest
import warnings

import numpy as np

from runs import TemporaryTest
from templates import bundled_mesh, octahedron
from p2mpp.errors import InputError
from p2mpp.network.dat_template import read_template
from p2mpp.network.local_graph import make_local_graph
from p2mpp.network.template import (adjacency_matrix, chebyshev_support, largest_eigenvalue,
                                  obj_text, read_obj, subdivide)


def sparse(matrix):
    indices = np.argwhere(matrix)
    return indices.astype(np.int32), matrix[tuple(indices.T)], matrix.shape


def published_dictionary(mesh):
    """The content of a template pickle for this mesh."""
    count, faces = len(mesh.vertices), mesh.faces
    graph = make_local_graph()
    content = {"coord": mesh.vertices, "pool_idx": [], "faces_triangle": [],
               "sample_coord": graph.hypotheses, "faces": "not read",
               "sample_cheb_dense": [np.eye(43, dtype=np.float32), graph.support]}
    for level in (1, 2, 3):
        t1 = chebyshev_support(adjacency_matrix(count, faces))
        content[f"stage{level}"] = [sparse(np.eye(count)), sparse(t1)]
        content["faces_triangle"].append(faces)
        edges, faces = subdivide(count, faces)
        if level < 3:
            content["pool_idx"].append(edges.astype(np.int32))
        count += len(edges)
    return content


def older_tuple(mesh):
    """The predecessor's tuple: no triangles, no local graph."""
    content = published_dictionary(mesh)
    return (content["coord"], content["stage1"], content["stage2"], content["stage3"],
            content["pool_idx"], "not read")


class DerivedTest(unittest.TestCase):

    def test_edges_and_children_in_published_order(self):
        edges, children = subdivide(4, np.array([(0, 1, 2), (1, 3, 2)]))
        self.assertEqual(edges.tolist(), [[0, 1], [2, 0], [1, 2], [1, 3], [3, 2]])
        self.assertEqual(children.tolist(), [[0, 4, 5], [1, 4, 6], [2, 5, 6], [4, 5, 6],
                                             [1, 7, 6], [3, 7, 8], [2, 6, 8], [7, 6, 8]])

    def test_largest_eigenvalue_of_any_graph(self):
        draw = np.random.default_rng(4)
        matrices = [np.ones((1, 1)), np.diag([3.0, -5.0, 2.0]), np.eye(7)]
        for size in (2, 5, 40, 200):
            weights = np.triu(draw.normal(size=(size, size)) * (draw.random((size, size)) < 0.2))
            matrices.append(weights + weights.T + np.eye(size))
        count, faces = 6, octahedron().faces
        for _ in range(4):  # as symmetric as a template can be: eigenvalues are multiple
            matrices.append(adjacency_matrix(count, faces))
            edges, faces = subdivide(count, faces)
            count += len(edges)
        for matrix in matrices:
            expected = np.linalg.eigvalsh(matrix).max()
            self.assertAlmostEqual(largest_eigenvalue(matrix), expected, delta=1e-13 * len(matrix))


class FilesTest(TemporaryTest):

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def refuse(self, file, *words):
        with self.assertRaises(InputError) as raised:
            read_template(file)
        message = str(raised.exception)
        for word in (file, "expected", *words):
            self.assertIn(word, message)
        self.assertNotIn("\n", message)

    def test_obj_survives_writing(self):
        mesh = bundled_mesh()
        again = read_obj(self.write("a.obj", obj_text(mesh)))
        np.testing.assert_array_equal(mesh.vertices, again.vertices)
        np.testing.assert_array_equal(mesh.faces, again.faces)

    def test_obj_with_textures_normals_and_negative_indices(self):
        text = "# x\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nf 1//1 3/2/1 2\nf -4 -3 -1\n"
        mesh = read_obj(self.write("a.obj", text + "f 2 3 4\r\nf 1 4 3\n"))
        self.assertEqual(mesh.faces.tolist(), [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])

    def test_bad_objs(self):
        good = obj_text(octahedron())
        self.refuse(str(self.folder / "missing.obj"), "No such file")
        self.refuse(self.write("a.obj", ""), "no triangle mesh")
        self.refuse(self.write("b.obj", good.replace("f 1 3 5\n", "")), "closed mesh")
        self.refuse(self.write("c.obj", good + "v 0 0 0\n"), "vertex 7 is in no face")
        self.refuse(self.write("d.obj", good.replace("f 1 3 5", "f 1 3 9")), "names vertex 9")
        self.refuse(self.write("e.obj", good.replace("f 1 3 5", "f 1 1 5")), "one vertex twice")
        self.refuse(self.write("f.obj", good.replace("f 1 3 5", "f 1 3 5 6")), "f.obj:7")
        self.refuse(self.write("g.obj", good.replace("v 0.2", "v 9e99 ", 1)), "not finite")
        self.refuse(self.write("h.obj", good.replace("v 0.2", "v x ", 1)), "h.obj:1")
        self.refuse(self.write("i.stl", good), "neither .obj nor .dat")

    def test_both_pickles_give_the_mesh_they_were_made_from(self):
        mesh = octahedron()
        for name, content in (("dict", published_dictionary(mesh)), ("tuple", older_tuple(mesh))):
            for protocol in (0, 2, 5):
                with self.subTest(name=name, protocol=protocol):
                    file = self.write("a.dat", pickle.dumps(content, protocol))
                    template = read_template(file)
                    np.testing.assert_array_equal(template.mesh.vertices, mesh.vertices)
                    np.testing.assert_array_equal(template.mesh.faces, mesh.faces)
                    np.testing.assert_array_equal(template.local_graph.support, make_local_graph().support)
                    self.assertEqual(len(template.notes), 1 if name == "dict" else 2)

    def test_the_pickles_own_local_graph_is_kept(self):
        content = published_dictionary(octahedron())
        content["sample_coord"] = np.array([[0, 0, 0], [0.01, 0, 0]])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            content["sample_cheb_dense"] = [np.eye(2), np.matrix([[0, -1], [-1, 0]])]
        template = read_template(self.write("a.dat", pickle.dumps(content, 2)))
        np.testing.assert_allclose(template.local_graph.hypotheses, [[0, 0, 0], [0.01, 0, 0]])
        self.assertEqual(template.local_graph.support.tolist(), [[0, -1], [-1, 0]])

    def refuse_changed(self, change, *words):
        content = published_dictionary(octahedron())
        change(content)
        self.refuse(self.write("changed.dat", pickle.dumps(content)), *words)

    def test_a_pickle_whose_parts_do_not_fit(self):
        def swap_edges(content):
            content["pool_idx"][1][[3, 4]] = content["pool_idx"][1][[4, 3]]

        def scale_t1(content):
            content["stage2"][1][1][0] *= 1.001

        def change_t0(content):
            content["stage1"][0][1][2] = 0.5

        def other_triangles(content):
            content["faces_triangle"][1][0] = content["faces_triangle"][1][1]

        self.refuse_changed(swap_edges, "pool_idx[1], row 3")
        self.refuse_changed(scale_t1, "stage2[1]", "2L/lambda_max - I")
        self.refuse_changed(change_t0, "stage1[0]", "the identity")
        self.refuse_changed(other_triangles, "faces_triangle[1]")
        self.refuse_changed(lambda c: c.pop("pool_idx"), "lacks pool_idx")
        self.refuse_changed(lambda c: c.update(coord=c["coord"][:, :2]), "coord is")
        self.refuse_changed(lambda c: c.update(coord=c["coord"] * np.nan), "not finite")
        self.refuse_changed(lambda c: c.update(stage3=3), "stage3 is no list")
        self.refuse_changed(lambda c: c["sample_cheb_dense"].reverse(), "sample_cheb_dense[0]")
        self.refuse_changed(lambda c: c.update(faces_triangle=None, pool_idx=[
            c["pool_idx"][0], c["pool_idx"][1][::-1]]), "pool_idx[0], row 0")
        self.refuse_changed(lambda c: c.update(faces_triangle=None, pool_idx=[
            c["pool_idx"][0], c["pool_idx"][1][5:]]), "unpooled edges")

    def test_a_pickle_of_something_else(self):
        self.refuse(self.write("a.dat", pickle.dumps([1, 2])), "holds a list")
        self.refuse(self.write("b.dat", pickle.dumps("text")), "holds a str")
