"""`p2mpp serve` as a program, with photographs, captures and many clients. Figures of the load test are printed. tests/server
has its refusals and hostile clients, test_entries.py compares its meshes with those of other commands."""

import json
import os
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from runs import run_program
from server import INPUTS, MULTIPART, Server, folder_parts, multipart

PHOTOS = INPUTS / "samples" / "photos"
CLIENTS = int(os.environ.get("P2MPP_CLIENTS", "40"))


class ServeTest(unittest.TestCase):
    def test_a_mesh_its_page_and_the_spool(self) -> None:
        with tempfile.TemporaryDirectory() as spool, Server("--spool", spool, "--spool-mb", "1") as server:
            big = [("image", "a.png", bytes(1 << 21)), ("image", "b.png", b""), ("cameras", "cameras.txt", b"")]
            status, answer = server.post("/v1/meshes", big)
            self.assertEqual(status, 507, answer)
            status, body = server.post("/v1/meshes", folder_parts(PHOTOS, {"id": "photos"}))
            self.assertEqual(status, 200, body)
            self.assertNotIn("p2mpp-serve-", body.decode().replace("/v1/meshes/", ""))
            view = server.ask("GET", json.loads(body)["files"]["view"])[1]
            self.assertIn(b"<canvas", view)
            folder, = Path(spool).iterdir()
            self.assertEqual(folder.stat().st_mode & 0o077, 0)
            second = run_program("serve", "--port", server.port, "--model", INPUTS / "models" / "tiny")
            self.assertEqual(second.returncode, 1)
            self.assertIn("cannot be served", second.stderr)
            self.assertEqual(server.close(), 0)
            self.assertEqual(os.listdir(spool), [])

    def test_captures_come_as_they_are(self) -> None:
        with Server() as server:
            for name in ("nerf_synthetic", "nerfstudio", "instant_ngp"):
                folder = INPUTS / "captures" / name
                if not folder.is_dir():
                    self.skipTest("no captures were made")
                parts = [("cameras", "transforms.json", next(folder.glob("transforms*.json")).read_bytes())]
                files = sorted(path for path in folder.rglob("*") if path.suffix in (".png", ".jpg"))
                masks = [path for path in files if "mask" in str(path.relative_to(folder))]
                parts += [("mask" if path in masks else "image", path.name, path.read_bytes()) for path in files]
                status, body = server.post("/v1/check", parts)
                self.assertEqual(status, 200, body)
                self.assertLess(json.loads(body)["disagreement"], 0.06, name)

    def test_many_clients_at_once(self) -> None:
        """None is lost, and memory does not grow with their number."""
        body = multipart(folder_parts(PHOTOS, {"id": "photos"}))
        with Server("--max-batch", "8", "--keep-results", "20") as server:
            self.assertEqual(server.ask("POST", "/v1/meshes", body, MULTIPART)[0], 200)
            before = server.memory_mb()

            def client(_: int) -> tuple:
                begun = time.monotonic()
                status = server.ask("POST", "/v1/meshes", body, MULTIPART)[0]
                return status, time.monotonic() - begun

            begun = time.monotonic()
            with ThreadPoolExecutor(CLIENTS) as pool:
                answers = list(pool.map(client, range(CLIENTS)))
            seconds = sorted(each for _, each in answers)
            figures = {"clients": CLIENTS, "seconds": round(time.monotonic() - begun, 2),
                       "p50_s": round(seconds[len(seconds) // 2], 3), "p99_s": round(seconds[int(0.99 * len(seconds))], 3),
                       "memory_before_mb": round(before), "memory_most_mb": round(server.memory_mb())}
            print(json.dumps(figures), flush=True)
            self.assertEqual({status for status, _ in answers}, {200})
            self.assertLess(server.memory_mb(), before + 400)
            self.assertLessEqual(server.metrics()["p2mpp_results"], 20)
