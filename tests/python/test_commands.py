"""The commands p2mpp-NAME of the Python package: each is installed, begins by occupying closed streams, and says in one
line if its packages are missing."""

import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(path.stem for path in (ROOT / "python/p2mpp/commands").glob("*.py") if path.name != "__init__.py")


def python_without_packages(code: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); {code}"],
                          capture_output=True, text=True, timeout=100, check=False)


class CommandsTest(unittest.TestCase):

    def test_every_command_is_installed(self):
        project = (ROOT / "pyproject.toml").read_text()
        self.assertIn("train", NAMES)
        for name in NAMES:
            self.assertIn(f'\np2mpp-{name.replace("_", "-")} = "p2mpp.commands:run_{name}"\n', project)

    def test_missing_packages_are_one_line(self):
        for name in ("calibrate", "export", "shards"):  # the others read their options first
            done = python_without_packages(f"import p2mpp.commands; sys.exit(p2mpp.commands.run_{name}())")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rf"\Ap2mpp-{name}: error: No module named '\w+'; expected `pip install "
                                          r"'p2mpp\[\w+\]'`\n\Z")

    def test_streams_are_occupied_before_packages_are_imported(self):
        loaded = python_without_packages("import p2mpp.commands; print(*sys.modules)")
        self.assertEqual(loaded.returncode, 0, loaded.stderr)
        for name in loaded.stdout.split():
            self.assertIn(name.split(".")[0], (*sys.stdlib_module_names, "p2mpp", "__main__"))


if __name__ == "__main__":
    unittest.main()
