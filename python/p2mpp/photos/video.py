"""Photographs of a video: of each interval its sharpest frame."""

from pathlib import Path
from typing import List

import cv2

from p2mpp.photos.photographs import QUALITY, sharpness
from p2mpp.photos.steps import StepError

TRIED = 6  # frames of an interval, at most
SIDE = 512  # pixels, at which they are compared


def write_frames(video: Path, folder: Path, count: int) -> List[Path]:
    """frame_0001.jpg and so on in a folder that is there; fewer if the video has fewer frames."""
    reader = cv2.VideoCapture(str(video))
    total = int(reader.get(cv2.CAP_PROP_FRAME_COUNT))
    if not reader.isOpened() or total < 1:
        raise StepError("photographs", f"{video}: is no video that can be read; expected MP4, MOV or another that FFmpeg reads")
    step = max(1, total // (count * TRIED))
    best, written, number = None, [], 0
    while reader.grab():
        interval = min(number * count // total, count - 1)
        if best is not None and best[0] != interval:
            written.append(_write(folder, len(written) + 1, best[2]))
            best = None
        if number % step == 0:
            good, frame = reader.retrieve()
            if good:
                value = _sharpness(frame)
                if best is None or value > best[1]:
                    best = (interval, value, frame)
        number += 1
    reader.release()
    if best is not None:
        written.append(_write(folder, len(written) + 1, best[2]))
    return written


def _sharpness(frame) -> float:
    scale = SIDE / max(frame.shape[:2])
    grey = cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)
    return sharpness(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else grey)


def _write(folder: Path, number: int, frame) -> Path:
    path = folder / f"frame_{number:04d}.jpg"
    good, data = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    if not good:
        raise StepError("photographs", f"{path}: cannot be written as JPEG")
    path.write_bytes(data.tobytes())
    return path
