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


def cell(results: List[Dict]) -> str:
    """F1@tau / CD x1000"""
    scores = [result["scores"]["vertices"] for result in results]
    f1, cd = (np.mean([each[name] for each in scores]) for name in ("f1_tau", "chamfer_distance"))
    return f"{f1:.1f} / {1000 * cd:.3f}"


def row(tools: Tools, data: Path, names: List[str], stages: str) -> List[str]:
    """Without figures that another row has."""
    told = [views for views in VIEWS if (views != TRAINED or stages == "both") and (views >= 8 or stages != STAGES[-1])]
    return [f"in {stages}", *(cell(evaluated(tools, data, names, stages, views)) if views in told else "-"
                              for views in VIEWS)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="gets data (24 views of every shape) and runs")
    parser.add_argument("--shapes", type=int, default=30, help="of the bundled ones, the first of each category first")
    add_options(parser)
    options = parser.parse_args()
    tools = tools_of(options)
    data = generated(tools.out)
    names = each_category_in_turn(names_in(data), options.shapes)
    header, rows = [f"F1@tau / CD x1000 of {len(names)} shapes", *(f"{views} views" for views in VIEWS)], []
    print(table(header, rows), end="", flush=True)
    for stages in STAGES:
        rows.append(row(tools, data, names, stages))
        print(line(rows[-1]), flush=True)
    write_tables(options.document, "views", table(header, rows))


if __name__ == "__main__":
    main()
