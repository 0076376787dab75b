"""Samples as people have them, and the same damaged in one way each."""

import shutil
import struct
import zlib
from pathlib import Path
from typing import Callable

import numpy as np
from PIL import Image

SIDE = 137  # pixels, as in ShapeNetRendering
VIEWS = (0, 6, 7)
ROWS = [f"{45 * view}.5 27.25 0 0.8{view} 25" for view in range(8)]


def draw_view(seed: int) -> Image.Image:
    """A coloured ellipse on a transparent ground."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / (SIDE - 1) - 0.5
    inside = (x / (0.2 + 0.02 * seed)) ** 2 + (y / 0.3) ** 2 < 1
    pixels = np.zeros((SIDE, SIDE, 4), np.uint8)
    pixels[..., 0], pixels[..., 1], pixels[..., 2] = 60 + 20 * seed, 120, (200 * (y + 0.5)).astype(np.uint8)
    pixels[..., 3] = 255 * inside
    return Image.fromarray(pixels)


def write_shapenet_sample(folder: Path) -> None:
    rendering = folder / "rendering"
    rendering.mkdir(parents=True)
    for view in VIEWS:
        draw_view(view).save(rendering / f"{view:02}.png")
    (rendering / "rendering_metadata.txt").write_text("\n".join(ROWS) + "\n")


def write_demo_sample(folder: Path, views: int = 3) -> None:
    folder.mkdir(parents=True)
    for view in range(views):
        draw_view(view).save(folder / f"photo{view + 1}.png")
    (folder / "cameras.txt").write_text("\n".join(ROWS[:views]) + "\n")


def png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_bomb(side: int) -> bytes:
    """Declares side x side pixels in a few bytes."""
    header = struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + png_chunk(b"IDAT", zlib.compress(b"\0")) +
            png_chunk(b"IEND", b""))


def make_bad_images(samples: Path) -> None:
    """Each is a sample whose view 6 is not what it should be."""
    def replace(name: str, content: Callable[[bytes], bytes]) -> None:
        shutil.copytree(samples / "shape", samples / name)
        path = samples / name / "rendering" / "06.png"
        path.write_bytes(content(path.read_bytes()))

    replace("truncated-image", lambda data: data[:len(data) // 2])
    replace("bomb", lambda _: png_bomb(30_000))
    shutil.copytree(samples / "shape", samples / "missing-image")
    (samples / "missing-image" / "rendering" / "06.png").unlink()


def make_bad_cameras(samples: Path) -> None:
    """Each is a sample whose metadata is not what it should be."""
    def replace(name: str, text: str) -> None:
        shutil.copytree(samples / "shape", samples / name)
        (samples / name / "rendering" / "rendering_metadata.txt").write_text(text)

    def with_first(row: str) -> str:
        return "\n".join([row, *ROWS[1:]]) + "\n"

    replace("few-rows", "\n".join(ROWS[:3]) + "\n")
    replace("nan-camera", with_first("nan 20 0 0.8 25"))


def make_samples(out: Path) -> None:
    samples = out / "samples"
    write_shapenet_sample(samples / "shape")
    write_demo_sample(samples / "photos")
    write_demo_sample(samples / "two-photos", 2)
    write_demo_sample(samples / "five-photos", 5)
    write_demo_sample(samples / "six-photos", 6)
    write_shapenet_sample(out / "elsewhere" / "shape")
    (samples / "empty").mkdir()
    shutil.copytree(samples / "shape", samples / "a shape; $(touch trapped)")
    make_bad_images(samples)
    make_bad_cameras(samples)
