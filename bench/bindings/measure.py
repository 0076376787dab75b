#!/usr/bin/env python3
"""Measures what the Python package adds to a call of the C++ interface: one sample, one thread of the CPU, from decoded
images to the mesh. Calls of C++ and of Python alternate, each in a process of its own; the times of the three calls of a
round are compared with each other, by the clock and in processor time, which other programs disturb less. Prints a table
in Markdown.

usage: measure.py [--build build] [--model FOLDER] [--sample FOLDER] [--rounds 20]

Needs the Python module and, of a build with -DP2MPP_BUILD_BENCHMARKS=ON, the target p2mpp_call_times. A tiny model
(build-fixtures/test_models/tiny-clean) shows the overhead itself, which the time of the bundled one hides.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CPP, SAMPLE, ARRAYS = "C++, a sample", "Python, a sample", "Python, NumPy arrays and rows"


class CppCalls:
    """The program of call_times.cc, waiting for the next call."""

    def __init__(self, program: Path, model: Path, sample: Path):
        self.process = subprocess.Popen([program, model, sample], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self):
        print(file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.process.args[0]} ended with exit code {self.process.wait()}")
        return tuple(float(number) for number in line.split())


class PythonCalls:
    def __init__(self, p2mpp, model: Path, sample: Path):
        self.engine = p2mpp.Engine(model, device="cpu", threads=1)
        self.sample = self.engine.read_sample(sample)
        rows = (sample / "rendering/rendering_metadata.txt").read_text(encoding="utf-8").splitlines()
        images = sorted((sample / "rendering").glob("*.png"))
        self.rows = [[float(number) for number in rows[int(path.stem)].split()] for path in images]
        self.images = [p2mpp.read_image(path) for path in images]

    def timed(self, *arguments):
        """Milliseconds by the clock and of the processor."""
        processor_begin, begin = time.process_time(), time.perf_counter()
        mesh = self.engine.reconstruct(*arguments)
        assert len(mesh.vertices) and len(mesh.faces)
        return 1000 * (time.perf_counter() - begin), 1000 * (time.process_time() - processor_begin)

    def of_sample(self):
        return self.timed(self.sample)

    def of_arrays(self):
        return self.timed(self.images, self.rows)


def table(title: str, times) -> str:
    lines = [f"| {title} | median ms | min ms | max ms | over C++: medians | minima | rounds: median, quartiles |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    base = times[CPP]
    for name, values in times.items():
        row = [statistics.median(values), min(values), max(values)]
        cells = [f"{value:.3f}" for value in row]
        if name == CPP:
            cells += ["", "", ""]
        else:
            low, middle, high = statistics.quantiles([value / other - 1 for value, other in zip(values, base)], n=4)
            cells += [f"{row[0] / statistics.median(base) - 1:+.2%}", f"{row[1] / min(base) - 1:+.2%}",
                      f"{middle:+.2%}, {low:+.2%} to {high:+.2%}"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--model", type=Path, default=ROOT / "models/p2mpp-shapes")
    parser.add_argument("--sample", type=Path, default=ROOT / "data/02691156/p2mpp0001", help="with rendering/")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    sys.path.insert(0, str(options.build / "python"))
    import p2mpp

    of_python = PythonCalls(p2mpp, options.model, options.sample)
    calls = {CPP: CppCalls(options.build / "p2mpp_call_times", options.model, options.sample), SAMPLE: of_python.of_sample,
             ARRAYS: of_python.of_arrays}
    for call in calls.values():  # to warm up
        call()
    times = {name: [] for name in calls}
    names = list(calls)
    for number in range(options.rounds):  # each begins with another one
        for name in names[number % 3:] + names[:number % 3]:
            times[name].append(calls[name]())
    print(f"{options.model.name}, {options.rounds} rounds, load {os.getloadavg()[0]:.1f} at the end")
    for place, title in enumerate(("by the clock", "processor time")):
        print(f"\n{table(title, {name: [each[place] for each in values] for name, values in times.items()})}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
