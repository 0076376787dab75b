"""Compares numbers of views: `p2mpp eval` on the bundled shapes, rendered again with 24 views by
p2mpp-generate, with more and more views in stage 1, in stage 2 and in both. The other stage has the views 0, 6 and
7, on which the bundled model was trained, or five. Nothing is fitted. Existing results are kept."""

import argparse
from pathlib import Path
from typing import Dict, List

import numpy as np

from fit import views_of
from shared import (Tools, add_options, each_category_in_turn, evaluate, generated, line, names_in, results_of, table,
                    tools_of, write_tables)

VIEWS = [2, 3, 5, 8, 12, 24]
TRAINED = 3
STAGES = ["both", "stage 1", "stage 2", "stage 2, 5 in stage 1"]  # that read so many views
COLUMNS = ["F1@tau", "F1@2tau", "CD x1000", "normals", "after stage 1: F1@tau"]


def stage_views(stages: str, views: int) -> List[int]:
    """Of stage 1 and stage 2."""
    return {"both": [views, views], "stage 1": [views, TRAINED], "stage 2": [TRAINED, views]}.get(stages, [5, views])


def evaluated(tools: Tools, data: Path, names: List[str], stages: str, views: int) -> List[Dict]:
    read = stage_views(stages, views)
    out = tools.out / "views" / f"{len(names)}_{read[0]}_{read[1]}"
    out.mkdir(parents=True, exist_ok=True)
    chosen = out / "list.txt"
    chosen.write_text("".join(f"{name}.dat\n" for name in names))
    return results_of(evaluate(tools, data, chosen, out, "--no-fit", "--views", ",".join(map(str, views_of(max(read)))),
                               "--stage-views", ",".join(map(str, read))))


def row(stages: str, views: int, results: List[Dict]) -> List[str]:
    def mean(kind: str, name: str) -> float:
        return float(np.mean([result["scores"][kind][name] for result in results]))

    return [f"{views} in {stages}", f"{mean('vertices', 'f1_tau'):.2f}",
            f"{mean('vertices', 'f1_2tau'):.2f}", f"{1000 * mean('vertices', 'chamfer_distance'):.3f}",
            f"{mean('vertices', 'normal_consistency'):.3f}", f"{mean('coarse', 'f1_tau'):.2f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="gets data (24 views of every shape) and runs")
    parser.add_argument("--shapes", type=int, default=30, help="of the bundled ones, the first of each category first")
    add_options(parser)
    options = parser.parse_args()
    tools = tools_of(options)
    data = generated(tools.out)
    names = each_category_in_turn(names_in(data), options.shapes)
    header, rows = [f"{len(names)} shapes, vertices", *COLUMNS], []
    print(table(header, rows), end="", flush=True)
    for stages in STAGES:
        for views in VIEWS:
            if (views == TRAINED and stages != "both") or (stages == STAGES[-1] and views < 8):
                continue
            rows.append(row(stages, views, evaluated(tools, data, names, stages, views)))
            print(line(rows[-1]), flush=True)
    write_tables(options.document, "views", table(header, rows))


if __name__ == "__main__":
    main()
