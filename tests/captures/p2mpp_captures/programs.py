"""The camera files of programs other than COLMAP and NeRF's, written from their manuals. No pictures: see picture names.

`write_programs` writes a folder for each program with its files and truth.json: the pictures' paths and size, and for each
picture where it shows some points of the source.
"""

import json
import shutil
import struct
from pathlib import Path
from typing import Dict, Iterable, List, Optional

import numpy as np

from . import scans
from .colmap import quaternion
from .pose import Pose, random_rotation
from .shots import CENTRED, HEIGHT, ONE_FOCAL, PINHOLE, WIDTH, Shot, Written, draw_shots, k_matrix, placement, row_text, seen_by


def metashape(folder: Path, shots: List[Shot]) -> Written:
    """The chunk is turned, scaled and moved; what is expected is in the outer frame. The first camera is not aligned."""
    rng = np.random.default_rng(5)
    turn, scale, move = random_rotation(rng), 2.5, np.array([3.0, -1.0, 2.0])
    lens = shots[0].lens
    k1, k2, p1, p2 = lens.coefficients(4)
    cameras = '<camera id="9" sensor_id="0" component_id="0" label="unaligned.png"/>'
    for i, shot in enumerate(shots):
        inner = placement(shot, opengl=False)
        inner[:3, :3] = turn.T @ inner[:3, :3]
        inner[:3, 3] = turn.T @ (inner[:3, 3] - move) / scale
        camera = f'<camera id="{i}" sensor_id="0" component_id="0" label="{shot.name}"><transform>{row_text(inner)}' \
                 "</transform></camera>"
        cameras += f'<group id="0" label="g">{camera}</group>' if i == 1 else camera
    (folder / "cameras.xml").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<document version="2.0.0"><chunk label="Chunk 1" enabled="true">'
        '<sensors next_id="1"><sensor id="0" label="x" type="frame">'
        f'<resolution width="{WIDTH}" height="{HEIGHT}"/>'
        f'<calibration type="frame" class="initial"><f>1</f></calibration>'
        f'<calibration type="frame" class="adjusted"><f>{lens.fy!r}</f><cx>{lens.cx - WIDTH / 2!r}</cx>'
        f"<cy>{lens.cy - HEIGHT / 2!r}</cy><b1>{lens.fx - lens.fy!r}</b1><k1>{k1}</k1><k2>{k2}</k2>"
        f"<p1>{p2}</p1><p2>{p1}</p2></calibration></sensor></sensors>"
        '<components next_id="1"><component id="0"><transform>'
        f"<rotation>{row_text(turn)}</rotation><translation>{row_text(move)}</translation><scale>{scale}</scale>"
        f"</transform></component></components><cameras>{cameras}</cameras></chunk></document>\n")
    return Written("{}.png")


def metashape_rig(folder: Path, shots: List[Shot]) -> Written:
    """A rig's second camera has its master's pose, and no transform. A disabled camera, a disabled chunk, a smaller one and
    a component that was not aligned with the largest are in the file, too."""
    lens = shots[0].lens
    k1, k2, p1, p2 = lens.coefficients(4)
    master, slave, alone = (placement(shot, opengl=False) for shot in shots)
    inner = np.linalg.inv(master) @ slave
    calibration = ('<calibration type="frame" class="adjusted">'
                   f'<resolution width="{WIDTH}" height="{HEIGHT}"/><f>{lens.fy!r}</f><cx>{lens.cx - WIDTH / 2!r}</cx>'
                   f"<cy>{lens.cy - HEIGHT / 2!r}</cy><b1>{lens.fx - lens.fy!r}</b1><k1>{k1}</k1><k2>{k2}</k2>"
                   f"<p1>{p2}</p1><p2>{p1}</p2></calibration>")
    size = f'<resolution width="{WIDTH}" height="{HEIGHT}"/>'
    sensors = (f'<sensor id="0" type="frame">{size}{calibration}</sensor>'
               f'<sensor id="1" type="frame" master_id="0">{size}{calibration}'
               f'<rotation locked="0">{row_text(inner[:3, :3])}</rotation>'
               f'<location locked="0">{row_text(inner[:3, 3])}</location></sensor>')

    def camera(id_: int, label: str, place: Optional[np.ndarray], more: str = 'component_id="0"', sensor: int = 0) -> str:
        transform = "" if place is None else f"<transform>{row_text(place)}</transform>"
        return f'<camera id="{id_}" sensor_id="{sensor}" {more} label="{label}">{transform}</camera>'

    def chunk(enabled: str, cameras: str) -> str:
        return (f'<chunk label="c" enabled="{enabled}"><sensors>{sensors}</sensors><components active_id="0">'
                f'<component id="0"/><component id="1"/></components><cameras>{cameras}</cameras></chunk>')

    a, b, c = (shot.name for shot in shots)
    largest = (camera(0, a, master) + camera(1, b, None, 'component_id="0" master_id="0"', 1) + camera(2, c, alone)
               + camera(3, a, slave, 'component_id="1"') + camera(4, b, alone, 'component_id="0" enabled="false"'))
    (folder / "cameras.xml").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<document version="2.0.0">'
        + chunk("false", largest + camera(9, a, alone)) + chunk("true", camera(0, a, alone)) + chunk("true", largest)
        + "</document>\n")
    return Written("{}.png")


