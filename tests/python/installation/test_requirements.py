"""The requirements files: every package has a version and hashes, all files agree, and none has fallen behind its source."""

import re
import unittest
from pathlib import Path

from runs import ROOT

SOURCES = sorted([*ROOT.glob("scripts/requirements*.in"), ROOT / "bench/peers/requirements.in"])
ENTRY = re.compile(r"^([a-z0-9][a-z0-9._-]*)==([^ ;]+)([^\\\n]*)((?: \\\n    --hash=sha256:[0-9a-f]{64})*)$", re.MULTILINE)


def locked(source: Path):
    """(name, marker) to (version, number of hashes)."""
    text = source.with_suffix(".txt").read_text(encoding="utf-8")
    return {(name, marker.strip()): (version, hashes.count("--hash")) for name, version, marker, hashes in ENTRY.findall(text)}


def named(source: Path):
    """The packages of a .in file and those that it includes."""
    for line in source.read_text(encoding="utf-8").splitlines():
        if line.startswith("-r "):
            yield from named(source.parent / line[3:])
        elif line and not line.startswith("#"):
            yield re.match(r"([A-Za-z0-9._-]+)(==([^ ;]+))?", line).group(1, 3)


class RequirementsTest(unittest.TestCase):
    def test_every_line_is_a_package_with_hashes(self):
        self.assertGreaterEqual(len(SOURCES), 7)
        for source in SOURCES:
            text = source.with_suffix(".txt").read_text(encoding="utf-8")
            entries = re.findall(r"^[^ #\n]", text, re.MULTILINE)
            packages = locked(source)
            self.assertEqual(len(entries), len(packages), source)
            for name, (_, hashes) in packages.items():
                self.assertGreater(hashes, 0, f"{source}: {name}")

    def test_all_files_have_the_same_versions(self):
        versions = {}
        for source in SOURCES:
            for key, (version, _) in locked(source).items():
                self.assertEqual(versions.setdefault(key, version), version, f"{source}: {key}")

    def test_none_has_fallen_behind_its_source(self):
        for source in SOURCES:
            packages = {(name, version) for (name, _), (version, _) in locked(source).items()}
            for name, version in named(source):
                there = [each for each in packages if each[0] == name.lower()]
                self.assertTrue(there, f"{source}: {name}; run scripts/lock_requirements.sh")
                if version:
                    self.assertIn((name.lower(), version), there)
