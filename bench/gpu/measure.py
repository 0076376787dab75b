#!/usr/bin/env python3
"""Times p2mpp and PyTorch on one GPU in the same run, against what that GPU reaches in one large matrix product and one
large copy; writes one JSON and one table.

usage: measure.py --build build --model models/p2mpp-shapes --sample data/02691156/p2mpp0001 --out FOLDER [--seconds 240]

FOLDER gets measured.json and measured.md. A measurement that fails is a row with the reason. --seconds bounds
the whole run. Measurements that would begin later are left out, and the output names them.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import torch
import torch._inductor

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench/peers")]

from markdown_table import table  # noqa: E402
from peers.preparation import export_with_semantics, make_problem  
from peers.problem import camera_frames  
from peers.torch_network import Network  

PRECISIONS = "fp32,tf32,bf16,fp16"
WARMUP = 15


def percentile(values, percent):
    ordered = sorted(values)
    rank = percent / 100 * (len(ordered) - 1)
    low = int(rank)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (rank - low) * (ordered[high] - ordered[low])


def event_times(call, repeats):
    """Milliseconds of each call on the device."""
    for _ in range(3):
        call()
    times = []
    for _ in range(repeats):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return times


def ceilings():
    """TFLOP/s of a bf16 product of 8192^3 and TB/s, read and written, of a copy: medians."""
    a, b = (torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    product = statistics.median(event_times(lambda: a @ b, 20))
    source = torch.randn(1 << 29, device="cuda")  # 2 GiB, many times the L2
    target = torch.empty_like(source)
    copy = statistics.median(event_times(lambda: target.copy_(source), 10))
    return {"bf16_8192_tflops": 2e-9 * 8192**3 / product, "copy_tb_per_s": 2e-9 * source.numel() * 4 / copy}


def run_bench(program, model, sample, backend, precisions, batches, repeats):
    """Rows of `p2mpp bench --json`."""
    command = [program, "bench", str(sample), "--model", str(model), "--device", "cuda", "--backend", backend,
               "--precision", precisions, "--batch", batches, "--warmup", str(WARMUP), "--repeats", str(repeats),
               "--no-baseline", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [{"backend": backend, "status": "skipped", "reason": done.stderr.strip().splitlines()[-1]}]
    return json.loads(done.stdout)["results"]


def kernel_times(program, model, precision, portable=False):
    """For batch 1: microseconds a pass of each kind of kernel, launches by the host included, slowest first; and MB of
    the device that p2mpp allocates, None where it failed. portable: without the kernels that are for one generation of
    GPUs."""
    command = [program, str(model), precision, "1", "30", *(["portable"] if portable else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {"reason": done.stderr.strip()}, None
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    rows.sort(key=lambda row: -float(row[2]))
    allocated = next(float(row[2]) for row in rows if row[0] == "allocated")
    return {name: {"launches": int(launches), "microseconds": float(time_us)}
            for name, launches, time_us in rows if name != "allocated"}, allocated


def as_written(network, inputs):
    return network


def compiled_into_graphs(network, inputs):
    return torch.compile(network, mode="reduce-overhead")


def compiled_ahead(network, inputs):
    """AOTInductor's package, loaded: C++ and Triton kernels, no Python between them."""
    with torch.no_grad():
        package = torch._inductor.aoti_compile_and_package(torch.export.export(network, tuple(inputs)))
    return torch._inductor.aoti_load_package(package)