def realitycapture_csv(folder: Path, shots: List[Shot]) -> Written:
    """Angles such that R = Rz(-heading) Rx(pitch) Ry(roll) has the columns right, up, backwards."""
    lines = ["#name,x,y,alt,heading,pitch,roll,f,px,py,k1,k2,k3,k4,t1,t2"]
    for shot in shots:
        r = placement(shot, opengl=True)[:3, :3]
        pitch = np.arcsin(r[2, 1])
        heading = np.arctan2(r[0, 1], r[1, 1])
        roll = np.arctan2(-r[2, 0], r[2, 2])
        k1, k2, p1, p2 = shot.lens.coefficients(4)
        lines.append(",".join([f"{shot.name}.png", *(repr(float(v)) for v in (
            *shot.pose.center, *np.degrees([heading, pitch, roll]), 36 * shot.lens.fx / WIDTH,
            (shot.lens.cx - WIDTH / 2) / WIDTH, (shot.lens.cy - HEIGHT / 2) / WIDTH, k1, k2, 0, 0, p1, p2))]))
    (folder / "internal_external.csv").write_text("\n".join(lines) + "\n")
    return Written("images/{}.png", seen_by(**ONE_FOCAL))


def realityscan_csv(folder: Path, shots: List[Shot]) -> Written:
    """The same in the words of RealityScan."""
    written = realitycapture_csv(folder, shots)
    rows = (folder / "internal_external.csv").read_text().split("\n")
    rows[0] = "#name,x,y,alt,yaw,pitch,roll,f_35mm,px_norm,py_norm,k1,k2,k3,k4,t1,t2"
    (folder / "internal_external.csv").write_text("\n".join(rows))
    return written


def realitycapture_xmp(folder: Path, shots: List[Shot]) -> Written:
    for shot in shots:
        k1, k2, p1, p2 = shot.lens.coefficients(4)
        (folder / f"{shot.name}.xmp").write_text(
            '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
            '<rdf:Description xcr:Version="3" xcr:PosePrior="locked" xcr:DistortionModel="brown3t2" '
            f'xcr:FocalLength35mm="{36 * shot.lens.fx / WIDTH!r}" xcr:Skew="0" '
            f'xcr:AspectRatio="{shot.lens.fy / shot.lens.fx!r}" '
            f'xcr:PrincipalPointU="{(shot.lens.cx - WIDTH / 2) / WIDTH!r}" '
            f'xcr:PrincipalPointV="{(shot.lens.cy - HEIGHT / 2) / WIDTH!r}" '
            'xmlns:xcr="http://www.capturingreality.com/ns/xcr/1.1#">'
            f"<xcr:Rotation>{row_text(shot.pose.rotation)}</xcr:Rotation>"
            f"<xcr:Position>{row_text(shot.pose.center)}</xcr:Position>"
            f"<xcr:DistortionCoeficients>{row_text([k1, k2, 0, 0, p1, p2])}</xcr:DistortionCoeficients>"
            "</rdf:Description></rdf:RDF></x:xmpmeta>\n")
    return Written("{}.png")


