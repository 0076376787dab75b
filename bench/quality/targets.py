"""Writes the table of targets in bench/QUALITY.md and the tables of the model's card from what bench/quality/run.sh
measured."""

import argparse
import csv
import json
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple, Optional

import numpy as np

from poses import DRAWS
from recolour import LOOKS, OWN, PATTERNS
from people import fit_figures
from shared import summary_of, table, write_tables

LIBRARIES = ("KatorLegaz", "BlendSwap-CC-BY")
OTHERS = "-outside"

Metrics = Dict[str, Dict[str, float]]  # of a run: "coarse" and "vertices"


class Target(NamedTuple):
    """A row: numbers that were measured, in `form`, and whether each must be at least or at most `bound`. None: not
    asked for. `asked`, with what would be better still: as the table says it."""

    name: str
    asked: str
    found: List[float]
    form: str = "{:.1f}"
    bound: Optional[float] = None
    at_most: bool = False
    note: str = ""

    def row(self) -> List[str]:
        # Compared as printed, so that the table does not contradict itself.
        shown = [self.form.format(value) for value in self.found]
        return [self.name, self.asked, "; ".join(shown), self.note or self.verdict(shown)]

    def verdict(self, shown: List[str]) -> str:
        numbers = [float(value.rstrip("%")) for value in shown]
        met = [value <= self.bound if self.at_most else value >= self.bound for value in numbers]
        return "met" if all(met) else "**missed**" if not any(met) else \
            "; ".join("met" if each else "**missed**" for each in met)


def f1(metrics: Metrics) -> float:
    return metrics["vertices"]["f1_tau"]


def cd(metrics: Metrics) -> float:
    """x1000"""
    return 1000 * metrics["vertices"]["chamfer_distance"]


def refinement(metrics: Metrics) -> float:
    """By how many per cent stage 2 lowers CD."""
    return 100 * (1 - metrics["vertices"]["chamfer_distance"] / metrics["coarse"]["chamfer_distance"])


class Measured:
    """The results in run.sh's folder."""

    def __init__(self, out: Path):
        self.out = out
        self.exact, self.bf16, self.bundled = (self.metrics(name) for name in ("fp32", "bf16", "bundled"))
        self.ten = [self.people(library, "network") for library in LIBRARIES]
        self.others = [self.people(library + OTHERS, "network") for library in LIBRARIES]
        self.white = [self.people(library, "white") for library in LIBRARIES]

    def metrics(self, run: str) -> Metrics:
        return summary_of(self.out / run)["metrics"]

    def people(self, library: str, run: str) -> Metrics:
        return self.metrics(f"people/{library}/{run}")

    def all_people(self, figure: Callable[[Metrics], float]) -> float:
        runs = self.ten + self.others
        return float(np.average([figure(run) for run in runs], weights=[run["count"] for run in runs]))

    def people_count(self) -> int:
        return sum(run["count"] for run in self.ten + self.others)

    def overlaps(self) -> List[float]:
        """IoU of people's objects of the ten categories."""
        return [float(fit_figures(self.out / "people" / library / "fitted", "before")[0]) for library in LIBRARIES]

    def nearest(self) -> List[float]:
        return [self.people(library + OTHERS, "nearest-scores")["vertices"]["f1_tau"] for library in LIBRARIES]

    def look_losses(self) -> List[float]:
        """F1@tau that the worst look costs, of those without a pattern and of those with one."""
        scores = json.loads((self.out / "recoloured" / "scores.json").read_text())
        return [max(scores[OWN]["f1"] - scores[look]["f1"] for look in looks)
                for looks in ([look for look in LOOKS if look not in PATTERNS], PATTERNS)]

    def pose_losses(self) -> List[float]:
        """F1@tau that errors of the poses cost, of the bundled samples and of people's."""
        return [f1(self.metrics(f"poses/{data}-exact"))
                - float(np.mean([f1(self.metrics(f"poses/{data}-{draw}")) for draw in range(DRAWS)]))
                for data in ("data", "people")]

    def plane(self) -> List[float]:
        return json.loads((self.out / "plane" / "iou.json").read_text())["after stage 2"]

    def precision_losses(self) -> List[float]:
        exact, fp8 = (self.metrics(f"fp8/{scheme}") for scheme in ("fp32", "d"))
        return [abs(f1(self.exact) - f1(self.bf16)), abs(f1(exact) - f1(fp8))]


