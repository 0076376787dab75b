"""The steps of scripts/verify_gpu.sh: time limits, failures that hide nothing, a record after every step; and the
verdicts on the targets. Programs, Python and GPU are stand-ins."""

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

from runs import ROOT, TemporaryTest, run_command

sys.path.insert(0, str(ROOT / "bench/gpu"))

import targets  # noqa: E402

PRECISIONS = ("fp32", "tf32", "bf16", "fp16", "fp8")
STEPS = f"""
set -uo pipefail
cd '{ROOT}'
kill_after=0.2
. scripts/verify_gpu/steps.sh
out=$1 subject='a "GPU"' commit=abc
trap stop INT TERM
"""
NVIDIA_SMI = """case "$*" in
  *compute_cap*) echo 9.0 ;;
  *name*) echo "Stand-in GPU, 1.0" ;;
esac"""
# It has PyTorch, for the script, and does nothing, but for what compares the targets.
PYTHON = f"""case "$*" in
  *targets.py*) exec '{sys.executable}' "$@" ;;
  *__path__*) echo /no/torch ;;
  *__version__*) echo 2.11.0 ;;
  *measure.py*--out*) echo measured ;;
  *scale/measure.py*) echo '{{}}' ;;
  *test_quality*) echo '{{"vertices": {{"f1_tau": 64.1}}}}' >"$P2MPP_QUALITY_OUT/fp32.json" ;;
esac"""
TESTS = {
    "test_cuda_reasoning_device": ("Arithmetics/Reasoning.",
                                   ["Agrees/0  # GetParam() = 1-byte object <00>", "Agrees/1"]),
    "test_backends_cuda_device": ("CudaDevice.", ["Agree", "Bytes", "SmallestPass", "Neighbours"]),
    "test_backends_golden": ("All/Golden.", ["Every/fused_tf_cuda", "Every/torchscript_tf_cuda"]),
    "test_engine": ("Engine.", ["CudaAgrees"]),
}


def executable(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def stand_in_test(suite: str, cases: list) -> str:
    """A Google Test executable of so many cases. It appends what it runs to $CALLS; $FAILING and $SKIPPED are words
    that a failing or a skipped case has in its name."""
    listing = "\n".join([suite, *(f"  {case}" for case in cases)])
    return f"""case "$*" in
  *list_tests*Neighbours*) case "$*" in
      *-\\*Neigh*) printf '%s\\n' '{listing}' | grep -v Neigh ;;
      *) printf '%s\\n' '{suite}' '  Neighbours' ;;
    esac ;;
  *list_tests*) printf '%s\\n' '{listing}' ;;
  *)
    echo "$*" >>"$CALLS"
    case "$*" in *$SKIPPED*) echo '[  SKIPPED ] it' ;; esac
    case "$*" in *$FAILING*) exit 1 ;; esac ;;
esac"""


class StepsTest(TemporaryTest):
    def run_steps(self, lines: str):
        return run_command(["bash", "-c", STEPS + lines, "steps", self.folder])

    def record(self) -> dict:
        return json.loads((self.folder / "verified.json").read_text(encoding="utf-8"))

    def test_a_failed_step_hides_none(self):
        done = self.run_steps("""
            shown() { cat "$out/verified.json"; }; export -f shown; export out
            step good 5 true
            step bad 5 sh -c 'echo why; exit 3'
            step slow 0.3 sleep 60
            step stubborn 0.3 bash -c 'trap "" TERM; while true; do sleep 0.05; done'
            step unknown 5 no-such-command
            skip left "for a reason"
            step last 5 shown
            summary""")
        self.assertEqual(done.returncode, 1, done.stderr)
        document = self.record()
        self.assertEqual((document["gpu"], document["commit"], document["finished"]), ('a "GPU"', "abc", True))
        results = {name: step["result"] for name, step in document["steps"].items()}
        self.assertRegex(results.pop("stubborn"), r"^failed: killed after \d+ s, at most 0\.3$")
        self.assertEqual(results, {
            "good": "passed", "bad": "failed: exit code 3", "slow": "failed: ended after 0.3 s",
            "unknown": "failed: exit code 127", "left": "skipped: for a reason", "last": "passed"})
        # A step sees all steps before it, and itself.
        seen = json.loads((self.folder / "last.log").read_text(encoding="utf-8"))
        self.assertEqual([*seen["steps"]], [*document["steps"]])
        self.assertEqual(seen["steps"]["last"]["result"], "running")
        self.assertEqual(seen["steps"]["bad"]["result"], "failed: exit code 3")
        self.assertIs(seen["finished"], False)
        self.assertEqual((self.folder / "bad.log").read_text(encoding="utf-8"), "why\n")
        self.assertIn("verify: 4 of 7 steps failed", done.stdout)

    def test_a_signal_ends_the_step_too(self):
        fifo = self.folder / "open-while-the-step-runs"
        os.mkfifo(fifo)
        lines = f"""
            step first 5 true
            step second 60 sh -c 'exec >{fifo}; echo runs; exec sleep 60'
            step third 5 true"""
        with subprocess.Popen(["bash", "-c", STEPS + lines, "steps", self.folder], stderr=subprocess.DEVNULL) as process:
            with open(fifo, encoding="utf-8") as step:
                self.assertEqual(step.readline(), "runs\n")
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(), 130)
                self.assertEqual(step.read(), "", "the step's end closes it")
        self.assertEqual({name: step["result"] for name, step in self.record()["steps"].items()},
                         {"first": "passed", "second": "running"})