def openmvg(folder: Path, shots: List[Shot]) -> Written:
    lens = shots[0].lens
    k1, k2, p1, p2 = lens.coefficients(4)
    content = {
        "sfm_data_version": "0.3", "root_path": "images",
        "views": [{"key": i, "value": {"polymorphic_id": 1073741824, "ptr_wrapper": {"id": 1, "data": {
            "local_path": "", "filename": f"{s.name}.png", "width": WIDTH, "height": HEIGHT, "id_view": i,
            "id_intrinsic": 0, "id_pose": i}}}} for i, s in enumerate(shots)],
        "intrinsics": [{"key": 0, "value": {"polymorphic_id": 1, "polymorphic_name": "pinhole_brown_t2",
                                            "ptr_wrapper": {"id": 2, "data": {
                                                "width": WIDTH, "height": HEIGHT, "focal_length": lens.fx,
                                                "principal_point": [lens.cx, lens.cy],
                                                "disto_t2": [k1, k2, 0.0, p1, p2]}}}}],
        "extrinsics": [{"key": i, "value": {"rotation": s.pose.rotation.tolist(), "center": s.pose.center.tolist()}}
                       for i, s in enumerate(shots)],
        "structure": [], "control_points": []}
    (folder / "sfm_data.json").write_text(json.dumps(content))
    return Written("images/{}.png", seen_by(**ONE_FOCAL))


def meshroom(folder: Path, shots: List[Shot]) -> Written:
    """Everything is a text; rotations are written column by column."""
    lens = shots[0].lens
    k1, k2 = lens.coefficients(4)[:2]
    texts = lambda values: [repr(float(value)) for value in np.asarray(values).ravel()]  # noqa: E731
    content = {
        "version": ["1", "2", "10"],
        "views": [{"viewId": str(i), "poseId": str(i), "frameId": str(i), "intrinsicId": "7",
                   "path": f"/home/someone/scan/images/{s.name}.png", "width": str(WIDTH), "height": str(HEIGHT)}
                  for i, s in enumerate(shots)],
        "intrinsics": [{"intrinsicId": "7", "width": str(WIDTH), "height": str(HEIGHT), "sensorWidth": "36",
                        "sensorHeight": "27", "type": "radial3", "focalLength": repr(36 * lens.fx / WIDTH),
                        "pixelRatio": "1", "principalPoint": texts([lens.cx - WIDTH / 2, lens.cy - HEIGHT / 2]),
                        "distortionParams": texts([k1, k2, 0])}],
        "poses": [{"poseId": str(i), "pose": {"transform": {"rotation": texts(s.pose.rotation.T),
                                                            "center": texts(s.pose.center)}, "locked": "0"}}
                  for i, s in enumerate(shots)]}
    (folder / "cameras.sfm").write_text(json.dumps(content))
    return Written("images/{}.png", seen_by(**ONE_FOCAL, k=lambda l: l.k[:2]))


