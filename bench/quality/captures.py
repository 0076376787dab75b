"""Measures the quality of captures beside published samples of the same shapes: `p2mpp predict` on COLMAP's,
NeRF's, instant-ngp's and nerfstudio's files, with lens distortion and with errors in the poses. The captures
are written by tests/captures, which shares nothing with the reader. Existing results are kept."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional

import numpy as np
from PIL import Image
from scipy.spatial import cKDTree

from shared import ROOT, add_options, each_category_in_turn, table, write_tables

sys.path[:0] = [str(ROOT / "tests" / "captures")]

from p2mpp_captures.capture import (KINDS, Capture, CaptureOptions, draw_capture, with_views,  # noqa: E402
                                    write_cameras, write_pictures, write_truth)
from p2mpp_captures.pose import Similarity  # noqa: E402
from p2mpp_captures.shapes import Subject, folder_of, names, subject  # noqa: E402
from p2mpp.shapes.camera import View, world_from_cam  # noqa: E402
from p2mpp.shapes.shading import render  # noqa: E402

TAU = 1e-4  # squared, in the normalised world's unit
DISTANCES = (0.65, 0.9)  # that the published model knows
DIRECT, DIRECTIONS = "as published", "as published, from three directions of the capture"
ROWS = {
    "colmap_bin": "COLMAP, binary, 1200x900, 20 views",
    "colmap_large": "COLMAP, binary, 4032x3024, 12 views, masks",
    "nerf_synthetic": "transforms.json of NeRF's synthetic scenes, 40 views",
    "instant_ngp": "transforms.json of instant-ngp, distortion, one-coloured background",
    "nerfstudio": "transforms.json of nerfstudio, a lens a view, distortion, masks",
    "colmap_opencv": "COLMAP, OPENCV, masks",
    "colmap_fisheye": "COLMAP, OPENCV_FISHEYE",
    "colmap_noise": "COLMAP, poses off by 1 degree and 1%",
}


class Score(NamedTuple):
    """Of one mesh. cd, f1 in per cent: by docs/metrics.md, of vertices, in the normalised world. offset: from
    the centre of the truth's box to that of the mesh, as a share of its diagonal; size: ratio of the diagonals."""

    cd: float
    f1: float
    offset: float
    size: float


def score(points: np.ndarray, truth: np.ndarray) -> Score:
    """Both [N,3], in the normalised world's unit."""
    there = cKDTree(truth).query(points)[0]**2
    back = cKDTree(points).query(truth)[0]**2
    precision, recall = (there <= TAU).mean(), (back <= TAU).mean()
    f1 = 100 * 2 * precision * recall / max(precision + recall, 1e-12)
    diagonal = np.linalg.norm(np.ptp(truth, axis=0))
    centers = [(cloud.min(0) + cloud.max(0)) / 2 for cloud in (points, truth)]
    return Score(there.mean() + back.mean(), f1, np.linalg.norm(centers[0] - centers[1]) / diagonal,
                 np.linalg.norm(np.ptp(points, axis=0)) / diagonal)


class Tools(NamedTuple):
    program: Path
    options: List[str]  # of every predict
    out: Path
    workers: int
    seed: int


def predicted(tools: Tools, source: Path, out: Path, *options: str) -> np.ndarray:
    """The vertices that `p2mpp predict` writes for one source."""
    if not list(out.glob("*_predict.xyz")):
        done = subprocess.run([tools.program, "predict", source, "--format", "obj,xyz", "--out", out, *options,
                               *tools.options], check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"predict {source}: {done.stderr.strip()}")
        (out / "log.txt").write_text(done.stdout + done.stderr)
    return np.loadtxt(next(out.glob("*_predict.xyz")))[:, :3]


def scored_directly(tools: Tools, shown: Subject, source: Path, first: View, out: Path) -> Dict:
    """The figures of a sample with rows, whose mesh is in the first camera's frame."""
    points = world_from_cam(first, predicted(tools, source, out, "--frame", "camera0"))
    return score(points, shown.truth)._asdict()


