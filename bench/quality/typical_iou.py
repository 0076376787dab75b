"""Measures how well the network's meshes cover the masks of the bundled samples, which `p2mpp check` compares
with: mean and standard deviation over the samples of the views' mean IoU. --write puts them into the model's
model.json."""

import argparse
from pathlib import Path
from statistics import mean, stdev
from typing import List

from p2mpp.network.loaded_model import read_description
from p2mpp.network.model_folder import change_description
from p2mpp.network.trained_views import KEY, OVERLAP
from shared import ROOT, Tools, add_options, names_in, silhouette_overlaps, table, tools_of, write_tables

DATA = ROOT / "data"


def measured(tools: Tools) -> List[float]:
    """One a sample."""
    folders = [DATA / "/".join(name.split("_")[:2]) for name in names_in(DATA)]
    overlaps = silhouette_overlaps(tools, "predict", *folders, "--model", tools.model, "--surface", "template",
                                   "--out", tools.out)
    return [mean(views) for views in overlaps]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="gets meshes and overlays")
    parser.add_argument("--write", action="store_true", help="into model.json")
    add_options(parser)
    options = parser.parse_args()
    tools = tools_of(options)
    found = measured(tools)
    text = table(["samples", "mean IoU", "standard deviation", "lowest", "highest"],
                 [[len(found), *(f"{value:.2f}" for value in (mean(found), stdev(found), min(found), max(found)))]])
    print(text)
    if options.write:
        views = read_description(tools.model)["trained_views"]
        typical = [round(value, 2) for value in (mean(found), stdev(found))]
        change_description(tools.model, {KEY: {**views, OVERLAP: typical}})
    write_tables(options.document, "typical-iou", text)


if __name__ == "__main__":
    main()