def meshroom_rig(folder: Path, shots: List[Shot]) -> Written:
    """Version 1.2.14, as .json: two cameras of a rig share a pose, the third was solved for itself."""
    lens = shots[0].lens
    k1, k2, p1, p2 = lens.coefficients(4)
    texts = lambda values: [repr(float(value)) for value in np.asarray(values).ravel()]  # noqa: E731
    written = lambda p: {"rotation": texts(p.rotation.T), "center": texts(p.center)}  # noqa: E731
    rng = np.random.default_rng(6)
    rig = Pose(random_rotation(rng), rng.standard_normal(3))

    def from_rig(pose: Pose) -> Pose:
        rotation = pose.rotation @ rig.rotation.T
        return Pose(rotation, pose.translation - rotation @ rig.translation)

    views = [{"viewId": str(i), "poseId": "8" if i < 2 else "9", "rigId": "5", "subPoseId": str(i), "frameId": "0",
              "intrinsicId": "7", **({"isPoseIndependant": "false"} if i < 2 else {}),
              "path": f"/data/rig/{s.name}.png", "width": str(WIDTH), "height": str(HEIGHT), "metadata": ""}
             for i, s in enumerate(shots)]
    pose = lambda id_, p: {"poseId": id_, "pose": {"transform": written(p), "locked": "false",  # noqa: E731
                                                   "rotationOnly": "false", "removable": "true"}}
    sub_poses = [{"status": "estimated", "pose": written(from_rig(s.pose))} for s in shots[:2]]
    sub_poses.append({"status": "uninitialized", "pose": written(rig)})
    content = {"version": ["1", "2", "14"], "featuresFolders": "", "matchesFolders": "", "views": views,
               "intrinsics": [{
                   "intrinsicId": "7", "width": str(WIDTH), "height": str(HEIGHT), "sensorWidth": "36",
                   "sensorHeight": "24", "serialNumber": "", "type": "pinhole", "initializationMode": "none",
                   "initialFocalLength": "-1", "focalLength": repr(36 * lens.fy / WIDTH),
                   "pixelRatio": repr(lens.fy / lens.fx), "pixelRatioLocked": "true", "offsetLocked": "false",
                   "scaleLocked": "false", "principalPoint": texts([lens.cx - WIDTH / 2, lens.cy - HEIGHT / 2]),
                   "distortionLocked": "false", "distortionInitializationMode": "none",
                   "distortionParams": texts([k1, k2, 0, p1, p2]), "undistortionOffset": ["0", "0"],
                   "undistortionParams": "", "distortionType": "brown", "undistortionType": "none",
                   "locked": "false"}],
               "poses": [pose("8", rig), pose("9", shots[2].pose)], "rigs": [{"rigId": "5", "subPoses": sub_poses}]}
    (folder / "sfm.json").write_text(json.dumps(content, indent=4))
    return Written("images/{}.png")


def bundler(folder: Path, shots: List[Shot]) -> Written:
    """Cameras look along -z: the second and third row of the pose have the other sign. An unknown camera comes first."""
    lines = ["# Bundle file v0.3", f"{len(shots) + 1} 1", "0 0 0"] + ["0 0 0"] * 4
    for shot in shots:
        turned = np.diag([1, -1, -1]) @ np.column_stack([shot.pose.rotation, shot.pose.translation])
        lines += [row_text([shot.lens.fx, *shot.lens.k[:2]]), *[row_text(row) for row in turned[:, :3]], row_text(turned[:, 3])]
    lines += ["0.1 0.2 0.3", "9 9 9", "3 0 1 1.5 2.5 1 1 1.5 2.5 2 4 1.5 2.5"]
    (folder / "bundle.out").write_text("\n".join(lines) + "\n")
    (folder / "list.txt").write_text("images/none.png\n" + "".join(f"images/{s.name}.png 0 80.5\n" for s in shots))
    return Written("images/{}.png", seen_by(**ONE_FOCAL, **CENTRED, k=lambda l: l.k[:2]))


NVM_RADIAL = 0.05


def visualsfm(folder: Path, shots: List[Shot]) -> Written:
    rows = [f"images/{s.name}.png {s.lens.fx!r} {row_text(quaternion(s.pose.rotation))} {row_text(s.pose.center)} "
            f"{NVM_RADIAL} 0" for s in shots]
    (folder / "scene.nvm").write_text("\n".join(["NVM_V3", "", str(len(rows)), *rows, "", "1",
                                                 "0.1 0.2 0.3 9 9 9 3 0 1 1 1 1 2 1 1 2 3 1 1", "", "0"]) + "\n")

    def seen(shot: Shot, points: np.ndarray) -> np.ndarray:
        ideal = shot.pose.seen(points)
        ideal = ideal[:, :2] / ideal[:, 2:]
        measured = ideal.copy()
        for _ in range(100):  # measured * (1 + r |measured|^2) is the ideal one
            measured = ideal / (1 + NVM_RADIAL * (measured ** 2).sum(1, keepdims=True))
        return measured * shot.lens.fx + (WIDTH / 2, HEIGHT / 2)
    return Written("images/{}.png", seen)


