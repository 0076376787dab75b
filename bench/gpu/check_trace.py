#!/usr/bin/env python3
"""Checks that a trace of `p2mpp eval` has the work of a CUDA device at the correct times of the host's clock.

usage: check_trace.py TRACE
"""

import json
import sys

TOLERANCE_US = 1000  # of comparing two clocks
ROWS = ("device: copies in", "device: kernels", "device: kernels beside", "device: copies out")


def check(document):
    """The trace's faults, a line each."""
    events = document["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
    rows = {}
    for event in events:
        if event["ph"] == "X":
            rows.setdefault(names[event["tid"]], []).append((event["ts"], event["ts"] + event["dur"]))
    problems = [f"no row \"{name}\"" for name in (*ROWS, "compute") if name not in rows]
    if problems:
        return problems
    first, last = min(rows["compute"])[0], max(end for _, end in rows["compute"])
    for name in ROWS:
        spans = sorted(rows[name])
        if spans[0][0] < first - TOLERANCE_US or max(end for _, end in spans) > last + TOLERANCE_US:
            problems.append(f"\"{name}\" is at work before or after everything was computed")
        if any(after[0] < before[1] - TOLERANCE_US for before, after in zip(spans, spans[1:])):
            problems.append(f"\"{name}\" does two things at a time")
    return problems


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        problems = check(json.load(file))
    for problem in problems:
        print(f"check_trace: {sys.argv[1]}: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
