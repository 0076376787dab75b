"""Measures the cost of 8-bit operands (e4m3) in the deformation reasoning blocks, on a CPU: both blocks are computed
with operands rounded as a kernel would round them and sums in fp32, scored by `p2mpp metrics`. Stage 1 and the CNN are
fp32 throughout. Scales are of the magnitudes that p2mpp-calibrate wrote into the model folder. See bench/QUALITY.md."""

import argparse
import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple

import numpy as np
import torch
from torch import Tensor

from shared import ROOT, table

from p2mpp.errors import InputError
from p2mpp.network.fp8 import COORDINATES, read_largest_inputs
from p2mpp.network.loaded_model import LoadedModel
from p2mpp.training.metrics import TAU
from p2mpp.training.samples import network_input, read_list, rendering_folder

E4M3_LARGEST = 448.0
PANEL = 64  # vertices that go through all layers together: their states stay in the cache
MMA_DEPTH = 32  # of an 8-bit instruction
FP32_BITS = 24  # of a mantissa, the leading one counted


class Scheme(NamedTuple):
    """Formats of operands: "fp32", "bf16" or "fp8". `features`: the first layer's, its weights included; `states`: the
    other large layers', theirs included; `products`: x W1, as operand of the product with T1, and T1; `kept`: states as
    the residuals and the last layer read them; `coordinates`: those of the features, where those are fp8. `scales`: of
    weights, one a "tensor" or an output "channel". `sum_bits`: that a tensor core keeps of a sum of 8-bit products."""

    key: str
    name: str
    features: str = "fp8"
    states: str = "fp8"
    products: str = "bf16"
    kept: str = "fp8"
    coordinates: str = "fp8"
    scales: str = "tensor"
    sum_bits: int = FP32_BITS


FP32 = Scheme("fp32", "", "fp32", "fp32", "fp32", "fp32")
BF16 = Scheme("bf16", "", "bf16", "bf16", "bf16", "bf16")
CHANNELS = Scheme("c", "b, a scale for each channel of weights", scales="channel")
SCHEMES = [
    Scheme("a", "fp8 throughout", products="fp8"),
    Scheme("b", "a, product with T1 in bf16"),
    CHANNELS,
    CHANNELS._replace(key="d", name="c, coordinates in bf16", coordinates="bf16"),
    CHANNELS._replace(key="e", name="d, residuals in bf16", coordinates="bf16", kept="bf16"),
    CHANNELS._replace(key="f", name="e, sums of 14 bits", coordinates="bf16", kept="bf16", sum_bits=14),
    CHANNELS._replace(key="g", name="c, all features in bf16", features="bf16"),
    CHANNELS._replace(key="h", name="g, residuals in bf16", features="bf16", kept="bf16"),
]


class Layer(NamedTuple):
    """Weights [in,out], bias [out]."""

    weight0: Tensor
    weight1: Tensor
    bias: Tensor


def rounded(x: Tensor, number_format: str, scale: Tensor) -> Tensor:
    """The nearest numbers of the format, as fp32; e4m3 saturates and is scaled."""
    if number_format == "bf16":
        return x.bfloat16().float()
    if number_format == "fp8":
        return (x / scale).clamp_(-E4M3_LARGEST, E4M3_LARGEST).to(torch.float8_e4m3fn).float().mul_(scale)
    return x


def rounded_by_itself(x: Tensor, number_format: str, scales: str = "tensor") -> Tensor:
    """With the scale of its own largest number, or with one an output channel's."""
    largest = x.abs().amax(0) if scales == "channel" else x.abs().max()
    return rounded(x, number_format, largest / E4M3_LARGEST)


def with_coordinates(features: Tensor, exact: Tensor, scheme: Scheme) -> Tensor:
    """features [...,F], or the first layer's weights transposed, as rounded from `exact`; the coordinates as the scheme
    wants them."""
    if scheme.features == "fp8" and scheme.coordinates == "bf16":
        features[..., :COORDINATES] = exact[..., :COORDINATES].bfloat16().float()
    return features


