"""Where somebody who walks around an object takes pictures from, and with what."""

from dataclasses import dataclass
from typing import List, Tuple

import numpy as np

from .lens import Lens
from .pose import Pose, Similarity, looking_at, random_rotation, turn
from .shapes import Subject

RADIUS = 0.285  # half the diagonal of the object's box
DRAWS = 200


@dataclass(frozen=True)
class RigOptions:
    """Options and ranges of the draws. Angles in degrees, lengths in the normalised world's unit."""

    width: int = 1200
    height: int = 900
    views: int = 20
    lens: str = "pinhole"  # pinhole, simple_radial, radial, opencv, full_opencv, fisheye
    lens_a_view: bool = False  # other intrinsics for each picture, as nerfstudio's frames may have
    centered: bool = False  # square pixels, the principal point in the middle
    distance: Tuple[float, float] = (0.7, 1.1)  # of the walk; single pictures 12% nearer or farther
    fill: Tuple[float, float] = (0.6, 0.85)  # of the shorter side, by the ball around the object
    elevations: Tuple[float, float] = (20, 35)
    stray_elevations: Tuple[float, float] = (5, 60)  # of every third picture
    roll: float = 8.0  # at most
    aim: float = 0.04  # how far from the object's centre the cameras look, at most
    margin: float = 0.02  # of the shorter side, that stays free around the object
    upright_z: bool = False  # the source's z is up, as in NeRF's files, instead of a world turned anyhow


def draw_world(rng: np.random.Generator, options: RigOptions) -> Similarity:
    """source_from_world: any scale from 1/20 to 20, any rotation, and an origin that is somewhere else."""
    scale = float(np.exp(rng.uniform(np.log(1 / 20), np.log(20))))
    rotation = random_rotation(rng)
    if options.upright_z:
        rotation = turn(np.array([0, 0, 1]), rng.uniform(0, 360)) @ turn(np.array([1, 0, 0]), 90)
    return Similarity(scale, rotation, scale * rng.uniform(-2, 2, 3))


def draw_rig(rng: np.random.Generator, subject: Subject, options: RigOptions) -> List[Tuple[Pose, Lens]]:
    """Around the object at nearly equal angles, with all of it in each picture: cam_from_world and lens of each."""
    distance, lens, rig, start = 0.0, None, [], rng.uniform(0, 360)
    for number in range(options.views):
        if lens is None or options.lens_a_view:
            distance = rng.uniform(*options.distance) if lens is None else distance
            lens = draw_lens(rng, options, distance)
        azimuth = start + 360 * (number + rng.uniform(-0.3, 0.3)) / options.views
        rig.append((_draw_pose(rng, subject, options, lens, distance, azimuth, number % 3 == 2), lens))
    return rig


def _draw_pose(rng, subject: Subject, options: RigOptions, lens: Lens, distance: float, azimuth: float,
               stray: bool) -> Pose:
    elevation = np.radians(rng.uniform(*(options.stray_elevations if stray else options.elevations)))
    theta = np.radians(azimuth)
    direction = np.array([np.cos(elevation) * np.cos(theta), np.sin(elevation), np.cos(elevation) * np.sin(theta)])
    reach = distance * rng.uniform(0.88, 1.12)
    for _ in range(DRAWS):
        target = options.aim * rng.uniform(-1, 1, 3)
        pose = looking_at(reach * direction, target, rng.uniform(-options.roll, options.roll))
        if _holds(lens, pose, subject.shape.vertices, options.margin):
            return pose
        reach *= 1.01
    raise RuntimeError(f"{subject.name}: no camera holds all of it; expected a smaller RigOptions.fill")


def _holds(lens: Lens, pose: Pose, vertices: np.ndarray, margin: float) -> bool:
    pixels, free = lens.pixels(pose.seen(vertices)), margin * min(lens.width, lens.height)
    return bool((pixels >= free).all() and (pixels <= (lens.width - free, lens.height - free)).all())


def draw_lens(rng: np.random.Generator, options: RigOptions, distance: float) -> Lens:
    """A lens with which the ball around the object fills the drawn share of the picture, from that distance."""
    side = min(options.width, options.height)
    focal = rng.uniform(*options.fill) * side / 2 * distance / RADIUS
    across, down, aspect = rng.uniform(-0.04, 0.04) * side, rng.uniform(-0.04, 0.04) * side, rng.uniform(0.99, 1.01)
    if options.centered:
        across, down, aspect = 0.0, 0.0, 1.0
    if options.lens in ("simple_radial", "radial"):
        aspect = 1.0  # COLMAP's models of that name have one focal length
    kind, k = _draw_distortion(rng, options.lens)
    return Lens(options.width, options.height, focal, focal * aspect, options.width / 2 + across,
                options.height / 2 + down, kind, k)


def _draw_distortion(rng: np.random.Generator, name: str) -> Tuple[str, Tuple[float, ...]]:
    """Barrel and cushion as cameras have them; the fisheye's is what it adds to the equidistant model."""
    def draw(*limits: float) -> Tuple[float, ...]:
        return tuple(float(rng.uniform(-limit, limit)) for limit in limits)

    if name == "pinhole":
        return "opencv", ()
    if name == "fisheye":
        return "fisheye", draw(0.06, 0.02, 0.005, 0.001)
    limits = {"simple_radial": (0.12,), "radial": (0.15, 0.05), "opencv": (0.15, 0.05, 0.004, 0.004),
              "full_opencv": (0.15, 0.05, 0.004, 0.004, 0.02, 0.05, 0.02, 0.01)}
    return "opencv", draw(*limits[name])
