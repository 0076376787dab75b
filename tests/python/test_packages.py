"""scripts/package.sh: the archive makes the same mesh on a Debian without p2mpp's libraries and without network; the .deb
packages say what they need, and no PyTorch is among it. Slow: packing takes a minute, debootstrap another."""

import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from bare_machine import ROOT, BareMachine, obstacle
from runs import without_comments

PROGRAM = Path(os.environ.get("P2MPP", "build/p2mpp")).resolve()
BUILD = PROGRAM.parent
WORK = BUILD / "packages-test"
SAMPLE = ROOT / "data/02691156/p2mpp0001"


@unittest.skipIf(obstacle(), obstacle())
class PackagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir()
        done = subprocess.run([ROOT / "scripts/package.sh", "--build", BUILD, "--out", WORK / "packages", "deb", "archive"],
                              check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.packages = [Path(line) for line in done.stdout.splitlines()]

    def test_what_is_printed_is_what_is_there(self):
        self.assertEqual(sorted(self.packages), sorted((WORK / "packages").iterdir()))
        for path in self.packages:
            print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")

    def test_the_archive_needs_nothing_else(self):
        archive, = (path for path in self.packages if path.suffix == ".gz")
        (WORK / "unpacked").mkdir()
        subprocess.run(["tar", "-xf", archive, "-C", WORK / "unpacked"], check=True)
        folder, = (WORK / "unpacked").iterdir()
        machine = BareMachine(BUILD / "bare-machine")
        (WORK / "out").mkdir()
        done = machine.run([f"/p2mpp/{folder.name}/bin/p2mpp", "predict", SAMPLE, "--out", "/out", "--preview", "--view"],
                           [(ROOT, str(ROOT), "ro"), (WORK / "unpacked", "/p2mpp", "ro"), (WORK / "out", "/out", "rw")])
        self.assertEqual(done.returncode, 0, done.stderr)
        subprocess.run([PROGRAM, "predict", SAMPLE, "--out", WORK / "expected"], check=True, capture_output=True)
        name = "p2mpp0001_predict.obj"
        self.assertEqual(without_comments(WORK / "out" / name), without_comments(WORK / "expected" / name))
        licences = {path.name for path in (folder / "share/doc/p2mpp/licences").iterdir()}
        self.assertTrue({"libembree3-3", "libspng0", "libfmt9"} <= licences, licences)

    def test_the_debs_name_what_they_need(self):
        facts = {}
        for path in self.packages:
            if path.suffix == ".deb":
                text = subprocess.run(["dpkg-deb", "--field", path], check=True, capture_output=True, text=True).stdout
                facts[re.search(r"^Package: (.*)$", text, re.MULTILINE).group(1)] = (path, text)
        self.assertTrue({"p2mpp", "libp2mpp-dev"} <= set(facts))
        path, text = facts["p2mpp"]
        depends = re.search(r"^Depends: (.*)$", text, re.MULTILINE).group(1)
        for name in ("libc6", "libembree3-3", "libspng0", "libssl3"):
            self.assertIn(name, depends)
        self.assertNotRegex(depends, "torch|python|cuda")
        contents = subprocess.run(["dpkg-deb", "--contents", path], check=True, capture_output=True, text=True).stdout
        for name in ("./usr/bin/p2mpp", "./usr/share/p2mpp/models/p2mpp-shapes/stage1.pt", "./usr/share/man/man1/p2mpp.1",
                     "./usr/share/bash-completion/completions/p2mpp", "./usr/share/doc/p2mpp/LICENSE"):
            self.assertIn(name, contents)
        self.assertNotRegex(contents, r"libp2mpp_(cuda|torchscript)\.so|\.h$")
        if "p2mpp-cuda" in facts:
            self.assertRegex(facts["p2mpp-cuda"][1], r"Depends: .*p2mpp \(= ")


if __name__ == "__main__":
    unittest.main()