def write_directions(shown: Subject, capture: Capture, folder: Path) -> View:
    """A sample with camera rows in every third picture's direction; only their elevations differ from training."""
    photographs, views = capture.photographs, []
    for number in range(3):
        center = photographs[number * len(photographs) // 3].true_pose.center
        distance = np.linalg.norm(center)
        views.append(View(float(np.degrees(np.arctan2(center[2], center[0]))),
                          float(np.degrees(np.arcsin(center[1] / distance))), float(np.clip(distance, *DISTANCES))))
    folder.mkdir(parents=True, exist_ok=True)
    for number, view in enumerate(views):
        Image.fromarray(render(shown.shape, view, shown.lights)).save(folder / f"{number}.png")
    (folder / "cameras.txt").write_text("".join(view.row() + "\n" for view in views))
    return views[0]


def scored_capture(tools: Tools, kind: str, options: CaptureOptions, capture: Capture, folder: Path) -> Dict:
    """The figures of the mesh in the source's coordinates, and the error of the object's frame that `p2mpp
    import` found."""
    masks = ["--masks", str(folder / "masks")] if (folder / "masks").is_dir() and options.format != "nerfstudio" else []
    begin = time.perf_counter()
    points = predicted(tools, folder, folder.with_name(f"{kind}_mesh"), "--frame", "source", *masks)
    found = score(capture.source_from_world.points_back(points), capture.subject.truth)._asdict()
    found["seconds"] = time.perf_counter() - begin
    found["offset_in_source"] = found["offset"] * capture.source_from_world.scale * float(
        np.linalg.norm(np.ptp(capture.subject.truth, axis=0)))
    found["frame"] = frame_error(tools, folder, capture.source_from_world, masks)
    return found


def frame_error(tools: Tools, folder: Path, truth: Similarity, masks: List[str]) -> Optional[Dict]:
    """The errors of the similarity in cameras.json: origin as a share of the object's size, ratio of the
    scales, up in degrees."""
    out = folder.with_name(f"{folder.name}_import")
    subprocess.run([tools.program, "import", folder, "--out", out, "--overwrite", *masks], check=False, capture_output=True)
    file = next(out.rglob("cameras.json"), None)
    if file is None:
        return None
    found = json.loads(file.read_text())["source_from_world"]
    origin, rotation = np.array(found["translation"]), np.array(found["rotation"])
    up = np.clip(rotation[:, 1] @ truth.rotation[:, 1], -1, 1)
    return {"origin": float(np.linalg.norm(origin - truth.translation) / (truth.scale * 0.57)),
            "scale": found["scale"] / truth.scale, "up": float(np.degrees(np.arccos(up)))}


def written(tools: Tools, name: str, kind: str, options: CaptureOptions, shown: Subject) -> Capture:
    """The capture, with its pictures on the disk; those of a kind that differs in the poses alone are copied."""
    folder = tools.out / name / kind
    capture = draw_capture(shown, options, tools.seed)
    if (folder / "written").exists():
        return capture
    folder.mkdir(parents=True, exist_ok=True)
    twin = twin_of(kind)
    if twin != kind and (tools.out / name / twin / "written").exists():
        shutil.copytree(tools.out / name / twin, folder, dirs_exist_ok=True, copy_function=os.link,
                        ignore=shutil.ignore_patterns("sparse", "written", "*.json"))
    else:
        write_pictures(capture, options, folder, tools.seed, tools.workers)
    write_cameras(capture, options, folder, tools.seed)
    write_truth(capture, folder)
    (folder / "written").touch()
    return capture


def twin_of(kind: str) -> str:
    """The first row with the same pictures."""
    exact = replace(KINDS[kind], noise_degrees=0, noise_share=0)
    return next((other for other in ROWS if KINDS[other] == exact), kind)


def measured(tools: Tools, name: str, kinds: List[str], views: int) -> Dict[str, Dict]:
    """Each row's Score, or {"error": message}."""
    file = tools.out / name / "scores.json"
    found = json.loads(file.read_text()) if file.exists() else {}
    missing = [row for row in (DIRECT, DIRECTIONS, *kinds) if "f1" not in found.get(row, {})]
    shown = subject(name) if missing else None
    for row in missing:
        try:
            found[row] = measured_row(tools, shown, row, views)
        except RuntimeError as error:
            found[row] = {"error": str(error)}
            print(error, file=sys.stderr)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found, indent=2) + "\n")
    return found


