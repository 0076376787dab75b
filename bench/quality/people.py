"""Measures how well a model reconstructs objects that people made and that it was not trained on. Runs `p2mpp
eval` on the objects of a furniture library (docs/training-data.md), of the ten categories and of others,
beside the nearest training shape. Existing results are kept; another model needs another OUT, which may have
a link to the data."""

import argparse
from functools import partial
from pathlib import Path
from typing import Dict, List

import numpy as np
from baselines import score_baselines
from recolour import write_changed
from shared import (NETWORK_VIEWS, Tools, add_options, copy_samples, draw_samples, evaluate, names_in, results_of,
                    summary_of, table, tools_of, write_tables)

VIEWS = 8
WHITE = "white on white"
COLUMNS = ["F1@tau", "CD x1000", "normals", "IoU", "self-intersecting faces"]


def samples_of(out: Path, libraries: Path, library: str, outside: bool) -> Path:
    data = out / "data" / f"{library}{'-outside' if outside else ''}"
    if not (data / "test_list.txt").exists():
        draw_samples(libraries, data, VIEWS, "--library", library, *(["--outside"] if outside else []))
    return data


def figures(metrics: Dict[str, float]) -> List[str]:
    normals = metrics["normal_consistency"]
    return [f"{metrics['f1_tau']:.2f}", f"{1000 * metrics['chamfer_distance']:.3f}",
            "-" if normals is None else f"{normals:.3f}"]


def fit_figures(run: Path, when: str) -> List[str]:
    """IoU with the network's masks and self-intersecting faces; when: before or after the fit."""
    fits = [result["fit"] for result in results_of(run)]
    return [f"{np.mean([fit[f'iou_{when}'] for fit in fits]):.3f}",
            f"{np.mean([fit[f'intersecting_{when}'] for fit in fits]):.0f}"]


def nearest_row(tools: Tools, shards: Path, data: Path, out: Path) -> List[str]:
    score_baselines(tools.program, shards, data, data / "test_list.txt", out)
    return ["nearest training shape", *figures(summary_of(out / "nearest-scores")["metrics"]["vertices"]), "-", "-"]


def white(tools: Tools, data: Path, out: Path) -> List[str]:
    folder = out / "white-samples"
    copy_samples(data, folder, names_in(data), picture=partial(write_changed, variant=WHITE))
    run = evaluate(tools, folder, folder / "test_list.txt", out / "white", "--no-fit")
    return ["after stage 2, recoloured white on white", *figures(summary_of(run)["metrics"]["vertices"]), "-", "-"]


def table_of(tools: Tools, options: argparse.Namespace, library: str, outside: bool) -> str:
    data = samples_of(tools.out, options.libraries.resolve(), library, outside)
    names, out = data / "test_list.txt", tools.out / data.name
    network = summary_of(evaluate(tools, data, names, out / "network", "--no-fit"))["metrics"]
    fitted = evaluate(tools, data, names, out / "fitted", "--fit-views", ",".join(map(str, NETWORK_VIEWS)))
    rows = [["after stage 1", *figures(network["coarse"]), "-", "-"],
            ["**after stage 2**", *figures(network["vertices"]), *fit_figures(fitted, "before")],
            ["fitted to the three masks", *figures(summary_of(fitted)["metrics"]["vertices"]),
             *fit_figures(fitted, "after")]]
    if not outside:
        rows.append(white(tools, data, out))
    rows.append(nearest_row(tools, options.shards.resolve(), data, out))
    kind = "others" if outside else "of the ten categories"
    return table([f"{library}: {len(names_in(data))} {kind}, vertices", *COLUMNS], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libraries", type=Path, required=True, help="unpacked by p2mpp-shards")
    parser.add_argument("--library", nargs="+", default=["KatorLegaz"], help="(default KatorLegaz)")
    parser.add_argument("--shards", type=Path, required=True, help="that were trained on")
    parser.add_argument("--out", type=Path, required=True, help="gets data and runs")
    add_options(parser)
    options = parser.parse_args()
    tools, parts = tools_of(options), []
    for library in options.library:
        for outside in (False, True):
            parts.append(table_of(tools, options, library, outside))
            print(parts[-1], flush=True)
    write_tables(options.document, "people", "\n".join(parts))


if __name__ == "__main__":
    main()
