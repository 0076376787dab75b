"""Meshes, points and pickles for `metrics`, and files of options."""

import pickle
from pathlib import Path

import numpy as np

from model_inputs import TETRAHEDRON

# Prints a square of 2 N x N triangles as OBJ.
GRID = """import sys
n = int(sys.argv[1])
for i in range((n + 1) ** 2):
    print("v", i % (n + 1) / n, 0.1 * (i % 7) / n, i // (n + 1) / n)
for row in range(n):
    for column in range(n):
        at = row * (n + 1) + column + 1
        print("f", at, at + n + 1, at + 1)
        print("f", at + 1, at + n + 1, at + n + 2)
"""

CONFIGS = {
    "views": 'views = [6, 7]\n',
    "section": '[predict]\nout = "from-config"\nframe = "world"\n',
    "unknown-key": "bacth = 2\n",
    "unknown-section-key": "[predict]\nframes = \"world\"\n",
    "unknown-section": "[perdict]\nframe = \"world\"\n",
    "bad-value": "# a comment\nbatch = \"many\"\n",
    "not-configurable": "help = true\n",
    "binary": "\x01\x02\x03\x1b[31m = 5\n",
}


def make_files(out: Path) -> None:
    files = out / "files"
    files.mkdir()
    (files / "tetrahedron.obj").write_text(TETRAHEDRON)
    (files / "tetrahedron.xyz").write_text("0 0 0\n1 0 0\n0 1 0\n0 0 1\n")
    (files / "moved.xyz").write_text("0 0 0.005\n1 0 0.005\n0 1 0.005\n0 0 1.005\n")
    (files / "elsewhere.xyz").write_text("5 0 0\n6 0 0\n5 1 0\n5 0 1\n")
    (files / "twice-as-large.xyz").write_text("0 0 0\n2 0 0\n0 2 0\n0 0 2\n")
    (files / "nan.xyz").write_text("0 0 0\n1 nan 0\n")
    (files / "empty.xyz").write_text("")
    (files / "flat.obj").write_text("v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n")
    points = np.loadtxt(files / "tetrahedron.xyz")
    with open(files / "truth.dat", "wb") as file:
        pickle.dump(np.hstack([points, points]), file)
    (files / "grid.py").write_text(GRID)
    for name, text in CONFIGS.items():
        (files / f"{name}.toml").write_text(text)
