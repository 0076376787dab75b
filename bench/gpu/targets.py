#!/usr/bin/env python3
"""Compares the figures of scripts/verify_gpu.sh with the targets; prints a line for each and writes targets.json.

usage: targets.py FOLDER     (of verified.json, measured.json, scale.json, selftest-*.json and quality/)

A target whose figure is missing is not measured, which is not the same as missed.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from markdown_table import table  # noqa: E402

REACHED, MISSED, NOT_MEASURED = "reached", "missed", "not measured"
PRECISIONS = ("tf32", "bf16", "fp16", "fp8")  # those that are compared with fp32; fp8 where the GPU computes it


def read(path):
    """A JSON document, or an empty one."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def verdict(name, asked, found, reached):
    """found: as text, or None where there is no figure."""
    if found is None:
        return {"target": name, "asked": asked, "found": "", "verdict": NOT_MEASURED}
    return {"target": name, "asked": asked, "found": found, "verdict": REACHED if reached else MISSED}


def fused(measured, precision, batch=None, design_b=False):
    """Rows of our own kernels."""
    return [row for row in measured.get("p2mpp", ())
            if row.get("backend") == "fused" and row.get("status") == "measured" and row.get("precision") == precision
            and bool(row.get("design_b")) == design_b and batch in (None, row.get("batch"))]


def latency(measured, precision, most_ms):
    name, asked = f"batch 1, p50, images to vertices, {precision}", f"<= {most_ms} ms"
    rows = fused(measured, precision, 1)
    if not rows:
        return verdict(name, asked, None, False)
    median = rows[0]["total"]["median"]
    return verdict(name, asked, f"{median:.3f} ms", median <= most_ms)


def reasoning_share(measured):
    name, asked = "both deformation reasoning blocks, bf16, batch 1, of cuBLAS's bf16 8192^3", ">= 55%"
    rows = fused(measured, "bf16", 1)
    ceiling = measured.get("ceilings", {}).get("bf16_8192_tflops")
    if not rows or not ceiling:
        return verdict(name, asked, None, False)
    share = rows[0]["parts"]["drb"]["gflops"] / 1000 / ceiling
    return verdict(name, asked, f"{share:.1%} of {ceiling:.0f} TFLOP/s", share >= 0.55)


def throughput(measured):
    name, asked = "bf16 in batches", ">= 1500 samples/s"
    rows = fused(measured, "bf16")
    if not rows:
        return verdict(name, asked, None, False)
    best = max(rows, key=lambda row: row["samples_per_second"])
    return verdict(name, asked, f"{best['samples_per_second']:.0f} samples/s, batch {best['batch']}",
                   best["samples_per_second"] >= 1500)


def over_torch_compile(measured):
    name, asked = "over torch.compile in bf16 with CUDA graphs, design_b", ">= 3x"
    ours = fused(measured, "bf16", 1, design_b=True)
    theirs = [row for row in measured.get("pytorch", ()) if row["name"].startswith("torch.compile with CUDA graphs")
              and row["precision"] == "bf16" and "median" in row]
    if not ours or not theirs:
        return verdict(name, asked, None, False)
    ratio = theirs[0]["median"] / ours[0]["total"]["median"]
    return verdict(name, asked, f"{ratio:.2f}x ({theirs[0]['median']:.3f} ms)", ratio >= 3)


def evaluation_share(scale):
    name, asked = "eval end to end, of computing alone", ">= 80%"
    rows = scale.get("end_to_end")
    if not rows:
        return verdict(name, asked, None, False)
    row = rows[0]
    return verdict(name, asked, f"{row['share']:.1%} ({row['precision']}; {row['share_scored']:.1%} scored)",
                   row["share"] >= 0.8)


def quality(folder):
    """F1 of the bundled samples against fp32's, a target for each precision."""
    exact = read(folder / "fp32.json").get("vertices")
    for precision in PRECISIONS:
        name, asked = f"F1@tau of the bundled samples, {precision}", "within 0.1 of fp32"
        found = read(folder / f"{precision}.json").get("vertices")
        if precision == "fp8" and not found:
            continue
        if not exact or not found:
            yield verdict(name, asked, None, False)
        else:
            difference = found["f1_tau"] - exact["f1_tau"]
            yield verdict(name, asked, f"{found['f1_tau']:.3f}, {difference:+.3f}", abs(difference) <= 0.1)


def start_checks(folder):
    """The time of the self-check at an engine's start, a target for each precision."""
    for precision in ("fp32", *PRECISIONS):
        name, asked = f"self-check at an engine's start, {precision}", "<= 150 ms"
        rates = read(folder / f"selftest-{precision}.json").get("rates", [])
        found = next((rate["start_check_ms"] for rate in rates if rate.get("start_check_ms") is not None), None)
        if precision == "fp8" and found is None:
            continue
        yield verdict(name, asked, None if found is None else f"{found:.0f} ms", found is not None and found <= 150)


def sanitized(steps, tool):
    result = steps.get(tool, {}).get("result", "skipped")
    found = None if result.startswith(("skipped", "running")) else result
    return verdict(f"findings of {tool}", "none", found, result == "passed")


def all_targets(folder):
    measured, steps = read(folder / "measured.json"), read(folder / "verified.json").get("steps", {})
    return [latency(measured, "tf32", 4), latency(measured, "bf16", 1.2), reasoning_share(measured),
            throughput(measured), over_torch_compile(measured), evaluation_share(read(folder / "scale.json")),
            *quality(folder / "quality"), *start_checks(folder), sanitized(steps, "memcheck"), sanitized(steps, "racecheck")]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    folder = Path(sys.argv[1])
    targets = all_targets(folder)
    (folder / "targets.json").write_text(json.dumps(targets, indent=2) + "\n", encoding="utf-8")
    rows = [[target[key] for key in ("target", "asked", "found", "verdict")] for target in targets]
    print(table(["target", "asked", "found", None], rows, text_columns=4, dense=True), end="")


if __name__ == "__main__":
    main()
