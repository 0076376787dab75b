"""The Python package of the build folder, and a bundled sample, for the tests of the bindings."""

import os
import sys
import unittest
from pathlib import Path

import numpy as np

from runs import ROOT

PROGRAM = Path(os.environ.get("P2MPP", "build/p2mpp")).resolve()
PACKAGE = PROGRAM.parent / "python"
FOLDER = ROOT / "data/02691156/p2mpp0001"
TRUTH = ROOT / "data/02691156_p2mpp0001_00_ground.xyz"
VIEWS = (0, 6, 7)
INPUTS = os.environ.get("P2MPP_CLI_INPUTS", "build-fixtures/cli_inputs")
TINY = f"{INPUTS}/models/tiny"  # a tenth of the bundled model's time
HAS_MODULE = any(PACKAGE.glob("p2mpp/_core*.so"))
needs_module = unittest.skipUnless(HAS_MODULE, "this build has no Python module")
if HAS_MODULE:
    sys.path.insert(0, str(PACKAGE))


def rows() -> np.ndarray:
    return np.loadtxt(FOLDER / "rendering/rendering_metadata.txt")[list(VIEWS)]


def images():
    return [FOLDER / f"rendering/{view:02d}.png" for view in VIEWS]
