"""The program p2mpp, which some commands of the package run."""

import os
import shutil
from pathlib import Path

from p2mpp.errors import InputError
from p2mpp.project_files import project_file

NOT_FOUND = Path("p2mpp")


def installed_program() -> Path:
    """Of the source tree if it was built there, else the one in the package, else the one on the path."""
    for path in (project_file("build/p2mpp"), Path(__file__).with_name("p2mpp")):
        if path.is_file():
            return path
    return Path(shutil.which("p2mpp") or NOT_FOUND)


def check_program(path: Path) -> None:
    if path == NOT_FOUND and not path.exists():
        raise InputError("no program p2mpp in the package or on PATH; expected an installed p2mpp (docs/installing.md) or --p2mpp FILE")
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise InputError(f"{path}: is no program that can be run; expected p2mpp, as scripts/setup.sh builds it")
