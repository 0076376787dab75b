"""What `p2mpp predict` gets: a capture that the user gives, or COLMAP's model."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, List, Optional, Sequence

from p2mpp.errors import InputError
from p2mpp.photos.scene import read_colmap

CAPTURE_FILES = ("transforms.json", "transforms_train.json", "cameras.json", "cameras.bin", "cameras.txt", "sparse")


@dataclass
class Capture:
    """What `p2mpp predict` gets: its path and options. model: of COLMAP, if masks can be made with it."""

    path: Path
    options: List[Any]
    photographs: Path
    names: List[str]
    model: Optional[Path] = None


def capture_in(source: Path) -> Optional[Capture]:
    """A file of cameras, or a folder that has one. None if it is a folder of photographs."""
    if source.is_dir() and not any((source / name).exists() for name in CAPTURE_FILES):
        return None
    if not source.exists():
        raise InputError(f"{source}: does not exist; expected a folder of photographs, or a capture with cameras")
    models = [source, source / "sparse" / "0", source / "sparse"]
    model = next((each for each in models if any((each / name).is_file() for name in ("images.bin", "images.txt"))), None)
    photographs = source / "images"
    names = [view.name for view in read_colmap(model).views] if model and photographs.is_dir() else []
    return Capture(source, [], photographs, names, model if names else None)


def copy_model(model: Path, folder: Path, without: Sequence[str]) -> None:
    """A COLMAP model into a folder. without: names of photographs that it loses."""
    import pycolmap

    found = pycolmap.Reconstruction(model)
    for number in list(found.reg_image_ids()):
        if found.images[number].name in without:
            found.deregister_frame(found.images[number].frame_id)
    found.write(folder)
