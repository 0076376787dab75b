"""A textured object on a textured ground, photographed by cameras that are known."""

import sys
from functools import lru_cache

import numpy as np
from PIL import Image

from runs import ROOT, require

require("cv2", "manifold3d", "pycolmap")
sys.path[:0] = [str(ROOT / "tests" / "captures")]

from p2mpp_captures.capture import scene_points  # noqa: E402
from p2mpp_captures.photographs import photograph, textured  # noqa: E402
from p2mpp_captures.rig import RigOptions, draw_rig  # noqa: E402
from p2mpp_captures.shapes import subject  # noqa: E402

from p2mpp.photos.crop import make_crop  # noqa: E402
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


def crops_of(scene, seed, pictures, folder):
    """Crops of pictures that it writes into a folder."""
    for name, picture in pictures.items():
        Image.fromarray(picture[..., ::-1]).save(folder / name)
    return [make_crop(view, seed, folder / view.name) for view in scene.views]
