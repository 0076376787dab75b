"""The steps of `p2mpp-photos`, one after the other."""

import json
import shutil
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from p2mpp.errors import InputError
from p2mpp.network.command_line import printable
from p2mpp.photos import masks as masks_step
from p2mpp.photos.cameras import HELP, LEAST_SHARE, find_cameras
from p2mpp.photos.capture import Capture, capture_in, copy_model
from p2mpp.photos.doubts import cause, listed, mask_facts
from p2mpp.photos.engine import Engine
from p2mpp.photos.grade import graded
from p2mpp.photos.model import model_file
from p2mpp.photos.near import Nearness, nearness, read_ply
from p2mpp.photos.options import Options
from p2mpp.photos.output import WORK, Batch, OutputFolder
from p2mpp.photos.photographs import Photograph, find_photographs, read_all
from p2mpp.photos.report import write_report
from p2mpp.photos.scene import read_colmap
from p2mpp.photos.seed import Mat
from p2mpp.photos.sizing import Sizing
from p2mpp.photos.steps import StepError, Steps, files_key
from p2mpp.photos.video import write_frames

TURNS = 8  # pictures of the mesh from around
UNSEEN = 0.005  # share of the surface, from which on a line says that no photograph saw it
CONTRADICTION = "poses"  # the code of p2mpp's warning that masks and cameras do not belong together
PHOTOGRAPHS_SHEET, MASKS_SHEET, REPORT, DOCUMENT = "photographs.jpg", "masks.jpg", "report.html", "photos.json"
PRODUCED = {"glb": (".glb", "*_predict.glb"), "view": ("_view.html", "*_view.html"), "overlay": ("_overlay.png", "*_overlay.png"),
            "3mf": (".3mf", "*_print.3mf")}  # the last if it was asked for


def mesh_line(sample: Dict[str, Any]) -> str:
    """sample: what p2mpp says of the mesh."""
    unseen = sample.get("texture", {}).get("unseen", 0)
    guessed = f"; no photograph saw {unseen:.0%} of its surface, which is grey (-- --fill-unseen colours it)" if unseen >= UNSEEN else ""
    return f"{sample['vertices']} vertices, {sample['faces']} faces{guessed}"


