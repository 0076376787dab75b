"""Pictures of any name: OpenCV takes no path that is not UTF-8."""

from pathlib import Path
from typing import Optional

import cv2
import numpy as np


def read_picture(path: Path, flags: int = cv2.IMREAD_COLOR) -> Optional[np.ndarray]:
    """[H,W,3] uint8 BGR, or what the flags say. None if it cannot be read."""
    try:
        data = np.fromfile(path, np.uint8)
        return cv2.imdecode(data, flags) if len(data) else None
    except (OSError, cv2.error):
        return None
