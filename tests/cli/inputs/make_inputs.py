#!/usr/bin/env python3
"""Makes what the command line's tests read: a tiny model and damaged ones, samples good and bad, meshes, pickles, options.
Makes them anew only where the exporter or these scripts have changed.

usage: make_inputs.py OUT
"""

import hashlib
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGES = HERE.parents[2] / "python"


def fingerprint() -> str:
    """Changes with every file that the result depends on."""
    digest = hashlib.sha256()
    writers = HERE.parents[1] / "captures" / "p2mpp_captures"
    for path in sorted([*HERE.glob("*.py"), PACKAGES / "p2mpp/commands/export.py", *(PACKAGES / "p2mpp/network").glob("*.py"),
                        *writers.glob("*.py")]):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def main() -> None:
    out = Path(sys.argv[1])
    stamp = out / "fingerprint"
    if stamp.is_file() and stamp.read_text() == fingerprint():
        return
    # Imported late: a second run must not wait for torch.
    from capture_inputs import make_captures
    from file_inputs import make_files
    from model_inputs import make_models
    from sample_inputs import make_samples

    shutil.rmtree(out, ignore_errors=True)
    make_samples(out)
    make_files(out)
    if find_spec("manifold3d"):  # which makes the shapes again
        make_captures(out)
    make_models(out, PACKAGES)
    stamp.write_text(fingerprint())


if __name__ == "__main__":
    main()