class ScriptTest(TemporaryTest):
    """--built, with a folder of stand-ins."""

    def run_script(self, without: str = "", architectures: str = "80;90a", **environment):
        folder = self.folder
        built, tools = folder / "built", folder / "tools"
        for each in (built, tools):
            each.mkdir()
        executable(tools / "nvidia-smi", NVIDIA_SMI)
        executable(tools / "python3", PYTHON)
        executable(tools / "compute-sanitizer", 'shift 4; exec "$@"')
        executable(built / "p2mpp", 'echo "$*" >>"$CALLS"; case "$*" in *$FAILING*) exit 1 ;; esac')
        executable(built / "probe", 'echo probe >>"$CALLS"')
        for name, (suite, cases) in TESTS.items():
            if name != without:
                executable(built / name, stand_in_test(suite, cases))
        commit = run_command(["git", "-C", ROOT, "describe", "--always", "--dirty"]).stdout.strip()
        (built / "built.txt").write_text(f"commit {commit}\narchitectures {architectures}\nLibTorch 2.11.0\n",
                                         encoding="utf-8")
        variables = {"PATH": f"{tools}:{os.environ['PATH']}", "CALLS": str(folder / "calls"), "FAILING": "no such",
                     "SKIPPED": "no such", "HOME": str(folder)}
        done = run_command([ROOT / "scripts/verify_gpu.sh", "--built", built, "--out", folder / "out"], env=variables | environment)
        document = json.loads((folder / "out/verified.json").read_text(encoding="utf-8"))
        self.assertIs(document["finished"], True, done.stderr)
        return done, {name: step["result"] for name, step in document["steps"].items()}

    def test_everything_passes_in_order(self):
        done, steps = self.run_script()
        self.assertEqual({name: result for name, result in steps.items() if result != "passed"}, {}, done.stderr)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("verify: everything passed", done.stdout)
        self.assertEqual([*steps], [
            "built", "probe", "test-models",
            "kernels.Agrees-0", "kernels.Agrees-1", "kernels.Neighbours",
            "golden.Every-fused_tf_cuda", "golden.Every-torchscript_tf_cuda",
            "selftest.fp32", "selftest.tf32", "selftest.bf16", "selftest.fp16", "selftest.fp8",
            "backend.Agree", "backend.Bytes", "backend.SmallestPass", "engine.CudaAgrees",
            "info", "quality", "profile", "measure", "scale", "memcheck", "racecheck"])
        calls = (self.folder / "calls").read_text(encoding="utf-8").splitlines()
        self.assertEqual(calls[0], "probe")
        self.assertIn("--gtest_filter=Arithmetics/Reasoning.Agrees/0", calls)

    def test_failures_skipped_tests_and_what_is_not_there_have_names(self):
        done, steps = self.run_script(without="test_engine", architectures="100", FAILING="Agree", SKIPPED="Every")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("made for 100; this GPU has compute capability 9.0", done.stderr)
        self.assertEqual([name for name, result in steps.items() if result == "failed: exit code 1"], [
            "built", "kernels.Agrees-0", "kernels.Agrees-1",
            "golden.Every-fused_tf_cuda", "golden.Every-torchscript_tf_cuda", "backend.Agree"])
        self.assertEqual(steps["engine"], "failed: test_engine does not start")
        self.assertEqual(steps["racecheck"], "passed")
        self.assertEqual(len(steps), 24)

    def test_the_probe_needs_no_pytorch(self):
        done, steps = self.run_script(PYTHON="/no/python")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(steps["probe"], "passed")
        self.assertEqual(steps["python"].split(";")[0], "failed: no python3 with torch, numpy and Pillow")

    def test_code_serves_later_gpus_of_its_generation(self):
        pairs = {("80", "8.0"): True, ("80", "8.7"): True, ("89", "8.6"): False, ("90a", "9.0"): True, ("90", "9.0"): True,
                 ("100", "10.3"): True, ("90a", "10.0"): False, ("120", "12.1"): True, ("100;120", "12.1"): True,
                 ("120", "10.0"): False, ("80", "12.0"): False}
        script = """. scripts/verify_gpu/steps.sh && . scripts/verify_gpu/build.sh
                    while read -r architectures capability; do
                      found=False
                      for each in ${architectures//;/ }; do if serves $each $capability; then found=True; fi; done
                      echo $found
                    done"""
        done = run_command(["bash", "-c", script], cwd=ROOT, input="".join(f"{' '.join(pair)}\n" for pair in pairs))
        self.assertEqual(dict(zip(pairs, done.stdout.split())), {pair: str(serves) for pair, serves in pairs.items()}, done.stderr)

    def test_usage(self):
        for arguments, message in ((["--what"], "usage: scripts/verify_gpu.sh"), (["--built", "/no/such"], "/no/such"),
                                   (["--configure"], "usage: scripts/verify_gpu.sh")):
            self.assertIn(message, run_command([ROOT / "scripts/verify_gpu.sh", *arguments], 2).stderr)