def add_product(sums: Tensor, x: Tensor, weight: Tensor, bits: int) -> Tensor:
    """sums [R,out] + x [R,in] weight [in,out]; sums are cut to so many bits after each instruction."""
    if bits == FP32_BITS:
        return torch.addmm(sums, x, weight)
    for first in range(0, len(weight), MMA_DEPTH):
        depth = slice(first, first + MMA_DEPTH)
        sums = torch.addmm(sums, x[:, depth], weight[depth])
        sums = (sums.view(torch.int32) & (-1 << (FP32_BITS - bits))).view(torch.float32)
    return sums


class Reasoning:
    """The deformation reasoning blocks in a scheme."""

    def __init__(self, network: "Network", scheme: Scheme):
        self.scheme, self.input_scales = scheme, network.largest_inputs / E4M3_LARGEST
        self.exact_support = network.model.local_support
        self.support = rounded_by_itself(self.exact_support, scheme.products)
        self.blocks = [[self.rounded_layer(index, layer) for index, layer in enumerate(block[:-1])] + block[-1:]
                       for block in network.blocks]

    def rounded_layer(self, index: int, layer: Layer) -> Layer:
        weights = [rounded_by_itself(weight, self.input_format(index), self.scheme.scales) for weight in layer[:2]]
        if index == 0:
            weights = [with_coordinates(weight.T, exact.T, self.scheme).T for weight, exact in zip(weights, layer)]
        return Layer(*weights, layer.bias)

    def input_format(self, layer: int) -> str:
        return self.scheme.features if layer == 0 else self.scheme.states

    def convolve(self, layer: Layer, x: Tensor, sum_bits: int) -> Tensor:
        """T1 (x W1) + b, then x W0 on top, as the kernel adds: x [M,S,in] -> [M,S,out]."""
        rows = x.flatten(0, 1)
        products = add_product(torch.zeros(()), rows, layer.weight1, sum_bits).unflatten(0, x.shape[:2])
        products = rounded_by_itself(products, self.scheme.products)
        mixed = torch.matmul(self.support, products) + layer.bias
        return add_product(mixed.flatten(0, 1), rows, layer.weight0, sum_bits).unflatten(0, x.shape[:2])

    def score(self, block: int, features: Tensor) -> Tensor:
        """[M,S,F] -> [M,S]."""
        layers, scheme, scales = self.blocks[block], self.scheme, self.input_scales[block]
        kept, before = features, features
        for index, layer in enumerate(layers[:-1]):
            number_format = self.input_format(index)
            x = rounded(kept, number_format, scales[index])
            if index == 0:
                x = with_coordinates(x, features, scheme)
            sum_bits = scheme.sum_bits if number_format == "fp8" else FP32_BITS
            out = self.convolve(layer, x, sum_bits).relu_()
            if index >= 2 and index % 2 == 0:
                out += before
            before = kept
            kept = rounded(out, scheme.kept, scales[index + 1])
        last = layers[-1]
        return (kept @ last.weight0 + self.exact_support @ (kept @ last.weight1) + last.bias).squeeze(-1)


class Sample(NamedTuple):
    """Stage 2's input: maps and cameras of a batch of one, vertices [1,N,3] after stage 1, and the first block's
    features [1,N,S,F] around them."""

    maps: List[Tensor]
    cameras: Tensor
    coarse: Tensor
    features: Tensor


class Network:
    """Both stages of a model folder in fp32."""

    def __init__(self, folder: Path):
        self.model = LoadedModel(folder)
        self.blocks = [[Layer(each.weight0, each.weight1, each.bias) for each in block]
                       for block in self.model.stage2.drb]
        self.largest_inputs = torch.tensor(read_largest_inputs(folder))  # [blocks,layers]

    def start(self, data: Path, name: str) -> Sample:
        folder = rendering_folder(data, name)
        images, cameras = (each[None] for each in network_input(folder, self.model.view_indices, self.model.semantics,
                                                                self.model.image_channels))
        coarse = self.model.coarse(images, cameras)
        maps = self.model.stage2.features(images)
        return Sample(maps, cameras, coarse, self.features(maps, cameras, coarse))

    def features(self, maps: List[Tensor], cameras: Tensor, coords: Tensor) -> Tensor:
        return self.model.stage2.project(maps, cameras, coords, self.model.hypotheses)

    def refine(self, sample: Sample, reasoning: Reasoning) -> Tensor:
        """Vertices after all blocks: [N,3]."""
        coords, features = sample.coarse, sample.features
        for block in range(len(self.blocks)):
            if block > 0:
                features = self.features(sample.maps, sample.cameras, coords)
            scores = torch.cat([reasoning.score(block, panel) for panel in features[0].split(PANEL)])
            if self.model.stage2.scores_rectified:
                scores = scores.relu_()
            coords = self.model.stage2.move(coords, self.model.hypotheses, scores[None])
        return coords[0]