def visualsfm_fixed(folder: Path, shots: List[Shot]) -> Written:
    """NVM_V3_R9T with the calibration of all photographs, and blanks in names. A smaller model comes first."""
    lens = shots[0].lens
    rows = [f'my"images/{s.name}.png\t{lens.fx!r} {row_text(s.pose.rotation)} {row_text(s.pose.translation)} {NVM_RADIAL} 0'
            for s in shots]
    (folder / "scene.nvm").write_text("\n".join(
        [f"NVM_V3_R9T FixedK {lens.fx!r} {lens.cx!r} {lens.fy!r} {lens.cy!r} {NVM_RADIAL}", "", "1", rows[1], "", "0", "",
         str(len(rows)), *rows, "", "1", "0.1 0.2 0.3 9 9 9 3 0 1 1 1 1 2 1 1 2 3 1 1", "", "0"]) + "\n")

    def seen(shot: Shot, points: np.ndarray) -> np.ndarray:
        ideal = shot.pose.seen(points)
        ideal = ideal[:, :2] / ideal[:, 2:]
        measured = ideal.copy()
        for _ in range(100):
            measured = ideal / (1 + NVM_RADIAL * (measured ** 2).sum(1, keepdims=True))
        return measured * (lens.fx, lens.fy) + (lens.cx, lens.cy)
    return Written("my images/{}.png", seen)


def opensfm(folder: Path, shots: List[Shot]) -> Written:
    lens = shots[0].lens
    k1, k2, p1, p2 = lens.coefficients(4)
    found = {}
    for shot in shots:
        w, *v = quaternion(shot.pose.rotation)
        angle = 2 * np.arctan2(np.linalg.norm(v), w)
        found[f"{shot.name}.png"] = {"rotation": (angle * np.array(v) / np.linalg.norm(v)).tolist(),
                                     "translation": shot.pose.translation.tolist(), "camera": "v2 x",
                                     "orientation": 1}
    content = [{"cameras": {}, "shots": {}}, {"cameras": {"v2 x": {
        "projection_type": "brown", "width": WIDTH, "height": HEIGHT, "focal_x": lens.fx / WIDTH,
        "focal_y": lens.fy / WIDTH, "c_x": (lens.cx - WIDTH / 2) / WIDTH, "c_y": (lens.cy - HEIGHT / 2) / WIDTH,
        "k1": k1, "k2": k2, "k3": 0, "p1": p1, "p2": p2}}, "shots": found}]
    (folder / "reconstruction.json").write_text(json.dumps(content))
    return Written("images/{}.png")


def metashape_fisheye(folder: Path, shots: List[Shot]) -> Written:
    """All that a fisheye of Metashape can have. Source: its manual, appendix D."""
    f, b1, b2, k, p1, p2 = 60.0, 0.75, 0.5, (0.02, -0.01, 0.005, -0.002), 0.002, -0.003
    lens = shots[0].lens
    cx, cy = lens.cx - WIDTH / 2, lens.cy - HEIGHT / 2
    powers = "".join(f"<k{i + 1}>{value}</k{i + 1}>" for i, value in enumerate(k))
    cameras = "".join(f'<camera id="{i}" sensor_id="0" label="{s.name}"><transform>{row_text(placement(s, opengl=False))}'
                      "</transform></camera>" for i, s in enumerate(shots))
    (folder / "cameras.xml").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<document version="2.0.0"><chunk label="c" enabled="true"><sensors>'
        f'<sensor id="0" type="fisheye"><resolution width="{WIDTH}" height="{HEIGHT}"/>'
        f'<calibration type="fisheye" class="adjusted"><f>{f}</f><cx>{cx!r}</cx><cy>{cy!r}</cy><b1>{b1}</b1><b2>{b2}</b2>'
        f"{powers}<p1>{p1}</p1><p2>{p2}</p2></calibration></sensor></sensors><cameras>{cameras}</cameras></chunk>"
        "</document>\n")

    def seen(shot: Shot, points: np.ndarray) -> np.ndarray:
        local = shot.pose.seen(points)
        slopes = local[:, :2] / local[:, 2:]
        length = np.linalg.norm(slopes, axis=1, keepdims=True)
        x, y = (slopes * np.arctan(length) / length).T
        r2 = x * x + y * y
        radial = 1 + sum(value * r2**(i + 1) for i, value in enumerate(k))
        u = x * radial + p1 * (r2 + 2 * x * x) + 2 * p2 * x * y
        v = y * radial + p2 * (r2 + 2 * y * y) + 2 * p1 * x * y
        return np.stack([WIDTH / 2 + cx + u * f + u * b1 + v * b2, HEIGHT / 2 + cy + v * f], axis=1)

    return Written("{}.png", seen)


