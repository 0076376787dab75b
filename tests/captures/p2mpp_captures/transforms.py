"""transforms.json in three flavours: NeRF's synthetic scenes, instant-ngp, nerfstudio. Cameras look along -z, y up."""

import json
from pathlib import Path
from typing import Dict, List, NamedTuple

import numpy as np

from .lens import Lens
from .pose import Pose


class Frame(NamedTuple):
    """One picture: its path in the folder, that of its mask ("" for none), lens, cam_from_source."""

    path: str
    mask: str
    lens: Lens
    pose: Pose


def source_from_camera(pose: Pose) -> List[List[float]]:
    """The 4x4 of a frame: columns are the camera's right, up and backward axes and its place."""
    right, down, forward = pose.rotation
    matrix = np.eye(4)
    matrix[:3] = np.column_stack([right, -down, -forward, pose.center])
    return matrix.tolist()


def _field_of_view(pixels: int, focal: float) -> float:
    return float(2 * np.arctan2(pixels / 2, focal))


def nerf_synthetic(frames: List[Frame]) -> Dict:
    """One angle for all pictures: the lens must be a centred pinhole. Paths have no suffix."""
    lens = frames[0].lens
    assert lens.pinhole and lens.fx == lens.fy and (lens.cx, lens.cy) == (lens.width / 2, lens.height / 2)
    return {"camera_angle_x": _field_of_view(lens.width, lens.fx),
            "frames": [{"file_path": "./" + frame.path.rsplit(".", 1)[0], "rotation": 0.012566370614359171,
                        "transform_matrix": source_from_camera(frame.pose)} for frame in frames]}


def instant_ngp(frames: List[Frame]) -> Dict:
    """One lens for all pictures, as its colmap2nerf.py writes it."""
    lens = frames[0].lens
    found = {"camera_angle_x": _field_of_view(lens.width, lens.fx),
             "camera_angle_y": _field_of_view(lens.height, lens.fy), **_intrinsics(lens), "aabb_scale": 4}
    if lens.kind == "fisheye":
        found["is_fisheye"] = True
    found["frames"] = [{"file_path": "./" + frame.path, "sharpness": 50.0 + number,
                        "transform_matrix": source_from_camera(frame.pose)} for number, frame in enumerate(frames)]
    return found


def nerfstudio(frames: List[Frame]) -> Dict:
    """A lens and a mask for each picture. `applied_transform` tells how ns-process-data turned COLMAP's world; the
    matrices are in the turned one."""
    model = "OPENCV_FISHEYE" if frames[0].lens.kind == "fisheye" else "OPENCV"
    found = []
    for number, frame in enumerate(frames, start=1):
        found.append({**_intrinsics(frame.lens), "file_path": frame.path,
                      "transform_matrix": source_from_camera(frame.pose), "colmap_im_id": number})
        if frame.mask:
            found[-1]["mask_path"] = frame.mask
    return {"camera_model": model, "frames": found,
            "applied_transform": [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [-0.0, -1.0, -0.0, -0.0]]}


def _intrinsics(lens: Lens) -> Dict:
    names = ("k1", "k2", "k3", "k4") if lens.kind == "fisheye" else ("k1", "k2", "p1", "p2")
    return {"w": lens.width, "h": lens.height, "fl_x": lens.fx, "fl_y": lens.fy, "cx": lens.cx, "cy": lens.cy,
            **dict(zip(names, lens.coefficients(4)))}


def write(file: Path, content: Dict) -> None:
    file.write_text(json.dumps(content, indent=2) + "\n")
