"""Times p2mpp and its peers in turn on a CPU, with the same weights and sample, holds their
vertices against each other, and writes the table into bench/RESULTS.md."""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Dict, List

from .comparison import Comparison, run_module, say
from .preparation import ROOT
from .product import ProductError
from .registry import PEERS
from .report import Row, markdown, write_section

RESULTS = ROOT / "bench" / "RESULTS.md"


def measure_floor(options: argparse.Namespace, work: Path) -> Dict[str, float]:
    """GFLOP/s by precision; empty where this PyTorch or CPU cannot do it."""
    say("matrix product")
    file = work / "floor.json"
    log = work / "floor.log"
    if run_module("gemm_floor", ["--result", file], options, log) != 0:
        say(f"not measured: {log.read_text().strip().splitlines()[-1]}")
        return {}
    return json.loads(file.read_text())


def physical_cores() -> int:
    """Of those that this process may use."""
    cores = set()
    for cpu in os.sched_getaffinity(0):
        siblings = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        cores.add(siblings.read_text() if siblings.exists() else str(cpu))
    return len(cores)


def facts(options: argparse.Namespace, comparisons: List[Comparison]) -> Dict[str, object]:
    """The machine and the versions that were measured."""
    environment = comparisons[0].environment
    versions = dict.fromkeys(row.version for each in comparisons for row in each.rows
                             if row.measured)
    command = f"bench/peers/run.sh --repeats {options.repeats} --rounds {options.rounds}"
    return {"command": command, "model": options.model.name, "sample": options.sample.name,
            "views": len(comparisons[0].problem.images), "threads": options.threads,
            "versions": ", ".join(versions),
            **{name: environment[name] for name in
               ("cpu", "physical_cores", "operating_system", "commit", "compiler", "libtorch")}}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/peers/run.sh", description=__doc__)
    parser.add_argument("--repeats", type=int, default=5, metavar="N",
                        help="calls that count, a round (default: 5)")
    parser.add_argument("--rounds", type=int, default=2, metavar="N",
                        help="rounds over all programs, p2mpp before each and at the end "
                        "(default: 2)")
    parser.add_argument("--model", type=Path, default=ROOT / "models" / "p2mpp-shapes",
                        metavar="FOLDER", help="whose weights, in each program's semantics "
                        "(default: models/p2mpp-shapes)")
    parser.add_argument("--sample", type=Path, default=ROOT / "data" / "02691156" / "p2mpp0001",
                        metavar="FOLDER", help="default: data/02691156/p2mpp0001")
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "p2mpp", metavar="FILE",
                        help="default: build/p2mpp")
    parser.add_argument("--backend", default="torchscript,fused", metavar="NAME,...",
                        help="p2mpp's backends (default: torchscript,fused)")
    parser.add_argument("--precision", default="fp32,bf16", metavar="NAME,...",
                        help="p2mpp's precisions (default: fp32,bf16)")
    parser.add_argument("--threads", type=int, default=physical_cores(), metavar="N",
                        help="default: one for each physical core")
    parser.add_argument("--output", type=Path, metavar="FILE", help="JSON with all of it")
    options = parser.parse_args()
    for name in ("model", "sample", "program"):
        setattr(options, name, getattr(options, name).resolve())
    return options


def compare_all(options: argparse.Namespace, work: Path) -> List[Row]:
    """Rounds, table and JSON. Throws ProductError."""
    say("preparing")
    comparisons = [Comparison(semantics, options, work)
                   for semantics in dict.fromkeys(peer.semantics for peer in PEERS)]
    rates = measure_floor(options, work)
    for _ in range(options.rounds):
        for comparison in comparisons:
            comparison.run_product()
        for comparison in comparisons:
            for peer in comparison.peer_rows:
                comparison.run_peer(peer)
    for comparison in comparisons:
        comparison.run_product()
        comparison.compare()
    rows = [row for comparison in comparisons for row in comparison.rows]
    gigaflop = comparisons[0].problem.gigaflop()
    found = facts(options, comparisons)
    write_section(RESULTS, markdown(rows, gigaflop, rates, found))
    if options.output:
        options.output.write_text(json.dumps(
            {"facts": found, "gigaflop": gigaflop, "gigaflop_per_second": rates,
             "rows": [row.as_json() for row in rows]}, indent=2) + "\n")
    return rows


def main() -> int:
    options = parse()
    try:
        with tempfile.TemporaryDirectory(prefix="p2mpp-peers-") as work:
            rows = compare_all(options, Path(work))
    except ProductError as error:
        print(f"peers: error: {error}", file=sys.stderr)
        return 1
    disagreeing = [f"{row.name} ({row.precision}, {row.semantics})" for row in rows
                   if not row.agrees()]
    if disagreeing:
        print(f"peers: error: other vertices than p2mpp's from {', '.join(disagreeing)}",
              file=sys.stderr)
        return 1
    say(f"done: {RESULTS.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
