"""Measures what errors of the poses cost the network: the bundled samples and those that people made, with cameras
turned by a degree and moved by a per cent (standard deviations), beside the same with exact cameras. Existing results
are kept; another model needs another OUT."""

import argparse
from pathlib import Path
from typing import List

import numpy as np
from shared import (ROOT, Tools, add_options, copy_samples, evaluate, names_in, summary_of, table, tools_of,
                    write_tables)

DEGREES, SHARE = 1.0, 0.01
DRAWS = 3
GROUPS = {"bundled samples": ROOT / "data", "made by people": ROOT / "data" / "people"}
ROW_DIGITS = 6


def disturbed(rows: List[str], random: np.random.Generator) -> List[str]:
    """Camera rows (azimuth, elevation, roll, distance, ...) with other directions and distances. The truth stays in the
    first camera's frame, so what counts are errors of the views relative to each other."""
    found = []
    for row in rows:
        azimuth, elevation, roll, distance, *rest = map(float, row.split())
        azimuth += DEGREES * random.standard_normal() / np.cos(np.radians(elevation))
        elevation += DEGREES * random.standard_normal()
        distance *= 1 + SHARE * random.standard_normal()
        found.append(" ".join(f"{value:.{ROW_DIGITS}f}" for value in (azimuth, elevation, roll, distance, *rest)))
    return found


def scores_of(tools: Tools, data: Path, name: str) -> List[float]:
    """F1@tau after stage 1 and after stage 2, CD x1000."""
    metrics = summary_of(evaluate(tools, data, data / "test_list.txt", tools.out / name, "--no-fit"))["metrics"]
    return [metrics["coarse"]["f1_tau"], metrics["vertices"]["f1_tau"], 1000 * metrics["vertices"]["chamfer_distance"]]


def rows_of(tools: Tools, group: str, data: Path) -> List[List[str]]:
    exact, off = scores_of(tools, data, f"{data.name}-exact"), []
    for draw in range(DRAWS):
        folder = tools.out / "samples" / f"{data.name}-{draw}"
        copy_samples(data, folder, names_in(data), rows=lambda rows, number, draw=draw: disturbed(
            rows, np.random.default_rng([draw, number])))
        off.append(scores_of(tools, folder, f"{data.name}-{draw}"))
    return [[f"{group}, {kind}", *(f"{value:.2f}" for value in values[:2]), f"{values[2]:.3f}"]
            for kind, values in (("exact", exact), (f"off, {DRAWS} draws", np.mean(off, 0)))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="gets data and runs")
    add_options(parser)
    options = parser.parse_args()
    tools = tools_of(options)
    rows = [row for group, data in GROUPS.items() for row in rows_of(tools, group, data)]
    text = table(["poses", "after stage 1: F1@tau", "F1@tau", "CD x1000"], rows)
    print(text)
    write_tables(options.document, "poses", text)


if __name__ == "__main__":
    main()
