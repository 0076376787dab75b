"""Programs that are started with closed standard streams: no file of theirs gets what is meant for a stream."""

import itertools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Dict, Tuple

from runs import INPUTS, PROGRAM, ROOT, ProgramTest, TemporaryTest, contents, run_program

# Opens a file, as a program does after its start, and writes to all streams.
AFTER_START = """
import os, sys
if sys.argv[2] == "occupied":
    sys.path.insert(0, sys.argv[1] + "/python")
    import p2mpp.commands
with open("result", "w") as file:
    file.write("result\\n")
    file.flush()
    for write in (lambda: print("log", file=sys.stderr, flush=True), lambda: os.write(1, b"out"),
                  lambda: os.write(2, b"err"), lambda: os.system("echo child; echo child >&2")):
        try:
            write()
        except OSError:
            pass
"""


def closed(descriptors) -> str:
    return " ".join({0: "0<&-", 1: "1>&-", 2: "2>&-"}[each] for each in descriptors)


def run_closed(line: str, descriptors, folder: Path) -> int:
    """A command's exit code."""
    return subprocess.run(["bash", "-c", f"{line} {closed(descriptors)}"], cwd=folder, timeout=100, capture_output=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python")}).returncode


class StandardStreamsTest(TemporaryTest):

    def test_no_file_gets_what_is_meant_for_a_stream(self):
        (self.folder / "program.py").write_text(AFTER_START)
        for descriptors in every_set():
            run_closed(f"{sys.executable} program.py {ROOT} occupied", descriptors, self.folder)
            self.assertEqual((self.folder / "result").read_text(), "result\n", descriptors)
        run_closed(f"{sys.executable} program.py {ROOT} not", (1, 2), self.folder)
        self.assertNotEqual((self.folder / "result").read_text(), "result\n", "the test itself")


class ClosedStreamsTest(ProgramTest):
    """Each command, started with streams closed, writes the files that it writes otherwise."""

    def setUp(self):
        super().setUp()
        self.make_list(2)
        self.model = f"--model {INPUTS}/models/tiny --device cpu --threads 1"
        self.sample = f"{self.folder}/images/chair/000"
        self.roots_given = f"--images-root {self.folder}/images --truth-root {self.folder}/truth"

    def commands(self) -> Dict[str, str]:
        mesh, run = f"{INPUTS}/files/tetrahedron.obj", f"{self.folder}/run"
        evaluate = f"--list {self.folder}/list.txt {self.roots_given}"
        return {
            "predict": f"{self.model} {self.sample} --out out", "eval": f"{self.model} {evaluate} --out out",
            "check": f"{self.model} {self.sample}", "merge": f"{run} --out out", "compare": f"{run} {run}",
            "worker": f"{self.model} --out out < /dev/null", "refine": f"{self.model} {mesh} {self.sample} --out out",
            "bench": f"{self.model} --repeats 1 --no-baseline --out bench.md", "metrics": f"{mesh} {mesh}",
            "render": f"{mesh} --size 16 --out out", "morph": f"{mesh} {mesh} --frames 2 --out out",
            "info": f"{self.model}", "completion": "bash", "import": f"{self.sample} --out out",
            "selftest": f"{self.model} --help", "serve": "--help", "texture": f"{mesh} {self.sample} --out coloured.glb",
            "finish": f"{mesh} --unit cm --out solid.3mf",
        }

    def run_command(self, name: str, arguments: str, descriptors=()) -> Tuple[int, Dict[str, bytes]]:
        """Its exit code and files."""
        folder = self.folder / "work"
        folder.mkdir()
        code = run_closed(f"exec {PROGRAM} {name} {arguments}", descriptors, folder)
        files = contents(folder)
        shutil.rmtree(folder)
        return code, files

    def test_every_command(self):
        subprocess.run(list(map(str, self.eval_command(self.folder / "run"))), capture_output=True, check=True)
        listed = run_program("--help").stdout
        names = re.findall(r"^  (\w+) ", listed.partition("\nSubcommands:\n")[2].partition("\n\n")[0], re.MULTILINE)
        commands = self.commands()
        self.assertEqual(sorted(commands), sorted(names))
        for name, arguments in commands.items():
            code, files = self.run_command(name, arguments)
            # The program reopens them before it looks for the command: for most, the log alone and all are enough.
            for descriptors in every_set() if name in ("predict", "eval") else ((2,), (0, 1, 2)):
                with self.subTest(f"{name} {closed(descriptors)}"):
                    closed_code, closed_files = self.run_command(name, arguments, descriptors)
                    # Output that cannot be printed is an error.
                    self.assertIn(closed_code, (code, 1) if 1 in descriptors or 0 in descriptors else (code,))
                    if closed_code == code:
                        self.assertEqual(sorted(closed_files), sorted(files))
                    for path in closed_files.keys() & files.keys():
                        self.assertEqual(same_again(path, closed_files[path]), same_again(path, files[path]), path)

    def test_every_python_command(self):
        """With all streams closed; test_no_file_gets_what_is_meant_for_a_stream has the other sets."""
        for name in sorted(path.stem for path in (ROOT / "python/p2mpp/commands").glob("[!_]*.py")):
            line = f"{sys.executable} -m p2mpp.commands.{name} --no-such-option"
            self.assertEqual(run_closed(line, range(3), self.folder), 2, name)


def every_set() -> list:
    return [each for count in (1, 2, 3) for each in itertools.combinations(range(3), count)]


def same_again(path: str, content: bytes) -> object:
    """Of files with times in them, what of the log got into them."""
    if re.search(r"_predict\.|_coarse|\.png$|categories\.csv$", path):
        return content
    return re.findall(rb"p2mpp: (?:info|warning|error)", content)
