"""Measures the true size that `p2mpp-photos` finds with a printed mat, on rendered photographs of the bus on a mat: cameras, scale, up,
ground and the mesh's size. `--silent N` counts wrong scales that nothing reports, in N random captures by geometry alone. Existing
results are kept."""

import argparse
import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple
from unittest import mock

import cv2
import numpy as np
import pycolmap
from PIL import Image
from shared import ROOT, add_tool_options, table, tools_of

sys.path[:0] = [str(ROOT / "tests" / "captures"), str(ROOT / "tests/python/photos")]

from mats import KINDS, capture  # noqa: E402
from p2mpp_captures.on_mat import Table, photograph_on_mat, world_from_mat  # noqa: E402
from p2mpp_captures.photographs import textured  # noqa: E402
from p2mpp_captures.pose import Similarity, similarity_between  # noqa: E402
from p2mpp_captures.rig import RigOptions, draw_rig  # noqa: E402
from p2mpp_captures.shapes import Subject, subject  # noqa: E402

from p2mpp.photos.mat import BAR, PAPERS, mat_of  # noqa: E402
from p2mpp.photos.mat_fit import Disagreement, NotEnough, fit_mat  # noqa: E402
from p2mpp.photos.options import Options  # noqa: E402
from p2mpp.photos.run import Run  # noqa: E402

SHAPE = "02958343_p2mpp0003"
SEED, NOISE, BLUR = 3, 2.0, 0.7  # of 255; pixels
FILL = (0.5, 0.65)  # of the shorter side, by the object: so that the mat is in the picture
WRONG = 0.01  # of a scale
POOR = 4  # the exit code: a mesh is there


class Case(NamedTuple):
    """patterned: the table. width, height: of a photograph."""

    name: str
    paper: str
    diagonal: float  # of the object's box, in millimetres
    patterned: bool = True
    blur: float = BLUR
    views: int = 16
    width: int = 640
    height: int = 480

    @property
    def folder(self) -> str:
        return self.name.replace(", ", "-").replace(" ", "-")


CASES = [Case(f"{paper}, patterned table", paper, {"A3": 230.0}.get(paper, 150.0)) for paper in PAPERS] + [
    Case("A4, more blur", "A4", 150.0, blur=1.4), Case("A4, white table", "A4", 150.0, patterned=False)]


class Drawn(NamedTuple):
    """centres: of the cameras, in millimetres of the mat's frame, by photograph."""

    photographs: Path
    centres: Dict[str, np.ndarray]
    size: np.ndarray  # millimetres, of the object's box: width, height, depth


def draw(shown: Subject, case: Case, folder: Path) -> Drawn:
    """Renders the photographs that are not there."""
    options = RigOptions(case.width, case.height, case.views, lens="simple_radial", centered=True, fill=FILL)
    laid = Table(mat_of(case.paper), case.diagonal, 90.0, case.patterned)
    place, photographs = world_from_mat(shown, laid), folder / "photographs"
    photographs.mkdir(parents=True, exist_ok=True)
    centres = {}
    for number, (pose, lens) in enumerate(draw_rig(np.random.default_rng(SEED), shown, options), start=1):
        path = photographs / f"IMG_{number:04d}.jpg"
        centres[path.name] = place.points_back(pose.center[None])[0]
        if not path.exists():
            picture = cv2.GaussianBlur(photograph_on_mat(shown, pose, lens, laid)[0], (0, 0), case.blur)
            noisy = picture + np.random.default_rng(number).normal(0, NOISE, picture.shape)
            Image.fromarray(np.clip(np.rint(noisy), 0, 255).astype(np.uint8)).save(path, quality=95)
    width, height, depth = np.ptp(shown.shape.vertices @ place.rotation, axis=0)[[0, 2, 1]] / place.scale
    return Drawn(photographs, centres, np.array([width, height, depth]))


def run(tools, made: Drawn, *options: str) -> Path:
    """OUT of the command."""
    out = made.photographs.parent / "out"
    if not (out / "photos.json").exists():
        done = subprocess.run([sys.executable, "-m", "p2mpp.commands.photos", made.photographs, "--out", out, "--p2mpp", tools.program,
                               *options, "--", "--model", tools.model], check=False, capture_output=True, text=True)
        if done.returncode not in (0, POOR):
            raise RuntimeError(done.stderr.strip())
    return out