def score_folder(program: Path, out: Path, data: Path, names: Path) -> tuple:
    """(means by name, F1@tau of each sample) that `p2mpp metrics` finds."""
    subprocess.run([program, "metrics", out, data, "--list", names, "--out", out, "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    with open(out / "results.csv", newline="") as file:
        each = np.array([float(row["vertices_f1_tau"]) for row in csv.DictReader(file)])
    return json.loads((out / "summary.json").read_text())["metrics"]["vertices"], each


def score_table(options: argparse.Namespace, rows: Dict[str, str],
                vertices: Dict[str, List[Tensor]]) -> str:
    """A row for each of `rows`, names by keys. Distances between vertices are in percent of the square root of tau,
    the distance that F1@tau asks for; behind ± is the standard error over the samples."""
    lines = []
    scores = {key: score_folder(options.program, options.out / key, options.data, options.list) for key in rows}
    for key, (means, each) in scores.items():
        apart = [each - scores[other.key][1] for other in (FP32, BF16)]
        error = apart[0].std(ddof=1) / len(each) ** 0.5
        off = torch.stack([100 * (found - exact).norm(dim=-1) / TAU ** 0.5
                           for found, exact in zip(vertices[key], vertices[FP32.key])])
        lines.append([rows[key], f"{means['f1_tau']:.3f}", f"{apart[0].mean():+.3f} ± {error:.3f}",
                      f"{apart[1].mean():+.3f}", f"{means['f1_2tau']:.3f}",
                      f"{1000 * means['chamfer_distance']:.4f}", f"{off.mean():.2f}%",
                      f"{off.max():.1f}%"])
    return table([None, "F1@tau", "to fp32", "to bf16", "F1@2tau", "CD x1000",
                  "vertices off by, mean", "largest"], lines)


@torch.inference_mode()
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT / "data", help="samples with ground truth")
    parser.add_argument("--list", type=Path, default=ROOT / "data/test_list.txt", help="ids to score")
    parser.add_argument("--model", type=Path, default=ROOT / "models/p2mpp-shapes", help="calibrated for FP8")
    parser.add_argument("--program", type=Path, default=ROOT / "build/p2mpp")
    parser.add_argument("--schemes", default="".join(scheme.key for scheme in SCHEMES), help="letters (default: all)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="gets a folder of vertices and scores a scheme")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    try:
        network = Network(options.model)
    except InputError as error:
        sys.exit(f"fp8.py: error: {error}")
    schemes = [FP32, BF16, *(scheme for scheme in SCHEMES if scheme.key in options.schemes)]
    reasonings = {scheme.key: Reasoning(network, scheme) for scheme in schemes}
    rows = {"stage1": "stage 1 alone"}
    rows.update((scheme.key, f"{scheme.key}: {scheme.name}" if scheme.name else scheme.key) for scheme in schemes)
    vertices: Dict[str, List[Tensor]] = {key: [] for key in rows}
    for name in read_list(options.list):
        sample = network.start(options.data, name)
        found = {"stage1": sample.coarse[0]}
        found.update((key, network.refine(sample, reasoning)) for key, reasoning in reasonings.items())
        for key, moved in found.items():
            vertices[key].append(moved)
            (options.out / key).mkdir(parents=True, exist_ok=True)
            np.savetxt(options.out / key / f"{name}_predict.xyz", moved.numpy(), fmt="%.9g")
    print(score_table(options, rows, vertices), end="")


if __name__ == "__main__":
    main()
