"""Time and memory of textures: 24 photographs of 12 megapixels (drawn smaller and enlarged, JPEG with masks), and meshes of
20,000 and of 1,000,000 faces. `texture` is the time that `p2mpp texture --json` says, in which every photograph is decoded once.
Time of the processor is told apart from what reading the capture took before. Existing photographs are kept."""

import argparse
import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import List

import numpy as np
import trimesh
from PIL import Image

from shared import Tools, add_tool_options, table, tools_of
from texture_changes import painted

from p2mpp_captures.capture import CaptureOptions, draw_capture, write_cameras  # noqa: E402
from p2mpp_captures.rendering import render, scaled  # noqa: E402
from p2mpp_captures.rig import RigOptions  # noqa: E402

SHAPE, SEED = "02958343_p2mpp0001", 11
WIDTH, HEIGHT, PHOTOGRAPHS, ENLARGED = 4000, 3000, 24, 5
SIZES = ((20_000, "2048"), (20_000, "vertex"), (1_000_000, "4096"), (1_000_000, "vertex"))  # faces, texture


def write_photographs(folder: Path) -> None:
    """A capture with masks, and source.ply: the true surface."""
    if (folder / "source.ply").exists():
        return
    options = CaptureOptions("colmap_bin", suffix="jpg", background="color",
                             rig=RigOptions(width=WIDTH, height=HEIGHT, views=PHOTOGRAPHS))
    capture = draw_capture(painted(SHAPE), options, SEED)
    for part in ("images", "masks"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for photograph in capture.photographs:
        small = render(capture.subject, photograph.true_pose, scaled(photograph.lens, 1 / ENLARGED), 1)
        large = Image.fromarray(small).resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)
        large.convert("RGB").save(folder / "images" / f"{photograph.name}.jpg", quality=92)
        large.getchannel("A").point(lambda alpha: 255 * (alpha > 127)).save(folder / "masks" / f"{photograph.name}.png")
    write_cameras(capture, replace(options), folder, SEED)
    shape = capture.subject.shape
    trimesh.Trimesh(capture.source_from_world.points(np.asarray(shape.vertices)), shape.triangles,
                    process=False).export(folder / "source.ply")


def with_faces(mesh: trimesh.Trimesh, count: int) -> trimesh.Trimesh:
    """The same surface in smaller triangles: each in four while that is not too many, then some in three."""
    while 4 * len(mesh.faces) <= count:
        mesh = mesh.subdivide()
    divided = np.arange(min((count - len(mesh.faces)) // 2, len(mesh.faces)))
    middle = len(mesh.vertices) + divided
    a, b, c = mesh.faces[divided].T
    faces = np.concatenate([mesh.faces[len(divided):], np.stack([a, b, middle], 1), np.stack([b, c, middle], 1),
                            np.stack([c, a, middle], 1)])
    return trimesh.Trimesh(np.concatenate([mesh.vertices, mesh.triangles_center[divided]]), faces, process=False)


def cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # in the program, in the kernel


def row(tools: Tools, faces: int, texture: str) -> List[str]:
    mesh = tools.out / f"{faces}.ply"
    if not mesh.exists():
        with_faces(trimesh.load(tools.out / "source.ply", process=False), faces).export(mesh)
    command = [tools.program, "texture", mesh, tools.out, "--masks", tools.out / "masks", "--texture", texture, "--json",
               "--out", tools.out / f"{faces}-{texture}.glb"]
    with open(tools.out / "result.json", "w+") as result:
        child = subprocess.Popen(command, stdout=result, stderr=subprocess.PIPE, text=True)
        before = 0.0
        for text in child.stderr:
            if "info: views:" in text:  # the capture has been read
                before = cpu_seconds(child.pid)
        _, status, usage = os.wait4(child.pid, 0)
        if status != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: failed")
        result.seek(0)
        document = json.load(result)
    return [f"{document['faces']:,}", texture, f"{document['texture']['milliseconds'] / 1000:.1f}",
            f"{usage.ru_utime + usage.ru_stime - before:.1f}", f"{before:.1f}", f"{usage.ru_maxrss / 1024:.0f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_tool_options(parser)
    parser.add_argument("--out", type=Path, required=True, help="folder for the capture, meshes and results")
    tools = tools_of(parser.parse_args())
    write_photographs(tools.out)
    print(table(["faces", "texture", "texture, s", "CPU of it and writing, s", "CPU of reading, s", "peak, MB"], [row(tools, *size) for size in SIZES]))


if __name__ == "__main__":
    main()
