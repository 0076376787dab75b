"""The camera files of data sets and of apps that scan, written from their manuals."""

import json
from pathlib import Path
from typing import List

import numpy as np

from .colmap import quaternion
from .lens import Lens
from .shots import CENTRED, HALF, HEIGHT, ONE_FOCAL, PINHOLE, WIDTH, Shot, Written, k_matrix, placement, projection, row_text, seen_by


def gaussian_splatting(folder: Path, shots: List[Shot]) -> Written:
    found = [{"id": i, "img_name": s.name, "width": WIDTH, "height": HEIGHT, "position": s.pose.center.tolist(),
              "rotation": s.pose.rotation.T.tolist(), "fy": s.lens.fy, "fx": s.lens.fx} for i, s in enumerate(shots)]
    (folder / "cameras.json").write_text(json.dumps(found))
    return Written("images/{}.png", seen_by(**CENTRED, **PINHOLE))


def neus(folder: Path, shots: List[Shot]) -> Written:
    arrays = {}
    for i, shot in enumerate(shots):
        arrays[f"world_mat_{i}"] = np.vstack([-3 * projection(shot), [0, 0, 0, 1]])  # of any scale
        arrays[f"scale_mat_{i}"] = np.diag([0.1, 0.1, 0.1, 1])
    np.savez(folder / "cameras_sphere.npz", **arrays)
    return Written("image/{}.png", seen_by(**PINHOLE))


def middlebury(folder: Path, shots: List[Shot]) -> Written:
    rows = [f"{s.name}.png {row_text(k_matrix(s.lens))} {row_text(s.pose.rotation)} {row_text(s.pose.translation)}" for s in shots]
    (folder / "scene_par.txt").write_text("\n".join([str(len(rows)), *rows]) + "\n")
    return Written("{}.png", seen_by(**PINHOLE))


def matrices(folder: Path, shots: List[Shot]) -> Written:
    """A file each: 3x4; K and [R|t]; MVSNet's."""
    first, second, third = shots
    (folder / "calib").mkdir()
    pose = np.vstack([np.column_stack([third.pose.rotation, third.pose.translation]), [0, 0, 0, 1]])
    np.savetxt(folder / "calib" / f"{first.name}.txt", 0.2 * projection(first), header="CONTOUR", comments="")
    (folder / "calib" / f"{second.name}.txt").write_text("\n".join(
        [row_text(row) for row in k_matrix(second.lens)] +
        [row_text(row) for row in np.column_stack([second.pose.rotation, second.pose.translation])]) + "\n")
    (folder / "calib" / f"{third.name}_cam.txt").write_text("\n".join(
        ["extrinsic", *[row_text(row) for row in pose], "", "intrinsic", *[row_text(row) for row in k_matrix(third.lens)],
         "", "425.0 2.5"]) + "\n")
    return Written("images/{}.png", seen_by(**PINHOLE))


def polycam(folder: Path, shots: List[Shot]) -> Written:
    cameras = folder / "keyframes" / "cameras"
    cameras.mkdir(parents=True)
    for shot in shots:
        place = placement(shot, opengl=True)
        content = {f"t_{i}{j}": place[i, j] for i in range(3) for j in range(4)}
        content.update(fx=shot.lens.fx, fy=shot.lens.fy, cx=shot.lens.cx, cy=shot.lens.cy, width=WIDTH, height=HEIGHT,
                       blur_score=float("nan"), timestamp=1)
        (cameras / f"{shot.name}.json").write_text(json.dumps(content))
    return Written("keyframes/images/{}.png", seen_by(**PINHOLE))


def record3d(folder: Path, shots: List[Shot]) -> Written:
    poses = []
    for shot in shots:
        place = placement(shot, opengl=True)
        w, x, y, z = quaternion(place[:3, :3])
        poses.append([x, y, z, w, *place[:3, 3]])
    content = {"w": WIDTH, "h": HEIGHT, "fps": 30, "K": k_matrix(shots[0].lens).T.ravel().tolist(), "poses": poses}
    (folder / "metadata.json").write_text(json.dumps(content))
    return Written("rgb/{}.png", seen_by(**PINHOLE))


def record3d_unzipped(folder: Path, shots: List[Shot]) -> Written:
    """A .r3d that was unzipped: no extension, and a lens for each frame beside that of the first one."""
    record3d(folder, shots)
    content = json.loads((folder / "metadata.json").read_text())
    content["perFrameIntrinsicCoeffs"] = [[s.lens.fx, s.lens.fy, s.lens.cx - HALF, s.lens.cy - HALF] for s in shots]
    content["K"][6] += 9
    (folder / "metadata.json").unlink()
    (folder / "metadata").write_text(json.dumps(content))
    return Written("rgbd/{}.png", seen_by(**PINHOLE))


def scanner_app(folder: Path, shots: List[Shot]) -> Written:
    for i, shot in enumerate(shots):
        content = {"cameraPoseARFrame": placement(shot, opengl=True).ravel().tolist(),
                   "intrinsics": k_matrix(shot.lens, 0).ravel().tolist(), "frame_index": i}
        (folder / f"{shot.name}.json").write_text(json.dumps(content))
    return Written("{}.png", seen_by(**PINHOLE))


def llff(folder: Path, shots: List[Shot]) -> Written:
    rows = []
    for shot in shots:
        right, down, forward = shot.pose.rotation
        block = np.column_stack([down, right, -forward, shot.pose.center, [HEIGHT, WIDTH, shot.lens.fx]])
        rows.append([*block.ravel(), 1.0, 9.0])
    np.save(folder / "poses_bounds.npy", np.array(rows))
    return Written("images/{}.png", seen_by(**ONE_FOCAL, **CENTRED, **PINHOLE))


