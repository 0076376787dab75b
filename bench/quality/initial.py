"""What other initial meshes give: the network alone, with the fit, and stage 2 from the visual hull, without and with the
fit, on the bundled shapes rendered again with 24 views (as fit.py does). The network always has the views 0, 6 and 7; the
hull and the fit have 2 to 24 masks. What is there already is not computed again."""

import argparse
import json
import subprocess
from pathlib import Path
from typing import Dict, List

from fit import MASKS, generated, views_of
from shared import add_options, each_category_in_turn, write_tables

# By column: options of `p2mpp eval`, where {views} are the masks' numbers.
COLUMNS = {"network": "--no-fit", "fit": "--fit-views {views}",
           "hull + stage 2": "--initial hull --fit-views {views} --fit-steps 0",
           "hull + stage 2 + fit": "--initial hull --fit-views {views}"}
# By table: the name in summary.json, a factor, digits.
FIGURES = {"F1@tau": ("metrics vertices f1_tau", 1, 2), "F1@2tau": ("metrics vertices f1_2tau", 1, 2),
           "CD x1000": ("metrics vertices chamfer_distance", 1000, 3),
           "normal consistency": ("metrics vertices normal_consistency", 1, 3),
           "IoU": ("fit iou_after mean", 1, 3), "self-intersecting faces": ("fit intersecting_after mean", 1, 0),
           "milliseconds, all": ("milliseconds_a_sample total median", 1, 0)}


def evaluated(options: argparse.Namespace, data: Path, names: Path, column: str, masks: int) -> Dict:
    """summary.json of a run."""
    run = "network" if column == "network" else f"{column.replace(' ', '')}_{masks}"
    out = options.out / f"initial_{len(names.read_text().split())}" / run
    if not (out / "summary.json").exists():
        out.mkdir(parents=True, exist_ok=True)
        choice = COLUMNS[column].format(views=",".join(map(str, views_of(masks)))).split()
        done = subprocess.run([options.program, "eval", "--model", options.model, "--list", names, "--images-root", data,
                               "--truth-root", data, "--out", out, "--overwrite", "--quiet", *choice],
                              check=False, capture_output=True, text=True)
        if done.returncode not in (0, 4):
            raise RuntimeError(f"{run}: {done.stderr.strip()}")
    return json.loads((out / "summary.json").read_text())


def cell(summary: Dict, figure: str) -> str:
    path, factor, digits = FIGURES[figure]
    value = summary
    for key in path.split():
        value = value.get(key) if isinstance(value, dict) else None
    if value is None:
        return "-"
    failed = summary["samples"]["failed"]
    return f"{factor * value:.{digits}f}" + (f" ({failed} failed)" if failed else "")


def table(figure: str, runs: Dict[int, Dict[str, Dict]]) -> str:
    lines: List[str] = [f"| {figure}, views | {' | '.join(COLUMNS)} |", f"| --- |{' ---: |' * len(COLUMNS)}"]
    for masks, row in runs.items():
        lines.append(f"| {masks} | {' | '.join(cell(row[column], figure) for column in COLUMNS)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="gets data (or has them) and runs")
    parser.add_argument("--shapes", type=int, default=30, help="the first of each category, then the second")
    parser.add_argument("--views", type=int, nargs="+", default=MASKS)
    add_options(parser)
    options = parser.parse_args()
    options.out = options.out.resolve()
    data = generated(options.out)
    ids = (data / "test_list.txt").read_text().split()
    chosen = each_category_in_turn(ids, options.shapes)
    names = options.out / f"initial_{len(chosen)}.txt"
    names.write_text("".join(f"{name}\n" for name in chosen))
    runs = {masks: {column: evaluated(options, data, names, column, masks) for column in COLUMNS}
            for masks in options.views}
    text = f"{len(chosen)} shapes, vertices.\n\n" + "\n".join(table(figure, runs) for figure in FIGURES)
    print(text)
    if options.document:
        write_tables(options.document, "initial", text)


if __name__ == "__main__":
    main()
