"""Cameras from the mat alone, where COLMAP finds too few: calibrated from its markers, then adjusted with what COLMAP matched, with the
markers' corners where the mat has them. Runs in the process of structure."""

from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Tuple

import cv2
import numpy as np
import pycolmap

from p2mpp.photos.markers import Marker
from p2mpp.photos.mat import Mat
from p2mpp.photos.mat_fit import fit_mat, mat_in, without_doubled
from p2mpp.photos.scene import views_of

FEWEST_MARKERS = 2  # of a photograph
FEWEST_VIEWS = 3  # that calibrate a camera
OFF = 3.0  # pixels, or so many times the median: photographs and corners that are left out
SURE = 1.0  # pixels: matches that are farther off count less

Seen = Dict[str, Dict[int, np.ndarray]]  # markers by photograph and number


@dataclass
class Calibrated:
    """A camera, and the poses of its photographs (cam_from_mat)."""

    camera: pycolmap.Camera
    poses: Dict[str, pycolmap.Rigid3d]


def photographs_with_mat(found: Dict[str, Sequence[Marker]]) -> List[str]:
    """Names of those that can get a camera from it."""
    mat = mat_in(found)
    seen = {} if mat is None else without_doubled(mat, found)
    return [name for name, markers in seen.items() if len(markers) >= FEWEST_MARKERS]


def model_of_mat(found: Dict[str, Sequence[Marker]], groups: List[List[str]], database: Path, images: Path,
                 folder: Path) -> Optional[pycolmap.Reconstruction]:
    """groups: the names of each camera's photographs. folder: empty. None if no camera can be calibrated. Raises Disagreement or
    NotEnough."""
    mat = mat_in(found)
    names = photographs_with_mat(found)
    seen = {name: without_doubled(mat, found)[name] for name in names}
    with pycolmap.Database.open(database) as opened:
        known = {name: image for name in names if (image := opened.read_image_with_name(name)) is not None}
        cameras = {image.camera_id: opened.read_camera(image.camera_id) for image in known.values()}
    calibrated = [made for group in groups if (made := _calibrated(mat, seen, [name for name in group if name in known], known, cameras))]
    if not calibrated:
        return None
    corners = _without_wrong(mat, seen, calibrated)
    alone = _assembled(mat, corners, calibrated, known)
    _adjust(alone, [])
    fit_mat(views_of(alone), found)  # the corners were free: if the mat is bent or pasted together, they tell
    exact = _assembled(mat, corners, calibrated, known)
    _adjust(exact, list(exact.point3D_ids()))
    matches = _matches(exact, database, images, folder)
    both = _assembled(mat, corners, _cameras_of(exact), known, matches)
    _adjust(both, sorted(both.point3D_ids())[:exact.num_points3D()])
    both.update_point_3d_errors()
    return both


def _calibrated(mat: Mat, seen: Seen, names: List[str], known: Dict[str, pycolmap.Image],
                cameras: Dict[int, pycolmap.Camera]) -> Optional[Calibrated]:
    """By OpenCV: one focal length, one radial coefficient, the principal point in the middle."""
    for _ in range(2):
        if len(names) < FEWEST_VIEWS:
            return None
        camera = cameras[known[names[0]].camera_id]
        true = [np.concatenate([mat.corners[number] for number in seen[name]]).astype(np.float32) for name in names]
        pixels = [np.concatenate(list(seen[name].values())).astype(np.float32) - 0.5 for name in names]  # OpenCV's begin in a centre
        flags = (cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_FIX_PRINCIPAL_POINT | cv2.CALIB_ZERO_TANGENT_DIST | cv2.CALIB_FIX_K2 |
                 cv2.CALIB_FIX_K3)
        _, matrix, bent, turns, shifts = cv2.calibrateCamera(true, pixels, (camera.width, camera.height), np.eye(3), None, flags=flags)
        off = np.array([np.median(np.linalg.norm(cv2.projectPoints(a, turn, shift, matrix, bent)[0].reshape(-1, 2) - b, axis=1))
                        for a, b, turn, shift in zip(true, pixels, turns, shifts)])
        good = off <= OFF * max(1.0, float(np.median(off)))
        if good.all():
            break
        names = [name for name, fine in zip(names, good) if fine]
    made = pycolmap.Camera(camera_id=camera.camera_id, model="SIMPLE_RADIAL", width=camera.width, height=camera.height,
                           params=[matrix[0, 0], camera.width / 2, camera.height / 2, np.ravel(bent)[0]])
    return Calibrated(made, {name: pycolmap.Rigid3d(pycolmap.Rotation3d(cv2.Rodrigues(turn)[0]), np.ravel(shift))
                             for name, turn, shift, fine in zip(names, turns, shifts, good) if fine})