def targets(found: Measured) -> List[Target]:
    kator, blend = LIBRARIES
    both, shapes, people = f"{kator}; {blend}", f"these {found.exact['count']} shapes", "people's objects"
    nearest = "; ".join(f"{value:.1f}" for value in found.nearest())
    count = f"all {found.people_count()} of {people}"
    return [
        Target(f"{shapes}, F1@tau", "72 (78)", [f1(found.exact)], bound=72),
        Target(f"{people} of the ten categories, F1@tau: {both}", "68 (73)", [*map(f1, found.ten)], bound=68),
        Target(f"the same, CD x1000: {both}", "0.36 (0.30)", [*map(cd, found.ten)], "{:.3f}", 0.36, True),
        Target(f"the same, IoU: {both}", "0.86 (0.90)", found.overlaps(), "{:.3f}", 0.86),
        Target(f"{people} outside them, F1@tau: {both}", "measured", [*map(f1, found.others)],
               note=f"nearest training shape: {nearest}"),
        Target(f"{count}, F1@tau", "", [found.all_people(f1)], note="-"),
        Target(f"{count}, CD x1000", "", [found.all_people(cd)], "{:.2f}", note="-"),
        Target(f"white on white, F1@tau: {both}", "55 (65)", [*map(f1, found.white)], bound=55),
        Target("F1@tau lost by the worst look, six bundled shapes: plain; checkered", "3",
               found.look_losses(), bound=3, at_most=True),
        Target(f"normals, {shapes}", "0.83 (0.87)", [found.exact["vertices"]["normal_consistency"]], "{:.3f}", 0.83),
        Target(f"CD, by how much stage 2 lowers it: {shapes}; {kator}", "12% (15%)",
               [refinement(found.exact), refinement(found.ten[0])], "{:.1f}%", 12),
        Target("plane demo, IoU of each view", "0.70 (0.77)", found.plane(), "{:.2f}", 0.70),
        Target("F1@tau lost with poses off by 1 degree and 1%: bundled; people's", "3 (1.5)",
               found.pose_losses(), bound=3, at_most=True),
        Target("F1@tau, difference from fp32: bf16, these; fp8 computed on a CPU, bundled", "0.05",
               found.precision_losses(), "{:.3f}", 0.05, True),
    ]


def target_table(found: Measured) -> str:
    rows = [target.row() for target in targets(found)]
    rows.append(["F1@tau, difference from fp32: fp16", "none", "not measured",
                 "needs CUDA ([docs/gpus.md](../docs/gpus.md#status))"])
    return table(["target", "asked (reach)", "measured", None], rows)


def score_table(found: Measured) -> str:
    """Of the model's card."""
    kator, blend = LIBRARIES
    rows = [[f"{found.exact['count']} procedural shapes", found.exact],
            [f"{found.ten[0]['count']} objects that people made, of the ten categories ({kator})", found.ten[0]],
            ["the same, recoloured white on white", found.white[0]],
            [f"{found.others[0]['count']} others that people made ({kator})", found.others[0]],
            [f"{found.ten[1]['count']} of the ten categories ({blend})", found.ten[1]],
            [f"{found.others[1]['count']} others ({blend})", found.others[1]]]
    return table([None, "F1@tau"], [[name, f"{f1(metrics):.1f}"] for name, metrics in rows])


GROUPS = {"people's, ten categories": "people", "people's others": "other", "procedural": "procedural",
          "white on white": "white", "photographs' cameras": "photographs"}


def validation_table(log: Path) -> str:
    """The table of the model's card: F1@tau on the validation sets, from the log of p2mpp-train."""
    with log.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return table(["stage", "steps", "minutes", "learning rate", *GROUPS],
                 [[row["stage"], f"{int(row['step']):,}", f"{float(row['seconds']) / 60:.0f}",
                   f"{float(row['learning_rate']):.1e}",
                   *(f"{float(row[f'f1_tau_{group}']):.1f}" for group in GROUPS.values())] for row in rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="what run.sh wrote")
    parser.add_argument("--document", type=Path, help="QUALITY.md")
    parser.add_argument("--card", type=Path, help="the model's card")
    parser.add_argument("--log", type=Path, help="log.csv of p2mpp-train")
    options = parser.parse_args()
    found = Measured(options.out)
    text = target_table(found)
    print(text)
    write_tables(options.document, "targets", text)
    if options.card:
        write_tables(options.card, "scores", score_table(found))
    if options.card and options.log:
        write_tables(options.card, "validation", validation_table(options.log))


if __name__ == "__main__":
    main()
