"""A textured object on a textured ground, photographed by cameras that are known."""

import sys
from functools import lru_cache

import numpy as np
from PIL import Image

from runs import ROOT, require

require("cv2", "manifold3d", "pycolmap")
sys.path[:0] = [str(ROOT / "tests" / "captures")]

from p2mpp_captures.capture import scene_points  # noqa: E402
from p2mpp_captures.on_mat import Table, photograph_on_mat, world_from_mat  # noqa: E402
from p2mpp_captures.photographs import photograph, textured  # noqa: E402
from p2mpp_captures.rig import RigOptions, draw_rig  # noqa: E402
from p2mpp_captures.shapes import subject  # noqa: E402

from p2mpp.photos.crop import make_crop  # noqa: E402
from p2mpp.photos.mat import mat_of  # noqa: E402
from p2mpp.photos.scene import Scene, View  # noqa: E402

RIG = RigOptions(240, 180, 9, centered=True)


@lru_cache
def studio():
    """(Scene, pictures BGR by name, true masks by name) of the bus."""
    shown = textured(subject("02958343_p2mpp0003"))
    points, normals, colours = scene_points(shown, np.random.default_rng(1))
    views, pictures, truth, seen = [], {}, {}, {}
    for number, (pose, lens) in enumerate(draw_rig(np.random.default_rng(3), shown, RIG)):
        name = f"{number}.png"
        rgb, mask = photograph(shown, pose, lens)
        pictures[name], truth[name] = rgb[..., ::-1].copy(), mask > 0
        views.append(View(name, lens.width, lens.height, pose.rotation, pose.translation, lens.pixels, lens.slopes))
        seen[name] = np.flatnonzero(np.einsum("ni,ni->n", normals, pose.center - points) > 0)
    return Scene(views, points, colours.astype(np.uint8), seen), pictures, truth


@lru_cache
def studio_on_mat():
    """(Scene, pictures BGR by name, true masks and those of the sheet of paper by name, half the size of the mat's free centre) of the
    bus on a printed mat. Points are the object's alone. Metres, y up, the mat at y = 0."""
    shown = textured(subject("02958343_p2mpp0003"))
    laid = Table(mat_of("A4"), degrees=90.0, patterned=True)
    place = world_from_mat(shown, laid)
    y_up = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    points, normals, colours = scene_points(shown, np.random.default_rng(1))
    chosen = np.flatnonzero(points[:, 1] > place.translation[1] + 1e-3)
    points, normals, colours = points[chosen], normals[chosen], colours[chosen]
    metres = place.points_back(points) @ y_up.T / 1000
    views, pictures, truth, sheets, seen = [], {}, {}, {}, {}
    for number, (pose, lens) in enumerate(draw_rig(np.random.default_rng(3), shown, RIG)):
        name = f"{number}.png"
        rgb, mask = photograph_on_mat(shown, pose, lens, laid)
        pictures[name], truth[name] = rgb[..., ::-1].copy(), mask > 0
        in_mat = pose.rotation @ place.rotation @ y_up.T
        centre = place.points_back(pose.center[None])[0] @ y_up.T / 1000
        view = View(name, lens.width, lens.height, in_mat, -in_mat @ centre, lens.pixels, lens.slopes)
        views.append(view)
        seen[name] = np.flatnonzero(np.einsum("ni,ni->n", normals, pose.center - points) > 0)
        columns, rows = np.meshgrid(np.arange(lens.width) + 0.5, np.arange(lens.height) + 0.5)
        rays = view.rays(np.column_stack([columns.ravel(), rows.ravel()]))
        on = centre + rays * (centre[1] / np.maximum(-rays[:, 1], 1e-9))[:, None]
        inside = (np.abs(on[:, [0, 2]]) * 2000 < (laid.mat.paper.width, laid.mat.paper.height)).all(1) & (rays[:, 1] < 0)
        sheets[name] = inside.reshape(lens.height, lens.width)
    return Scene(views, metres, colours.astype(np.uint8), seen), pictures, truth, sheets, tuple(laid.mat.free / 1000)


def crops_of(scene, seed, pictures, folder):
    """Crops of pictures that it writes into a folder."""
    for name, picture in pictures.items():
        Image.fromarray(picture[..., ::-1]).save(folder / name)
    return [make_crop(view, seed, folder / view.name) for view in scene.views]
