"""Measures `--detail`: rendered captures of painted objects with truth, each with exact cameras and masks and, with
--photographs-alone, with those that p2mpp-photos finds. Shares of the truth that three photographs or more see within 0.1, 0.25
and 0.5% of its diagonal of the result's triangles, likewise of the result, and normals. --picture: a spot of each object, large.
Existing results are kept."""

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import trimesh
from from_photographs import SEED, Rendered, aligned, draw, from_photographs
from PIL import Image
from pictures import sheet_of
from scipy.spatial import cKDTree
from shared import add_tool_options, run_measured, table, tools_of, write_tables

from p2mpp_captures.photographs import textured  # from_photographs has put the folder on the path
from p2mpp_captures.rendering import render
from p2mpp_captures.rig import RigOptions
from p2mpp_captures.shapes import Subject, subject
from p2mpp.shapes.materials import Material
from p2mpp.shapes.people_made import VALIDATED, items_of, read_item
from p2mpp.shapes.rasterizer import rasterize
from p2mpp.shapes.shading import Lights, draw_lights
from p2mpp.shapes.shape import Shape

SHARES = (0.1, 0.25, 0.5)  # % of the diagonal
DETAILS = ("coarse", "auto", "full")
COLUMNS = ["cameras", "`--detail`", "of the truth", "of the result", "normals", "CPU seconds"]
POINTS, NEAREST, SAMPLES = 40_000, 6, 400_000
SEEN_BY = 3  # photographs
BEHIND = 0.004  # of the distance: a point this far behind what a pixel shows is hidden
NEAR, FAR = 0.15, 0.25  # % of the diagonal: a place is gained if its distance falls from above the second to below the first
SPOT = 0.2  # of the diagonal: the side of what a picture shows
TILE = 240  # pixels
PLASTER = Material((0.82, 0.82, 0.82), 0.0)


class Scan(NamedTuple):
    """The truth: points [N,3] that photographs see, their unit normals, and the whole mesh."""

    points: np.ndarray
    normals: np.ndarray
    mesh: trimesh.Trimesh
    diagonal: float


def shown(name: str, libraries: Path) -> Subject:
    """A bundled shape (CATEGORY_MODEL) or an object of the validation libraries, painted all over."""
    if "_p2mpp" in name:
        return textured(subject(name))
    item = next(each for each in items_of(libraries, VALIDATED) if each.key == name)
    body = read_item(item)
    # Windings of people's models differ: each triangle is there from both sides.
    triangles = np.concatenate([body.triangles, body.triangles[:, ::-1]]).astype(np.int64)
    normals = np.concatenate([body.normals, -body.normals[:, ::-1]])
    shape = Shape(body.vertices, triangles, normals, np.zeros(len(triangles), int), (Material((0.5, 0.5, 0.5)),), 1.0, np.zeros(3))
    return textured(Subject(name, shape, draw_lights(np.random.default_rng(SEED)), body.vertices, []))


def surface_points(mesh: trimesh.Trimesh, count: int, seed: int) -> Tuple[np.ndarray, np.ndarray]:
    points, faces = trimesh.sample.sample_surface(mesh, count, seed=seed)
    return points, mesh.face_normals[faces]


def photographs_that_see(rig, drawn: Shape, points: np.ndarray) -> np.ndarray:
    """Their number for each point [N,3]."""
    count = np.zeros(len(points), int)
    for pose, lens in rig:
        straight, side = replace(lens, k=()), max(lens.width, lens.height)
        corners = pose.seen(drawn.vertices)
        hits = rasterize(straight.pixels(corners), 1 / corners[:, 2], drawn.triangles, side)
        nearness = np.zeros((side, side))
        nearness.ravel()[hits.index] = hits.inverse_depth
        seen = pose.seen(points)
        column, row = np.floor(straight.pixels(seen)).astype(int).T
        inside = (column >= 0) & (row >= 0) & (column < lens.width) & (row < lens.height)
        count += inside & (1 / seen[:, 2] > nearness[row.clip(0, side - 1), column.clip(0, side - 1)] * (1 - BEHIND))
    return count


