"""Files that come with p2mpp."""

from pathlib import Path


def project_file(path: str) -> Path:
    """A file or folder of the project: inside the installed package or, in a source tree, below its root."""
    package = Path(__file__).resolve().parent
    return package / path if (package / path).exists() else package.parents[1] / path
