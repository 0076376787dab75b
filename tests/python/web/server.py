"""`p2mpp serve` as a child process, and what its clients need."""

import http.client
import json
import signal
import subprocess
import time
import unittest
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import runs

INPUTS = Path(runs.INPUTS or runs.ROOT / "build-fixtures/cli_inputs")
BOUNDARY = "a-boundary-of-the-tests"
MULTIPART = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
Parts = List[Tuple[str, Optional[str], bytes]]


class Server:
    """Serves until close(). A test is skipped where the build has no server."""

    def __init__(self, *arguments: str, model: Path = INPUTS / "models" / "tiny") -> None:
        command = [runs.PROGRAM or runs.ROOT / "build/p2mpp", "serve", "--port", "0", "--json", "--quiet", "--model", str(model), *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            said = self.process.communicate()[1].strip()
            raise (unittest.SkipTest if "this build has no" in said else RuntimeError)(said)
        self.address = json.loads(line)["address"]
        self.port = int(self.address.rstrip("/").rsplit(":", 1)[1])

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self, patience: float = 60) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=patience)
        return self.process.returncode

    def ask(self, method: str, path: str, body: Optional[bytes] = None, headers: Optional[Dict[str, str]] = None,
            timeout: float = 300) -> Tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def post(self, path: str, parts: Parts, **headers: str) -> Tuple[int, bytes]:
        return self.ask("POST", path, multipart(parts), {**MULTIPART, **headers})

    def metrics(self) -> Dict[str, float]:
        text = self.ask("GET", "/metrics")[1].decode()
        lines = [line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in lines}

    def memory_mb(self, what: str = "VmHWM") -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(what + ":")) / 1024

    def wait_for(self, name: str, value: float, patience: float = 60) -> None:
        deadline = time.monotonic() + patience
        while self.metrics().get(name, 0) != value:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{name} is {self.metrics().get(name)}, not {value}")
            time.sleep(0.05)


def multipart(parts: Parts) -> bytes:
    body = b""
    for name, filename, data in parts:
        file = f'; filename="{filename}"' if filename is not None else ""
        body += f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode() + data + b"\r\n"
    return body + f"--{BOUNDARY}--\r\n".encode()


def folder_parts(folder: Path, request: Optional[Dict[str, object]] = None) -> Parts:
    """The files of a sample's folder or a capture, as a client sends them."""
    parts: Parts = []
    for file in sorted(folder.iterdir()):
        if file.suffix in (".png", ".jpg"):
            parts.append(("image", file.name, file.read_bytes()))
        elif file.name in ("cameras.txt", "cameras.json", "transforms.json"):
            parts.append(("cameras", file.name, file.read_bytes()))
    for file in sorted((folder / "masks").glob("*")):
        parts.append(("mask", file.name, file.read_bytes()))
    if request is not None:
        parts.append(("request", None, json.dumps(request).encode()))
    return parts
