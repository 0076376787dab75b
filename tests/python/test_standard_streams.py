"""Programs that are started with closed standard streams: no file of theirs gets what is meant for a stream."""

import hashlib
import itertools
import json
import subprocess
import sys
import unittest
from pathlib import Path

from runs import TemporaryTest

ROOT = Path(__file__).resolve().parents[2]

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


class StandardStreamsTest(TemporaryTest):

    def run_with(self, descriptors, line: str) -> subprocess.CompletedProcess:
        return subprocess.run(["bash", "-c", f"{line} {closed(descriptors)}"], cwd=self.folder, timeout=100,
                              capture_output=True, text=True, check=False)

    def test_no_file_gets_what_is_meant_for_a_stream(self):
        (self.folder / "program.py").write_text(AFTER_START)
        every = [each for count in (1, 2, 3) for each in itertools.combinations(range(3), count)]
        for descriptors in every:
            self.run_with(descriptors, f"{sys.executable} program.py {ROOT} occupied")
            self.assertEqual((self.folder / "result").read_text(), "result\n", descriptors)
        self.run_with((1, 2), f"{sys.executable} program.py {ROOT} not")
        self.assertNotEqual((self.folder / "result").read_text(), "result\n", "the test itself")

    def test_an_exported_model_is_whole(self):
        template = ROOT / "data/templates/ellipsoid_156.obj"
        line = (f"{sys.executable} -m p2mpp.commands.export --random 1 --hidden 8 --width 0.125 --template {template} "
                "--out")
        self.assertEqual(self.run_with((0, 2), f"{line} model").returncode, 0)
        for name, facts in json.loads((self.folder / "model/model.json").read_text())["files"].items():
            found = hashlib.sha256((self.folder / "model" / name).read_bytes()).hexdigest()
            self.assertEqual(found, facts["sha256"], name)


if __name__ == "__main__":
    unittest.main()