def size_alone(made: Drawn) -> Path:
    """OUT of the steps up to the size."""
    out = made.photographs.parent / "out"
    steps = Run(Options(made.photographs, out), mock.Mock(refused=lambda paths: {}), lambda line: None)
    with steps.output.opened([]):
        steps.size(steps.found_capture())
    return out


def placed_in(out: Path, made: Drawn) -> Similarity:
    """The command's model, in metres, from millimetres of the mat's frame: by the cameras' places."""
    model = pycolmap.Reconstruction(out / "work/size/model")
    found = {model.images[number].name: model.images[number].projection_center() for number in model.reg_image_ids()}
    names = sorted(found)
    return similarity_between(np.array([made.centres[name] for name in names]), np.array([found[name] for name in names]))


def row(case: Case, tools, shown: Subject, mesh: bool) -> List[str]:
    made = draw(shown, case, tools.out / case.folder)
    out = run(tools, made) if mesh else size_alone(made)
    size, cameras = (json.loads((out / f"work/{step}.json").read_text())["result"] for step in ("size", "cameras"))
    placed = placed_in(out, made)
    up = np.degrees(np.arccos(np.clip(placed.rotation[1, 2], -1, 1)))
    found = json.loads((out / "photos.json").read_text())["size"]["millimetres"] if mesh else []
    by = " by the mat" if cameras["mat"] else ""
    return [case.name, f"{len(cameras['registered'])} of {case.views}{by}", f"{1000 * placed.scale - 1:+.2%}",
            f"{size['facts']['standard_errors']['scale']:.2%}", f"{up:.3f}", f"{1000 * placed.points(np.zeros((1, 3)))[0, 1]:+.2f}",
            " x ".join(f"{each:.1f}" for each in found) or "-", " x ".join(f"{each:.1f}" for each in made.size)]


COLUMNS = ["", "cameras", "scale", "said standard error", "up (degrees)", "ground (mm)", "mesh (mm)", "true size (mm)"]


def end_of(number: int) -> Tuple[str, str, float]:
    """(kind, end, how far up is off in degrees) of a random capture."""
    kind = KINDS[number % len(KINDS)]
    shown = capture(np.random.default_rng(number), kind)
    try:
        fit = fit_mat(shown.views, shown.found)
    except (Disagreement, NotEnough) as error:
        return kind, "stopped" if isinstance(error, Disagreement) else "no scale", 0.0
    if fit is None:
        return kind, "no mat", 0.0
    off = abs(fit.place.scale * BAR / shown.printed.bar / shown.place.scale - 1)
    up = np.degrees(np.arccos(np.clip(fit.place.rotation[:, 2] @ shown.place.rotation[:, 2], -1, 1)))
    return kind, "wrong" if off > WRONG else "over 0.5%" if off > WRONG / 2 else "right", float(up)


def silent(count: int) -> str:
    """Of random captures: how they end, and scales that are off by more than 1% without a word."""
    ends, ups = {kind: Counter() for kind in KINDS}, dict.fromkeys(KINDS, 0.0)
    with ProcessPoolExecutor(2) as pool:
        for kind, end, up in pool.map(end_of, range(count), chunksize=10):
            ends[kind][end] += 1
            ups[kind] = max(ups[kind], up)
    columns = ["right", "over 0.5%", "wrong", "stopped", "no scale", "no mat"]
    rows = [(kind, ends[kind], ups[kind]) for kind in KINDS] + [("all", sum(ends.values(), Counter()), max(ups.values()))]
    cells = [[kind, *(str(found[column]) for column in columns), f"{up:.2f}"] for kind, found, up in rows]
    return table(["mat", *columns, "up, largest error"], cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, nargs="+", default=range(len(CASES)), metavar="N", help="of the table, from 0 (default: all)")
    parser.add_argument("--silent", type=int, metavar="N", help="random captures, instead")
    parser.add_argument("--no-mesh", action="store_true", help="only the steps up to the size")
    parser.add_argument("--draw", action="store_true", help="only render the photographs")
    parser.add_argument("--out", type=Path, default=Path("size"), help="gets photographs and results")
    add_tool_options(parser)
    options = parser.parse_args()
    if options.silent:
        print(silent(options.silent))
        return
    tools, shown = tools_of(options), textured(subject(SHAPE))
    rows = []
    for number in options.cases:
        if options.draw:
            draw(shown, CASES[number], tools.out / CASES[number].folder)
            continue
        rows.append(row(CASES[number], tools, shown, not options.no_mesh))
        print(rows[-1], flush=True)
    print(table(COLUMNS, rows))


if __name__ == "__main__":
    main()