def measured_document(**changes):
    row = {"backend": "fused", "status": "measured", "batch": 1, "precision": "bf16", "samples_per_second": 1000,
           "total": {"median": 1.0}, "parts": {"drb": {"gflops": 440e3}}}
    document = {"ceilings": {"bf16_8192_tflops": 800},
                "p2mpp": [row, row | {"precision": "tf32", "total": {"median": 3.9}},
                          row | {"batch": 16, "samples_per_second": 1600},
                          row | {"design_b": True, "total": {"median": 1.0}}],
                "pytorch": [{"name": "torch.compile with CUDA graphs, design_b", "precision": "bf16", "median": 3.1}]}
    return document | changes


class TargetsTest(TemporaryTest):
    def verdicts(self, files: dict) -> dict:
        for path, document in files.items():
            (self.folder / path).parent.mkdir(exist_ok=True)
            (self.folder / path).write_text(json.dumps(document), encoding="utf-8")
        return {each["target"]: each["verdict"] for each in targets.all_targets(self.folder)}

    def files(self):
        return {"measured.json": measured_document(),
                "scale.json": {"end_to_end": [{"precision": "bf16", "share": 0.81, "share_scored": 0.7}]},
                "verified.json": {"steps": {"memcheck": {"result": "passed"}, "racecheck": {"result": "passed"}}},
                **{f"selftest-{precision}.json": {"rates": [{"start_check_ms": 90}]} for precision in PRECISIONS},
                **{f"quality/{precision}.json": {"vertices": {"f1_tau": 64.1}} for precision in PRECISIONS}}

    def test_all_reached(self):
        verdicts = self.verdicts(self.files())
        self.assertEqual(set(verdicts.values()), {targets.REACHED}, verdicts)
        self.assertEqual(len(verdicts), 17)

    def test_nothing_measured(self):
        verdicts = self.verdicts({})
        self.assertEqual(set(verdicts.values()), {targets.NOT_MEASURED}, verdicts)
        self.assertEqual(len(verdicts), 15)

    def test_each_can_be_missed(self):
        files = self.files()
        slow = measured_document()
        for row in slow["p2mpp"]:
            row.update(total={"median": 5}, samples_per_second=1499, parts={"drb": {"gflops": 439e3}})
        files["measured.json"] = slow
        files["scale.json"]["end_to_end"][0]["share"] = 0.79
        files["verified.json"]["steps"] = dict.fromkeys(("memcheck", "racecheck"), {"result": "failed: exit code 9"})
        for precision in PRECISIONS[1:]:
            files[f"quality/{precision}.json"] = {"vertices": {"f1_tau": 63.9}}
        for precision in PRECISIONS:
            files[f"selftest-{precision}.json"] = {"rates": [{"start_check_ms": 151}]}
        verdicts = self.verdicts(files)
        self.assertEqual(set(verdicts.values()), {targets.MISSED}, verdicts)