def measured_row(tools: Tools, shown: Subject, row: str, views: int) -> Dict:
    folder = tools.out / shown.name
    if row == DIRECT:
        return scored_directly(tools, shown, folder_of(shown.name), shown.views[0], folder / "direct_mesh")
    options = KINDS["colmap_bin"] if row == DIRECTIONS else KINDS[row]
    options = with_views(options, views) if views else options
    if row == DIRECTIONS:
        source = folder / "directions"
        first = write_directions(shown, draw_capture(shown, options, tools.seed), source)
        return scored_directly(tools, shown, source, first, folder / "directions_mesh")
    return scored_capture(tools, row, options, written(tools, shown.name, row, options, shown), folder / row)


def frame_cells(found: List[Dict]) -> List[str]:
    """Errors of the object's frame, which p2mpp finds without the network."""
    if not found:
        return ["-"] * 3
    return [f"{100 * np.mean([each['origin'] for each in found]):.2f}%",
            f"{100 * np.mean([abs(each['scale'] - 1) for each in found]):.2f}%",
            f"{np.mean([each['up'] for each in found]):.2f} degrees"]


def score_table(results: Dict[str, Dict[str, Dict]], kinds: List[str]) -> str:
    """Means over the shapes that have both the row and the direct one."""
    rows = []
    for row in (DIRECT, DIRECTIONS, *kinds):
        own = [each[row] for each in results.values() if "f1" in each.get(row, {}) and "f1" in each.get(DIRECT, {})]
        name = ROWS.get(row, row) + (f" ({len(own)} shapes)" if len(own) < len(results) else "")
        if not own:
            rows.append([name, *["-"] * 7])
            continue
        mean = {key: np.mean([each[key] for each in own]) for key in ("cd", "f1", "offset")}
        size = np.mean([abs(each["size"] - 1) for each in own])
        rows.append([name, f"{1000 * mean['cd']:.3f}", f"{mean['f1']:.2f}", f"{100 * mean['offset']:.2f}%",
                     f"{100 * size:.2f}%", *frame_cells([each["frame"] for each in own if each.get("frame")])])
    return table([f"{len(results)} shapes, vertices", "CD x1000", "F1@tau", "position off", "size off",
                  "the frame's origin off", "its size", "its up"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="gets captures, meshes and scores")
    parser.add_argument("--shapes", type=int, default=10, help="of data/test_list.txt, each category in turn")
    parser.add_argument("--kinds", default=",".join(ROWS))
    parser.add_argument("--views", type=int, default=0, help="pictures a capture (default: the kind's own number)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2, help="processes that draw pictures")
    add_options(parser)
    options = parser.parse_args()
    kinds = [kind for kind in options.kinds.split(",") if kind]
    tools = Tools(options.program.resolve(), ["--model", str(options.model)], options.out.resolve(), options.workers,
                  options.seed)
    chosen = each_category_in_turn(names(), options.shapes)
    results = {}
    for name in chosen:
        results[name] = measured(tools, name, kinds, options.views)
        print(name, {row: round(each["f1"], 1) for row, each in results[name].items() if "f1" in each},
              file=sys.stderr, flush=True)
    text = score_table(results, kinds)
    print(text)
    write_tables(options.document, "captures", text)


if __name__ == "__main__":
    main()
