"""Compares surfaces of objects that people made, seen from 24 sides: the network's mesh fitted to all masks, the hull, and
the surface of a volume. Existing results are kept."""

import argparse
import json
import subprocess
from pathlib import Path
from typing import Dict, List

import numpy as np
from shared import add_options, draw_samples, names_in, table, tools_of, write_tables

COLUMNS = ["F1@tau", "F1@2tau", "CD x1000", "normals", "IoU", "self-intersecting faces", "ms a surface"]
KINDS = {
    "fitted ellipsoid": ["--surface", "template"],
    "hull of 10,000 vertices": ["--initial", "hull", "--no-stage-2", "--fit-steps", "0", "--target-vertices", "10000",
                                "--surface", "template"],
    "volume": ["--surface", "volume"],
}


def predict(tools, data: Path, out: Path, options: List[str]) -> List[Dict]:
    """The samples of predict's document, which is kept beside the meshes."""
    document = out / "predict.json"
    if not document.exists():
        out.mkdir(parents=True, exist_ok=True)
        samples = [data / name.split("_")[0] / name.split("_")[1] for name in names_in(data)]
        done = subprocess.run([tools.program, "predict", *samples, "--model", tools.model, "--out", out, "--format", "obj",
                               "--fit-views", "all", "--json", "--quiet", *options],
                              check=True, capture_output=True, text=True)
        document.write_text(done.stdout)
    return json.loads(document.read_text())["samples"]


def silhouettes(tools, data: Path, name: str, mesh: Path) -> Dict:
    """Mean IoU with all masks, and faces that intersect others: those of a fit without steps."""
    category, model, _ = name.split("_")
    done = subprocess.run([tools.program, "refine", mesh, data / category / model, "--model", tools.model, "--out",
                           mesh.parent / "refined", "--no-stage-2", "--fit-views", "all", "--fit-steps", "0", "--json",
                           "--quiet"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["samples"][0]["fit"]


def scores(tools, mesh: Path, truth: Path) -> Dict:
    """Of points of the surface."""
    done = subprocess.run([tools.program, "metrics", mesh, truth, "--json", "--quiet"], check=True, capture_output=True,
                          text=True)
    return json.loads(done.stdout)["surface"]


def row(tools, data: Path, title: str, options: List[str]) -> List[str]:
    out = tools.out / title.split()[0]
    samples = {sample["id"]: sample for sample in predict(tools, data, out, options)}
    measured = []
    for name in names_in(data):
        model = name.split("_")[1]
        mesh = out / f"{model}_predict.obj"
        found = scores(tools, mesh, data / f"{name}_ground.xyz")
        seen = silhouettes(tools, data, name, mesh)
        measured.append([found["f1_tau"], found["f1_2tau"], 1000 * found["chamfer_distance"], found["normal_consistency"],
                         seen["iou_before"], seen["intersecting_before"],
                         samples[model].get("surface", {}).get("milliseconds", np.nan)])
        print(title, model, *(f"{value:.3f}" for value in measured[-1]), flush=True)
    cells = [f"{value:.{digits}f}" for value, digits in zip(np.mean(measured, axis=0), (1, 1, 3, 3, 3, 0, 0))]
    return [title, *(cell.replace("nan", "-") for cell in cells)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libraries", type=Path, required=True, help="unpacked by p2mpp-shards")
    parser.add_argument("--objects", type=int, default=18, metavar="N", help="of the validation library (default 18)")
    parser.add_argument("--views", type=int, default=24, metavar="N", help="of each object (default 24)")
    parser.add_argument("--out", type=Path, required=True, help="gets data and results")
    add_options(parser)
    options = parser.parse_args()
    tools = tools_of(options)
    data = tools.out / "data"
    if not (data / "test_list.txt").exists():
        draw_samples(options.libraries.resolve(), data, options.views, "--library", "KatorLegaz", "--objects",
                     str(options.objects))
    rows = [row(tools, data, title, more) for title, more in KINDS.items()]
    text = table([f"{len(names_in(data))} objects, {options.views} views", *COLUMNS], rows)
    print(text)
    write_tables(options.document, "surface", text)


if __name__ == "__main__":
    main()
