"""Every call that may fail, failing once: opening, writing, syncing, renaming and mapping files, and taking memory
(tests/faults). After each fault: a documented exit code, no torn file, and the same bytes once the command is repeated
or resumed.

P2MPP_FAULTS=all tries every call, and for memory every place of the program that asks for some; otherwise a sample of
P2MPP_FAULTS faults (40 where it is unset). P2MPP_FAULT_REPORT names a file that gets a line with the number tried.
"""

import errno
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import unittest
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Tuple

from PIL import Image

from runs import INPUTS, PROGRAM, ProgramTest, meshes, problems_of_all, report_tries, results, run_command

LIBRARY = os.environ.get("P2MPP_FAULT_LIBRARY")
WANTED = os.environ.get("P2MPP_FAULTS", "40")
ERRORS = {"open": (errno.EMFILE, errno.EACCES), "write": (errno.ENOSPC,), "sync": (errno.EIO,), "rename": (errno.ENOSPC,),
          "mmap": (errno.ENOMEM,), "alloc": (errno.ENOMEM,), "start": (errno.ENOMEM,), "thread": (errno.EAGAIN,)}
MEMORY = ("alloc", "start", "mmap")
LIBRARIES_SHARE = 0.01  # of the faults: memory that libraries and the compiler's own code do not bear to lack
START_STRIDE = 100  # of the places where options are described, which are alike
DONE, FAILED, BAD_INPUT, SOME_FAILED = 0, 1, 3, 4
KILLED = (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGKILL)


class Fault(NamedTuple):
    command: str
    kind: str
    number: int
    error: int

    def __str__(self):
        return f"{self.command}: {self.kind}:{self.number}:{self.error}"