def scan(about: Subject, rig) -> Scan:
    mesh = trimesh.Trimesh(about.shape.vertices, about.shape.triangles, process=False)
    points, normals = surface_points(mesh, POINTS, 1)
    kept = photographs_that_see(rig, about.shape, points) >= SEEN_BY
    return Scan(points[kept], normals[kept], mesh, float(np.linalg.norm(np.ptp(about.shape.vertices, axis=0))))


def to_triangles(points: np.ndarray, mesh: trimesh.Trimesh) -> Tuple[np.ndarray, np.ndarray]:
    """Distances to the triangles of the nearest samples, and the normals there."""
    samples, faces = trimesh.sample.sample_surface(mesh, SAMPLES, seed=2)
    _, nearest = cKDTree(samples).query(points, k=NEAREST, workers=-1)
    best, normals = np.full(len(points), np.inf), np.zeros((len(points), 3))
    for candidate in faces[nearest].T:
        there = trimesh.triangles.closest_point(mesh.vertices[mesh.faces[candidate]], points)
        distance = np.linalg.norm(there - points, axis=1)
        better = distance < best
        best[better], normals[better] = distance[better], mesh.face_normals[candidate[better]]
    return best, normals


def shares(distances: np.ndarray, diagonal: float) -> np.ndarray:
    return np.array([100 * (distances < share / 100 * diagonal).mean() for share in SHARES])


class Made(NamedTuple):
    """A mesh in the truth's frame, and the processor seconds of its run, if that was `predict` alone."""

    mesh: trimesh.Trimesh
    seconds: Optional[float] = None


def predicted(tools, made: Rendered, detail: str) -> Made:
    """With exact cameras and masks."""
    out = made.folder / f"exact-{detail}"
    used = out / "used.json"
    if not used.exists():
        spent = run_measured([tools.program, "predict", made.folder / "exact", "--photographs", made.photographs, "--masks",
                              made.folder / "masks", "--model", tools.model, "--frame", "source", "--format", "ply", "--texture",
                              "none", "--detail", detail, "--out", out, "--quiet"])
        used.write_text(json.dumps(spent.ru_utime + spent.ru_stime))
    return Made(trimesh.load(next(out.glob("*.ply")), process=False, force="mesh"), json.loads(used.read_text()))


def found(tools, made: Rendered) -> Made:
    """With the cameras and masks of p2mpp-photos, moved by the cameras' places."""
    from_photographs(tools, made)
    mesh = trimesh.load(made.folder / "out" / f"{made.photographs.name}.glb", process=False, force="mesh")
    return Made(trimesh.Trimesh(aligned(np.asarray(mesh.vertices), made), mesh.faces, process=False))


def row(name: str, cameras: str, detail: str, truth: Scan, made: Made, rig) -> List[str]:
    there, hit = to_triangles(truth.points, made.mesh)
    points, _ = surface_points(made.mesh, POINTS, 3)
    shape = Shape(np.asarray(made.mesh.vertices), np.asarray(made.mesh.faces), *[None] * 5)
    back, _ = to_triangles(points[photographs_that_see(rig, shape, points) >= SEEN_BY], truth.mesh)
    angle = np.degrees(np.arccos(np.abs((hit * truth.normals).sum(1)).clip(0, 1)))
    three = lambda values: "/".join(f"{value:.1f}" for value in values)
    spent = "-" if made.seconds is None else f"{made.seconds:.0f}"
    return [name, cameras, detail, three(shares(there, truth.diagonal)), three(shares(back, truth.diagonal)),
            f"{np.median(angle):.1f} deg", spent]


def plaster(mesh: trimesh.Trimesh) -> Shape:
    faces = np.asarray(mesh.faces)
    return Shape(np.asarray(mesh.vertices), faces, np.asarray(mesh.vertex_normals)[faces], np.zeros(len(faces), int), (PLASTER,),
                 1.0, np.zeros(3))