def opensfm_fisheye(folder: Path, shots: List[Shot]) -> Written:
    """fisheye624: six powers, tangential distortion and thin prisms. Source: OpenSfM's camera_distortions_functions.h."""
    side = max(WIDTH, HEIGHT)
    k, p1, p2, s = (0.02, -0.01, 0.005, -0.002, 0.001, -0.0005), 0.002, -0.003, (0.001, -0.002, 0.003, 0.004)
    lens = shots[0].lens
    camera = {"projection_type": "fisheye624", "width": WIDTH, "height": HEIGHT, "focal_x": lens.fx / side,
              "focal_y": lens.fy / side, "c_x": (lens.cx - WIDTH / 2) / side, "c_y": (lens.cy - HEIGHT / 2) / side,
              "p1": p1, "p2": p2, **{f"k{i + 1}": value for i, value in enumerate(k)},
              **{f"s{i}": value for i, value in enumerate(s)}}
    found = {}
    for shot in shots:
        angle = np.arccos((np.trace(shot.pose.rotation) - 1) / 2)
        skew = shot.pose.rotation - shot.pose.rotation.T
        axis = np.array([skew[2, 1], skew[0, 2], skew[1, 0]]) / (2 * np.sin(angle))
        found[f"{shot.name}.png"] = {"camera": "c", "rotation": (angle * axis).tolist(),
                                     "translation": shot.pose.translation.tolist()}
    (folder / "reconstruction.json").write_text(json.dumps([{"cameras": {"c": camera}, "shots": found, "points": {}}]))

    def seen(shot: Shot, points: np.ndarray) -> np.ndarray:
        local = shot.pose.seen(points)
        slopes = local[:, :2] / local[:, 2:]
        length = np.linalg.norm(slopes, axis=1, keepdims=True)
        x, y = (slopes * np.arctan(length) / length).T
        r2 = x * x + y * y
        radial = 1 + sum(value * r2**(i + 1) for i, value in enumerate(k))
        u = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x) + s[0] * r2 + s[1] * r2**2
        v = y * radial + 2 * p2 * x * y + p1 * (r2 + 2 * y * y) + s[2] * r2 + s[3] * r2**2
        return np.stack([u * lens.fx + lens.cx, v * lens.fy + lens.cy], axis=1)

    return Written("images/{}.png", seen)


def pix4d(folder: Path, shots: List[Shot]) -> Written:
    """1_initial/params/PROJECT_calibrated_camera_parameters.txt."""
    lines = ["fileName imageWidth imageHeight ", "camera matrix K [3x3]", "radial distortion [3x1]",
             "tangential distortion [2x1]", "camera position t [3x1]", "camera rotation R [3x3]",
             "camera model m = K [R|-Rt] X", ""]
    for shot in shots:
        k1, k2, p1, p2 = shot.lens.coefficients(4)
        lines += [f"{shot.name}.png {WIDTH} {HEIGHT}", *(row_text(row) for row in k_matrix(shot.lens, 0)), f"{k1} {k2} 0",
                  f"{p1} {p2}", row_text(shot.pose.center), *(row_text(row) for row in shot.pose.rotation)]
    params = folder / "1_initial" / "params"
    params.mkdir(parents=True)
    (params / "project_calibrated_camera_parameters.txt").write_text("\n".join(lines) + "\n")
    return Written("images/{}.png")


