"""Measures what a level of detail of `p2mpp finish --faces` loses, for meshes with a texture (.glb): a view's peak signal-to-noise ratio
against the full mesh, in colours as they are, and the largest distance between the two surfaces, either way. Also with --megabytes."""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import List

import numpy as np
import trimesh
from PIL import Image
from scipy.spatial import cKDTree
from shared import ROOT, table

VIEWS, SIDE = 8, 512  # pictures, pixels
ELEVATION, FAR = 25, 2.2  # degrees; diagonals of the mesh
SAMPLES, NEAREST = 400000, 8  # of a surface; triangles that are looked at


def run(program: Path, *arguments) -> str:
    done = subprocess.run([program, *map(str, arguments), "--quiet"], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def pictures(program: Path, mesh: Path, rows: Path, out: Path) -> List[np.ndarray]:
    """RGBA [SIDE,SIDE,4] by the cameras of rows."""
    run(program, "render", mesh, "--cameras", rows, "--size", SIDE, "--samples", 16, "--shading", "textured", "--no-ground",
        "--background", "transparent", "--frame", "world", "--out", out)
    return [np.asarray(Image.open(path).convert("RGBA")).astype(float) for path in sorted(out.glob("*.png"))]


def signal_to_noise(full: List[np.ndarray], level: List[np.ndarray]) -> float:
    """In decibels, over the pixels that both show, of all views."""
    squares = [(a[..., :3] - b[..., :3])[(a[..., 3] == 255) & (b[..., 3] == 255)].ravel()**2 for a, b in zip(full, level)]
    return float(10 * np.log10(255**2 / max(np.concatenate(squares).mean(), 1e-9)))


def distances(points: np.ndarray, mesh: trimesh.Trimesh) -> np.ndarray:
    """To the triangles of the nearest samples."""
    samples, faces = trimesh.sample.sample_surface(mesh, SAMPLES, seed=1)
    near = cKDTree(samples).query(points, k=NEAREST)[1]
    best = np.full(len(points), np.inf)
    for k in range(NEAREST):
        found = trimesh.triangles.closest_point(mesh.vertices[mesh.faces[faces[near[:, k]]]], points)
        best = np.minimum(best, np.linalg.norm(found - points, axis=1))
    return best


def surface(path: Path) -> trimesh.Trimesh:
    return trimesh.load(path, force="mesh", process=False)


def row(program: Path, mesh: Path, share: str, more: List[str]) -> List[str]:
    with tempfile.TemporaryDirectory() as temporary:
        out = Path(temporary, "level.glb")
        certificate = json.loads(run(program, "finish", mesh, "--faces", share, "--out", out, "--json", *more))["levels"][0]
        full, level = surface(mesh), surface(out)
        diagonal = np.linalg.norm(np.ptp(full.vertices, axis=0))
        there = distances(trimesh.sample.sample_surface(full, SAMPLES, seed=2)[0], level)
        back = distances(trimesh.sample.sample_surface(level, SAMPLES, seed=2)[0], full)
        rows = Path(temporary, "cameras.txt")
        rows.write_text("".join(f"{360 * k / VIEWS} {ELEVATION} 0 {FAR * diagonal} 25\n" for k in range(VIEWS)))
        noise = signal_to_noise(*(pictures(program, path, rows, Path(temporary, name)) for name, path in (("full", mesh), ("level", out))))
        return [mesh.stem, f"{len(full.faces):,}", f"{len(level.faces):,}", f"{out.stat().st_size / 1e6:.1f}",
                f"{noise:.1f}", f"{max(there.max(), back.max()) / diagonal:.2%}",
                f"{np.percentile(np.concatenate([there, back]), 99) / diagonal:.2%}", "yes" if certificate["sound"] else "no"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "p2mpp")
    parser.add_argument("--share", default="5%", help="of the faces (default: 5%%)")
    parser.add_argument("meshes", type=Path, nargs="+", metavar="MESH")
    options, more = parser.parse_known_args()
    columns = ["", "faces", "of the level", "MB", "dB", "largest distance", "99% of the surface", "sound"]
    print(table(columns, [row(options.program.resolve(), mesh, options.share, more) for mesh in options.meshes]))


if __name__ == "__main__":
    main()
