"""What ptxas says of the compiled CUDA kernels: registers that fit, and nothing spilled from them to memory."""

import os
import re
import unittest
from pathlib import Path

BUILD = Path(os.environ.get("P2MPP", "build/p2mpp")).parent
ARCHITECTURES = {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_120"}
KERNELS = {"Reason": 8, "Convolve": 5, "ConvolveGraph": 2, "Preprocess": 4, "Project": 1, "Combine": 1,
           "FindCoordinates": 1, "FindNearest": 1}  # for how many arithmetics and rows each is compiled
HOPPER_KERNELS = {"ReasonOnHopper": 6}  # for sm_90a alone
# A few bytes are no hot loop. The reference arithmetic holds every operand twice, tf32 has 168 registers, and more than
# 48 hypotheses want a third more sums.
SPILLS_ALLOWED = {"ReasonFp32_48": 32, "ReasonFp32_64": 32, "ReasonTf32_48": 16, "ReasonBf16_64": 40,
                  "ReasonFp16_64": 40}
ENTRY = re.compile(r"Compiling entry function '(\S+)' for '(\S+)'")
SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")


def kernel_name(symbol: str) -> str:
    """_ZN...run_kernelINS1_6ReasonINS1_4Bf16ELi48EEEEEv... -> ReasonBf16_48"""
    name, rest = "", symbol.split("run_kernelI")[1]
    while found := re.match(r"[NI]*S\d*_(\d+)", rest):
        end = found.end() + int(found[1])
        name, rest = name + rest[found.end():end], rest[end:]
    name = name.replace("HalfOperands", "").replace("Operands", "")
    rows = re.match(r"E+Li(\d+)E", rest)
    return f"{name}_{rows[1]}" if rows else name


def reports() -> list:
    """(kernel, architecture, registers, bytes of spill stores) of every compiled kernel."""
    found = []
    for path in sorted((BUILD / "src/backends/cuda").rglob("*.cu.o.messages")):
        kernel = architecture = spilled = None
        for line in path.read_text().splitlines():
            if entry := ENTRY.search(line):
                kernel, architecture = kernel_name(entry[1]), entry[2]
            elif spills := SPILLS.search(line):
                spilled = int(spills[2])
            elif registers := REGISTERS.search(line):
                found.append((kernel, architecture, int(registers[1]), spilled))
    return found


@unittest.skipUnless(reports(), "this build has no CUDA kernels")
class KernelResources(unittest.TestCase):
    def test_every_kernel_is_compiled_for_every_architecture(self) -> None:
        for architecture in {report[1] for report in reports()}:
            kernels = [kernel for kernel, where, _, _ in reports() if where == architecture]
            expected = KERNELS | (HOPPER_KERNELS if architecture == "sm_90a" else {})
            for name, count in expected.items():
                pattern = re.compile(name + r"(Fp32|Bf16x3|Tf32|Bf16|Fp16|Fp8)?(_48|_64)?$")
                self.assertEqual(sum(bool(pattern.match(kernel)) for kernel in kernels), count,
                                 f"{name} for {architecture} of {sorted(kernels)}")

    def test_nothing_is_spilled(self) -> None:
        for kernel, architecture, _, spilled in reports():
            self.assertLessEqual(spilled, SPILLS_ALLOWED.get(kernel, 0), f"{kernel} for {architecture}")

    def test_no_product_is_serialised(self) -> None:
        """ptxas computes asynchronous products one by one where it finds no registers for them, and says so."""
        for path in (BUILD / "src/backends/cuda").rglob("*.cu.o.messages"):
            for line in path.read_text().splitlines():
                self.assertNotIn("serialized", line, f"{path.name}: {line}")

    def test_registers_fit(self) -> None:
        """65,536 of a multiprocessor for the threads of a block."""
        for kernel, architecture, registers, _ in reports():
            threads = 384 if kernel == "ReasonTf32_48" else 512 if kernel.startswith(
                ("ConvolveGraph", "ReasonOnHopper")) else 256
            self.assertLessEqual((registers + 7) // 8 * 8 * threads, 65536, f"{kernel} for {architecture}")

    @unittest.skipIf(os.environ.get("P2MPP_CUDA_SOME_ARCHITECTURES"), "built for some architectures only")
    def test_published_architectures_are_there(self) -> None:
        self.assertLessEqual(ARCHITECTURES, {report[1] for report in reports()})


if __name__ == "__main__":
    unittest.main()
