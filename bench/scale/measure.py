#!/usr/bin/env python3
"""Measures what `p2mpp eval` adds to computing: the share of the device's throughput that it reaches end to end, resident
memory over a long list of which a hundredth is damaged, and what --trace and --profile cost. Writes one JSON on stdout.

usage: measure.py [--build build] [--what end_to_end,watching,memory] [--device cpu] [--precisions fp32,bf16]
                  [--batch 1] [--copies 1] [--rounds 3] [--work FOLDER]

Needs p2mpp in the build folder and, for memory, the tiny model that the CLI tests make there (ctest --test-dir build -R
cli_inputs). Alternates the compared programs, round by round. Nothing else should run meanwhile.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "models/p2mpp-shapes"
SETTLED_SAMPLES = 500  # memory is to stay what it is from here on
DAMAGED = 100  # every so many-th sample of the long list is


def run(options, *arguments, expected=(0,)):
    done = subprocess.run([options.build / "p2mpp", *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode not in expected:
        sys.exit(f"p2mpp {arguments[0]}: exit code {done.returncode}: {done.stderr.strip()[-500:]}")
    return done


def bundled_list(folder, copies):
    """The bundled samples several times over, under names of their own; the files are links within the root."""
    ids = (ROOT / "data/test_list.txt").read_text().split()
    names = []
    for index in range(copies):
        for line in ids:
            category, model = line.split("_")[:2]
            copy = f"{model}x{index}"
            shutil.copytree(ROOT / "data" / category / model, folder / "images" / category / copy)
            truth = folder / "truth"
            truth.mkdir(exist_ok=True)
            shutil.copy(ROOT / "data" / f"{category}_{model}_00_ground.xyz", truth / f"{category}_{copy}_00_ground.xyz")
            names.append(f"{category}_{copy}_00.dat")
    (folder / "list.txt").write_text("\n".join(names) + "\n")


def evaluate(folder, options, precision, *extra):
    """samples/s of computing and end to end."""
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    document = json.loads(run(options, "eval", "--model", MODEL, "--batch", options.batch, "--list", folder / "list.txt", "--images-root",
                              folder / "images", "--out", out, "--device", options.device, "--precision", precision, "--json",
                              "--quiet", *extra).stdout)
    return document["throughput"]


def device_only(options, precision):
    """samples/s of `bench`, which computes one decoded sample again and again."""
    document = json.loads(run(options, "bench", "--model", MODEL, "--device", options.device, "--precision", precision,
                              "--batch", options.batch, "--backend", "fused", "--repeats", options.repeats, "--no-baseline", "--json", "--quiet",
                              ROOT / "data/02691156/p2mpp0001").stdout)
    return document["results"][0]["samples_per_second"]


def end_to_end(folder, options):
    rows = []
    for precision in options.precisions.split(","):
        rounds = []
        for _ in range(options.rounds):
            alone = device_only(options, precision)
            plain = evaluate(folder, options, precision)
            scored = evaluate(folder, options, precision, "--truth-root", folder / "truth")
            after = device_only(options, precision)
            alone = (alone + after) / 2
            rounds.append({"device_only": alone, "end_to_end": plain["samples_per_second_end_to_end"],
                           "end_to_end_scored": scored["samples_per_second_end_to_end"]})
        rows.append({"precision": precision, "rounds": rounds,
                     "share": statistics.median(row["end_to_end"] / row["device_only"] for row in rounds),
                     "share_scored": statistics.median(row["end_to_end_scored"] / row["device_only"] for row in rounds)})
    return rows


def watching(folder, options):
    """Wall clock of --trace and --profile over that without, each the least of its rounds."""
    precision = options.precisions.split(",")[0]
    bare, watched = [], []
    for _ in range(options.rounds):
        for times, extra in ((bare, ()), (watched, ("--profile", "--trace", folder / "trace.json"))):
            times.append(evaluate(folder, options, precision, *extra)["wall_seconds"])
    return {"bare_seconds": bare, "watched_seconds": watched, "overhead": min(watched) / min(bare) - 1}


def memory(folder, options):
    tiny = ROOT / "build-fixtures/cli_inputs"
    for index in range(options.memory_samples):
        images = folder / f"many/chair/{index:05d}"
        if index % DAMAGED == DAMAGED - 1:
            shutil.copytree(tiny / "samples/shape", images)
            image = next(images.rglob("06.png"))
            image.write_bytes(image.read_bytes()[:image.stat().st_size // 2])
        else:
            images.parent.mkdir(parents=True, exist_ok=True)
            images.symlink_to(folder / "many/sample")
    shutil.copytree(tiny / "samples/shape", folder / "many/sample")
    lines = [f"chair_{index:05d}_00.dat\n" for index in range(options.memory_samples)]
    (folder / "many.txt").write_text("".join(lines))
    begun = time.monotonic()
    done = run(options, "eval", "--model", tiny / "models/tiny", "--list", folder / "many.txt", "--images-root", folder / "many",
               "--out", folder / "many-out", "--overwrite", "--device", options.device, "--profile", "--json", "--quiet", expected=(4,))
    document = json.loads(done.stdout)
    resident = document["profile"]["resident_bytes_over_seconds"]
    wall = document["throughput"]["wall_seconds"]
    settled = [size for seconds, size in resident if seconds >= wall * SETTLED_SAMPLES / options.memory_samples]
    return {"samples": document["samples"], "wall_seconds": time.monotonic() - begun,
            "resident_bytes_after_500": settled[0], "resident_bytes_at_last": settled[-1],
            "resident_bytes_at_most": max(settled), "growth": max(settled) / settled[0] - 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--what", default="end_to_end,watching,memory")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--precisions", default="fp32,bf16")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=20, help="of a sample, where the device alone is measured")
    parser.add_argument("--batch", default="1", help="samples computed together")
    parser.add_argument("--copies", type=int, default=1, help="of the bundled samples in the list")
    parser.add_argument("--memory-samples", type=int, default=10000)
    parser.add_argument("--work", type=Path, help="a folder for temporary files")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.work) as name:
        folder = Path(name)
        bundled_list(folder, options.copies)
        measures = {"end_to_end": end_to_end, "watching": watching, "memory": memory}
        document = {"device": options.device}
        for what in options.what.split(","):
            document[what] = measures[what](folder, options)
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
