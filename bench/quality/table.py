"""Writes the tables of bench/QUALITY.md from what bench/quality/run.sh measured."""

import argparse
from pathlib import Path
from typing import Dict, List

from p2mpp.shapes.categories import CATEGORIES
from shared import summary_of, table, write_tables

NAMES = {category.synset: category.name for category in CATEGORIES}


def figures(metrics: Dict[str, float]) -> List[str]:
    normals = metrics["normal_consistency"]
    return [f"{1000 * metrics['chamfer_distance']:.3f}", f"{metrics['f1_tau']:.2f}",
            "-" if normals is None else f"{normals:.3f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="what run.sh wrote")
    parser.add_argument("document", type=Path)
    options = parser.parse_args()
    found = {name: summary_of(options.out / name)["metrics"]
             for name in ("fp32", "bf16", "template-scores", "nearest-scores", "bundled")}
    exact = found["fp32"]
    columns = ["CD x1000", "F1@tau", "normals"]
    rows = [["**after stage 2, fp32**", *figures(exact["vertices"])],
            ["after stage 2, bf16", *figures(found["bf16"]["vertices"])],
            ["after stage 1", *figures(exact["coarse"])],
            ["nearest training shape", *figures(found["nearest-scores"]["vertices"])],
            ["undeformed template", *figures(found["template-scores"]["vertices"])],
            ["after stage 2, 10,000 surface points", *figures(exact["surface"])],
            ["bundled samples, after stage 2", *figures(found["bundled"]["vertices"])]]
    text = table([f"{exact['count']} held-out shapes, vertices", *columns], rows) + "\n"
    text += table(["after stage 2, by category", "shapes", *columns],
                  [[NAMES.get(name, name), str(each["count"]), *figures(each["vertices"])]
                   for name, each in exact["by_category"].items()])
    write_tables(options.document, "tables", text)


if __name__ == "__main__":
    main()
