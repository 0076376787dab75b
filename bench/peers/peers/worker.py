"""Runs one peer: python -m peers.worker INDEX PROBLEM.npz --result FILE.json ...

The result file has the milliseconds of each call, the peer's version and the path of its vertices. If there
are none, it has the "reason".
"""

import argparse
import importlib
import json
import time
import traceback
from pathlib import Path
from typing import Callable, List

import numpy as np

from .problem import Problem
from .registry import PEERS, Settings

WARMUP = 2


def milliseconds(call: Callable[[], np.ndarray], repeats: int) -> List[float]:
    """Of each call, after the warm-up."""
    times = []
    for _ in range(WARMUP + repeats):
        start = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - start))
    return times[WARMUP:]


def measure(options: argparse.Namespace) -> dict:
    peer = PEERS[options.index]
    build = getattr(importlib.import_module(f"peers.{peer.module}"), peer.builder)
    ready = build(Problem.load(options.problem),
                  Settings(peer.precision, options.threads, options.problem.parent))
    vertices = options.result.with_suffix(".npy")
    np.save(vertices, ready.sample())
    return {"version": ready.version, "vertices": str(vertices),
            "milliseconds": milliseconds(ready.sample, options.repeats),
            "drb_milliseconds": milliseconds(ready.drb, options.repeats)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("index", type=int)
    parser.add_argument("problem", type=Path)
    parser.add_argument("--result", type=Path, required=True)
    parser.add_argument("--repeats", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    options = parser.parse_args()
    try:
        result = measure(options)
    except Exception as error:  # whatever a peer throws is its row's reason
        traceback.print_exc()
        first_line = (str(error).strip().splitlines() or [""])[0]
        result = {"reason": f"failed: {type(error).__name__}: {first_line}"[:160]}
    options.result.write_text(json.dumps(result))


if __name__ == "__main__":
    main()
