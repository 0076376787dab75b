"""Where programs and libraries search for the libraries that they need: never in the working folder."""

import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path
from typing import List

from runs import PROGRAM, TemporaryTest, run_command

PATTERNS = ("p2mpp", "p2mpp_*", "test_*", "*.so*", "python/p2mpp/*.so", "tests/faults/*.so")
# Leaves a file when it is loaded.
PLANTED = '#include <stdio.h>\n__attribute__((constructor)) static void run(void) { fclose(fopen("planted-ran", "w")); }\n'


def dynamic_section(path: Path) -> str:
    return run_command(["readelf", "-W", "-d", path], 0).stdout


def needed(path: Path) -> List[str]:
    return re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic_section(path))


def search_paths(path: Path) -> List[str]:
    return [entry for found in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic_section(path)) for entry in found.split(":")]


def built_files(build: Path) -> List[Path]:
    files = {path.resolve() for pattern in PATTERNS for path in build.glob(pattern)}
    return sorted(path for path in files if path.is_file() and path.read_bytes()[:4] == b"\x7fELF")


@unittest.skipIf(PROGRAM is None, "P2MPP names no program")
class LibraryPathsTest(TemporaryTest):

    def test_every_search_path_is_absolute_or_beside_the_file(self):
        files = built_files(Path(PROGRAM).parent)
        self.assertIn(Path(PROGRAM).resolve(), files)
        for path in files:
            for entry in search_paths(path):
                self.assertRegex(entry, r"^(/|\$ORIGIN(/|$))", path)

    def test_a_library_in_the_working_folder_does_not_run(self):
        source, library = self.folder / "planted.c", self.folder / "planted"
        source.write_text(PLANTED)
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", source, "-o", library], check=True)
        names = [name for name in needed(Path(PROGRAM)) if not name.startswith(("libc.so", "ld-linux"))]
        self.assertGreater(len(names), 2)
        for name in names:
            shutil.copy(library, self.folder / name)
        done = self.run_here()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse((self.folder / "planted-ran").exists())
        self.run_here(LD_PRELOAD=str(library))
        self.assertTrue((self.folder / "planted-ran").exists(), "the test itself")

    def run_here(self, **environment: str) -> subprocess.CompletedProcess:
        return run_command([Path(PROGRAM).resolve(), "--version"], cwd=self.folder, env={**os.environ, **environment})
