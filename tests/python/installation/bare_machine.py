"""A Debian 12 without development packages and without network, in which scripts/verify_gpu.sh and packages are tried: a
folder that debootstrap makes, and namespaces of its own for its mounts, processes and network. Needs root."""

import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# A machine with a GPU needs compilers and build tools. ccache only saves time in the test.
PACKAGES = "g++,cmake,ninja-build,python3,ccache"
NAMESPACES = ("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child")


def obstacle() -> str:
    """Why there can be none here, or nothing."""
    if os.geteuid() != 0:
        return "needs root, for mounts"
    for program in ("debootstrap", "unshare", "apt-get"):
        if shutil.which(program) is None:
            return f"{program} is missing"
    release = Path("/etc/os-release").read_text(encoding="utf-8")
    if not re.search(r"^VERSION_CODENAME=bookworm$", release, re.MULTILINE):
        return "the packages' names are those of Debian 12"
    if subprocess.run([*NAMESPACES, "true"], check=False, capture_output=True).returncode != 0:
        return "namespaces are not allowed here"
    return ""


def toolkit():
    """The CUDA toolkit's folder, or None. nvcc on PATH may be a script that calls the one in the toolkit's folder, so
    nvcc itself is asked."""
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not Path(nvcc).is_file():
        return None
    done = subprocess.run([nvcc, "--dryrun", "-x", "cu", "-c", os.devnull], check=False, capture_output=True, text=True)
    found = re.search(r"^#\$ TOP=(.+)$", done.stderr, re.MULTILINE)
    folder = Path(found.group(1)).resolve() if found else Path(nvcc).resolve().parents[1]
    return folder if (folder / "include/cuda_runtime.h").is_file() else None


class BareMachine:
    """folder: for its files; a second one in the same place begins with what the first has left there."""

    def __init__(self, folder: Path):
        self.root = folder / "root"
        self.changes = folder / "changes"
        if not (folder / "root-is-whole").exists():
            shutil.rmtree(self.root, ignore_errors=True)
            folder.mkdir(parents=True, exist_ok=True)
            with open(folder / "debootstrap.log", "wb") as log:
                subprocess.run(["debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", self.root],
                               check=True, stdout=log, stderr=log)
            (folder / "root-is-whole").touch()

    def run(self, command, mounts, environment=None, keep=True) -> subprocess.CompletedProcess:
        """Runs a command in the project's root. mounts: (folder here, folder there, "ro" or "rw"), those within others
        after them. keep: whether what it changes outside of them stays."""
        script = ["set -e", "mount --make-rprivate /"]
        if not keep:
            upper, work = self.changes / "upper", self.changes / "work"
            script += [f"mkdir -p '{self.changes}'", f"mount -t tmpfs tmpfs '{self.changes}'", f"mkdir '{upper}' '{work}'",
                       f"mount -t overlay overlay -o 'lowerdir={self.root},upperdir={upper},workdir={work}' '{self.root}'"]
        script += [f"cd '{self.root}'", "mount -t proc proc proc", "mount --rbind /dev dev"]
        for here, there, mode in mounts:
            where = f"'./{there}'"
            script += [f"mkdir -p {where}", f"mount --bind '{here}' {where}"]
            if mode == "ro":
                script.append(f"mount -o remount,bind,ro {where}")
        script.append('exec chroot . /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"')
        variables = [f"{name}={value}" for name, value in (environment or {}).items()]
        in_project = ["sh", "-c", 'cd "$0" && exec "$@"', ROOT, *map(str, command)]
        return subprocess.run([*NAMESPACES, "bash", "-c", "\n".join(script), "bare-machine", *variables, *in_project],
                              check=False, capture_output=True, text=True)


def python_mounts(python: str):
    """Where a Python environment lies, with PyTorch."""
    found = subprocess.run([python, "-c", "import sys; print(sys.prefix, sys.base_prefix)"], check=True,
                           capture_output=True, text=True).stdout.split()
    return [(Path(each).resolve(), str(Path(each).resolve()), "ro") for each in found if not each.startswith("/usr")]


def ccache_folder():
    """Where ccache keeps its files, or None."""
    if shutil.which("ccache") is None:
        return None
    done = subprocess.run(["ccache", "--get-config", "cache_dir"], check=False, capture_output=True, text=True)
    return Path(done.stdout.strip()) if done.returncode == 0 and Path(done.stdout.strip()).is_dir() else None