def torch_row(name, problem, writing, transform, repeats, precision="tf32"):
    """bf16: by autocast. Host copies in and out included, as p2mpp's are; preprocessing is not."""
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    row = {"name": name, "batch": 1, "precision": precision}
    try:
        images = torch.from_numpy(problem.images).pin_memory()
        frames = [torch.from_numpy(each).pin_memory() for each in camera_frames(problem.cameras)]
        network = transform(Network(problem, writing).eval().cuda(), [each.cuda() for each in (images, *frames)])

        @torch.inference_mode()
        def sample():
            inputs = [each.cuda(non_blocking=True) for each in (images, *frames)]
            with torch.autocast("cuda", torch.bfloat16, enabled=precision == "bf16"):
                return network(*inputs).float().cpu()

        for _ in range(WARMUP):
            sample()
        times = []
        for _ in range(repeats):
            begin = time.perf_counter()
            sample()
            times.append(1000 * (time.perf_counter() - begin))
        row.update(median=statistics.median(times), p99=percentile(times, 99), min=min(times), repeats=repeats)
    except Exception as error:  # whatever PyTorch throws: a peer that fails is a row with its reason
        row["reason"] = str(error).splitlines()[0][:200]
    return row


def batch_that_suffices(rows):
    """The smallest batch that gives 95% of the best throughput, and that throughput."""
    best = max(row["samples_per_second"] for row in rows)
    return min(row["batch"] for row in rows if row["samples_per_second"] >= 0.95 * best), best


def throughput_lines(document):
    """For each precision of `fused` on the model itself: where more samples together no longer pay."""
    rows = [row for row in document["p2mpp"] if row["backend"] == "fused" and row["status"] == "measured"
            and not row.get("design_b")]
    for precision in sorted({row["precision"] for row in rows}):
        batch, best = batch_that_suffices([row for row in rows if row["precision"] == precision])
        yield f"{precision}: {best:.0f} samples/s at best; batch {batch} reaches 95% of that."


def time_table(document):
    figures, rows = document["ceilings"], []
    for row in document["p2mpp"]:
        name = f"p2mpp {row['backend']}" + (", design_b" if row.get("design_b") else "")
        if row["status"] != "measured":
            rows.append([name, row.get("precision", ""), row.get("batch", ""), row["reason"],
                         *[None] * 6])
            continue
        total, parts = row["total"], row["parts"]
        copies = parts["copy_in"]["median"] + parts["copy_out"]["median"]
        tflops = total["gflops"] / 1000
        rows.append([name, row["precision"], row["batch"], f"{total['median']:.3f}",
                     f"{total['p99']:.3f}", f"{total['median'] - copies:.3f}",
                     f"{row['samples_per_second']:.0f}", f"{tflops:.1f}",
                     f"{100 * tflops / figures['bf16_8192_tflops']:.1f}%",
                     f"{parts['drb']['gflops'] / 10 / figures['bf16_8192_tflops']:.1f}%"])
    for row in document["pytorch"]:
        if row.get("reason"):
            shown = [row["reason"]]
        else:
            shown = [f"{row['median']:.3f}", f"{row['p99']:.3f}", None, f"{1000 / row['median']:.0f}"]
        rows.append([row["name"], row["precision"], row["batch"], *shown, *[None] * 3])
    return table(["what", "precision", "batch", "p50 ms a sample", "p99", "device alone", "samples/s",
                  "TFLOP/s", "of bf16 8192^3", "both DRBs, of bf16 8192^3"], rows, text_columns=2,
                 dense=True)


def kernel_table(document):
    rows = []
    for precision, kernels in document["kernels"].items():
        for name, one in kernels.items():
            if name == "reason":
                rows.append(["not measured", precision, None, one])
            else:
                rows.append([name, precision, one["launches"], f"{one['microseconds']:.1f}"])
    return table(["kernel", "precision", "launches",
                  "microseconds a pass, launches by the host included"], rows, text_columns=2,
                 dense=True)


def markdown(document):
    figures = document["ceilings"]
    parts = [f"{document['gpu']}, {document['when']}; commit {document['commit']}. In the same run: bf16 8192^3 "
             f"{figures['bf16_8192_tflops']:.0f} TFLOP/s, copy {figures['copy_tb_per_s']:.2f} TB/s.\n",
             time_table(document), "".join(f"{text}\n" for text in throughput_lines(document))]
    parts += [f"Device memory for batch 1 in {precision}: {megabytes:.0f} MB, without the driver's own.\n"
              for precision, megabytes in document["device_megabytes_batch_1"].items()]
    return "\n".join([*parts, kernel_table(document)])