def bop(folder: Path, shots: List[Shot]) -> Written:
    cameras = {str(i): {"cam_K": k_matrix(s.lens).ravel().tolist(), "depth_scale": 1} for i, s in enumerate(shots)}
    poses = {str(i): [{"obj_id": 1, "cam_R_m2c": s.pose.rotation.ravel().tolist(),
                       "cam_t_m2c": s.pose.translation.tolist()}] for i, s in enumerate(shots)}
    (folder / "scene_camera.json").write_text(json.dumps(cameras))
    (folder / "scene_gt.json").write_text(json.dumps(poses))
    return Written("rgb/{}.png", seen_by(**PINHOLE))


def sdfstudio(folder: Path, shots: List[Shot]) -> Written:
    frames = []
    for shot in shots:
        k = np.eye(4)
        k[:3, :3] = k_matrix(shot.lens, 0)
        frames.append({"rgb_path": f"image/{shot.name}.png", "camtoworld": placement(shot, opengl=False).tolist(),
                       "intrinsics": k.tolist()})
    content = {"camera_model": "OPENCV", "width": WIDTH, "height": HEIGHT, "pairs": None, "frames": frames}
    (folder / "meta_data.json").write_text(json.dumps(content))
    return Written("image/{}.png", seen_by(**PINHOLE))


def _open3d_lens(lens: Lens) -> dict:
    return {"width": WIDTH, "height": HEIGHT, "intrinsic_matrix": k_matrix(lens).T.ravel().tolist()}


def open3d(folder: Path, shots: List[Shot]) -> Written:
    parameters = []
    for shot in shots:
        extrinsic = np.eye(4)
        extrinsic[:3] = np.column_stack([shot.pose.rotation, shot.pose.translation])
        parameters.append({"class_name": "PinholeCameraParameters", "extrinsic": extrinsic.T.ravel().tolist(),
                           "intrinsic": _open3d_lens(shot.lens), "version_major": 1, "version_minor": 0})
    (folder / "trajectory.json").write_text(json.dumps(
        {"class_name": "PinholeCameraTrajectory", "parameters": parameters, "version_major": 1, "version_minor": 0}))
    return Written("images/{}.png", seen_by(**PINHOLE))


def open3d_log(folder: Path, shots: List[Shot]) -> Written:
    lines = []
    for i, shot in enumerate(shots):
        lines += [f"{i} {i} {i + 1}", *(row_text(row) for row in placement(shot, opengl=False))]
    (folder / "trajectory.log").write_text("\n".join(lines) + "\n")
    (folder / "camera_intrinsic.json").write_text(json.dumps(_open3d_lens(shots[0].lens)))
    return Written("images/{}.png", seen_by(**PINHOLE))


def _pose_files(folder: Path, shots: List[Shot], pose: str, lens: str, calibration: str) -> None:
    for shot in shots:
        file = folder / pose.format(shot.name)
        file.parent.mkdir(exist_ok=True)
        file.write_text("\n".join(row_text(row) for row in placement(shot, opengl=False)) + "\n")
    (folder / lens).parent.mkdir(exist_ok=True)
    (folder / lens).write_text(calibration)


def scannet(folder: Path, shots: List[Shot]) -> Written:
    """A fourth frame was lost: its pose has infinities."""
    k = np.eye(4)
    k[:3, :3] = k_matrix(shots[0].lens)
    _pose_files(folder, shots, "pose/{}.txt", "intrinsic/intrinsic_color.txt", "\n".join(row_text(row) for row in k) + "\n")
    (folder / "pose" / "d.txt").write_text("-inf -inf -inf -inf\n" * 4)
    return Written("color/{}.png", seen_by(**PINHOLE))


def seven_scenes(folder: Path, shots: List[Shot]) -> Written:
    _pose_files(folder, shots, "frame-{}.pose.txt", "camera-intrinsics.txt",
                "\n".join(row_text(row) for row in k_matrix(shots[0].lens)) + "\n")
    return Written("frame-{}.color.png", seen_by(**PINHOLE))


def nsvf(folder: Path, shots: List[Shot]) -> Written:
    """The poses have other names than the pictures, in the same order."""
    lens = shots[0].lens
    _pose_files(folder, shots, "pose/0_{}.txt", "intrinsics.txt",
                f"{lens.fx} {lens.cx - HALF} {lens.cy - HALF} 0.\n0. 0. 0.\n0.\n1.\n{WIDTH} {HEIGHT}\n")
    (folder / "bbox.txt").write_text("-1 -1 -1 1 1 1 0.4\n")
    return Written("rgb/x{}.png", seen_by(**ONE_FOCAL, **PINHOLE))


def stray_scanner(folder: Path, shots: List[Shot]) -> Written:
    lines = ["timestamp, frame, x, y, z, qx, qy, qz, qw"]
    for i, shot in enumerate(shots):
        w, x, y, z = quaternion(placement(shot, opengl=False)[:3, :3])
        numbers = ", ".join(repr(float(value)) for value in (*shot.pose.center, x, y, z, w))
        lines.append(f"{i / 60!r}, {shot.name}, {numbers}")
    (folder / "odometry.csv").write_text("\n".join(lines) + "\n")
    (folder / "camera_matrix.csv").write_text(
        "\n".join(", ".join(repr(float(value)) for value in row) for row in k_matrix(shots[0].lens)) + "\n")
    return Written("images/{}.png", seen_by(**PINHOLE))
