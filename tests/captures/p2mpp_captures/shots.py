"""The cameras that programs.py and scans.py write, and what their writers share."""

from typing import Callable, List, NamedTuple, Optional

import numpy as np

from .lens import Lens
from .pose import Pose, random_rotation

WIDTH, HEIGHT = 64, 48
NAMES = ("a", "b", "c")
HALF = 0.5  # between pixels whose first centre is (0, 0), as OpenCV's, and those whose first corner is


class Shot(NamedTuple):
    name: str
    pose: Pose  # OpenCV's axes: p is at rotation @ p + translation
    lens: Lens


class Written(NamedTuple):
    """Where the pictures are ({} stands for a name), and how their lenses differ from the one that was drawn."""

    pictures: str
    seen: Optional[Callable[[Shot, np.ndarray], np.ndarray]] = None


def row_text(matrix: np.ndarray) -> str:
    return " ".join(repr(float(value)) for value in np.asarray(matrix).ravel())


def k_matrix(lens: Lens, shift: float = HALF) -> np.ndarray:
    return np.array([[lens.fx, 0, lens.cx - shift], [0, lens.fy, lens.cy - shift], [0, 0, 1]])


def projection(shot: Shot, shift: float = HALF) -> np.ndarray:
    return k_matrix(shot.lens, shift) @ np.column_stack([shot.pose.rotation, shot.pose.translation])


def placement(shot: Shot, opengl: bool) -> np.ndarray:
    """4x4: columns are the axes of the camera, and its centre."""
    right, down, forward = shot.pose.rotation
    axes = [right, -down, -forward] if opengl else [right, down, forward]
    matrix = np.eye(4)
    matrix[:3] = np.column_stack([*axes, shot.pose.center])
    return matrix


def changed_lens(shot: Shot, **changes) -> Lens:
    return Lens(**{**{field: getattr(shot.lens, field) for field in
                      ("width", "height", "fx", "fy", "cx", "cy", "kind", "k")}, **changes})


def seen_by(**changes):
    """Where a lens with other numbers shows points. `changes`: of Lens, by the drawn one."""
    def seen(shot: Shot, points: np.ndarray) -> np.ndarray:
        lens = changed_lens(shot, **{key: value(shot.lens) for key, value in changes.items()})
        return lens.pixels(shot.pose.seen(points))
    return seen


ONE_FOCAL = {"fy": lambda lens: lens.fx}
CENTRED = {"cx": lambda lens: lens.width / 2, "cy": lambda lens: lens.height / 2}
PINHOLE = {"k": lambda lens: ()}


def draw_shots() -> List[Shot]:
    """Any directions, because a wrong convention must show; the lens is no symmetric one."""
    rng = np.random.default_rng(3)
    lens = Lens(WIDTH, HEIGHT, 80.5, 81.25, 33.5, 22.75, "opencv", (0.05, -0.02, 0.003, -0.004))
    shots = []
    for name in NAMES:
        rotation = random_rotation(rng)
        shots.append(Shot(name, Pose(rotation, np.array([0.2, -0.1, 5.0]) + 0.1 * rng.standard_normal(3)), lens))
    return shots