class Measurement:
    """The measurements, in parts, until the time is up."""

    def __init__(self, options):
        self.options = options
        self.end = time.monotonic() + options.seconds
        self.program = str(options.build / "p2mpp")
        commit = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], capture_output=True,
                                text=True, check=False).stdout.strip() or "unknown"
        self.eight_bits = ["fp8"] if torch.cuda.get_device_capability() == (9, 0) else []
        self.document = {"gpu": torch.cuda.get_device_name(),
                         "when": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), "commit": commit,
                         "torch": torch.__version__, "ceilings": ceilings(), "p2mpp": [], "pytorch": [], "kernels": {},
                         "device_megabytes_batch_1": {}}

    def in_time(self, what):
        if time.monotonic() < self.end:
            return True
        print(f"measure: no time left for {what}", file=sys.stderr)
        return False

    def write(self):
        (self.options.out / "measured.json").write_text(json.dumps(self.document, indent=2) + "\n")
        (self.options.out / "measured.md").write_text(markdown(self.document))

    def bench(self, model, backend, precisions, batches, repeats):
        return run_bench(self.program, model, self.options.sample, backend, precisions, batches, repeats)

    def batches(self, batches):
        for batch, repeats in batches:
            if self.in_time(f"batch {batch}"):
                for precisions in [PRECISIONS, *self.eight_bits]:
                    self.document["p2mpp"] += self.bench(self.options.model, "fused", precisions, batch, repeats)
                self.write()

    def beside_pytorch(self):
        design_b = self.options.out / "design_b"
        export_with_semantics(self.options.model, "design_b", design_b)
        problem = make_problem(design_b, self.options.sample)
        rows = self.bench(design_b, "fused", "tf32,bf16", "1", 100)
        self.document["p2mpp"] += [row | {"design_b": True} for row in rows]
        for name, writing, transform, precision in (
                ("torch.compile with CUDA graphs", "plain", compiled_into_graphs, "bf16"),
                ("torch.compile with CUDA graphs", "plain", compiled_into_graphs, "tf32"),
                ("PyTorch eager", "port", as_written, "tf32"),
                ("AOTInductor", "plain", compiled_ahead, "tf32")):
            if self.in_time(f"{name} in {precision}"):
                row = torch_row(f"{name}, design_b", problem, writing, transform, 30, precision)
                self.document["pytorch"].append(row)
                self.write()

    def kernels(self):
        program = str(self.options.build / "p2mpp_kernel_times")
        for precision in ("tf32", "bf16", *self.eight_bits):
            if self.in_time(f"kernels in {precision}"):
                times, allocated = kernel_times(program, self.options.model, precision)
                self.document["kernels"][precision] = times
                if allocated is not None:
                    self.document["device_megabytes_batch_1"][precision] = allocated
        if self.in_time("portable kernels in bf16"):
            times, _ = kernel_times(program, self.options.model, "bf16", portable=True)
            self.document["kernels"]["bf16, portable kernels"] = times
        self.write()

    def reference(self):
        if self.in_time("the torchscript backend"):
            self.document["p2mpp"] += self.bench(self.options.model, "torchscript", "fp32,tf32", "1,4", 15)
        self.write()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--sample", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=240)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    run = Measurement(options)
    run.batches((("1", 200), ("16", 30), ("64", 12)))  # these and the next are what the targets (targets.py) are about
    run.beside_pytorch()
    run.kernels()
    run.batches((("4", 60), ("2", 60), ("8", 30), ("32", 15)))
    run.reference()
    print(markdown(run.document), end="")


if __name__ == "__main__":
    main()