class Run:
    """One run. say(line): for people."""

    def __init__(self, options: Options, engine: Engine, say):
        self.options, self.engine, self.say = options, engine, say
        self.output = OutputFolder(options.out)
        self.steps = Steps(self.output, say)
        self.says: Dict[str, str] = {}
        self.notes: List[str] = []
        self.made: Dict[str, Any] = {}  # what is known of our own masks
        self.agreement: Dict[str, float] = {}  # of our own masks with the others, by photograph
        self.facts: List[Dict[str, Any]] = []  # of the photographs
        self.sizing = Sizing(options, self.output, self.steps, say, self.note, self.says)

    def everything(self) -> Dict[str, Any]:
        """The document that photos.json has, too."""
        for path in (self.options.source, self.options.video, self.options.masks):
            if path is not None and path.resolve().is_relative_to(self.output.work().resolve()):
                raise InputError(f"{path}: is in {self.output.work()}, which the command writes; expected another place")
        name = self.options.name
        with self.output.opened([PHOTOGRAPHS_SHEET, MASKS_SHEET, *(f"{name}{ending}" for ending, _ in PRODUCED.values()), REPORT, DOCUMENT]):
            capture = self.given_capture() or self.found_capture()
            self.size(capture)
            mask_options = self.masks(capture)
            self.check(capture, mask_options)
            mesh = self.mesh(capture, mask_options)
            return self.report(mesh)

    def note(self, line: str) -> None:
        line = printable(line)
        self.notes.append(line)
        self.say(line)

    def given_capture(self) -> Optional[Capture]:
        """A folder that has cameras already."""
        found = None if self.options.source is None or self.options.turntable else capture_in(self.options.source)
        if found is not None:
            self.say(f"cameras: those of {found.path}")
            self.steps.current = "cameras"
        return found

    def found_capture(self) -> Capture:
        names, sheet_path = self.photographs()
        folder = self.output.work("photographs")
        if self.options.turntable:
            return Capture(folder, self.options.turntable, folder, names)
        self.sizing.find_markers(folder, names)
        found = self.cameras(names, sheet_path)
        model = self.output.work("cameras", "model")
        return Capture(self.named(model), ["--photographs", folder], folder, found, model)

    def named(self, model: Path, without: Sequence[str] = ()) -> Path:
        """A copy of a COLMAP model in a folder of the result's name, which p2mpp's lines and files then have."""
        with self.output.writing() as new:
            folder = new.folder(f"{WORK}/capture") / self.options.name
            folder.mkdir()
            copy_model(model, folder, without)
        return self.output.work("capture", self.options.name)

    def sources(self) -> List[Path]:
        if self.options.video is not None:
            return self.video_frames()
        found = find_photographs(self.options.source)
        if not found:
            raise StepError("photographs", f"{self.options.source}: has no photographs; expected JPEG, PNG, WebP or HEIC files in "
                            "it or in its images/")
        return found

    def video_frames(self) -> List[Path]:
        video = self.options.video
        if not video.is_file():
            raise InputError(f"{video}: does not exist; expected a video")
        inputs = {"video": files_key([video]), "frames": self.options.frames}
        if self.steps.finished("frames", inputs) is None:
            with self.steps.recording("frames", inputs) as record:
                written = write_frames(video, record.new.folder(f"{WORK}/frames"), self.options.frames)
                self.say(f"frames: {len(written)} of {video.name}")
        return find_photographs(self.output.work("frames"))

    def photographs(self):
        sources = self.sources()
        self.steps.current = "photographs"
        inputs = {"files": files_key(sources), "turntable": bool(self.options.turntable)}
        sheet_path = self.output.at(PHOTOGRAPHS_SHEET)
        result = self.steps.finished("photographs", inputs)
        if result is None:
            with self.steps.recording("photographs", inputs) as record:
                self.say(f"photographs: reading {len(sources)}")
                folder = record.new.folder(f"{WORK}/photographs")
                kept, left_out = read_all(sources, folder, self.options.threads, bool(self.options.turntable),
                                          self.engine.refused)
                record.result = result = {"photographs": [each.facts() for each in kept], "left_out": left_out}
                masks_step.write_sheet(folder, [each.name for each in kept], None, {}, record.new.file(PHOTOGRAPHS_SHEET))
        for name, reason in result["left_out"].items():
            if self.options.turntable:
                raise StepError("photographs", f"{name} {reason}; expected all of a turntable's photographs, whose angles are counted")
            self.note(f"photographs: {name} is left out: {reason}")
        if not result["photographs"]:
            raise StepError("photographs", "none can be read; expected JPEG, PNG, WebP or HEIC files")
        self.facts = result["photographs"]
        self.says["photographs"] = f"{len(self.facts)} of {len(self.facts) + len(result['left_out'])}"
        self.say(f"photographs: {self.says['photographs']}; all in {sheet_path}")
        return [each["name"] for each in self.facts], sheet_path

    def cameras(self, names: List[str], sheet_path: Path) -> List[str]:
        inputs = {"photographs": self.steps.key_of("photographs"), "markers": self.sizing.markers}
        result = self.steps.finished("cameras", inputs)
        if result is None:
            with self.steps.recording("cameras", inputs) as record:
                kept = self.output.private("colmap", of=self.output.hashes(f"{WORK}/photographs"))
                record.result = result = find_cameras(
                    [Photograph(**facts) for facts in self.facts], self.output.work("photographs"), kept,
                    record.new.folder(f"{WORK}/cameras"), self.options.threads, self.say, sheet_path, self.sizing.markers)
        for name, reason in result["unregistered"].items():
            self.note(f"cameras: {name} has none: {reason}")
        self.says["cameras"] = (f"{len(result['registered'])} of {len(names)} photographs, {result['lenses']} "
                                f"{'camera' if result['lenses'] == 1 else 'cameras'}{', by the mat' if result['mat'] else ''}")
        self.say(f"cameras: {self.says['cameras']}")
        if len(result["registered"]) < LEAST_SHARE * len(names):
            self.note(f"cameras: doubtful: few photographs have a camera; {HELP}")
        return result["registered"]

    def size(self, capture: Capture) -> None:
        """If it is known, the capture becomes one in metres, with y up."""
        if self.options.turntable:
            return
        if "cameras" not in self.steps.records and capture.model is not None:
            self.sizing.find_markers(capture.photographs, capture.names)
        sources = {Path(each["source"]).name: each["name"] for each in self.facts}
        model = self.sizing.find_size(capture.model, self.capture_key(capture), sources, self.output.at(PHOTOGRAPHS_SHEET))
        if model is not None:
            capture.model, capture.path = model, self.named(model)
            capture.options = ["--photographs", capture.photographs] + ([] if self.given("--up") else ["--up=0,1,0"])

    def given(self, option: str) -> bool:
        """Whether the user gives this option to `p2mpp predict`."""
        return any(each == option or each.startswith(option + "=") for each in self.options.mesh_options)

    def masks(self, capture: Capture) -> List[Any]:
        """The options that tell p2mpp of the masks."""
        folder = self.given_masks()
        sheet_path = self.output.at(MASKS_SHEET)
        if folder is None:
            return self.made_masks(capture, sheet_path, [])
        given = masks_step.given_masks(folder, capture.names, {each["name"]: Path(each["source"]).name for each in self.facts})
        says, used = f"those of {folder}", folder
        if 0 < len(given) < len(capture.names):
            self.made_masks(capture, sheet_path, list(given))
            says = f"{len(given)} given, the others: {self.says['masks']}"
        if 0 < len(given) < len(capture.names) or any(masks_step.mask_of(folder, name) is None for name in given):
            with self.output.writing() as new:
                masks_step.replaced(self.output.work("masks"), given, capture.names, new.folder(f"{WORK}/all-masks"))
            used = self.output.work("all-masks")
        self.says["masks"] = says
        self.say(f"masks: {says}")
        if capture.names:
            agreement = {name: value for name, value in self.agreement.items() if name not in given}
            with self.output.writing() as new:
                masks_step.write_sheet(capture.photographs, capture.names, used, agreement, new.file(MASKS_SHEET))
        return ["--masks", used]

    def given_masks(self) -> Optional[Path]:
        """A folder of masks of some photographs or of all."""
        self.steps.current = "masks"
        if self.options.masks is not None:
            if not self.options.masks.is_dir():
                raise StepError("masks", f"{self.options.masks}: is no folder; expected a mask for each photograph")
            return self.options.masks
        beside = self.options.source and self.options.source / "masks"
        return beside if beside and beside.is_dir() and not self.options.own_masks else None

    def made_masks(self, capture: Capture, sheet_path: Path, replaced: List[str]) -> List[Any]:
        """replaced: names of photographs whose masks are not used."""
        inputs = {"capture": self.capture_key(capture), "own": self.options.own_masks, "options": capture.options,
                  "model": model_file() is not None}
        result = self.steps.finished("masks", inputs)
        if result is None:
            with self.steps.recording("masks", inputs) as record:
                record.result = result = self.new_masks(capture, record.new)
                masks_step.write_sheet(capture.photographs, capture.names, record.new.file(f"{WORK}/masks"), result["agreement"],
                                       record.new.file(MASKS_SHEET))
        self.agreement = result["agreement"]
        if result["kind"] == "own":
            used = masks_step.without(result, replaced)
            self.made = {**result, **used}
            if not replaced or len(used["agreement"]) >= masks_step.FEWEST:
                for line in masks_step.check_agreement(used, sheet_path):
                    self.note(line)
            self.leave_out(capture, [name for name in result["without"] if name not in replaced])
            if result["up"] and not self.sizing.facts and not self.given("--up"):
                capture.options = [*capture.options, "--up=" + ",".join(map(str, result["up"]))]
        self.says["masks"] = result["says"]
        self.say(f"masks: {result['says']}" + (f"; all in {sheet_path}" if capture.names else ""))
        return [] if result["kind"] == "alpha" else ["--masks", self.output.work("masks")]

    def new_masks(self, capture: Capture, new: Batch) -> Dict[str, Any]:
        """Writes into work/masks."""
        if not self.options.own_masks:
            kind = self.masks_of_p2mpp(capture, new)
            if kind == "plain" and capture.model is not None and self.contradicted(capture, new.file(f"{WORK}/masks")):
                self.note("masks: the background looks plain, but the masks of it contradict the cameras: they are not used")
                kind = None
            if kind == "plain" and self.sizing.free:
                self.note("masks: the background looks plain, but the mat is on it: the masks of it are not used")
                kind = None
            if kind is not None:
                says = "a plain background" if kind == "plain" else "the photographs' transparency"
                return {"kind": kind, "says": says, "agreement": {}}
            if capture.names and not self.sizing.free and masks_step.has_rembg():
                failure = masks_step.rembg_masks(capture.names, capture.photographs, new.folder(f"{WORK}/masks"), self.say)
                if failure is None:
                    return {"kind": "rembg", "says": f"{len(capture.names)} by rembg", "agreement": {}}
                self.note(f"masks: rembg failed: {failure}")
        if capture.model is None:
            raise StepError("masks", f"{capture.path}: the background is not plain, and own masks need COLMAP's cameras; expected a "
                            "plain background, transparency, or a folder of masks (--masks FOLDER)")
        self.say("masks: cutting the object out")
        found = masks_step.own_masks(read_colmap(capture.model), capture.photographs, new.folder(f"{WORK}/masks"),
                                     self.options.threads, self.say, self.output.at(PHOTOGRAPHS_SHEET),
                                     Mat(tuple(self.sizing.free)) if self.sizing.free else None)
        by = f" with {found['model']}" if found["model"] else ""
        return {"kind": "own", "says": f"{len(found['agreement'])} cut out{by}", **found}

    def masks_of_p2mpp(self, capture: Capture, new: Batch) -> Optional[str]:
        """Where the photographs have transparency or a plain background, p2mpp's own. None if it refuses."""
        folder = new.folder(f"{WORK}/masks")
        with tempfile.TemporaryDirectory(dir=new.place) as imported:
            try:
                self.engine.run("masks", ["import", capture.path, *capture.options, "--out", imported], quiet=True)
            except StepError:
                return None
            for path in Path(imported, "masks").iterdir():
                path.rename(folder / path.name)
        kind = "plain" if any(folder.iterdir()) else "alpha"
        # Of transparent photographs p2mpp reads the transparency; if all are, these masks are for the sheet alone.
        transparent = [name for name in capture.names if not masks_step.mask_of(folder, name)]
        masks_step.write_alpha(capture.photographs, transparent, folder)
        return kind

    def contradicted(self, capture: Capture, folder: Path) -> bool:
        """Whether p2mpp says that masks and cameras do not belong together: a plain sky above a patterned ground looks plain, too."""
        found = self.engine.json("masks", ["check", capture.path, *capture.options, "--masks", folder, "--no-network"],
                                 quiet=True)
        return any(line["code"] == CONTRADICTION for line in found.get("warnings", []))

    def leave_out(self, capture: Capture, without: List[str]) -> None:
        """p2mpp wants a mask for each photograph: those without are taken out of the model."""
        if not without:
            return
        capture.path, capture.options = self.named(capture.model, without), ["--photographs", capture.photographs]
        self.note(f"masks: without one, and not used: {listed(without)}")

    def capture_key(self, capture: Capture) -> Any:
        for step in ("size", "cameras", "photographs"):
            if step in self.steps.records:
                return self.steps.key_of(step)
        if not capture.path.is_dir():
            return files_key([capture.path])
        return files_key(path for path in sorted(capture.path.rglob("*")) if path.is_file() and not self.output.wrote(path))

    def check(self, capture: Capture, mask_options: List[Any]) -> None:
        inputs = self.mesh_inputs(capture, mask_options)
        result = self.steps.finished("check", inputs)
        if result is None:
            with self.steps.recording("check", inputs) as record:
                result = self.engine.json("check", ["check", capture.path, *capture.options, *mask_options, "--no-network"])
                record.result = result = {"warnings": result.get("warnings", []), "photographs": result["capture"]["photographs"]}
        for line in result["warnings"]:
            if line["code"] == CONTRADICTION:
                found = [masks_step.mask_of(mask_options[1], name) for name in capture.names] if mask_options else []
                facts = mask_facts(self.made, dict(zip(capture.names, found)), result["photographs"])
                says = line["message"].partition("; expected")[0]
                self.note(f"check: doubtful: {says}: {cause(facts, self.output.at(MASKS_SHEET))}")
            else:
                self.notes.append(f"check: {line['message']}")
        self.says["check"] = f"{len(result['warnings'])} warnings" if result["warnings"] else "nothing suspicious"
        self.say(f"check: {self.says['check']}")

    def mesh_inputs(self, capture: Capture, mask_options: List[Any]) -> Dict[str, Any]:
        masks = [] if not mask_options else sorted(path for path in Path(mask_options[1]).iterdir() if path.is_file())
        return {"capture": self.capture_key(capture), "options": [*capture.options, *self.options.mesh_options],
                "masks": files_key(masks), "name": self.options.name}

    def mesh(self, capture: Capture, mask_options: List[Any]) -> Dict[str, Any]:
        """Surface, texture, overlay and view: {"files": ..., "sample": what p2mpp says of it, "points": Nearness as a dictionary}."""
        inputs = self.mesh_inputs(capture, mask_options)
        result = self.steps.finished("mesh", inputs)
        if result is None:
            with self.steps.recording("mesh", inputs) as record:
                folder = record.new.folder(f"{WORK}/mesh")
                document = self.engine.json("mesh", ["predict", capture.path, *capture.options, *self.frame(), *mask_options, "--out",
                                                     folder, "--format", "glb,ply,xyz", "--overlay", "--view", "--threads",
                                                     self.options.threads, *self.options.mesh_options])
                self.engine.run("mesh", ["render", next(folder.glob(PRODUCED["glb"][1])), "--turntable", TURNS, "--size", 384,
                                         "--out", folder / "turns"], quiet=True)
                sample = {key: value.replace(str(folder), str(self.output.work("mesh"))) if isinstance(value, str) else value
                          for key, value in document["samples"][0].items()}
                points = self.nearness(capture, document, folder)
                record.result = result = {"sample": sample, "points": None if points is None else asdict(points),
                                          "size": self.true_size(document, folder), "certificate": self.certificate(document, folder)}
        files = {}
        with self.output.writing() as new:
            for kind, (ending, pattern) in PRODUCED.items():
                for path in self.output.work("mesh").glob(pattern):
                    name = self.options.name + ending
                    shutil.copyfile(path, new.file(name))
                    files[kind] = self.output.at(name)
        sample = result["sample"]
        self.says["mesh"] = mesh_line(sample)
        if result["size"]:
            self.says["mesh"] += f"; {' x '.join(f'{each:.1f}' for each in result['size'])} mm (width, height, depth)"
        self.say(f"mesh: {self.says['mesh']}")
        return {"files": files, **result}

    def frame(self) -> List[str]:
        """In its true size, a mesh has the capture's coordinates, and the files their units."""
        if not self.sizing.facts:
            return []
        return [*([] if self.given("--frame") else ["--frame", "source"]), *([] if self.given("--unit") else ["--unit", "m"])]

    def true_size(self, document: Dict[str, Any], folder: Path) -> Optional[List[float]]:
        """Width, height and depth of the mesh in millimetres."""
        if not self.sizing.facts or document["frame"] != "source":
            return None
        vertices, _ = read_ply(next(folder.glob("*_predict.ply")))
        return [round(1000 * float(each), 2) for each in np.ptp(vertices, axis=0)]

    def certificate(self, document: Dict[str, Any], folder: Path) -> Dict[str, Any]:
        """What p2mpp finish says of the mesh as a solid, in millimetres if its size is known."""
        unit = ["--unit", "m"] if self.sizing.facts and document["frame"] == "source" else []
        return self.engine.json("mesh", ["finish", next(folder.glob("*_predict.ply")), *unit, "--threads", self.options.threads])

    def nearness(self, capture: Capture, document: Dict[str, Any], folder: Path) -> Optional[Nearness]:
        """Of the object's points; None if they are not known, or not where the mesh is (-- --frame FRAME)."""
        if not self.made or document["frame"] not in ("by format", "source"):
            return None
        in_camera = None if document["frame"] == "source" else next(folder.glob("*_predict.xyz"))
        return nearness(np.array(self.made["points"]), read_colmap(capture.model), document["samples"][0],
                          next(folder.glob("*_predict.ply")), in_camera)

    def grade(self, mesh: Dict[str, Any]) -> Dict[str, Any]:
        cameras = self.steps.records.get("cameras")
        share = len(cameras["result"]["registered"]) / len(self.facts) if cameras else None
        found = graded(mesh["sample"], mesh["points"] and Nearness(**mesh["points"]), share)
        self.say(f"grade: {found['grade']}: {found['reason']}")
        return found

    def report(self, mesh: Dict[str, Any]) -> Dict[str, Any]:
        self.steps.current = "report"
        files = mesh["files"]
        grade = self.grade(mesh)
        steps = [{"step": step, "seconds": record["seconds"], "reused": record.get("reused", False),
                  "says": self.says.get(step, "")} for step, record in self.steps.records.items()]
        document = {"name": self.options.name, "files": [str(files[kind]) for kind in ("glb", "view") if kind in files],
                    "report": str(self.output.at(REPORT)), "steps": steps, "notes": self.notes, "sample": mesh["sample"],
                    "grade": grade, "size": self.sizing.facts and {**self.sizing.facts, "unit": "metre", "millimetres": mesh["size"]},
                    "certificate": mesh.get("certificate")}
        pictures = [("The mesh from around", "", sorted(self.output.work("mesh", "turns").glob("*.png"))),
                    ("Over its views", "A shifted outline means wrong cameras or masks.",
                     [files["overlay"]] if "overlay" in files else []),
                    ("Masks", "What is dimmed does not belong to the object.", [self.output.at(MASKS_SHEET)]),
                    ("Photographs", "", [self.output.at(PHOTOGRAPHS_SHEET)])]
        with self.output.writing() as new:
            write_report(new.file(REPORT), document, pictures)
            new.file(DOCUMENT).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        return document
