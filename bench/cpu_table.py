"""The targets of the CPU engine and what bench/cpu.sh measured. usage: cpu_table.py FOLDER"""

import json
import statistics
import sys
from pathlib import Path

from markdown_table import table

MISSING = "-"


def median_of(rounds, precision, figure):
    """Over the rounds of `p2mpp bench`; None if one of them lacks the figure."""
    values = [figure(row) for document in rounds for row in document["results"]
              if row["precision"] == precision and row["status"] == "measured"]
    return None if not values or None in values else statistics.median(values)


def milliseconds(row):
    return row["total"]["median"]


def over_floor(row):
    """1 is the rate of oneDNN's packed matrix product, measured by the same process."""
    share = row["total"]["share_of_gemm_rate"]
    return 1 / share if share else None


def reasoning_share(row):
    return row["parts"]["drb"]["share_of_gemm_rate"]


def peer_ratio(peers, name):
    """A peer's time in bf16 over p2mpp's in the same semantics."""
    times = {row["name"]: row.get("median_ms") for row in peers["rows"]
             if row["precision"] == "bf16" and row["semantics"] == "design_b"}
    mine, other = times.get("p2mpp fused"), times.get(name)
    return other / mine if mine and other else None


def read(path):
    return json.loads(path.read_text()) if path.exists() else None


def cell(value, form):
    return MISSING if value is None else format(value, form)


def main():
    folder = Path(sys.argv[1])
    rounds = [json.loads(path.read_text()) for path in sorted(folder.glob("bench[0-9]*.json"))]
    peers, scale = read(folder / "peers.json"), read(folder / "scale.json")
    fp32, split, half = (median_of(rounds, each, milliseconds) for each in ("fp32", "bf16x3", "bf16"))
    share = scale["end_to_end"][0]["share"] if scale else None
    environment = rounds[0]["environment"]
    print(table(["", "measured", "target with AMX", "reach for"], [
        ["fp32, ms a sample", cell(fp32, ".0f"), "", ""],
        ["bf16x3, ms a sample", cell(split, ".0f"), "", ""],
        ["bf16, ms a sample", cell(half, ".0f"), "", ""],
        ["bf16, a sample, over the packed bf16 floor", cell(median_of(rounds, "bf16", over_floor), ".2f"), "1.6", "1.25"],
        ["bf16 over OpenVINO bf16", cell(peer_ratio(peers, "OpenVINO") if peers else None, ".2f"), "4x", "6x"],
        ["bf16x3 over our fp32", cell(fp32 / split if fp32 and split else None, ".2f"), "3x", "4x"],
        ["both DRBs, share of oneDNN's bf16 rate", cell(median_of(rounds, "bf16", reasoning_share), ".0%"), "75%", "95%"],
        ["eval end to end over computing alone", cell(share, ".2f"), "0.92", ""]]))
    for name in ("cpu", "physical_cores", "instruction_set", "bf16", "commit", "compiler", "libtorch"):
        print(f"- {name}: {environment[name]}")


if __name__ == "__main__":
    main()
