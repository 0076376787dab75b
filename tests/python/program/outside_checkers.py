"""What programs that are not ours say of a mesh file: trimesh, manifold3d, lib3mf, OpenUSD and PrusaSlicer."""

import io
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import List, Tuple

import numpy as np

try:
    import lib3mf
    import manifold3d
    import trimesh
    from PIL import Image
    from pxr import Usd, UsdGeom, UsdShade
except ModuleNotFoundError:
    lib3mf = None

MISSING = "lib3mf and usd-core are missing: pip install -r scripts/requirements-test.txt"
SLICER = shutil.which("prusa-slicer")
Mesh = Tuple[np.ndarray, np.ndarray]  # vertices [N,3], triangles [T,3]


def open_3mf(path: Path) -> Tuple["lib3mf.Model", "lib3mf.MeshObject", List[str]]:
    """The model, its first mesh, and what lib3mf does not like of the file."""
    model = lib3mf.get_wrapper().CreateModel()
    reader = model.QueryReader("3mf")
    reader.SetStrictModeActive(True)
    reader.ReadFromFile(str(path))
    objects = model.GetMeshObjects()
    assert objects.MoveNext(), f"{path} has no mesh"
    return model, objects.GetCurrentMeshObject(), [str(reader.GetWarning(i)) for i in range(reader.GetWarningCount())]


def read_3mf(path: Path) -> Tuple[Mesh, List[str]]:
    """The mesh in millimetres, and what lib3mf does not like of it."""
    model, mesh, complaints = open_3mf(path)
    if model.GetUnit() != lib3mf.ModelUnit.MilliMeter:
        complaints.append(f"the unit is {model.GetUnit()}")
    if not mesh.IsManifoldAndOriented():
        complaints.append("not manifold and oriented")
    return (np.array([list(vertex.Coordinates) for vertex in mesh.GetVertices()]),
            np.array([list(triangle.Indices) for triangle in mesh.GetTriangleIndices()])), complaints


def open_usd(path: Path) -> Tuple["Usd.Stage", "UsdGeom.Mesh", "UsdShade.Shader"]:
    """The stage, its mesh, and the shader that its material's surface comes from. The stage holds the others."""
    stage = Usd.Stage.Open(str(path))
    mesh = next(each for each in stage.Traverse() if each.IsA(UsdGeom.Mesh))
    material, _ = UsdShade.MaterialBindingAPI(mesh).ComputeBoundMaterial()
    return stage, UsdGeom.Mesh(mesh), material.ComputeSurfaceSource()[0]


def faces_of(mesh: "UsdGeom.Mesh") -> np.ndarray:
    """[T,3]"""
    return np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)


def source_of(shader: "UsdShade.Shader", name: str) -> "UsdShade.Shader":
    """The shader that an input comes from."""
    return UsdShade.Shader(shader.GetInput(name).GetConnectedSource()[0].GetPrim())


def picture_of(path: Path, shader: "UsdShade.Shader") -> "Image.Image":
    """The picture that a shader of a USDZ file reads."""
    with zipfile.ZipFile(path) as archive:
        return Image.open(io.BytesIO(archive.read(shader.GetInput("file").Get().path)))


def read_usd(path: Path) -> Tuple[Mesh, float]:
    """The mesh, and the metres of its unit."""
    stage, mesh, _ = open_usd(path)
    return (np.array(mesh.GetPointsAttr().Get()), faces_of(mesh)), UsdGeom.GetStageMetersPerUnit(stage)


def normal_map(path: Path) -> "Image.Image":
    """What the shader of a USDZ file's material takes its normals from."""
    stage, _, surface = open_usd(path)
    found = picture_of(path, source_of(surface, "normal"))
    del stage
    return found


def solid(mesh: Mesh) -> Tuple[List[str], "trimesh.Trimesh"]:
    """What trimesh and manifold3d do not like of a mesh as a solid."""
    found, complaints = trimesh.Trimesh(*mesh), []
    if not found.is_volume:
        complaints.append("trimesh: not a volume")
    vertices, faces = np.asarray(found.vertices, np.float32), np.asarray(found.faces, np.uint32)
    kept = manifold3d.Manifold(manifold3d.Mesh(vertices, faces))
    if kept.status() != manifold3d.Error.NoError:
        complaints.append(f"manifold3d: {kept.status()}")
    elif not np.isclose(kept.volume(), found.volume, rtol=1e-4):
        complaints.append(f"manifold3d: a volume of {kept.volume()}, trimesh: {found.volume}")
    return complaints, found


def sliced(path: Path, folder: Path) -> List[str]:
    """What PrusaSlicer repairs or refuses."""
    facts = subprocess.run([SLICER, "--info", path], capture_output=True, text=True, check=False).stdout
    complaints = [line for line in facts.splitlines()
                  if line.startswith(("open_edges", "degenerate_facets", "edges_fixed", "facets_removed", "facets_reversed",
                                      "backwards_edges")) and not line.endswith("= 0")]
    if "manifold = yes" not in facts:
        complaints.append(f"not manifold: {facts}")
    out = folder / "sliced.gcode"
    done = subprocess.run([SLICER, "--export-gcode", "--output", out, path], capture_output=True, text=True, check=False)
    if done.returncode or not out.is_file():
        return complaints + [f"not sliced: {done.stdout[-500:]}{done.stderr[-500:]}"]
    out.unlink()
    return complaints + [line for line in done.stdout.splitlines() if "repair" in line.lower()]
