"""How good a mesh is, and why: good, doubtful or poor, by the worst of a few figures."""

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

import numpy as np

from p2mpp.photos.cameras import LEAST_SHARE
from p2mpp.photos.doubts import listed
from p2mpp.photos.near import Nearness

GRADES = ("good", "doubtful", "poor")


@dataclass(frozen=True)
class Limit:
    """A figure is good from `good` on, and poor below `poor`."""

    good: float
    poor: float

    def grade(self, value: float) -> str:
        return "good" if value >= self.good else "doubtful" if value >= self.poor else "poor"


# The rendered bus and the can have an IoU of 0.95 and more. A toy whose head is cracked open has 0.93, a heap of shreds 0.34.
IOU = Limit(0.94, 0.75)  # of the mesh's silhouettes with the masks, the mean
VIEW = Limit(0.85, 0.5)  # of the worst of the views
AGREE = Limit(0.9, 0.6)  # share of the photographs whose masks do not contradict the others
# Masks of one object leave 0.99 and more explained, also close-ups of it. Of headphones that became a lump, 0.93 and 0.80.
EXPLAINED = Limit(0.97, 0.95)  # of a mask, what the object explains that the others show, the mean
NEAR = Limit(0.8, 0.5)  # share of the object's points near the mesh
WHOLE = Limit(0.98, 0.8)  # share of the object's points that no cut leaves outside. Rendered buses with gashes have 0.96 and 0.97
CAMERAS = Limit(0.75, LEAST_SHARE)  # share of the photographs that have a camera


def graded(sample: Dict[str, Any], points: Optional[Nearness], cameras: Optional[float]) -> Dict[str, Any]:
    """{"grade", "reason", "figures"}. sample: what p2mpp says of the mesh. points, cameras: None where nobody knows."""
    photographs = sample["capture"]["photographs"]
    used = [each for each in photographs if "problem" not in each]
    against = [each["name"] for each in used if each["contradicts"]]
    views = {photographs[number]["name"]: each["iou"]
             for number, each in zip(sample["capture"]["views"], sample.get("silhouettes", []))}
    iou = _mean_iou(sample, list(views.values()))
    lines: List[tuple] = []

    def weigh(limit: Limit, value: Optional[float], text: str) -> None:
        if value is not None:
            lines.append((limit.grade(value), text))

    weigh(IOU, iou, f"the mesh's silhouettes have an IoU of {iou or 0:.2f} with the masks")
    if views:
        worst = min(views, key=lambda name: views[name])
        weigh(VIEW, views[worst], f"an IoU of {views[worst]:.2f} in {worst}")
    agree = 1 - len(against) / len(used) if used else None
    weigh(AGREE, agree, f"the masks of {len(against)} of {len(used)} photographs contradict the others" +
          (f" ({listed(against)})" if against else ""))
    explained = float(np.mean([1 - each["unexplained"] for each in used])) if used else None
    weigh(EXPLAINED, explained, f"{1 - (explained or 0):.0%} of a mask on average belong to no object that the others show")
    if points is not None:
        weigh(NEAR, points.near, f"{points.near:.0%} of the object's points lie near the mesh")
        weigh(WHOLE, 1 - points.cut_off, f"{points.cut_off:.0%} of the object's points lie outside the mesh, side by side" +
              (": pieces are missing" if 1 - points.cut_off < WHOLE.good else ""))
    weigh(CAMERAS, cameras, f"{cameras or 0:.0%} of the photographs have a camera")
    grade = max((each for each, _ in lines), key=GRADES.index, default="doubtful")
    reason = "; ".join(text for each, text in lines if each == grade) or "nothing tells how good it is"
    figures = {"iou": iou, "views": views, "agreeing_masks": agree, "explained": explained, "points_near": points and points.near,
               "points_cut_off": points and points.cut_off, "with_camera": cameras}
    return {"grade": grade, "reason": reason, "figures": figures}


def _mean_iou(sample: Dict[str, Any], views: List[float]) -> Optional[float]:
    """Over all masks, if a surface or a fit says so, else over the views."""
    if "surface" in sample:
        return float(sample["surface"]["iou"])
    if sample.get("fit", {}).get("used", 0) > 0:
        return float(sample["fit"]["iou_after"])
    return float(np.mean(views)) if views else None
