"""The true size of a capture: from the mat or from known distances to a model in metres, with y up and the ground at y = 0."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from p2mpp.photos.doubts import listed
from p2mpp.photos.known_distance import SURE, KnownDistance, scale_of
from p2mpp.photos.markers import Marker
from p2mpp.photos.mat import BAR
from p2mpp.photos.mat_fit import DISAGREE, Disagreement, MatFit, NotEnough, fit_mat
from p2mpp.photos.scene import Scene, read_colmap
from p2mpp.photos.seed import Ground, find_ground

CAMERAS = 0.0008  # standard error of a scale that the cameras' own errors add, those of the lens above all: bench/SIZE.md
Y_UP = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # glTF's axes from the mat's: the sheet's upper edge is behind


@dataclass(frozen=True)
class TrueSize:
    """A point p of the capture is at scale * rotation @ p + shift, in metres. facts: for people and programs. free: half the width and
    half the depth of the mat's free centre in metres, None without a mat."""

    scale: float
    rotation: np.ndarray
    shift: np.ndarray
    facts: Dict[str, Any]
    free: Optional[List[float]] = None


def find_size(model: Path, found: Dict[str, Sequence[Marker]], bar: Optional[float], distances: Sequence[KnownDistance],
              names: Dict[str, str]) -> Optional[TrueSize]:
    """bar: of the print, in millimetres, if the user measured it. names: of the user's files, to photographs. None if nothing tells the
    size. Raises Disagreement, NotEnough or WrongDistance."""
    scene = read_colmap(model)
    fit, why = None, None
    try:
        fit = fit_mat(scene.views, found)
    except NotEnough as error:
        why = error
    known = None
    if distances:
        views = {view.name: view for view in scene.views}
        known = scale_of(distances, {**views, **{mine: views[name] for mine, name in names.items() if name in views}})
    if fit is not None:
        return _by_mat(fit, bar, known)
    if known is not None:
        return _by_distances(scene, *known)
    if why is not None:
        raise why
    return None


def _by_mat(fit: MatFit, bar: Optional[float], known) -> TrueSize:
    printed = (bar or BAR) / BAR
    scale = printed / fit.place.scale  # millimetres in a unit of the capture
    if known is not None:
        off = abs(scale / known[0] - 1)
        if off > DISAGREE + SURE * np.hypot(known[1], fit.scale_error):
            raise Disagreement(f"the mat's scale and that of --known-distance differ by {off:.1%}: measure the printed bar (--printed-bar)")
    rotation = Y_UP @ fit.place.rotation.T
    facts = {"by": f"mat {fit.mat.paper.name}", "markers": fit.markers, "photographs": fit.photographs, "astray": fit.astray,
             "printed_bar": bar or BAR, "bar_measured": bar is not None, "up": _rounded(fit.place.rotation[:, 2]), "ground": "mat",
             "standard_errors": {"scale": float(np.hypot(fit.scale_error, CAMERAS)), "up_degrees": fit.up_error, "ground_millimetres": printed * fit.height_error}}
    return _made(scale, rotation, fit.place.shift, facts, [float(each) * printed / 1000 for each in fit.mat.free])


def _by_distances(scene: Scene, scale: float, error: float) -> TrueSize:
    """Up and the ground are those of the points, or up is roughly that of the cameras."""
    focus = scene.focus()
    ground = find_ground(scene, focus, scene.extent(focus), scene.points) if len(scene.points) else None
    up = scene.up if ground is None else ground.normal
    origin = focus if ground is None else focus - ground.height(focus[None])[0] * up
    first = Ground(up, 0.0).axes()[0]
    facts = {"by": "known distances", "up": _rounded(up), "ground": "cameras" if ground is None else "points",
             "standard_errors": {"scale": float(np.hypot(error, CAMERAS))}}
    return _made(scale, np.stack([first, up, np.cross(first, up)]), origin, facts, None)


def _made(millimetres: float, rotation: np.ndarray, origin: np.ndarray, facts: Dict[str, Any], free) -> TrueSize:
    scale = millimetres / 1000
    shift = -scale * rotation @ origin
    placed = {"scale": scale, "rotation": rotation.tolist(), "translation": shift.tolist()}
    return TrueSize(scale, rotation, shift, {"millimetres_per_unit": millimetres, **facts, "metres_from_capture": placed}, free)


def _rounded(direction: np.ndarray) -> List[float]:
    return [round(float(each), 6) for each in direction]


def write_model(model: Path, size: TrueSize, folder: Path) -> None:
    """A COLMAP model in its true size."""
    import pycolmap

    found = pycolmap.Reconstruction(model)
    found.transform(pycolmap.Sim3d(size.scale, pycolmap.Rotation3d(size.rotation), size.shift))
    found.write(folder)


def lines(facts: Dict[str, Any]) -> List[str]:
    """What people are told of it."""
    errors = facts["standard_errors"]
    line = f"a unit of the cameras is {facts['millimetres_per_unit']:.4g} mm, within {errors['scale']:.2%} (standard error), by "
    if not facts["by"].startswith("mat"):
        return [line + facts["by"]]
    bar = "its bar was measured"
    if not facts["bar_measured"]:
        bar = "if its bar is 100 mm long: measure it, and give --printed-bar if it is not"
    found = [line + f"{len(facts['markers'])} markers of the {facts['by']} in {facts['photographs']} photographs ({bar}); up within "
             f"{errors['up_degrees']:.2f} degrees, the ground within {errors['ground_millimetres']:.2f} mm"]
    if facts["astray"]:
        found.append(f"{listed(facts['astray'])}: sees the mat elsewhere than the others, and does not count")
    return found