@unittest.skipIf(not LIBRARY, "this build has no library of faults")
class FaultsTest(ProgramTest):

    def setUp(self):
        super().setUp()
        self.make_list(2)
        self.inputs = [self.folder / "images/chair/000", self.folder / "images/chair/001"]
        self.not_borne: List[str] = []
        # Every decoder; the content says what an image is.
        for name, kind in (("00.png", "JPEG"), ("06.png", "WEBP")):
            path = self.inputs[1] / "rendering" / name
            Image.open(path).convert("RGB").save(path, format=kind)

    # Each command works in a folder of its own and writes to its folder "out".

    def command(self, name: str, folder: Path, again: bool = False) -> Tuple[List[str], str]:
        """The command line and stdin."""
        if name == "eval":
            return [*self.eval_command(folder / "out", "--batch", "1"), *(["--resume"] if again else [])], ""
        model = ["--model", Path(INPUTS) / "models/tiny", "--threads", "1", "--device", "cpu", "--quiet"]
        if name == "predict":
            return [PROGRAM, "predict", *model, *self.inputs, "--out", folder / "out"], ""
        if name == "merge":
            return [PROGRAM, "merge", self.folder / "run", "--out", folder / "out", "--quiet"], ""
        requests = [{"id": f"chair_{each}_00", "entry": f"chair_{each}_00.dat"} for each in ("000", "001")]
        return ([PROGRAM, "worker", *model, *self.roots(), "--out", folder / "out", "--max-batch", "1"],
                "".join(json.dumps(request) + "\n" for request in requests))

    def run_command(self, name: str, folder: Path, again: bool = False, **environment: str) -> subprocess.CompletedProcess:
        arguments, given = self.command(name, folder, again)
        if environment:
            environment["LD_PRELOAD"] = LIBRARY
        return run_command(arguments, input=given, timeout=120, cwd=folder, env={**os.environ, **environment})

    def calls(self, name: str) -> Dict[str, List[int]]:
        """The numbers of a command's calls by kind; of those for memory, the first from each place of the program."""
        folder = self.fresh(f"count-{name}")
        self.assertEqual(self.run_command(name, folder, P2MPP_FAULT_COUNTS=str(folder / "counts"),
                                          P2MPP_FAULT_STACKS=str(folder / "stacks")).returncode, 0)
        numbers = {kind: list(range(1, int(count) + 1))
                   for kind, count in (line.split() for line in (folder / "counts").read_text().splitlines())}
        places = [line.split() for line in (folder / "stacks").read_text().splitlines()]
        numbers["alloc"] = [int(number) for kind, number in places if kind == "alloc"]
        numbers["start"] = [int(number) for kind, number in places if kind == "start"][::START_STRIDE]
        return numbers

    def fresh(self, name: str) -> Path:
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def faults(self) -> List[Fault]:
        every = [Fault(name, kind, number, error) for name in ("eval", "predict", "merge", "worker")
                 for kind, numbers in self.calls(name).items() for number in numbers for error in ERRORS[kind]]
        if WANTED == "all":
            return every
        # As many of each command and kind, as far as there are.
        groups = [list(group) for _, group in itertools.groupby(every, lambda fault: (fault.command, fault.kind))]
        draw = random.Random(1)
        for group in groups:
            draw.shuffle(group)
        taken = itertools.chain.from_iterable(itertools.zip_longest(*groups))
        return [fault for fault in taken if fault is not None][:int(WANTED)]

    def test_every_fault_is_survived(self):
        (self.folder / "run").mkdir()
        self.assertEqual(self.run_command("eval", self.fresh("for-merge")).returncode, 0)
        shutil.copytree(self.folder / "for-merge/out", self.folder / "run", dirs_exist_ok=True)
        self.expected = {name: self.undisturbed(name) for name in ("eval", "predict", "merge", "worker")}
        faults = self.faults()
        problems = problems_of_all(self.attempt, faults)
        report_tries(f"faults tried: {len(faults)}, without memory and not borne: {len(self.not_borne)}")
        wanted = 2000 if WANTED == "all" else int(WANTED)
        self.assertGreaterEqual(len(faults), min(wanted, 2000), "as many as the command line asks for")
        self.assertLessEqual(len(self.not_borne), max(1, LIBRARIES_SHARE * len(faults)), "\n".join(self.not_borne))
        self.assertEqual(problems, [], f"{len(problems)} of {len(faults)} faults:\n" + "\n".join(problems))

    def attempt(self, fault: Fault) -> str:
        folder = self.fresh("-".join(map(str, fault)))
        try:
            return "; ".join(self.problems_of(fault, folder))
        except subprocess.TimeoutExpired:
            return "hangs"
        finally:
            shutil.rmtree(folder)

    def test_a_thread_that_does_not_start_ends_the_others(self):
        shutil.rmtree(self.folder / "images")
        shutil.rmtree(self.folder / "truth")
        self.make_list(12)  # more than the pipeline's queues hold
        clean = self.undisturbed("eval")
        for number in range(1, 20):
            folder = self.fresh(f"thread-{number}")
            counts = folder / "counts"
            run = self.run_command("eval", folder, P2MPP_FAULT=f"thread:{number}:{errno.EAGAIN}", P2MPP_FAULT_COUNTS=str(counts))
            if f"thread {number - 1}\n" in counts.read_text():
                break
            self.assertIn(run.returncode, (DONE, FAILED), run.stderr)
            self.assertEqual(self.run_command("eval", folder, again=True).returncode, DONE)
            self.assertEqual(self.outcome("eval", folder), clean)
        self.assertGreater(number, 2)

    def undisturbed(self, name: str) -> dict:
        folder = self.fresh(f"clean-{name}")
        run = self.run_command(name, folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        return self.outcome(name, folder)

    def outcome(self, name: str, folder: Path) -> dict:
        out = folder / "out"
        found = {"meshes": meshes(out)}
        if name in ("eval", "merge"):
            found["results"] = results(out)
            found["categories"] = (out / "categories.csv").read_text()
        return found

    def problems_of(self, fault: Fault, folder: Path) -> Iterator[str]:
        try:
            run = self.run_command(fault.command, folder, P2MPP_FAULT=f"{fault.kind}:{fault.number}:{fault.error}")
        except subprocess.TimeoutExpired:
            if fault.kind not in MEMORY:
                raise
            run = subprocess.CompletedProcess([], -signal.SIGKILL, "", "hangs")
        said = run.stderr.strip()[-300:]
        # Where memory is lacking, libstdc++'s paths and the JSON library may die, the ray tracer's threads may wait for
        # ever, and a decoder may call a file damaged.
        # Then the files must be whole all the same, and the command must go on as after a kill.
        if fault.kind in MEMORY and (run.returncode in KILLED or "damaged" in run.stderr + run.stdout):
            self.not_borne.append(f"{fault}: exit code {run.returncode}: {said}")
            self.remove_temporary_files(fault, folder)
            yield from self.torn_files(fault.command, folder / "out")
            yield from self.problems_afterwards(fault, folder)
            return
        # Only a file that must not be read is bad input; too few descriptors and a failing disk are not.
        documented = (DONE, FAILED, SOME_FAILED, *((BAD_INPUT,) if fault.error == errno.EACCES else ()))
        if fault.kind == "write" and fault.command == "eval":  # the disk is full: the run ends
            documented = (FAILED,)
        if run.returncode not in documented:
            yield f"exit code {run.returncode}: {said}"
        if fault.error != errno.EACCES and "damaged" in run.stderr + run.stdout:
            yield f"a file is called damaged: {said}"
        if run.returncode != DONE and "error" not in run.stderr and not re.search('"status":"(failed|not_scored)"', run.stdout):
            yield f"exit code {run.returncode} and no reason: {said}"
        if run.returncode == DONE and self.outcome(fault.command, folder) != self.expected[fault.command]:
            yield "exit code 0, and other results"
        yield from self.torn_files(fault.command, folder / "out")
        if "temporary files may be left" in run.stderr:
            self.remove_temporary_files(fault, folder)
        elif left := list(folder.glob("out/.p2mpp-*")):
            yield f"{left[0].name} was left"
        yield from self.problems_afterwards(fault, folder)

    def remove_temporary_files(self, fault: Fault, folder: Path) -> None:
        if fault.command != "eval":  # --resume removes them
            for file in folder.glob("out/.p2mpp-*"):
                file.unlink()

    def problems_afterwards(self, fault: Fault, folder: Path) -> Iterator[str]:
        again = self.run_command(fault.command, folder, again=True)
        if again.returncode != DONE:
            yield f"afterwards exit code {again.returncode}: {again.stderr.strip()[-300:]}"
        elif self.outcome(fault.command, folder) != self.expected[fault.command]:
            yield "afterwards other results"
        if left := list((folder / "out").glob(".p2mpp-*")):
            yield f"left {left[0].name}"

    def torn_files(self, name: str, out: Path) -> Iterator[str]:
        for file in out.iterdir() if out.exists() else ():
            if re.search(r"_predict\.", file.name):
                if file.read_bytes() != self.expected[name]["meshes"].get(file.name):
                    yield f"{file.name} is torn"
            elif file.name == "summary.json":
                json.loads(file.read_text())
            elif file.name == "report.html" and not file.read_text().rstrip().endswith("</html>"):
                yield "report.html is torn"
            elif file.name == "manifest.jsonl" and b"\0" in file.read_bytes():
                yield "manifest.jsonl has a NUL"
