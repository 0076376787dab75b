"""pip installs from the requirements files and refuses other bytes."""

import re
import subprocess
import sys

from runs import ROOT, TemporaryTest


class RequirementsInstallTest(TemporaryTest):
    def test_pip_installs_from_them_and_refuses_other_bytes(self):
        if subprocess.run([sys.executable, "-m", "pip", "index", "versions", "manifold3d"], check=False, capture_output=True).returncode:
            self.skipTest("no package index can be reached")
        good = ROOT / "scripts/requirements-data.txt"
        subprocess.run([sys.executable, "-m", "venv", self.folder], check=True)
        pip = [self.folder / "bin/python", "-m", "pip", "install", "--disable-pip-version-check", "--require-hashes", "-r"]
        bad = self.folder / "bad.txt"
        bad.write_text(re.sub(r"sha256:[0-9a-f]{64}", "sha256:" + 64 * "0", good.read_text(encoding="utf-8")),
                       encoding="utf-8")
        done = subprocess.run([*pip, bad], check=False, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("DO NOT MATCH THE HASHES", done.stderr)
        subprocess.run([*pip, good], check=True, capture_output=True)
        subprocess.run([pip[0], "-c", "import manifold3d, numpy, PIL"], check=True)
