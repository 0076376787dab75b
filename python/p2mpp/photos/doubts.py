"""Why masks contradict the cameras, in one line: which of three causes it is, and which photographs to look at."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional

import cv2
import numpy as np

from p2mpp.photos.pictures import read_picture

HELD = 0.7  # share of the object's points that lie in a mask
GROUND = 0.25  # share of the points in a mask that are not the object's
CUT = 0.02  # share of a photograph's border that its mask covers
SOME = 0.2  # of the photographs
EXPLAINED = 0.05  # of a mask, that no object explains which the others show
MOST_NAMES = 6  # in a line


@dataclass
class MaskFacts:
    """Of the photographs, by name. held, ground: of our own masks alone. unexplained: p2mpp's, 1 where it leaves the mask out."""

    held: Dict[str, float] = field(default_factory=dict)
    ground: Dict[str, float] = field(default_factory=dict)
    border: Dict[str, float] = field(default_factory=dict)
    unexplained: Dict[str, float] = field(default_factory=dict)


def listed(names: List[str]) -> str:
    return ", ".join(names[:MOST_NAMES]) + (" and others" if len(names) > MOST_NAMES else "")


def border_share(mask: Path) -> float:
    """Of a photograph's border, what its mask covers."""
    found = read_picture(mask, cv2.IMREAD_GRAYSCALE)
    if found is None:
        return 0.0
    border = np.concatenate([found[0], found[-1], found[1:-1, 0], found[1:-1, -1]])
    return float((border > 127).mean())


def mask_facts(made: Dict[str, Any], masks: Dict[str, Optional[Path]], photographs: List[Dict[str, Any]]) -> MaskFacts:
    """made: what own_masks() returned; empty if the masks are others'. masks: of photographs. photographs: as `p2mpp check` says of them."""
    return MaskFacts(made.get("held", {}), made.get("ground", {}),
                     {name: border_share(path) for name, path in masks.items() if path is not None},
                     {each["name"]: 1.0 if each["contradicts"] else each["unexplained"] for each in photographs})


def cause(facts: MaskFacts, look_at: Path) -> str:
    """For the end of a line that says that the masks contradict the cameras."""
    half = _worst({name: 1 - value for name, value in facts.held.items()}, 1 - HELD)
    ground = _worst(facts.ground, GROUND)
    cut = _worst(facts.border, CUT)
    if facts.held and np.median(list(facts.held.values())) < HELD:
        return f"most masks miss a part of the object; look at {listed(half)} in {look_at}"
    if len(ground) > SOME * len(facts.ground):
        return f"masks hold ground beside the object; look at {listed(ground)} in {look_at}"
    if len(cut) > SOME * len(facts.border):
        return f"the border cuts the object in {len(cut)} of {len(facts.border)} photographs; look at {listed(cut)} in {look_at}"
    worst = _worst(facts.unexplained, EXPLAINED)
    where = f"look at {listed(worst)} in {look_at}" if worst else f"look at {look_at}"
    return f"if the object was moved, leave one part of the photographs out, else give masks (--masks FOLDER); {where}"


def _worst(values: Dict[str, float], beyond: float) -> List[str]:
    return sorted((name for name, value in values.items() if value > beyond), key=lambda name: -values[name])
