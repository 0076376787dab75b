"""What the command line says."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import List, Optional

from p2mpp.photos.known_distance import KnownDistance


@dataclass
class Options:
    """mesh_options: passed on to `p2mpp predict`. mat: whether a mat in the photographs tells the size. printed_bar: of the mat, in
    millimetres, if it was measured."""

    source: Optional[Path]
    out: Path
    video: Optional[Path] = None
    frames: int = 60
    masks: Optional[Path] = None
    own_masks: bool = False
    turntable: List[str] = field(default_factory=list)
    threads: int = 2
    mesh_options: List[str] = field(default_factory=list)
    given_name: Optional[str] = None
    mat: bool = True
    printed_bar: Optional[float] = None
    known_distances: List[KnownDistance] = field(default_factory=list)

    @property
    def name(self) -> str:
        if self.given_name is not None:
            return self.given_name
        path = (self.source or self.video.with_suffix("")).resolve()
        name = path.parent.name if path.name == "images" else path.name
        return printable_name(name) or path.name or "photographs"


def printable_name(name: str) -> str:
    """Without what the program's JSON does not carry."""
    return "".join(each if each.isprintable() else "_" for each in name)
