"""Whole captures: a subject, cameras around it, the pictures, and the files that say where the cameras are."""

import json
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Dict, List, Tuple

import numpy as np
from PIL import Image

from . import colmap, transforms
from .lens import Lens
from .pose import Pose, Similarity, disturbed
from .rendering import SAMPLES, render
from .rig import RigOptions, draw_rig, draw_world
from .shapes import Subject
from .texture import blotches

from p2mpp.shapes.ground_truth import sample_surface

PLAIN = (64, 128, 96)  # the background "color"
SURFACE_POINTS, GROUND_POINTS = 400, 150
POINT_NOISE = 0.001  # of the normalised world's unit
PIXEL_NOISE = 0.3
COLMAP_MODELS = {"pinhole": "PINHOLE", "simple_radial": "SIMPLE_RADIAL", "radial": "RADIAL", "opencv": "OPENCV",
                 "full_opencv": "FULL_OPENCV", "fisheye": "OPENCV_FISHEYE"}


@dataclass(frozen=True)
class Photograph:
    """name without a suffix; where the camera was in the normalised world, and what is written, in the source."""

    name: str
    lens: Lens
    true_pose: Pose
    written_pose: Pose


@dataclass(frozen=True)
class Capture:
    """An object, its photographs and their poses."""

    subject: Subject
    source_from_world: Similarity
    photographs: List[Photograph]


@dataclass(frozen=True)
class CaptureOptions:
    """format: a flavour of FORMATS. background: "alpha", "white", "color", or "busy", which writes
    masks, masks/NAME.png."""

    format: str = "colmap_bin"
    background: str = "alpha"
    suffix: str = "png"  # of the pictures; jpg has no alpha
    samples: int = SAMPLES  # each way, of a pixel
    noise_degrees: float = 0.0  # of the poses that are written
    noise_share: float = 0.0  # of their distance
    rig: RigOptions = field(default_factory=RigOptions)


def draw_capture(subject: Subject, options: CaptureOptions, seed: int) -> Capture:
    """Noise has a stream of its own: with and without it, the pictures are the same."""
    rng = np.random.default_rng([seed, 0])
    noise = np.random.default_rng([seed, 1])
    world = draw_world(rng, options.rig)
    photographs = []
    for number, (pose, lens) in enumerate(draw_rig(rng, subject, options.rig), start=1):
        written = disturbed(world.pose(pose), noise, options.noise_degrees, options.noise_share, world.translation)
        photographs.append(Photograph(f"IMG_{number:04d}", lens, pose, written))
    return Capture(subject, world, photographs)


def write_capture(capture: Capture, options: CaptureOptions, folder: Path, seed: int, workers: int = 1) -> None:
    """Pictures, masks where the background is busy, and the files of the format."""
    write_pictures(capture, options, folder, seed, workers)
    write_cameras(capture, options, folder, seed)


def write_cameras(capture: Capture, options: CaptureOptions, folder: Path, seed: int) -> None:
    """All but the pictures. `folder` exists."""
    FORMATS[options.format][1](capture, options, folder, np.random.default_rng([seed, 2]))


def write_pictures(capture: Capture, options: CaptureOptions, folder: Path, seed: int, workers: int = 1) -> None:
    """Into the format's folder for images, and masks/ where the background is busy."""
    jobs = list(enumerate(capture.photographs))
    draw = partial(_write_picture, capture.subject, options, folder, seed)
    picture_path(folder, options, "any").parent.mkdir(parents=True, exist_ok=True)
    if options.background == "busy":
        (folder / "masks").mkdir(exist_ok=True)
    if workers == 1:
        list(map(draw, jobs))
        return
    # Subjects hold functions, which no other process can be sent; its children have them by fork.
    _SHARED.clear()
    _SHARED.append(draw)
    with ProcessPoolExecutor(workers, multiprocessing.get_context("fork")) as pool:
        list(pool.map(_draw_shared, jobs))


_SHARED: List = []


def _draw_shared(job) -> None:
    _SHARED[0](job)


