"""scripts/verify_gpu.sh on a machine with a compiler and a CUDA toolkit, but without development packages and network:
packages are collected and the build is configured there. P2MPP_BARE_MACHINE=all compiles all that runs on a GPU, too, and
runs the programs from a folder elsewhere. Slow: debootstrap takes a minute, the first build as long as any; later ones
find the objects in ccache."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from bare_machine import ROOT, BareMachine, ccache_folder, obstacle, python_mounts, toolkit
from test_verify_gpu import NVIDIA_SMI, executable

BUILD = Path(os.environ.get("P2MPP", "build/p2mpp")).resolve().parent
WORK = BUILD / "bare-machine"
ARCHITECTURE = "90a"
MOST_MEGABYTES = 64
STEPS = ("build-probe", "configure", "compile", "resources", "pack")
COMPILES = os.environ.get("P2MPP_BARE_MACHINE") == "all"


def why_not() -> str:
    if problem := obstacle():
        return problem
    if toolkit() is None:
        return "no CUDA toolkit"
    if subprocess.run([sys.executable, "-c", "import torch, numpy, PIL"], check=False, capture_output=True).returncode:
        return "no PyTorch in the Python that runs the tests"
    return ""


def record(out: Path) -> dict:
    return json.loads((out / "verified.json").read_text(encoding="utf-8"))


@unittest.skipIf(why_not(), why_not())
class BareMachineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.machine = BareMachine(WORK)
        cls.packages = WORK / "packages"
        shutil.rmtree(cls.packages, ignore_errors=True)
        subprocess.run([ROOT / "scripts/verify_gpu.sh", "--collect", cls.packages], check=True, capture_output=True)

    def mounts(self):
        mounts = [(ROOT, str(ROOT), "ro"), (WORK, str(WORK), "rw"), (toolkit(), "/usr/local/cuda", "ro"),
                  *python_mounts(sys.executable)]
        if folder := ccache_folder():
            mounts.append((folder, "/ccache", "rw"))
        return mounts

    def build(self, packages: Path, name: str, out: Path):
        shutil.rmtree(WORK / f"{name}-build", ignore_errors=True)
        return self.machine.run(
            ["scripts/verify_gpu.sh", "--packages", packages, "--build-into", WORK / name,
             "--architectures", ARCHITECTURE, "--build", WORK / f"{name}-build", "--out", out,
             *([] if COMPILES else ["--configure"])],
            self.mounts(), {"CCACHE_DIR": "/ccache"})

    def test_a_missing_package_is_one_line(self):
        packages = WORK / "packages-but-one"
        shutil.rmtree(packages, ignore_errors=True)
        shutil.copytree(self.packages, packages)
        next(packages.glob("libspng-dev_*.deb")).unlink()
        out = WORK / "results-but-one"
        done = self.build(packages, "built-but-one", out)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(record(out)["steps"]["configure"]["result"], "failed: exit code 1")
        self.assertIn("Spng 0.7 or newer is missing; expected the system package libspng-dev",
                      " ".join((out / "configure.log").read_text(encoding="utf-8").split()))

    def test_the_packages_suffice_and_what_is_built_runs_elsewhere(self):
        out = WORK / "results"
        done = self.build(self.packages, "built", out)
        steps = record(out)["steps"]
        expected = dict.fromkeys(STEPS if COMPILES else STEPS[:2], "passed")
        self.assertEqual({name: step["result"] for name, step in steps.items()}, expected, done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        print("\n" + "\n".join(f"{name}: {step['seconds']} s" for name, step in steps.items()), file=sys.stderr)
        if COMPILES:
            self.check_folder(WORK / "built")
            self.check_run(WORK / "built")

    def check_folder(self, built: Path):
        """It is small, and what is in it finds all libraries on a machine that has none of them."""
        megabytes = sum(path.stat().st_size for path in built.rglob("*")) / 1e6
        print(f"{megabytes:.1f} MB", file=sys.stderr)
        self.assertLessEqual(megabytes, MOST_MEGABYTES)
        with tempfile.TemporaryDirectory() as folder:
            elsewhere = Path(folder) / "programs"
            shutil.copytree(built, elsewhere)
            mounts = [(elsewhere, "/programs", "ro"), (ROOT, str(ROOT), "ro")]
            done = self.machine.run(["/programs/p2mpp", "--version"], mounts)
            self.assertEqual(done.returncode, 0, done.stderr)
            for path in elsewhere.iterdir():
                if path.is_dir() or path.name in ("built.txt", "libp2mpp_torchscript.so"):
                    continue
                done = self.machine.run(["ldd", f"/programs/{path.name}"], mounts)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("not found", done.stdout, path.name)

    def check_run(self, built: Path):
        """Where there is no GPU, every step fails by name, but those that need none."""
        with tempfile.TemporaryDirectory() as folder:
            executable(Path(folder) / "nvidia-smi", NVIDIA_SMI)
            out = Path(folder) / "results"
            path = f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"
            done = subprocess.run([ROOT / "scripts/verify_gpu.sh", "--built", built, "--out", out, "--quick"],
                                  check=False, capture_output=True, text=True, env=os.environ | {"PATH": path})
            self.assertEqual(done.returncode, 1, done.stderr)
            document = record(out)
            self.assertTrue(document["finished"])
            for name, step in document["steps"].items():
                needs_none = name in ("built", "test-models")
                self.assertRegex(step["result"], "^passed$" if needs_none else "^(failed|skipped)",
                                 f"{name}: {done.stderr}")
            self.assertGreaterEqual(len(document["steps"]), 20)
            for target in json.loads((out / "targets.json").read_text(encoding="utf-8")):
                self.assertNotEqual(target["verdict"], "reached", target)
