"""The compiled CUDA kernels: code for every GPU that docs/gpus.md promises, registers that fit, and nothing spilled from
them to memory, as ptxas says."""

import os
import re
import subprocess
import unittest
from pathlib import Path

BUILD = Path(os.environ.get("P2MPP", "build/p2mpp")).parent
CUOBJDUMP = os.environ.get("P2MPP_CUOBJDUMP", "")
LIBRARY = BUILD / "libp2mpp_cuda.so"
CAPABILITIES = (80, 86, 87, 89, 90, 100, 103, 110, 120, 121)  # those that docs/gpus.md promises
OLD_CAPABILITIES = (70, 75)  # V100, T4: refused in one line
KERNELS = {"Reason": 8, "Convolve": 5, "ConvolveGraph": 2, "Preprocess": 4, "Project": 1, "Combine": 1,
           "FindCoordinates": 1, "FindNearest": 1, "FindEvidence": 1}  # for how many arithmetics and rows each is compiled
HOPPER_KERNELS = {"HopperReasoningKernel": 6}  # for sm_90a alone
# A few bytes are no hot loop. The reference arithmetic holds every operand twice, tf32 has 168 registers, and more than
# 48 hypotheses want a third more sums.
SPILLS_ALLOWED = {"ReasonFp32_48": 8, "ReasonFp32_64": 24, "ReasonBf16_64": 36, "ReasonFp16_64": 36}
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
                ("ConvolveGraph", "HopperReasoningKernel")) else 256
            self.assertLessEqual((registers + 7) // 8 * 8 * threads, 65536, f"{kernel} for {architecture}")


def dump(option: str) -> list:
    """cuobjdump's output for each piece of the library's fat binary: (architecture, text)."""
    text = subprocess.run([CUOBJDUMP, option, LIBRARY], check=True, text=True, stdout=subprocess.PIPE).stdout
    return re.findall(r"^arch = sm_(\S+)$(.*?)(?=^Fatbin|\Z)", text, re.MULTILINE | re.DOTALL)


def images() -> dict:
    """Of each kernel in the library what it was compiled to: {"Preprocess...": {("code", "80"), ..., ("PTX", "120")}}."""
    found = {}
    for kind, option, kernel in (("code", "--dump-elf-symbols", r"STO_ENTRY +(\S*run_kernel\S*)"),
                                 ("PTX", "--dump-ptx", r"\.entry (\S*run_kernel[^(\s]*)")):
        for architecture, text in dump(option):
            for symbol in re.findall(kernel, text):
                found.setdefault(kernel_name(symbol), set()).add((kind, architecture))
    return found


def loads(kind: str, architecture: str, capability: int) -> bool:
    """Code runs on GPUs of its major number, from its own minor number on; of 90a on 9.0 alone. PTX on all newer ones."""
    number = int(architecture.rstrip("a"))
    if kind == "PTX":
        return number <= capability
    return number <= capability < number // 10 * 10 + (1 if architecture.endswith("a") else 10)


@unittest.skipUnless(LIBRARY.exists(), "this build has no CUDA kernels")
@unittest.skipUnless(Path(CUOBJDUMP).is_file(), "there is no cuobjdump")
class KernelImages(unittest.TestCase):
    @unittest.skipIf(os.environ.get("P2MPP_CUDA_SOME_ARCHITECTURES"), "built for some architectures only")
    def test_every_kernel_has_an_image_for_every_promised_gpu(self) -> None:
        for name, compiled in images().items():
            capabilities = (90,) if name.startswith("HopperReasoningKernel") else CAPABILITIES
            for capability in capabilities:
                self.assertTrue(any(loads(*image, capability) for image in compiled),
                                f"{name} for compute capability {capability / 10}: {sorted(compiled)}")
            for capability in OLD_CAPABILITIES:
                self.assertFalse(any(loads(*image, capability) for image in compiled), f"{name} for {capability / 10}")

    def test_the_library_has_every_kernel(self) -> None:
        self.assertEqual(set(images()), {kernel for kernel, *_ in reports()})
