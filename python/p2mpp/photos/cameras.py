"""The cameras of photographs: COLMAP in a process of its own, and what its database says about those it could not place."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Callable, Dict, Iterable, List, Optional

from p2mpp.photos import children
from p2mpp.photos.photographs import Photograph, free_space
from p2mpp.photos.steps import StepError, StepFailure

EXHAUSTIVE = 60  # photographs, of which all pairs are matched
LARGEST_SIDE = 1600  # pixels, for features
FEW_FEATURES = 300
FEW_MATCHES = 30
PAIRS = 2147483647  # COLMAP's number of a pair is PAIRS * first + second
FEWEST = 5  # photographs
LEAST_SHARE, ENOUGH = 0.4, 8  # photographs that need a camera: this share, or so many
LITTLE_SPACE = 64 << 20  # bytes
QUIET = 10  # seconds between two lines of progress
WITHOUT_MAT = "print the mat anew and lay it flat, or go on without a size: --no-mat"
HELP = ("put the object on newspaper or another pattern, or on a printed mat (p2mpp-photos mat --out mat.pdf), move nothing between "
        "photographs, and take one every 10 to 15 degrees")


def find_cameras(photographs: List[Photograph], images: Path, kept: Path, folder: Path, threads: int,
                 progress: Callable[[str], None], sheet: Path, markers: Dict[str, list]) -> Dict:
    """Writes a COLMAP model to folder/model; the folder is empty before. kept: has COLMAP's database and log, from run to run. markers: of
    the mat, by photograph. Returns {"registered": names, "unregistered": name to reason, "models": sizes, "lenses", "mat": whether the
    mat gave the cameras}."""
    if len(photographs) < FEWEST:
        raise StepError("cameras", f"{len(photographs)} photographs; expected at least {FEWEST}, better 20 to 40, from all around "
                        "the object", sheet)
    groups: Dict[str, List[str]] = {}
    for each in photographs:
        groups.setdefault(each.camera, []).append(each.name)
    database = kept / "database.db"
    job = {"images": str(images.resolve()), "database": str(database.resolve()), "folder": str(folder.resolve()),
           "groups": list(groups.values()), "exhaustive": len(photographs) < EXHAUSTIVE, "largest_side": LARGEST_SIDE,
           "threads": threads, "markers": markers}
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    end = _run(folder / "job.json", kept / "colmap.log", progress)
    if "disagreement" in end:
        raise StepError("cameras", f"{end['disagreement']}; {WITHOUT_MAT}", sheet)
    sizes = end["models"]
    names = sorted(each.name for each in photographs)
    registered = registered_names(folder / "model") if sizes else []
    missing = {name: reason for name, reason in _reasons(kept / end["database"], names).items() if name not in registered}
    if len(registered) < min(ENOUGH, max(FEWEST, LEAST_SHARE * len(names))):
        raise StepError("cameras", f"{len(registered)} of {len(names)} photographs have a camera ({_summary(missing)}); {HELP}",
                        sheet)
    return {"registered": registered, "unregistered": missing, "models": sizes, "lenses": len(groups), "mat": end["mat"]}


def _run(job: Path, log: Path, progress: Callable[[str], None]) -> Dict:
    """What the process says at its end: {"models": numbers of photographs, "mat", "database": file name} or {"disagreement": of the mat's
    markers}."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(Path(__file__).parents[2]),
                                                                             os.environ.get("PYTHONPATH", "")]))}
    command = [sys.executable, "-m", "p2mpp.photos.structure", job]
    with open(log, "w", encoding="utf-8") as written, children.start(command, stdout=subprocess.PIPE, stderr=written,
                                                                      env=environment) as child:
        try:
            end = _listen(child.stdout, progress)
            code = child.wait()
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)  # COLMAP does not end by itself; its database stays whole
    if code != 0 or end is None:
        raise StepFailure("cameras", _failure(log, code), log)
    return end


def _listen(lines: Iterable[str], progress: Callable[[str], None]) -> Optional[Dict]:
    """Passes on the beginning and the end of each stage, and how far it is. What comes last; None if it does not."""
    end, stage, said = None, "", 0.0
    for line in lines:
        try:
            news = json.loads(line)
        except ValueError:
            continue  # a line of COLMAP's
        end = news if "models" in news or "disagreement" in news else end
        if "stage" in news and (news["stage"] != stage or news["done"] == news["of"] or time.monotonic() > said + QUIET):
            stage, said = news["stage"], time.monotonic()
            progress(f"cameras: {stage}: {news['done']} of {news['of']}")
    return end


def _failure(log: Path, code: int) -> str:
    free = free_space(log.parent)
    text = log.read_text(encoding="utf-8", errors="replace")
    if free is not None and free < LITTLE_SPACE or re.search("disk is full|No space left", text):
        return f"no space left on the disk of {log.parent}; expected at least 1 GB"
    lines = [line for line in text.splitlines() if line.strip()]
    why = re.sub(r"^[EF]\d+ [\d:.]+ +\d+ ", "", lines[-1]) if lines else f"exit code {code}"
    return f"COLMAP failed: {why}"


def registered_names(model: Path) -> List[str]:
    import pycolmap

    found = pycolmap.Reconstruction(model)
    return sorted(found.images[number].name for number in found.reg_image_ids())


def _reasons(database: Path, names: List[str]) -> Dict[str, str]:
    """Why a photograph may have no camera, for all."""
    reasons = {name: "COLMAP could not read it" for name in names}
    with closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        numbers = dict(connection.execute("SELECT image_id, name FROM images"))
        features = dict(connection.execute("SELECT image_id, rows FROM keypoints"))
        best = {number: 0 for number in numbers}
        for pair, rows in connection.execute("SELECT pair_id, rows FROM two_view_geometries"):
            for number in (pair // PAIRS, pair % PAIRS):
                best[number] = max(best.get(number, 0), rows)
    for number, name in numbers.items():
        count = features.get(number, 0)
        if count < FEW_FEATURES:
            reasons[name] = f"little pattern: {count} features"
        elif best[number] < FEW_MATCHES:
            reasons[name] = f"at most {best[number]} matches with another photograph, expected {FEW_MATCHES}"
        else:
            reasons[name] = "matches only photographs that themselves have no place"
    return reasons


def _summary(missing: Dict[str, str]) -> str:
    kinds = {"little pattern": "show little pattern", "at most": "match no other", "matches only": "match only some others",
             "COLMAP could": "could not be read"}
    counts = [(sum(reason.startswith(start) for reason in missing.values()), words) for start, words in kinds.items()]
    return ", ".join(f"{count} {words}" for count, words in counts if count) or "none could be placed"
