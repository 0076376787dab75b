"""Lengths as people write them: 98.5mm, 12cm, 0.3m, 4in."""

import math
import re

MILLIMETRES = {"mm": 1.0, "cm": 10.0, "m": 1000.0, "in": 25.4}


def millimetres(text: str) -> float:
    """Raises ValueError unless it is a positive number with a unit."""
    found = re.fullmatch(r"([0-9]*\.?[0-9]+)\s*(mm|cm|m|in)", text.strip())
    length = float(found[1]) * MILLIMETRES[found[2]] if found else 0.0
    if not 0 < length < math.inf:
        raise ValueError(f"{text}: expected a length with its unit, such as 98.5mm, 12cm, 0.3m or 4in")
    return length
