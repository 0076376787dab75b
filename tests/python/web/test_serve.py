"""`p2mpp serve` with clients good, many, slow and hostile. The figures of the load test are printed."""

import json
import os
import random
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from server import INPUTS, MULTIPART, PROGRAM, Server, folder_parts, multipart

PHOTOS = INPUTS / "samples" / "photos"
CLIENTS = int(os.environ.get("P2MPP_CLIENTS", "200"))
NO_SERVER = "this build has no server"


def served(*arguments: str) -> Server:
    try:
        return Server(*arguments)
    except RuntimeError as error:
        if NO_SERVER in str(error):
            raise unittest.SkipTest(str(error)) from error
        raise


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


class ServeTest(unittest.TestCase):
    def test_the_mesh_is_that_of_predict(self) -> None:
        with tempfile.TemporaryDirectory() as out, served() as server:
            status, body = server.post("/v1/meshes", folder_parts(PHOTOS, {"id": "photos"}))
            self.assertEqual(status, 200, body)
            answer = json.loads(body)
            self.assertNotIn("p2mpp-serve-", body.decode().replace("/v1/meshes/", ""))
            glb = server.ask("GET", answer["files"]["glb"])[1]
            result = run("predict", str(PHOTOS), "--model", str(INPUTS / "models" / "tiny"), "--format", "glb", "--out", out)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(glb, (Path(out) / "photos_predict.glb").read_bytes())
            view = server.ask("GET", answer["files"]["view"])[1]
            self.assertIn(b"<canvas", view)
            self.assertEqual(server.close(), 0)

    def test_a_capture_comes_as_it_is(self) -> None:
        for name in ("nerf_synthetic", "nerfstudio", "instant_ngp"):
            folder = INPUTS / "captures" / name
            if not folder.is_dir():
                self.skipTest("no captures were made")
            parts = [("cameras", "transforms.json", next(folder.glob("transforms*.json")).read_bytes())]
            files = sorted(path for path in folder.rglob("*") if path.suffix in (".png", ".jpg"))
            masks = [path for path in files if "mask" in str(path.relative_to(folder))]
            parts += [("mask" if path in masks else "image", path.name, path.read_bytes()) for path in files]
            with served() as server:
                status, body = server.post("/v1/check", parts)
                self.assertEqual(status, 200, body)
                self.assertLess(json.loads(body)["disagreement"], 0.06, name)

    def test_a_cameras_file_reads_nothing_else_of_the_machine(self) -> None:
        with tempfile.TemporaryDirectory() as elsewhere, served() as server:
            secret = Path(elsewhere) / "secret.png"
            secret.write_bytes((PHOTOS / "photo1.png").read_bytes())
            frame = {"transform_matrix": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 2], [0, 0, 0, 1]]}
            for name in (str(secret), "../../../../../../../.." + str(secret)):
                transforms = {"fl_x": 200, "frames": [{"file_path": name, **frame}, {"file_path": "photo1.png", **frame}]}
                parts = [part for part in folder_parts(PHOTOS) if part[0] == "image"]
                parts.append(("cameras", "transforms.json", json.dumps(transforms).encode()))
                status, body = server.post("/v1/check", parts)
                self.assertEqual(status, 422, body)
                self.assertIn("have no file", json.loads(body)["reason"])

    def test_clients_share_batches(self) -> None:
        with served("--max-batch", "4", "--batch-timeout-ms", "500") as server, ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda i: server.post("/v1/meshes", folder_parts(PHOTOS, {"id": f"c{i}"})), range(8)))
            self.assertEqual([status for status, _ in answers], [200] * 8)
            self.assertGreater(max(json.loads(body)["batch"] for _, body in answers), 1)

    def test_many_clients_at_once(self) -> None:
        """None is lost, and memory does not grow with their number."""
        body = multipart(folder_parts(PHOTOS, {"id": "photos"}))
        with served("--max-batch", "8", "--keep-results", "20") as server:
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

    def test_hostile_clients_cost_nobody_else(self) -> None:
        """While some hang, drip, send rubbish and leave, others are answered."""
        body = multipart(folder_parts(PHOTOS))
        head = (f"POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: {MULTIPART['Content-Type']}\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode()
        with served() as server:
            stop = threading.Event()

            def hostile(number: int) -> None:
                draw = random.Random(number)
                while not stop.is_set():
                    try:
                        with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
                            kind = number % 5
                            if kind == 0:  # drips
                                for byte in head:
                                    client.send(bytes([byte]))
                                    if stop.wait(0.05):
                                        return
                            elif kind == 1:  # hangs in the middle of the body
                                client.sendall(head + body[: len(body) // 2])
                                stop.wait(3)
                            elif kind == 2:  # rubbish
                                client.sendall(draw.randbytes(draw.randrange(1, 20_000)))
                            elif kind == 3:  # leaves before its answer
                                client.sendall(head + body)
                            else:  # a body with a damaged byte, and no reading of the answer
                                damaged = bytearray(body)
                                damaged[draw.randrange(len(body))] ^= 255
                                client.sendall(head + damaged)
                                stop.wait(0.5)
                    except OSError:
                        pass
                    stop.wait(0.05)

            threads = [threading.Thread(target=hostile, args=(i,)) for i in range(25)]
            for thread in threads:
                thread.start()
            try:
                for _ in range(5):
                    status, answer = server.ask("POST", "/v1/meshes", body, MULTIPART)
                    self.assertEqual(status, 200, answer)
            finally:
                stop.set()
                for thread in threads:
                    thread.join()
            self.assertIsNone(server.process.poll())
            server.wait_for("p2mpp_in_work", 0)
            self.assertIn(server.close(), (0, 5))

    def test_the_spool_goes_with_the_server(self) -> None:
        with tempfile.TemporaryDirectory() as spool, served("--spool", spool) as server:
            self.assertEqual(server.post("/v1/meshes", folder_parts(PHOTOS))[0], 200)
            names = os.listdir(spool)
            self.assertEqual(len(names), 1)
            self.assertEqual(os.stat(Path(spool) / names[0]).st_mode & 0o077, 0)
            server.close()
            self.assertEqual(os.listdir(spool), [])

    def test_a_full_spool_is_answered(self) -> None:
        with served("--spool-mb", "1") as server:
            big = [("image", "a.png", bytes(1 << 21)), ("image", "b.png", b""), ("cameras", "cameras.txt", b"")]
            status, answer = server.post("/v1/meshes", big)
            self.assertEqual(status, 507, answer)
            self.assertEqual(server.post("/v1/meshes", folder_parts(PHOTOS))[0], 200)

    def test_two_servers_cannot_share_a_port(self) -> None:
        with served() as server:
            result = run("serve", "--port", str(server.port), "--model", str(INPUTS / "models" / "tiny"))
            self.assertEqual(result.returncode, 1)
            self.assertIn("cannot be served", result.stderr)


if __name__ == "__main__":
    unittest.main()
