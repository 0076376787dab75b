"""Measures `p2mpp-photos` on rendered photographs of textured objects on a textured ground: registered photographs, masks, the mesh
beside that of exact cameras and masks, and times. Existing results are kept."""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

import numpy as np
import pycolmap
import trimesh
from PIL import Image
from shared import ROOT, add_tool_options, table, tools_of

sys.path[:0] = [str(ROOT / "tests" / "captures")]

from captures import score  # noqa: E402
from p2mpp_captures import colmap  # noqa: E402
from p2mpp_captures.photographs import photograph, textured  # noqa: E402
from p2mpp_captures.lens import Lens  # noqa: E402
from p2mpp_captures.pose import Pose, similarity_between  # noqa: E402
from p2mpp_captures.rig import RigOptions, draw_rig  # noqa: E402
from p2mpp_captures.shapes import Subject, subject  # noqa: E402

SHAPES = ("02958343_p2mpp0003", "03001627_p2mpp0002", "02876657_p2mpp0001")
COLUMNS = ["cameras", "masks' IoU", "lowest", "F1@tau", "exact cameras and masks", "seconds", "of them cameras", "masks", "mesh"]
POOR = 4  # the exit code: a mesh is there
POINTS = 10_000  # of a surface
SEED = 3


class Rendered(NamedTuple):
    """A capture of a subject: FOLDER/NAME (photographs), FOLDER/masks, FOLDER/exact (COLMAP model). rig: pose and lens of each
    photograph. centres by photograph."""

    folder: Path
    photographs: Path
    rig: List[Tuple[Pose, Lens]]
    centres: Dict[str, np.ndarray]
    truth: np.ndarray


def draw(shown: Subject, options: RigOptions, folder: Path) -> Rendered:
    """Renders the photographs unless they are there."""
    rig = draw_rig(np.random.default_rng(SEED), shown, options)
    made = Rendered(folder, folder / "photographs", rig, {}, shown.truth)
    images = {}
    for number, (pose, _) in enumerate(rig, start=1):
        name = f"IMG_{number:04d}.jpg"
        made.centres[name] = pose.center
        images[number] = colmap.Image(name, 1, pose, np.zeros((0, 2)), np.zeros(0, int))
    if not (folder / "exact").is_dir():
        for part in (made.photographs, folder / "masks"):
            part.mkdir(parents=True, exist_ok=True)
        for name, (pose, lens) in zip(made.centres, rig):
            picture, mask = photograph(shown, pose, lens)
            Image.fromarray(picture).save(made.photographs / name, quality=95)
            Image.fromarray(mask).save(folder / "masks" / Path(name).with_suffix(".png"))
        points = shown.truth[::10]
        colours = np.zeros((len(points), 3), int)
        colmap.write(folder / "exact", colmap.Model({1: ("SIMPLE_RADIAL", rig[0][1])}, images, points, colours), binary=True)
    return made


def from_photographs(tools, made: Rendered, *options: str) -> Dict:
    """photos.json of the command, which is not told cameras or masks. "wall": seconds."""
    out = made.folder / "out"
    if not (out / "photos.json").exists():
        begin = time.monotonic()
        done = subprocess.run([sys.executable, "-m", "p2mpp.commands.photos", made.photographs, "--out", out, "--p2mpp", tools.program,
                               *options, "--", "--model", tools.model, "--frame", "source"], check=False, capture_output=True, text=True)
        if done.returncode not in (0, POOR):
            raise RuntimeError(done.stderr.strip())
        (out / "wall.txt").write_text(f"{time.monotonic() - begin:.1f}\n")
    return {**json.loads((out / "photos.json").read_text()), "wall": float((out / "wall.txt").read_text())}


def exact(tools, made: Rendered) -> Path:
    """The mesh of exact cameras and masks, in the truth's frame."""
    out = made.folder / "exact-out"
    if not list(out.glob("*.glb")):
        subprocess.run([tools.program, "predict", made.folder / "exact", "--photographs", made.photographs, "--masks",
                        made.folder / "masks", "--model", tools.model, "--frame", "source", "--format", "glb", "--out", out, "--quiet"],
                       check=True, capture_output=True)
    return next(out.glob("*.glb"))


def points_of(mesh: Path) -> np.ndarray:
    return trimesh.sample.sample_surface(trimesh.load(mesh, process=False, force="mesh"), POINTS, seed=1)[0]


def aligned(points: np.ndarray, made: Rendered) -> np.ndarray:
    """Points in COLMAP's frame in the truth's, by the cameras' places."""
    model = pycolmap.Reconstruction(made.folder / "out/work/cameras/model")
    found = {model.images[number].name: model.images[number].projection_center() for number in model.reg_image_ids()}
    names = sorted(found)
    world = similarity_between(np.array([made.centres[name] for name in names]), np.array([found[name] for name in names]))
    return world.points_back(points)


def mask_overlaps(made: Rendered) -> List[float]:
    """IoU of each mask with the exact one."""
    values = []
    for path in sorted((made.folder / "out/work/masks").glob("*.png")):
        found, truth = (np.asarray(Image.open(each)) > 127 for each in (path, made.folder / "masks" / path.name))
        values.append(float((found & truth).sum() / (found | truth).sum()))
    return values


def measured(tools, made: Rendered, *options: str) -> Dict[str, float]:
    document = from_photographs(tools, made, *options)
    seconds = {f"{step['step']} seconds": step["seconds"] for step in document["steps"]}
    overlaps = mask_overlaps(made)
    registered = len(pycolmap.Reconstruction(made.folder / "out/work/cameras/model").reg_image_ids())
    name = made.photographs.name
    return {"registered": registered, "photographs": len(made.centres), "iou": float(np.median(overlaps)), "lowest": min(overlaps),
            "f1": score(aligned(points_of(made.folder / "out" / f"{name}.glb"), made), made.truth).f1,
            "exact_f1": score(points_of(exact(tools, made)), made.truth).f1, "grade": document["grade"]["grade"], "seconds": document["wall"], **seconds}


def row(name: str, found: Dict[str, float]) -> List[str]:
    return [name, f"{found['registered']} of {found['photographs']}", f"{found['iou']:.3f}", f"{found['lowest']:.3f}",
            f"{found['f1']:.1f}", f"{found['exact_f1']:.1f}", f"{found['seconds']:.0f}",
            *(f"{found[f'{step} seconds']:.0f}" for step in ("cameras", "masks", "mesh"))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shapes", nargs="+", default=SHAPES, metavar="CATEGORY_MODEL")
    parser.add_argument("--photographs", type=int, default=30, metavar="N", help="of each object (default 30)")
    parser.add_argument("--size", default="1280x960", metavar="WxH", help="pixels of a photograph (default 1280x960)")
    parser.add_argument("--out", type=Path, required=True, help="gets photographs and results")
    add_tool_options(parser)
    options = parser.parse_args()
    tools = tools_of(options)
    width, height = map(int, options.size.split("x"))
    rig = RigOptions(width, height, options.photographs, lens="simple_radial", centered=True)
    rows = []
    for name in options.shapes:
        found = measured(tools, draw(textured(subject(name)), rig, tools.out / name))
        rows.append(row(name, found))
        print(rows[-1], flush=True)
    print(table([f"{options.photographs} photographs, {options.size}", *COLUMNS], rows))


if __name__ == "__main__":
    main()
