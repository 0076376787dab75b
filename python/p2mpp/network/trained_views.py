"""The views that a network was trained on, in model.json: the engine warns of others."""

import json
import math
from pathlib import Path
from typing import Any, Dict, Optional, Tuple

from ..errors import InputError

KEY = "trained_views"
CAMERAS = ("published", "pinhole")
RANGES = ("distance", "elevation_deg")
OVERLAP = "typical_iou"  # may be left out


def read_trained_views(file: str) -> Dict[str, Any]:
    """Throws InputError."""
    try:
        found = json.loads(Path(file).read_text())
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: {error}; expected JSON with cameras, distance and "
                         "elevation_deg") from None
    return checked(found, file)


def split_trained_views(training: Any, file: Optional[str]) -> Tuple[Any, Optional[Dict[str, Any]]]:
    """A state file's facts without the trained views, and these; None where it says nothing. Throws
    InputError."""
    if not isinstance(training, dict) or KEY not in training:
        return training, None
    others = {name: value for name, value in training.items() if name != KEY}
    return others, checked(training[KEY], f'{file}: "{KEY}"')


def checked(found: Any, source: str) -> Dict[str, Any]:
    """In the order in which it is written. Throws InputError."""
    if not isinstance(found, dict) or not {"cameras", *RANGES} <= found.keys() <= {
            "cameras", *RANGES, OVERLAP}:
        keys = list(found) if isinstance(found, dict) else type(found).__name__
        raise InputError(f"{source}: holds {keys}; expected cameras, distance, elevation_deg and "
                         f"at most {OVERLAP}")
    if found["cameras"] not in CAMERAS:
        raise InputError(f"{source}: cameras is {found['cameras']!r}; expected "
                         f"{' or '.join(CAMERAS)}")
    for name in RANGES:
        low, high = pair(found[name], name, source)
        if low > high or (name == "distance" and low <= 0):
            raise InputError(f"{source}: {name} is {found[name]}; expected the lowest and the "
                             f"highest{' distance, above 0' if name == 'distance' else ''}")
    if OVERLAP in found:
        mean, deviation = pair(found[OVERLAP], OVERLAP, source)
        if not (0 < mean <= 1 and 0 <= deviation <= 1):
            raise InputError(f"{source}: {OVERLAP} is {found[OVERLAP]}; expected mean and standard "
                             "deviation, of 0 to 1")
    return {name: found[name] for name in ("cameras", *RANGES, OVERLAP) if name in found}


def pair(value: Any, name: str, source: str) -> Tuple[float, float]:
    is_pair = isinstance(value, (list, tuple)) and len(value) == 2 and all(
        type(each) in (int, float) and math.isfinite(each) for each in value)
    if not is_pair:
        raise InputError(f"{source}: {name} is {value!r}; expected two finite numbers")
    return float(value[0]), float(value[1])
