"""Reads samples: renderings, their cameras, ground truth in the world's frame."""

import json
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
import torch
from p2mpp.errors import InputError
from p2mpp.network.safe_pickle import load_pickle
from PIL import Image
from torch import Tensor

from .images import composite_on_white, network_images, object_mask

TRUTH_ENDINGS = (".dat", "_ground.xyz", ".xyz")


class Sample(NamedTuple):
    """`numbers` [V]: the pictures' numbers; `pictures` [V,H,W,3] uint8 BGR on white; `cameras`
    [V,5]: metadata rows; `points`, `normals` [P,3]: ground truth in the world's frame."""

    name: str
    numbers: np.ndarray
    pictures: np.ndarray
    cameras: np.ndarray
    points: np.ndarray
    normals: np.ndarray


def read_list(file: Path) -> List[str]:
    """Ids CATEGORY_MODEL_00 of a test list, without .dat. Throws InputError."""
    try:
        lines = Path(file).read_text().split()
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}; expected a list of ids") from None
    names = [line.removesuffix(".dat") for line in lines]
    for name in names:
        if len(name.split("_")) != 3:
            raise InputError(f"{file}: {name!r}; expected ids such as CATEGORY_MODEL_00.dat")
    if not names:
        raise InputError(f"{file}: holds no ids; expected one a line")
    return names


def read_generation(root: Path) -> Optional[Dict[str, Any]]:
    """Options and library versions that p2mpp-generate recorded; None for samples from elsewhere.
    Throws InputError."""
    file = Path(root) / "generation.json"
    if not file.is_file():
        return None
    try:
        return json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: {error}; expected what p2mpp-generate wrote") from None


def rendering_folder(root: Path, name: str) -> Path:
    """The folder of a sample's pictures: CATEGORY/MODEL/rendering, or CATEGORY/MODEL."""
    category, model, _ = name.split("_")
    folder = Path(root) / category / model
    return folder / "rendering" if (folder / "rendering").is_dir() else folder


def rotation_and_origin(row: np.ndarray) -> tuple:
    """A metadata row -> float64 (R [3,3], o [3]) of cam_from_world: p -> R (p - o)."""
    azimuth, elevation = np.radians(row[:2])
    height, ground = row[3] * np.sin(elevation), row[3] * np.cos(elevation)
    z_axis = np.array([ground * np.cos(azimuth), height, ground * np.sin(azimuth)])
    y_axis = np.array([-height * np.cos(azimuth), ground, -height * np.sin(azimuth)])
    axes = np.stack([np.cross(y_axis, z_axis), y_axis, z_axis])
    return axes / np.linalg.norm(axes, axis=1, keepdims=True), z_axis


def read_sample(root: Path, truth_root: Path, name: str, views: int, points: int) -> Sample:
    """The first `views` pictures that are there, and `points` ground-truth points, drawn where the
    file holds another number. Throws InputError."""
    folder = rendering_folder(root, name)
    cameras = read_cameras(folder / "rendering_metadata.txt")
    numbers = [k for k in range(len(cameras)) if (folder / f"{k:02d}.png").is_file()][:views]
    if len(numbers) < views:
        raise InputError(f"{folder}: {len(numbers)} pictures of {len(cameras)} cameras; expected "
                         f"{views} or more (--views)")
    pictures = np.stack([read_picture(folder / f"{k:02d}.png") for k in numbers])
    truth = read_truth(truth_root, name)
    if len(truth) != points:
        draw = np.random.default_rng(len(truth))
        truth = truth[draw.choice(len(truth), points, replace=len(truth) < points)]
    rotation, origin = rotation_and_origin(cameras[0])
    normals = truth[:, 3:] @ rotation
    normals /= np.linalg.norm(normals, axis=1, keepdims=True).clip(1e-12)
    return Sample(name, np.array(numbers), pictures, cameras[numbers],
                  truth[:, :3] @ rotation + origin, normals)


def read_cameras(file: Path) -> np.ndarray:
    """Rows of rendering_metadata.txt: [V,5]."""
    try:
        rows = np.loadtxt(file, ndmin=2)
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: {error}; expected a row of five numbers a view") from None
    if rows.shape[1] != 5 or not np.isfinite(rows).all():
        raise InputError(f"{file}: {rows.shape[1]} columns; expected five finite numbers a view")
    return rows


def read_picture(file: Path, semantics: str = "clean", image_channels: int = 3) -> np.ndarray:
    """[H,W,3] uint8 BGR on white, or [H,W,4] with the mask; in semantics tf, white only where
    wholly transparent."""
    try:
        with Image.open(file) as picture:
            rgba = np.asarray(picture.convert("RGBA"))
    except OSError as error:
        raise InputError(f"{file}: {error}; expected a PNG") from None
    if semantics == "tf":
        return np.where(rgba[..., 3:] == 0, np.uint8(255), rgba[..., 2::-1])
    colours = composite_on_white(rgba)
    return colours if image_channels == 3 else np.dstack([colours, object_mask(rgba)])


def network_input(folder: Path, views: Sequence[int], semantics: str,
                  image_channels: int = 3) -> Tuple[Tensor, Tensor]:
    """These views of a rendering folder as the network takes them: images [V,C,224,224] of
    image_channels, BGR or BGR and mask, 0..1, camera rows [V,5], float32. Throws InputError."""
    cameras = read_cameras(folder / "rendering_metadata.txt")
    if max(views) >= len(cameras):
        raise InputError(f"{folder / 'rendering_metadata.txt'}: {len(cameras)} cameras; expected "
                         f"one of view {max(views)}")
    pictures = [read_picture(folder / f"{view:02d}.png", semantics, image_channels)
                for view in views]
    images = [network_images(torch.from_numpy(each)[None, None])[0, 0] for each in pictures]
    return torch.stack(images), torch.from_numpy(cameras[list(views)].astype(np.float32))


def read_truth(root: Path, name: str) -> np.ndarray:
    """Points and normals in the frame of camera 0: [P,6] float64."""
    files = [Path(root) / f"{name}{ending}" for ending in TRUTH_ENDINGS]
    file = next((each for each in files if each.is_file()), None)
    if file is None:
        raise InputError(f"{files[0]}: not there, nor as {' or '.join(TRUTH_ENDINGS[1:])}; "
                         "expected the ground truth")
    if file.suffix == ".dat":
        content = load_pickle(str(file))
        truth = np.asarray(content[1] if isinstance(content, (tuple, list)) else content)
    else:
        try:
            truth = np.loadtxt(file, ndmin=2)
        except ValueError as error:
            raise InputError(f"{file}: {error}; expected points and normals") from None
    if truth.ndim != 2 or truth.shape[1] != 6 or len(truth) == 0 or truth.dtype.kind != "f":
        raise InputError(f"{file}: {truth.dtype} {list(truth.shape)}; expected points with normals "
                         "[any,6]")
    if not np.isfinite(truth).all():
        raise InputError(f"{file}: a number is not finite; expected finite numbers")
    return truth.astype(np.float64)
