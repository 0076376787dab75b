"""How well meshes of one sample without ground truth cover its masks: the silhouettes' IoU in each view after stage 1,
after stage 2 and after the fit to the same masks, as `p2mpp predict` and `p2mpp render` print it."""

import argparse
import json
import subprocess
from pathlib import Path
from typing import List

from shared import Tools, add_options, table, tools_of, write_tables


def overlaps(tools: Tools, command: str, *arguments) -> List[float]:
    """The IoU of each view. Raises RuntimeError if the program fails."""
    done = subprocess.run([tools.program, command, *arguments, "--overlay", "--json", "--quiet"], check=False,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"p2mpp {command}: {done.stderr.strip()}")
    [found] = json.loads(done.stdout)["samples" if command == "predict" else "meshes"]
    return [view["iou"] for view in found["silhouettes"]]


def measured(tools: Tools, sample: Path) -> dict:
    out = tools.out
    predict = ["predict", sample, "--model", tools.model, "--out"]
    refined = overlaps(tools, *predict, out / "network", "--coarse")
    stage1 = next((out / "network").glob("*_coarse3.obj"))
    return {"after stage 1": overlaps(tools, "render", stage1, "--sample", sample, "--out", out / "stage1"),
            "after stage 2": refined,
            "fitted to the three masks (`--fit-views same`)": overlaps(tools, *predict, out / "fitted", "--fit-views",
                                                                       "same")}


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
    if options.document:
        write_tables(options.document, "plane", text)


if __name__ == "__main__":
    main()