def write_truth(capture: Capture, folder: Path) -> None:
    """Beside the capture, FOLDER_truth.json: source_from_world; FOLDER_truth.xyz: the truth's points in the source."""
    world = capture.source_from_world
    content = {"shape": capture.subject.name, "scale": world.scale, "rotation": world.rotation.tolist(),
               "translation": world.translation.tolist()}
    folder.with_name(f"{folder.name}_truth.json").write_text(json.dumps(content, indent=2) + "\n")
    np.savetxt(folder.with_name(f"{folder.name}_truth.xyz"), world.points(capture.subject.truth), fmt="%.9g")


def picture_path(folder: Path, options: CaptureOptions, name: str) -> Path:
    return folder / FORMATS[options.format][0] / f"{name}.{options.suffix}"


def _write_picture(subject: Subject, options: CaptureOptions, folder: Path, seed: int,
                   job: Tuple[int, Photograph]) -> None:
    number, photograph = job
    picture = render(subject, photograph.true_pose, photograph.lens, options.samples)
    if options.background == "busy":
        mask = Image.fromarray(np.where(picture[..., 3] >= 128, 255, 0).astype(np.uint8))
        mask.save(folder / "masks" / f"{photograph.name}.png")
    if options.background != "alpha":
        picture = over(picture, behind(options.background, picture.shape[:2], seed + number))
    settings = {"quality": 92} if options.suffix == "jpg" else {"compress_level": 1}
    Image.fromarray(picture).save(picture_path(folder, options, photograph.name), **settings)


def over(picture: np.ndarray, background: np.ndarray) -> np.ndarray:
    """RGB uint8 of an RGBA picture in front of an RGB one."""
    alpha = picture[..., 3:] / np.float32(255)
    return np.rint(background + alpha * (picture[..., :3] - background.astype(np.float32))).astype(np.uint8)


def behind(background: str, shape: Tuple[int, int], seed: int) -> np.ndarray:
    """The background [height, width, 3] uint8. "busy" is another pattern in each picture, drawn small."""
    if background != "busy":
        return np.broadcast_to(np.array({"white": (255, 255, 255), "color": PLAIN}[background], np.uint8), (*shape, 3))
    rows, columns = np.mgrid[0:72, 0:96]
    points = np.stack([columns.ravel(), rows.ravel(), np.full(rows.size, 37 * seed)], 1).astype(float)
    channels = [blotches(points, 16, seed + 10 * channel).reshape(72, 96) for channel in range(3)]
    small = Image.fromarray(np.rint(255 * np.stack(channels, -1)).astype(np.uint8))
    return np.asarray(small.resize(shape[::-1], Image.Resampling.BICUBIC))


