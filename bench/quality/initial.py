"""Compares initial meshes: the network alone, with the fit; the visual hull, alone and with the fit; and
stage 2 from the hull, without and with the fit; on the bundled shapes rendered again with 24 views, and on objects that
people made, if there are libraries (as fit.py does). The network always has the views 0, 6 and 7; the hull and the fit
have 2 to 24 masks. Existing results are kept; another model needs other runs (delete OUT/initial_*)."""

import argparse
from pathlib import Path
from typing import Dict

from fit import MASKS, views_of
from shared import (add_options, add_people_options, each_category_in_turn, evaluate, groups_of, summary_of, table,
                    tools_of, write_tables)

# By column: options of `p2mpp eval`, where {views} are the masks' numbers.
COLUMNS = {"network": "--no-fit", "fit": "--fit-views {views}",
           "hull": "--initial hull --no-stage-2 --fit-views {views} --fit-steps 0",
           "hull + fit": "--initial hull --no-stage-2 --fit-views {views}",
           "hull + stage 2": "--initial hull --fit-views {views} --fit-steps 0",
           "hull + stage 2 + fit": "--initial hull --fit-views {views}"}
FITTED = [column for column in COLUMNS if column.endswith("fit")]  # among which a default is chosen
# By table: the name in summary.json, a factor, digits.
FIGURES = {"F1@tau": ("metrics vertices f1_tau", 1, 2), "F1@2tau": ("metrics vertices f1_2tau", 1, 2),
           "CD x1000": ("metrics vertices chamfer_distance", 1000, 3),
           "normal consistency": ("metrics vertices normal_consistency", 1, 3),
           "IoU": ("fit iou_after mean", 1, 3), "self-intersecting faces": ("fit intersecting_after mean", 1, 0),
           "milliseconds, all": ("milliseconds_a_sample total median", 1, 0)}


def evaluated(options: argparse.Namespace, data: Path, names: Path, column: str, masks: int) -> Dict:
    """summary.json of a run."""
    run = "network" if column == "network" else f"{column.replace(' ', '')}_{masks}"
    choice = COLUMNS[column].format(views=",".join(map(str, views_of(masks)))).split()
    return summary_of(evaluate(tools_of(options), data, names, names.with_suffix("") / run, *choice,
                               samples_may_fail=True))


def cell(summary: Dict, figure: str) -> str:
    path, factor, digits = FIGURES[figure]
    value = summary
    for key in path.split():
        value = value.get(key) if isinstance(value, dict) else None
    if value is None:
        return "-"
    failed = summary["samples"]["failed"]
    return f"{factor * value:.{digits}f}" + (f" ({failed} failed)" if failed else "")


def figure_table(figure: str, runs: Dict[int, Dict[str, Dict]]) -> str:
    return table([f"{figure}, views", *COLUMNS],
                 [[masks, *(cell(row[column], figure) for column in COLUMNS)]
                  for masks, row in runs.items()])


def best_by_category(runs: Dict[int, Dict[str, Dict]]) -> str:
    """Which fitted column has the best F1@tau, and by how much it is better than from the network's mesh."""
    def score(summary: Dict, category: str) -> float:
        found = summary["metrics"]["by_category"].get(category)
        return found["vertices"]["f1_tau"] if found else 0

    lines = []
    for category in next(iter(runs.values()))["network"]["metrics"]["by_category"]:
        line = [category]
        for row in runs.values():
            scores = {column: score(row[column], category) for column in FITTED}
            best = max(scores, key=scores.get)
            line.append(best if best == "fit" else f"{best} ({scores[best] - scores['fit']:+.1f})")
        lines.append(line)
    return table(["best F1@tau, category", *(f"{masks} views" for masks in runs)], lines)


def tables_of(options: argparse.Namespace, group: str, data: Path) -> str:
    chosen = each_category_in_turn((data / "test_list.txt").read_text().split(), options.shapes)
    folder = options.out / f"initial_{'people_' if group else ''}{len(chosen)}"
    names = folder.with_suffix(".txt")
    names.write_text("".join(f"{name}\n" for name in chosen))
    runs = {masks: {column: evaluated(options, data, names, column, masks) for column in COLUMNS}
            for masks in options.views}
    parts = [figure_table(figure, runs) for figure in FIGURES] + [best_by_category(runs)]
    return f"{len(chosen)} shapes{group and ' ' + group}, vertices.\n\n" + "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="gets data (or has them) and runs")
    parser.add_argument("--shapes", type=int, default=30, help="the first of each category, then the second")
    parser.add_argument("--views", type=int, nargs="+", default=MASKS)
    add_options(parser)
    add_people_options(parser)
    options = parser.parse_args()
    options.out = options.out.resolve()
    text = "\n".join(tables_of(options, group, data) for group, data in groups_of(options).items())
    print(text)
    write_tables(options.document, "initial", text)


if __name__ == "__main__":
    main()
