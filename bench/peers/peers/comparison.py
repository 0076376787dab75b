"""One semantics compared: p2mpp and the peers that have it, each in processes of its own."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Dict, List

import numpy as np

from .preparation import export_with_semantics, make_problem
from .problem import blocks
from .product import REFERENCE_BACKEND, Product, ProductError
from .registry import PEERS, Peer
from .report import PRODUCT, Row

FOLDER = Path(__file__).resolve().parents[1]
TIME_LIMIT_SECONDS = 1800


def say(text: str) -> None:
    print(f"peers: {text}", file=sys.stderr, flush=True)


def run_module(module: str, arguments: list, options: argparse.Namespace, log: Path) -> int:
    """The exit code of python -m peers.MODULE, run with the options' repeats and threads."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(options.threads),
                   "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [sys.executable, "-m", f"peers.{module}", *arguments, "--repeats",
               str(options.repeats), "--threads", str(options.threads)]
    with open(log, "w", encoding="utf-8") as output:
        return subprocess.run(command, cwd=FOLDER, env=environment, stdout=output, stderr=output,
                              timeout=TIME_LIMIT_SECONDS, check=False).returncode


class Comparison:
    """One semantics: its model folder, its problem, and a row a program."""

    def __init__(self, semantics: str, options: argparse.Namespace, work: Path):
        self.semantics = semantics
        self.options = options
        self.work = work / semantics
        self.work.mkdir()
        model = self.work / "model"
        export_with_semantics(options.model, semantics, model)
        self.problem = make_problem(model, options.sample)
        self.problem_file = self.work / "problem.npz"
        self.problem.save(self.problem_file)
        self.product = Product(options.program, model, options.sample, options.threads)
        self.environment: Dict[str, object] = {}
        self.product_rows: Dict[str, Row] = {}
        self.peer_rows = {peer: Row(peer.name, peer.precision, semantics, reason=peer.reason)
                          for peer in PEERS if peer.semantics == semantics}

    @property
    def rows(self) -> List[Row]:
        return [*self.product_rows.values(), *self.peer_rows.values()]

    def run_product(self) -> None:
        """p2mpp's part of a round."""
        say(f"{PRODUCT}, {self.semantics}")
        report = self.product.bench(self.options.backend, self.options.precision,
                                    self.options.repeats)
        self.environment = report["environment"]
        for result in report["results"]:
            backend, precision = result["backend"], result["precision"]
            row = self.product_rows.setdefault(f"{backend} {precision}", Row(
                f"{PRODUCT} {backend}", precision, self.semantics,
                version=f"{PRODUCT} {self.environment['p2mpp']}"))
            if result["status"] != "measured":
                row.reason = result["reason"]
                continue
            row.medians.append(result["total"]["median"])
            row.minima.append(result["total"]["min"])
            if "drb" in result["parts"]:
                row.drb_medians.append(result["parts"]["drb"]["median"]
                                       / len(blocks(self.problem.stage2, "drb")))
            if row.vertices is None:
                row.vertices = self.product.vertices(backend, precision, self.work / "meshes")

    def run_peer(self, peer: Peer) -> None:
        """A peer's part of a round, in a process of its own; one that failed is not tried again."""
        row = self.peer_rows[peer]
        if row.reason:
            return
        say(peer.key)
        result_file = self.work / f"result{PEERS.index(peer)}.json"
        result_file.unlink(missing_ok=True)
        try:
            code = run_module(
                "worker", [str(PEERS.index(peer)), self.problem_file, "--result", result_file],
                self.options, result_file.with_suffix(".log"))
        except subprocess.TimeoutExpired:
            row.reason = f"failed: not done within {TIME_LIMIT_SECONDS} s"
            return
        if not result_file.exists():
            row.reason = f"failed: its process ended with code {code}"
            return
        result = json.loads(result_file.read_text())
        row.reason = result.get("reason", "")
        if not row.reason:
            row.version = result["version"]
            row.vertices = np.load(result["vertices"])
            row.add_round(result["milliseconds"], result["drb_milliseconds"])

    def compare(self) -> None:
        """Throws ProductError where p2mpp gave nothing to compare with."""
        reference = self.product_rows.get(f"{REFERENCE_BACKEND} fp32")
        if reference is None or reference.vertices is None:
            raise ProductError(f"no result of {REFERENCE_BACKEND} in fp32 to compare with; "
                               f"--backend must list {REFERENCE_BACKEND}, --precision fp32")
        for row in self.rows:
            if row.measured:
                row.compare(reference.vertices)
