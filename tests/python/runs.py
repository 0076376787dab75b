"""Evaluations as tests run them, and what two of one list must agree in, wherever and in how many parts they ran."""

import contextlib
import csv
import importlib.util
import io
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import List, NamedTuple, Optional, Tuple

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("P2MPP")
INPUTS = os.environ.get("P2MPP_CLI_INPUTS")
TIMES = slice(5, 17)  # columns of results.csv
OTHERS = ("chair_missing_00", "../../etc/passwd_00", "chair_001_00")  # lines of a list that give no mesh
DATA = '<script type="application/json" id="data">'


def ends(process: str) -> bool:
    """Whether a process ends within seconds. A zombie has no command line."""
    for _ in range(200):
        try:
            if not Path(f"/proc/{process}/cmdline").read_text():
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


def require(*packages: str) -> None:
    """Skips a module's tests where one of these packages is not installed."""
    if None in map(importlib.util.find_spec, packages):
        raise unittest.SkipTest(f"{' or '.join(packages)} is missing; expected scripts/requirements-*.txt")


def problems_of_all(attempt, cases) -> List[str]:
    """What attempt() says against some of the cases, of which several are tried at a time."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [f"{case}: {problem}" for case, problem in zip(cases, pool.map(attempt, cases)) if problem]


def report_tries(line: str) -> None:
    """Appends a line to the file that P2MPP_FAULT_REPORT names, if it is set."""
    if path := os.environ.get("P2MPP_FAULT_REPORT"):
        with open(path, "a") as file:
            file.write(line + "\n")


def contents(folder: Path) -> dict:
    """Relative path -> bytes of every file."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


class Done(NamedTuple):
    """A finished command."""

    returncode: int
    stdout: str
    stderr: str


def checked(done, code: Optional[int]):
    """A finished command, whose exit code must be this one if it is given."""
    if code is not None and done.returncode != code:
        raise AssertionError(f"exit code {done.returncode}, not {code}: {done.stdout}{done.stderr}")
    return done


def run_command(command, code: Optional[int] = None, **options) -> subprocess.CompletedProcess:
    return checked(subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **options), code)


def run_program(*arguments, **options) -> subprocess.CompletedProcess:
    """p2mpp with these arguments."""
    return run_command([PROGRAM, *arguments], **options)


def run_here(main, *arguments, code: Optional[int] = None) -> Done:
    """Run a script's main() within this process."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        try:
            returned = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            returned = stop.code
    return checked(Done(returned, stdout.getvalue(), stderr.getvalue()), code)


class TemporaryTest(unittest.TestCase):
    """Has a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class SharedFolderTest(unittest.TestCase):
    """All tests of the class have one folder."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)


@unittest.skipIf(PROGRAM is None or INPUTS is None, "P2MPP and P2MPP_CLI_INPUTS name no program")
class ProgramTest(TemporaryTest):
    """Has a list in a folder of its own."""

    def make_list(self, count: int, others: Tuple[str, ...] = ()) -> None:
        """So many good samples, with other lines among them."""
        inputs = Path(INPUTS)
        (self.folder / "truth").mkdir()
        names = [f"chair_{index:03d}_00" for index in range(count)]
        for index, name in enumerate(names):
            shutil.copytree(inputs / "samples" / "shape", self.folder / f"images/chair/{index:03d}")
            shutil.copy(inputs / "files" / "tetrahedron.obj", self.folder / f"truth/{name}.obj")
        names[5:5] = others
        (self.folder / "list.txt").write_text("".join(f"{name}.dat\n" for name in names))

    def roots(self) -> list:
        return ["--images-root", self.folder / "images", "--truth-root", self.folder / "truth"]

    def eval_command(self, out: Path, *options: str) -> list:
        return [PROGRAM, "eval", "--model", Path(INPUTS) / "models/tiny", "--list", self.folder / "list.txt", *self.roots(),
                "--out", out, "--threads", "1", "--device", "cpu", "--quiet", *options]

    def assert_same_run(self, one: Path, other: Path) -> None:
        """All but times, machine and folder."""
        self.assertEqual(results(one), results(other))
        self.assertEqual(categories(one), categories(other))
        self.assertEqual(summary(one), summary(other))
        self.assertEqual(report(one), report(other))


@unittest.skipIf(PROGRAM is None or INPUTS is None, "P2MPP and P2MPP_CLI_INPUTS name no program")
class SharedProgramTest(SharedFolderTest):
    """All tests of the class have one list, in one folder."""

    make_list = classmethod(ProgramTest.make_list)
    roots = classmethod(ProgramTest.roots)
    eval_command = classmethod(ProgramTest.eval_command)
    assert_same_run = ProgramTest.assert_same_run


def without_comments(path: Path) -> bytes:
    """An OBJ file's lines but for comments, which name the model and the options."""
    return b"".join(line for line in path.read_bytes().splitlines(True) if not line.startswith(b"#"))


def meshes(out: Path) -> dict:
    return {file.name: file.read_bytes() for file in out.glob("*_predict.*")}


def results(out: Path) -> List[List[str]]:
    """The rows of results.csv without times."""
    with open(out / "results.csv", newline="") as file:
        rows = list(csv.reader(file))
    return [row[:TIMES.start] + row[TIMES.stop:] for row in rows]


def categories(out: Path) -> str:
    return (out / "categories.csv").read_text()


def summary(out: Path) -> dict:
    document = json.loads((out / "summary.json").read_text())
    document.pop("runs", None)  # only a merged one has them
    for name in ("milliseconds_a_sample", "throughput", "environment"):
        del document[name]
    del document["settings"]["out"]
    return document


def page_data(out: Path) -> dict:
    return json.loads((out / "report.html").read_text().partition(DATA)[2].partition("</script>")[0])


def report(out: Path) -> Tuple[str, dict]:
    """report.html around its data, and the data without times, machine and folder."""
    before, _, rest = (out / "report.html").read_text().partition(DATA)
    data = page_data(out)
    del data["parts"], data["environment"]
    data["figures"] = [figure for figure in data["figures"] if not figure["name"].startswith(("ms a sample", "samples/s"))]
    data["settings"] = [fact for fact in data["settings"] if fact[0] != "out"]
    kept = [index for index, column in enumerate(data["columns"]) if not column["name"].endswith("_ms")]
    data["samples"] = [[row[index] for index in kept] for row in data["samples"]]
    return before + rest.partition("</script>")[2], data