def openmvs(folder: Path, shots: List[Shot]) -> Written:
    """The interface of version 7: a platform whose camera is not at its centre, and three points."""
    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    def doubles(values: np.ndarray) -> bytes:
        return np.asarray(values, "<f8").tobytes()

    rng = np.random.default_rng(6)
    turn, move = random_rotation(rng), np.array([0.3, -0.2, 0.1])
    data = b"MVSI" + struct.pack("<II", 7, 0) + struct.pack("<Q", 1) + text("platform") + struct.pack("<Q", 1)
    data += text("camera") + text("RGB") + struct.pack("<II", WIDTH, HEIGHT)
    data += doubles(k_matrix(shots[0].lens)) + doubles(turn) + doubles(move)
    data += struct.pack("<Q", len(shots))
    for shot in shots:
        outer = turn.T @ shot.pose.rotation
        data += doubles(outer) + doubles(shot.pose.center - outer.T @ move)
    data += struct.pack("<Q", len(shots) + 1)
    for i, shot in enumerate([*shots, shots[0]]):
        pose = 0xFFFFFFFF if i == len(shots) else i
        data += text(f"images/{shot.name}.png") + text("") + struct.pack("<IIIIfff", 0, 0, pose, i, 0, 0, 0)
        data += struct.pack("<Q", 1) + struct.pack("<IIffff", 0, 9, 1, 1, 1, 1)
    data += struct.pack("<Q", 2)
    for views in (2, 3):
        data += struct.pack("<fff", 0.1, 0.2, 0.3) + struct.pack("<Q", views) + struct.pack("<If", 0, 1) * views
    (folder / "scene.mvs").write_bytes(data + struct.pack("<Q", 0) * 2)
    return Written("images/{}.png", seen_by(**PINHOLE))


def mve(folder: Path, shots: List[Shot]) -> Written:
    """A view for each picture, and a last one without a camera."""
    for i, (name, shot) in enumerate([*((shot.name, shot) for shot in shots), ("none", shots[0])]):
        view = folder / "views" / f"view_{name}.mve"
        view.mkdir(parents=True)
        lens, focal = shot.lens, 0.0 if name == "none" else shot.lens.fx / WIDTH
        (view / "meta.ini").write_text(
            f"# MVE view meta data is stored in INI-file syntax.\n\n[camera]\nfocal_length = {focal!r}\n"
            f"pixel_aspect = {lens.fy / lens.fx!r}\nprincipal_point = {lens.cx / WIDTH!r} {lens.cy / HEIGHT!r}\n"
            f"radial_distortion = 0 0\nrotation = {row_text(shot.pose.rotation)}\n"
            f"translation = {row_text(shot.pose.translation)}\n\n[view]\nid = {i}\nname = {shot.name}\n")
    return Written("views/view_{}.mve/undistorted.png", seen_by(**PINHOLE))


PROGRAMS = (scans.gaussian_splatting, metashape, metashape_rig, realitycapture_csv, realityscan_csv, realitycapture_xmp,
            scans.neus, scans.middlebury, scans.matrices, openmvg, meshroom, meshroom_rig, bundler, visualsfm,
            visualsfm_fixed, opensfm, scans.polycam, scans.record3d, scans.record3d_unzipped, scans.scanner_app,
            scans.llff, scans.bop, scans.sdfstudio, metashape_fisheye, opensfm_fisheye, pix4d, openmvs, mve,
            scans.open3d, scans.open3d_log, scans.scannet, scans.seven_scenes, scans.nsvf, scans.stray_scanner)


def write_programs(out: Path, names: Iterable[str] = ()) -> None:
    """Writes these programs' folders anew; without names, those of all."""
    points = np.random.default_rng(4).uniform(-0.4, 0.4, (4, 3))
    for program in PROGRAMS:
        if names and program.__name__ not in names:
            continue
        folder = out / program.__name__
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shots = draw_shots()
        written = program(folder, shots)
        seen: Dict = {}
        for shot in shots:
            pixels = (written.seen or seen_by())(shot, points)
            seen[written.pictures.format(shot.name)] = np.round(pixels, 9).tolist()
        (folder / "truth.json").write_text(json.dumps(
            {"width": WIDTH, "height": HEIGHT, "points": np.round(points, 12).tolist(), "pictures": seen}))
