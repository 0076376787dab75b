"""Rows, their agreement with p2mpp, and how they are written down."""

import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional

import numpy as np

from markdown_table import table

PRODUCT = "p2mpp"
FAST_BACKEND = f"{PRODUCT} fused"
MEAN_LIMIT = 1e-5
VERTEX_LIMIT = 1e-4
# In tf a lookup at a whole pixel reads 0, and which of two million projected points round to one is
# each program's own: it moves up to half a percent of the vertices a little more.
VERTEX_SHARES = {"design_b": 0.995, "tf": 0.99}
BEGIN, END = "<!-- peers:begin -->", "<!-- peers:end -->"
HEADING = "## Against the peers, on a CPU"


@dataclass
class Row:
    """One program in one precision and semantics. Milliseconds: `medians`, `minima` and
    `drb_medians` have one number a round; the result is their median, or the least."""

    name: str
    precision: str
    semantics: str
    medians: List[float] = field(default_factory=list)
    minima: List[float] = field(default_factory=list)
    drb_medians: List[float] = field(default_factory=list)
    vertices: Optional[np.ndarray] = None
    version: str = ""
    reason: str = ""
    agreement: Optional[Dict[str, float]] = None

    def add_round(self, milliseconds: List[float], drb_milliseconds: List[float]) -> None:
        self.medians.append(statistics.median(milliseconds))
        self.minima.append(min(milliseconds))
        self.drb_medians.append(statistics.median(drb_milliseconds))

    @property
    def measured(self) -> bool:
        return bool(self.medians) and not self.reason

    @property
    def median(self) -> float:
        return statistics.median(self.medians)

    def compare(self, reference: np.ndarray) -> None:
        """Vertices [N,3] against the reference's."""
        difference = np.abs(self.vertices - reference)
        self.agreement = {"mean": float(difference.mean()), "max": float(difference.max()),
                          "share_within_limit": float((difference.max(1) <= VERTEX_LIMIT).mean())}

    def agrees(self) -> bool:
        """fp32 within the limits; other precisions are reported only."""
        if self.agreement is None or self.precision != "fp32":
            return True
        return (self.agreement["mean"] < MEAN_LIMIT
                and self.agreement["share_within_limit"] >= VERTEX_SHARES[self.semantics])

    def as_json(self) -> dict:
        common = {"name": self.name, "precision": self.precision, "semantics": self.semantics}
        if not self.measured:
            return {**common, "reason": self.reason}
        return {**common, "version": self.version, "median_ms": self.median,
                "min_ms": min(self.minima), "round_medians_ms": self.medians,
                "drb_median_ms": statistics.median(self.drb_medians) if self.drb_medians else None,
                "agreement": self.agreement, "agrees": self.agrees()}


def speed_up(row: Row, rows: List[Row]) -> Optional[float]:
    """Of p2mpp's fused backend, in the row's precision and semantics, over the row."""
    for fast in rows:
        if (fast.name, fast.precision, fast.semantics) == (FAST_BACKEND, row.precision,
                                                           row.semantics) and fast.measured:
            return row.median / fast.median
    return None


def row_table(rows: List[Row]) -> str:
    lines = []
    for row in rows:
        cells = [row.semantics, row.name, row.precision]
        if row.measured:
            factor = speed_up(row, rows)
            cells += [f"{row.median:.1f}", f"{statistics.median(row.drb_medians):.1f}" if row.drb_medians else "",
                      f"{factor:.2f}" if factor else "", f"{row.agreement['max']:.1e}"]
            if not row.agrees():
                cells[-1] += " **disagrees**"
        else:
            cells += [row.reason.replace("|", "/"), "", "", ""]
        lines.append(cells)
    return table(["semantics", "what", "precision", "median", "one DRB", "fused's speed-up over it",
                  "max difference"], lines, text_columns=3)


def floor_lines(gigaflop: float, rates: Dict[str, float]) -> str:
    """The packed matrix product's rate, and what the whole sample would take at it."""
    return "\n".join(f"- floor_{precision}: {1e3 * gigaflop / rate:.0f} ms "
                     f"({gigaflop:.0f} GFLOP at {rate:.0f} GFLOP/s)"
                     for precision, rate in rates.items())


def markdown(rows: List[Row], gigaflop: float, rates: Dict[str, float],
             facts: Dict[str, object]) -> str:
    listed = "\n".join(f"- {name}: {value}" for name, value in facts.items())
    return (f"`{facts['command']}`; bench/README.md describes the rows.\n\n"
            "Milliseconds a sample, batch 1; differences of the refined vertices from p2mpp's "
            f"torchscript backend in fp32.\n\n{row_table(rows)}\n{floor_lines(gigaflop, rates)}\n"
            f"{listed}\n")


def write_section(path: Path, text: str) -> None:
    """Between the markers, or as a section at the file's end."""
    content = path.read_text()
    section = f"{BEGIN}\n{text}{END}"
    if BEGIN in content and END in content:
        before, rest = content.split(BEGIN, 1)
        content = before + section + rest.split(END, 1)[1]
    else:
        content = f"{content.rstrip()}\n\n{HEADING}\n\n{section}\n"
    path.write_text(content)
