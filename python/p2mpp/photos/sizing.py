"""The steps of a run that find its true size: `mat` looks for markers in the photographs, `size` places the cameras in metres."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

from p2mpp.photos.cameras import WITHOUT_MAT
from p2mpp.photos.known_distance import WrongDistance
from p2mpp.photos.markers import find_markers, from_json, to_json
from p2mpp.photos.mat_fit import Disagreement, NotEnough
from p2mpp.photos.options import Options
from p2mpp.photos.output import WORK, OutputFolder
from p2mpp.photos.steps import StepError, Steps, files_key
from p2mpp.photos.true_size import find_size, lines, write_model


class Sizing:
    """Of one run. note, say(line): for people; notes are in the report, too. says: lines of the report's steps. facts: of the size; None
    if it is not known. free: half the width and half the depth of the mat's free centre, in metres."""

    def __init__(self, options: Options, output: OutputFolder, steps: Steps, say: Callable[[str], None], note: Callable[[str], None],
                 says: Dict[str, str]):
        self.options, self.output, self.steps, self.say, self.note, self.says = options, output, steps, say, note, says
        self.markers: Dict[str, list] = {}
        self.facts: Optional[Dict[str, Any]] = None
        self.free: Optional[List[float]] = None

    def find_markers(self, photographs: Path, names: List[str]) -> None:
        """Photographs without a file are left out: a given capture may name them."""
        names = [name for name in names if (photographs / name).is_file()]
        if not names or not self.options.mat:
            return
        inputs = {"files": files_key(photographs / name for name in names)}
        result = self.steps.finished("mat", inputs)
        if result is None:
            with self.steps.recording("mat", inputs) as record:
                record.result = result = {"markers": to_json(find_markers(photographs, names, self.options.threads))}
        self.markers = result["markers"]
        count = len({number for found in self.markers.values() for number, _ in found})
        self.says["mat"] = f"{count} markers in {len(self.markers)} of {len(names)} photographs" if count else "none in the photographs"
        if count:
            self.say(f"mat: {self.says['mat']}")

    def find_size(self, model: Optional[Path], cameras: Any, names: Dict[str, str], look_at: Path) -> Optional[Path]:
        """A COLMAP model in its true size, in metres; None if nothing tells it. cameras: what tells them from others. names: of the user's
        files, to photographs."""
        distances = self.options.known_distances
        if model is None and distances:
            raise StepError("size", "--known-distance needs COLMAP's cameras; expected photographs, or a COLMAP model")
        if self.options.printed_bar and not self.markers:
            self.note("size: --printed-bar has no effect: no photograph shows a marker of the mat")
        if model is None or not (self.markers or distances):
            return None
        inputs = {"cameras": cameras, "markers": self.markers, "bar": self.options.printed_bar,
                  "distances": [asdict(each) for each in distances]}
        result = self.steps.finished("size", inputs)
        if result is None:
            with self.steps.recording("size", inputs) as record:
                record.result = result = self._found(model, names, record.new.folder(f"{WORK}/size"), look_at)
        self.facts, self.free = result["facts"], result["free"]
        if self.facts is None:
            if result["why"]:
                self.says["size"] = "unknown"
                self.note(f"size: unknown: {result['why']}")
            return None
        self.says["size"], *others = lines(self.facts)
        self.say(f"size: {self.says['size']}")
        for line in others:
            self.note(f"size: {line}")
        return self.output.work("size", "model")

    def _found(self, model: Path, names: Dict[str, str], folder: Path, look_at: Path) -> Dict[str, Any]:
        try:
            size = find_size(model, from_json(self.markers), self.options.printed_bar, self.options.known_distances, names)
        except Disagreement as error:
            raise StepError("size", f"{error}; {WITHOUT_MAT}", look_at) from None
        except WrongDistance as error:
            raise StepError("size", f"--known-distance: {error}", look_at) from None
        except NotEnough as error:
            return {"facts": None, "free": None, "why": str(error)}
        if size is None:
            return {"facts": None, "free": None, "why": ""}
        (folder / "model").mkdir()
        write_model(model, size, folder / "model")
        return {"facts": size.facts, "free": size.free, "why": ""}