def _without_wrong(mat: Mat, seen: Seen, calibrated: List[Calibrated]) -> Seen:
    """Without markers that are far from where the others put them: the object hides an edge of theirs."""
    kept: Seen = {}
    for each in calibrated:
        for name, pose in each.poses.items():
            off = {number: np.linalg.norm(each.camera.img_from_cam(pose * mat.corners[number]) - corners, axis=1).max()
                   for number, corners in seen[name].items()}
            limit = OFF * max(1.0, float(np.median(list(off.values()))))
            kept[name] = {number: corners for number, corners in seen[name].items() if off[number] <= limit}
    return kept


def _assembled(mat: Mat, seen: Seen, calibrated: List[Calibrated], known: Dict[str, pycolmap.Image],
               matches: Sequence[Tuple[np.ndarray, np.ndarray, list]] = ()) -> pycolmap.Reconstruction:
    """A model of the corners, whose points come first, and of matches: (place, colour, [(name, pixel)])."""
    corners = [(place, np.zeros(3, np.uint8), [(name, markers[number][k]) for name, markers in seen.items() if number in markers])
               for number, places in mat.corners.items() for k, place in enumerate(places)]
    points = [point for point in [*corners, *matches] if len(point[2]) > 1]
    pixels: Dict[str, list] = {name: [] for name in seen}
    tracks = []
    for _, _, shown in points:
        tracks.append([(name, len(pixels[name]), pixels[name].append(pixel)) for name, pixel in shown])
    model = pycolmap.Reconstruction()
    for each in calibrated:
        model.add_camera_with_trivial_rig(each.camera)
        for name, pose in each.poses.items():
            image = pycolmap.Image(name=name, camera_id=each.camera.camera_id, image_id=known[name].image_id,
                                   points2D=[pycolmap.Point2D(pixel) for pixel in pixels[name]])
            model.add_image_with_trivial_frame(image, pose)
    for (place, colour, _), track in zip(points, tracks):
        model.add_point3D(place, pycolmap.Track([pycolmap.TrackElement(known[name].image_id, number) for name, number, _ in track]), colour)
    return model


def _adjust(model: pycolmap.Reconstruction, constant: List[int]) -> None:
    """Bundle adjustment. constant: points that stay."""
    config = pycolmap.BundleAdjustmentConfig()
    for number in model.reg_image_ids():
        config.add_image(number)
    for number in constant:
        config.add_constant_point(number)
    if not constant:
        config.fix_gauge(pycolmap.BundleAdjustmentGauge.TWO_CAMS_FROM_WORLD)
    options = pycolmap.BundleAdjustmentOptions(print_summary=False)
    options.ceres.loss_function_type, options.ceres.loss_function_scale = pycolmap.LossFunctionType.SOFT_L1, SURE
    pycolmap.create_default_bundle_adjuster(options, config, model).solve()


def _cameras_of(model: pycolmap.Reconstruction) -> List[Calibrated]:
    made = {number: Calibrated(camera, {}) for number, camera in model.cameras.items()}
    for number in model.reg_image_ids():
        image = model.images[number]
        made[image.camera_id].poses[image.name] = image.cam_from_world()
    return list(made.values())


def _matches(exact: pycolmap.Reconstruction, database: Path, images: Path, folder: Path) -> List[Tuple[np.ndarray, np.ndarray, list]]:
    """The points that COLMAP's matches give these cameras: (place, colour, [(name, pixel)])."""
    posed = pycolmap.Reconstruction()
    with pycolmap.Database.open(database) as opened:
        posed.load(pycolmap.DatabaseCache.create(opened, pycolmap.DatabaseCacheOptions()))
    for number, camera in exact.cameras.items():
        posed.cameras[number].model, posed.cameras[number].params = camera.model, camera.params
    for number in exact.reg_image_ids():
        if posed.exists_image(number):  # it has matches
            frame = posed.frame(posed.images[number].frame_id)
            frame.rig_from_world = exact.images[number].cam_from_world()
            posed.register_frame(frame.frame_id)
    if posed.num_reg_images() < 2:
        return []
    posed = pycolmap.triangulate_points(posed, database, images, folder)
    return [(point.xyz, point.color, [(posed.images[element.image_id].name, posed.images[element.image_id].points2D[element.point2D_idx].xy)
                                      for element in point.track.elements]) for _, point in sorted(posed.points3D.items())]
