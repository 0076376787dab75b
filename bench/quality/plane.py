"""Measures how well the meshes of one sample without ground truth cover its masks: the silhouettes' IoU in
each view after stage 1, after stage 2 and after the fit to the same masks, as `p2mpp predict` and `p2mpp
render` print it."""

import argparse
import json
from pathlib import Path
from typing import Dict, List

from shared import Tools, add_options, silhouette_overlaps, table, tools_of, write_tables


def measured(tools: Tools, sample: Path) -> Dict[str, List[float]]:
    """The IoU of each view by row."""
    out = tools.out
    predict = (tools, "predict", sample, "--model", tools.model, "--surface", "template", "--out")
    [refined] = silhouette_overlaps(*predict, out / "network", "--coarse")
    stage1 = next((out / "network").glob("*_coarse3.obj"))
    [coarse] = silhouette_overlaps(tools, "render", stage1, "--sample", sample, "--out", out / "stage1")
    [fitted] = silhouette_overlaps(*predict, out / "fitted", "--fit-views", "same")
    return {"after stage 1": coarse, "after stage 2": refined, "fitted to the three masks (`--fit-views same`)": fitted}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=Path, required=True, help="a folder that `p2mpp predict` takes")
    parser.add_argument("--out", type=Path, required=True, help="gets meshes, overlays and iou.json")
    add_options(parser)
    options = parser.parse_args()
    tools = tools_of(options)
    found = measured(tools, options.sample.resolve())
    (tools.out / "iou.json").write_text(json.dumps(found, indent=2) + "\n")
    views = len(found["after stage 1"])
    text = table([None, *(f"view {view + 1}" for view in range(views))],
                 [[name, *(f"{iou:.3f}" for iou in ious)] for name, ious in found.items()])
    print(text)
    write_tables(options.document, "plane", text)


if __name__ == "__main__":
    main()
