"""Measures captures of few photographs, whose frame p2mpp must find, beside the same views given directly. Each capture has
three pictures around a bundled shape, with random rolls. tests/captures writes it as transforms.json and as a COLMAP model with
points. Existing results are kept."""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Dict

import numpy as np

from captures import Tools, scored_capture, scored_directly, write_directions, written
from shared import add_options, each_category_in_turn, table, write_tables

from p2mpp_captures.capture import KINDS, draw_capture  # noqa: E402
from p2mpp_captures.shapes import names, subject  # noqa: E402

DIRECT = "given directly"
FORMATS = {"nerfstudio": "transforms.json", "colmap_bin": "COLMAP, with points"}


def kind_of(format: str, views: int, roll: float):
    rig = replace(KINDS[format].rig, width=600, height=450, views=views, roll=roll)
    return replace(KINDS[format], format=format, background="alpha", suffix="png", samples=2, rig=rig)


def measured(tools: Tools, name: str, views: int, roll: float) -> Dict[str, Dict]:
    file = tools.out / name / f"few_{tools.seed}.json"
    if file.exists():
        return json.loads(file.read_text())
    shown, folder, found = subject(name), tools.out / name / str(tools.seed), {}
    capture = draw_capture(shown, kind_of("nerfstudio", views, roll), tools.seed)
    first = write_directions(shown, capture, folder / "directions")
    found[DIRECT] = scored_directly(tools, shown, folder / "directions", first, folder / "directions_mesh")
    for format in FORMATS:
        inner = tools._replace(out=tools.out / name / str(tools.seed))
        options = kind_of(format, views, roll)
        drawn = written(inner, name, format, options, shown)
        found[format] = scored_capture(inner, format, options, drawn, inner.out / name / format)
    file.write_text(json.dumps(found, indent=2) + "\n")
    return found


def table_of(results: Dict[str, Dict[str, Dict]]) -> str:
    rows = []
    for row in (DIRECT, *FORMATS):
        of_row = [found[row] for found in results.values()]
        cells = [f"{np.mean([each['f1'] for each in of_row]):.1f}", f"{1000 * np.median([each['cd'] for each in of_row]):.3f}"]
        if row == DIRECT:
            rows.append([row, *cells, "", "", ""])
            continue
        frames = [each["frame"] for each in of_row]
        sizes = [100 * abs(frame["scale"] - 1) for frame in frames]
        rows.append([FORMATS[row], *cells, f"{np.mean([100 * frame['origin'] for frame in frames]):.1f}%",
                     f"{np.mean(sizes):.1f}% ({max(sizes):.0f}%)", f"{np.mean([frame['up'] for frame in frames]):.1f} degrees"])
    return table([f"{len(results)} captures of three photographs", "F1@tau", "CD x1000, median", "first frame: origin off",
                  "size off (worst)", "up off"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="gets captures, meshes and scores")
    parser.add_argument("--shapes", type=int, default=30, help="of data/test_list.txt, each category in turn")
    parser.add_argument("--views", type=int, default=3)
    parser.add_argument("--roll", type=float, default=12, help="degrees, at most")
    parser.add_argument("--seed", type=int, default=1)
    add_options(parser)
    options = parser.parse_args()
    tools = Tools(options.program.resolve(), ["--model", str(options.model)], options.out.resolve(), 1, options.seed)
    results = {}
    for name in each_category_in_turn(names(), options.shapes):
        results[name] = measured(tools, name, options.views, options.roll)
        print(name, {row: round(each["f1"], 1) for row, each in results[name].items()}, file=sys.stderr, flush=True)
    text = table_of(results)
    print(text)
    write_tables(options.document, "few views", text)


if __name__ == "__main__":
    main()