def scene_points(subject: Subject, rng: np.random.Generator) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(points [P,3] in the normalised world, their normals, colours) as structure from motion finds them: most on the
    object, some on the ground around it."""
    points, normals = sample_surface(subject.shape.vertices, subject.shape.triangles, SURFACE_POINTS, rng)
    angle, radius = rng.uniform(0, 2 * np.pi, GROUND_POINTS), rng.uniform(0.2, 1.0, GROUND_POINTS)
    ground = np.stack([radius * np.cos(angle), np.full(GROUND_POINTS, points[:, 1].min()), radius * np.sin(angle)], 1)
    points = np.concatenate([points, ground]) + POINT_NOISE * rng.standard_normal((SURFACE_POINTS + GROUND_POINTS, 3))
    normals = np.concatenate([normals, np.tile([0.0, 1, 0], (GROUND_POINTS, 1))])
    return points, normals, rng.integers(0, 256, (len(points), 3))


def colmap_model(capture: Capture, options: CaptureOptions, rng: np.random.Generator) -> colmap.Model:
    """Observed is what faces a camera and falls into its picture; ids and order are not those of the names."""
    points, normals, colors = scene_points(capture.subject, rng)
    name = COLMAP_MODELS[options.rig.lens]
    cameras: Dict[int, Tuple[str, Lens]] = {}
    ids: Dict[Lens, int] = {}
    images = {}
    for number in rng.permutation(len(capture.photographs)):
        photograph = capture.photographs[number]
        camera = ids.setdefault(photograph.lens, 3 * len(ids) + 1)
        cameras[camera] = (name, photograph.lens)
        images[int(number) * 2 + 5] = _observed(photograph, options, points, normals, camera, rng)
    return colmap.Model(cameras, images, capture.source_from_world.points(points), colors)


def _observed(photograph: Photograph, options: CaptureOptions, points: np.ndarray, normals: np.ndarray, camera: int,
              rng: np.random.Generator) -> colmap.Image:
    seen = photograph.true_pose.seen(points)
    facing = np.einsum("ni,ni->n", normals, photograph.true_pose.center - points) > 0
    ahead = np.flatnonzero(facing & (seen[:, 2] > 0.05))
    pixels = photograph.lens.pixels(seen[ahead])
    inside = ((pixels > 0) & (pixels < (photograph.lens.width, photograph.lens.height))).all(1)
    ids = ahead[inside] + 1
    pixels = pixels[inside] + PIXEL_NOISE * rng.standard_normal((len(ids), 2))
    none = rng.random(len(ids)) < 0.1  # features that no other picture has
    return colmap.Image(f"{photograph.name}.{options.suffix}", camera, photograph.written_pose, pixels,
                        np.where(none, -1, ids))


def _write_colmap(binary: bool, capture: Capture, options: CaptureOptions, folder: Path, rng) -> None:
    colmap.write(folder / "sparse" / "0", colmap_model(capture, options, rng), binary)


def _write_transforms(flavour, file: str, capture: Capture, options: CaptureOptions, folder: Path, _rng) -> None:
    frames = []
    for photograph in capture.photographs:
        path = picture_path(folder, options, photograph.name).relative_to(folder).as_posix()
        mask = f"masks/{photograph.name}.png" if options.background == "busy" else ""
        frames.append(transforms.Frame(path, mask, photograph.lens, photograph.written_pose))
    transforms.write(folder / file, flavour(frames))


# name: (folder of the pictures, what writes the other files)
FORMATS = {
    "colmap_bin": ("images", partial(_write_colmap, True)),
    "colmap_txt": ("images", partial(_write_colmap, False)),
    "nerf_synthetic": ("train", partial(_write_transforms, transforms.nerf_synthetic, "transforms_train.json")),
    "instant_ngp": ("images", partial(_write_transforms, transforms.instant_ngp, "transforms.json")),
    "nerfstudio": ("images", partial(_write_transforms, transforms.nerfstudio, "transforms.json")),
}

_LARGE = RigOptions(width=4032, height=3024, views=12)

# One of each kind that a reader has to understand.
KINDS: Dict[str, CaptureOptions] = {
    "colmap_bin": CaptureOptions("colmap_bin"),
    "colmap_txt": CaptureOptions("colmap_txt", background="color"),
    "colmap_large": CaptureOptions("colmap_bin", background="busy", suffix="jpg", samples=1, rig=_LARGE),
    "colmap_noise": CaptureOptions("colmap_bin", noise_degrees=1, noise_share=0.01),
    "colmap_simple_radial": CaptureOptions("colmap_bin", rig=RigOptions(lens="simple_radial")),
    "colmap_radial": CaptureOptions("colmap_txt", rig=RigOptions(lens="radial")),
    "colmap_opencv": CaptureOptions("colmap_bin", background="busy", suffix="jpg", rig=RigOptions(lens="opencv")),
    "colmap_full_opencv": CaptureOptions("colmap_txt", rig=RigOptions(lens="full_opencv")),
    "colmap_fisheye": CaptureOptions("colmap_bin", rig=RigOptions(lens="fisheye")),
    "nerf_synthetic": CaptureOptions("nerf_synthetic", rig=RigOptions(800, 800, 40, centered=True, upright_z=True)),
    "instant_ngp": CaptureOptions("instant_ngp", background="color", rig=RigOptions(lens="opencv", upright_z=True)),
    "nerfstudio": CaptureOptions("nerfstudio", background="busy", suffix="jpg",
                                 rig=RigOptions(lens="opencv", lens_a_view=True, upright_z=True)),
}


def with_views(options: CaptureOptions, views: int) -> CaptureOptions:
    return replace(options, rig=replace(options.rig, views=views))
