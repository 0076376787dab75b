"""The rate of the matrix product that takes most of the network's time: PyTorch's oneDNN product with a
weight packed beforehand. python -m peers.gemm_floor --result FILE.json ... writes GFLOP/s by precision."""

import argparse
import json
import time
from pathlib import Path

import torch

ROWS, CHANNELS_IN, CHANNELS_OUT = 11008, 192, 384
PRECISIONS = {"fp32": torch.float32, "bf16": torch.bfloat16}
GIGAFLOP = 2e-9 * ROWS * CHANNELS_IN * CHANNELS_OUT
CALLS = 20


def gigaflop_per_second(dtype: torch.dtype, repeats: int) -> float:
    """The best of `repeats` rounds of calls."""
    random = torch.Generator().manual_seed(1)
    x = torch.randn(ROWS, CHANNELS_IN, generator=random).to(dtype)
    weight = torch.randn(CHANNELS_OUT, CHANNELS_IN, generator=random).to(dtype)
    packed = torch.ops.mkldnn._reorder_linear_weight(weight, ROWS)
    best = float("inf")
    for _ in range(1 + repeats):
        start = time.perf_counter()
        for _ in range(CALLS):
            torch.ops.mkldnn._linear_pointwise(x, packed, None, "none", [], "")
        best = min(best, (time.perf_counter() - start) / CALLS)
    return GIGAFLOP / best


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--result", type=Path, required=True)
    parser.add_argument("--repeats", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    with torch.inference_mode():
        rates = {name: gigaflop_per_second(dtype, options.repeats)
                 for name, dtype in PRECISIONS.items()}
    options.result.write_text(json.dumps(rates))


if __name__ == "__main__":
    main()
