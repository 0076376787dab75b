"""Runs p2mpp: its own benchmark for the times, a prediction for the vertices."""

import json
import subprocess
from pathlib import Path
from typing import List

import numpy as np

from .preparation import ROOT
from .worker import WARMUP

REFERENCE_BACKEND = "torchscript"


class ProductError(Exception):
    """p2mpp ended with an error; the text is its last line."""


class Product:
    """p2mpp with one model and one sample on the CPU."""

    def __init__(self, program: Path, model: Path, sample: Path, threads: int):
        self.program = program
        self.common = [str(sample), "--model", str(model), "--device", "cpu", "--threads",
                       str(threads), "--json"]

    def bench(self, backends: str, precisions: str, repeats: int) -> dict:
        """The benchmark's JSON; `backends` and `precisions` are lists with commas."""
        return json.loads(self.run(
            "bench", "--backend", backends, "--precision", precisions, "--no-baseline",
            "--warmup", str(WARMUP), "--repeats", str(repeats)))

    def vertices(self, backend: str, precision: str, out: Path) -> np.ndarray:
        """[N,3] in camera 0's frame."""
        printed = json.loads(self.run("predict", "--backend", backend, "--precision", precision,
                                      "--out", str(out)))
        return np.loadtxt(printed["samples"][0]["xyz"], dtype=np.float32)

    def run(self, command: str, *options: str) -> str:
        done = subprocess.run([self.program, command, *self.common, *options], cwd=ROOT, text=True,
                              capture_output=True, check=False)
        if done.returncode:
            lines: List[str] = done.stderr.strip().splitlines() or [f"exit {done.returncode}"]
            raise ProductError(lines[-1])
        return done.stdout