def spot(shape: Shape, view, middle: np.ndarray, diagonal: float) -> Image.Image:
    """SPOT of the diagonal around a place, as seen from a photograph, with light from the upper left."""
    pose, lens = view
    at, factor = lens.pixels(pose.seen(middle[None]))[0], TILE * pose.seen(middle[None])[0, 2] / (lens.fx * SPOT * diagonal)
    close = replace(lens, width=TILE, height=TILE, fx=lens.fx * factor, fy=lens.fy * factor, k=(),
                    cx=TILE / 2 + (lens.cx - at[0]) * factor, cy=TILE / 2 + (lens.cy - at[1]) * factor)
    light = pose.rotation.T @ np.array([-0.75, -0.5, -0.43])
    lights = Lights(light[None], np.full((1, 3), 0.75), 0.05, np.full(3, 0.15), np.full(3, 0.15))
    drawn = Image.fromarray(render(Subject("", shape, lights, np.zeros((0, 3)), []), pose, close))
    return Image.alpha_composite(Image.new("RGBA", drawn.size, "white"), drawn).convert("RGB")


def picture_row(about: Subject, truth: Scan, meshes: Dict[str, Made], rig) -> List[Image.Image]:
    """The place at which most of the truth is gained by detail: coarse, auto, full, truth."""
    coarse, full = (to_triangles(truth.points, meshes[detail].mesh)[0] / truth.diagonal * 100 for detail in ("coarse", "full"))
    gained = (coarse > FAR) & (full < NEAR)
    places = truth.points[::40]
    near = cKDTree(truth.points).query_ball_point(places, SPOT / 2 * truth.diagonal)
    best = max(range(len(near)), key=lambda i: gained[near[i]].sum())
    middle, normal = places[best], truth.normals[::40][best]
    view = max(rig, key=lambda each: abs(normal @ (each[0].center - middle)) / np.linalg.norm(each[0].center - middle))
    grey = replace(about.shape, materials=(PLASTER,), material_ids=np.zeros(len(about.shape.triangles), int))
    shapes = [*(plaster(meshes[detail].mesh) for detail in DETAILS), grey]
    return [spot(shape, view, middle, truth.diagonal) for shape in shapes]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_tool_options(parser)
    parser.add_argument("--libraries", type=Path, required=True, help="unpacked by p2mpp-shards")
    parser.add_argument("--objects", nargs="+", default=["fire-hydrant"], metavar="NAME",
                        help="keys of the validation library, or CATEGORY_MODEL of bundled shapes (default: fire-hydrant)")
    parser.add_argument("--photographs", type=int, default=24, metavar="N", help="of each (default 24)")
    parser.add_argument("--size", default="1280x960", metavar="WxH", help="pixels (default 1280x960)")
    parser.add_argument("--photographs-alone", action="store_true", help="also with cameras and masks that p2mpp-photos finds")
    parser.add_argument("--out", type=Path, required=True, help="gets photographs and results")
    parser.add_argument("--document", type=Path, help="Markdown that gets the table between its marks")
    parser.add_argument("--picture", type=Path, help="PNG to write")
    options = parser.parse_args()
    tools = tools_of(options)
    width, height = map(int, options.size.split("x"))
    rig_options = RigOptions(width, height, options.photographs, lens="simple_radial", centered=True)
    rows, tiles = [], []
    for name in options.objects:
        about = shown(name, options.libraries)
        made = draw(about, rig_options, tools.out / f"{name}-{options.photographs}")
        truth = scan(about, made.rig)
        meshes = {detail: predicted(tools, made, detail) for detail in DETAILS}
        title = f"{name}, {options.photographs}"
        for detail, mesh in meshes.items():
            rows.append(row(title, "exact", detail, truth, mesh, made.rig))
            print(rows[-1], flush=True)
        if options.photographs_alone:
            rows.append(row(title, "found", "auto", truth, found(tools, made), made.rig))
            print(rows[-1], flush=True)
        if options.picture:
            tiles.append(picture_row(about, truth, meshes, made.rig))
    text = table([f"object, photographs of {options.size}", *COLUMNS], rows)
    print(text)
    write_tables(options.document, f"detail {options.photographs}", text)
    if options.picture:
        sheet = sheet_of([*DETAILS, "truth"], tiles, lambda column: column * TILE)
        sheet.quantize(64).save(options.picture, optimize=True)


if __name__ == "__main__":
    main()
