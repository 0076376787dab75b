"""Large images: the memory that predict takes for them, and that their meshes are those of images shrunk by hand."""

import io
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from runs import INPUTS, PROGRAM, ProgramTest, run_command

SIDE, REDUCED = 8192, 2048
MEGABYTE = 1024  # ru_maxrss is in KiB
# Ends with the program's exit code and prints its peak, which is that of its only child.
PEAK = ("import resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode; "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)")


def drawn(number: int) -> Image.Image:
    """An object of two colours on white. Each image has another outline."""
    image = Image.new("RGB", (SIDE, SIDE), "white")
    pen = ImageDraw.Draw(image)
    middle, radius = SIDE // 2, SIDE // 3
    pen.ellipse((middle - radius, middle - radius // 2 - number * SIDE // 40, middle + radius, middle + radius // 2),
                fill=(200, 60 + 40 * number, 30))
    pen.rectangle((middle - radius // 2, middle, middle + radius // 2, middle + radius), fill=(40, 90, 160))
    return image


def encoded(image: Image.Image, form: str, **options) -> bytes:
    stream = io.BytesIO()
    image.save(stream, form, **options)
    return stream.getvalue()


def vertices(path: Path) -> np.ndarray:
    lines = (line.split() for line in path.read_text().splitlines())
    return np.array([[float(number) for number in line[1:4]] for line in lines if line and line[0] == "v"])


class LargeImagesTest(ProgramTest):

    def write_sample(self, name: str, images: dict) -> None:
        folder = self.folder / name
        folder.mkdir()
        for file, content in images.items():
            (folder / file).write_bytes(content)
        rows = (f"{40 * index} {25 + index} 0 0.8 25\n" for index in range(len(images)))
        (folder / "cameras.txt").write_text("".join(rows))

    def predict(self, *arguments: str) -> tuple:
        """The exit code, the peak memory in MB, and what it logged."""
        command = [PROGRAM, "predict", "--model", Path(INPUTS) / "models/tiny", "--device", "cpu", "--threads", "1",
                   "--quiet", "--out", "out", *arguments]
        done = run_command([sys.executable, "-c", PEAK, *command], cwd=self.folder, timeout=300)
        return done.returncode, int(done.stdout.split()[-1]) / MEGABYTE, done.stderr

    def test_three_large_images_take_little_memory_and_give_the_mesh_of_small_ones(self):
        images = [drawn(number) for number in range(3)]
        self.write_sample("large", {"a.png": encoded(images[0], "PNG", compress_level=1),
                                    "b.jpg": encoded(images[1], "JPEG", quality=90),
                                    "c.webp": encoded(images[2], "WEBP", quality=80, method=0)})
        shrunk = [image.resize((REDUCED, REDUCED), Image.Resampling.BOX) for image in images]
        self.write_sample("small", {f"{number}.png": encoded(image, "PNG", compress_level=1) for number, image in enumerate(shrunk)})
        code, peak, log = self.predict("large")
        self.assertEqual(code, 0, log)
        self.assertLess(peak, 220)
        code, _, log = self.predict("small")
        self.assertEqual(code, 0, log)
        large, small = vertices(self.folder / "out/large_predict.obj"), vertices(self.folder / "out/small_predict.obj")
        self.assertLess(np.abs(large - small).max(), 0.005 * np.ptp(small, axis=0).max())
