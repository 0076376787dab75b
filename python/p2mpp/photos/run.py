"""The steps of `p2mpp-photos`, one after the other."""

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional

from p2mpp.errors import InputError
from p2mpp.photos import masks as masks_step
from p2mpp.photos.cameras import find_cameras
from p2mpp.photos.engine import Engine
from p2mpp.photos.photographs import find_photographs, read_all
from p2mpp.photos.report import write_report
from p2mpp.photos.scene import read_colmap
from p2mpp.photos.steps import StepError, Steps, files_key, write_atomically
from p2mpp.photos.video import write_frames

TURNS = 8  # pictures of the mesh from around
CONTRADICTION = "poses"  # the code of p2mpp's warning that masks and cameras do not belong together
CAPTURE_FILES = ("transforms.json", "transforms_train.json", "cameras.json", "cameras.bin", "cameras.txt", "sparse")


@dataclass
class Options:
    """What the command line says. mesh_options: passed on to `p2mpp predict`."""

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

    @property
    def name(self) -> str:
        if self.given_name is not None:
            return self.given_name
        path = (self.source or self.video.with_suffix("")).resolve()
        return path.parent.name if path.name == "images" else path.name


@dataclass
class Capture:
    """What `p2mpp predict` gets: its path and options. model: of COLMAP, if masks can be made with it."""

    path: Path
    options: List[Any]
    photographs: Path
    names: List[str]
    model: Optional[Path] = None


class Run:
    """One run. say(line): for people. Steps write below out/work."""

    def __init__(self, options: Options, engine: Engine, say):
        self.options, self.engine, self.say = options, engine, say
        self.steps = Steps(options.out / "work", say)
        self.says: Dict[str, str] = {}
        self.notes: List[str] = []
        self.cut_out = False  # whether the masks are our own
        self.agreement: Dict[str, float] = {}  # of our own masks with the others, by photograph

    def everything(self) -> Dict[str, Any]:
        """The document that photos.json has, too."""
        self.options.out.mkdir(parents=True, exist_ok=True)
        self.steps.folder.mkdir(parents=True, exist_ok=True)
        capture = self.given_capture() or self.found_capture()
        mask_options = self.masks(capture)
        self.check(capture, mask_options)
        mesh = self.mesh(capture, mask_options)
        return self.report(mesh)

    def note(self, line: str) -> None:
        self.notes.append(line)
        self.say(line)

    def given_capture(self) -> Optional[Capture]:
        """A folder that has cameras already."""
        source = self.options.source
        if source is None or self.options.turntable:
            return None
        if source.is_dir() and not any((source / name).exists() for name in CAPTURE_FILES):
            return None
        if not source.exists():
            raise InputError(f"{source}: does not exist; expected a folder of photographs, or a capture with cameras")
        self.say(f"cameras: those of {source}")
        self.steps.current = "cameras"
        models = [source, source / "sparse" / "0", source / "sparse"]
        model = next((each for each in models if any((each / name).is_file() for name in ("images.bin", "images.txt"))), None)
        photographs = source / "images"
        names = [view.name for view in read_colmap(model).views] if model and photographs.is_dir() else []
        return Capture(source, [], photographs, names, model if names else None)

    def found_capture(self) -> Capture:
        names, sheet_path = self.photographs()
        folder = self.steps.path("photographs")
        if self.options.turntable:
            return Capture(folder, self.options.turntable, folder, names)
        found = self.cameras(names, sheet_path)
        model = self.steps.path("cameras", "model")
        return Capture(self.named(model), ["--photographs", folder], folder, found, model)

    def named(self, model: Path) -> Path:
        """A copy of a COLMAP model in a folder of the result's name, which p2mpp's lines and files then have."""
        folder = self.steps.path("capture", self.options.name)
        shutil.rmtree(folder.parent, ignore_errors=True)
        shutil.copytree(model, folder)
        return folder

    def sources(self) -> List[Path]:
        if self.options.video is not None:
            return self.video_frames()
        found = find_photographs(self.options.source)
        if not found:
            raise StepError("photographs", f"{self.options.source}: has no photographs; expected JPEG, PNG, WebP or HEIC files in "
                            "it or in its images/")
        return found

    def video_frames(self) -> List[Path]:
        video, folder = self.options.video, self.steps.path("frames")
        if not video.is_file():
            raise InputError(f"{video}: does not exist; expected a video")
        inputs = {"video": files_key([video]), "frames": self.options.frames}
        if self.steps.finished("frames", inputs) is None:
            with self.steps.recording("frames", inputs) as record:
                shutil.rmtree(folder, ignore_errors=True)
                written = write_frames(video, folder, self.options.frames)
                record["files"] = ["frames"]
                self.say(f"frames: {len(written)} of {video.name}")
        return find_photographs(folder)

    def photographs(self):
        sources = self.sources()
        self.steps.current = "photographs"
        inputs = {"files": files_key(sources), "turntable": bool(self.options.turntable)}
        sheet_path = self.options.out / "photographs.jpg"
        result = self.steps.finished("photographs", inputs) if sheet_path.exists() else None
        if result is None:
            with self.steps.recording("photographs", inputs) as record:
                self.say(f"photographs: reading {len(sources)}")
                kept, left_out = read_all(sources, self.steps.path("photographs"), self.options.threads,
                                          bool(self.options.turntable))
                result = {"photographs": [each.facts() for each in kept], "left_out": left_out}
                record["result"], record["files"] = result, ["photographs"]
                masks_step.write_sheet(self.steps.path("photographs"), [each.name for each in kept], None, {}, sheet_path)
        for name, reason in result["left_out"].items():
            self.note(f"photographs: {name} is left out: {reason}")
        if not result["photographs"]:
            raise StepError("photographs", "none can be read; expected JPEG, PNG, WebP or HEIC files")
        self.facts = result["photographs"]
        self.says["photographs"] = f"{len(self.facts)} of {len(self.facts) + len(result['left_out'])}"
        self.say(f"photographs: {self.says['photographs']}; all in {sheet_path}")
        return [each["name"] for each in self.facts], sheet_path

    def cameras(self, names: List[str], sheet_path: Path) -> List[str]:
        from p2mpp.photos.photographs import Photograph

        inputs = {"photographs": self.steps.key_of("photographs")}
        result = self.steps.finished("cameras", inputs)
        if result is None:
            with self.steps.recording("cameras", inputs) as record:
                result = find_cameras([Photograph(**facts) for facts in self.facts], self.steps.path("photographs"),
                                      self.steps.path("cameras"), self.options.threads, self.say, sheet_path)
                record["result"], record["files"] = result, ["cameras/model"]
        for name, reason in result["unregistered"].items():
            self.note(f"cameras: {name} has none: {reason}")
        self.says["cameras"] = (f"{len(result['registered'])} of {len(names)} photographs, {result['lenses']} "
                                f"{'camera' if result['lenses'] == 1 else 'cameras'}")
        self.say(f"cameras: {self.says['cameras']}")
        return result["registered"]

    def masks(self, capture: Capture) -> List[Any]:
        """The options that tell p2mpp of the masks."""
        given = self.given_masks()
        sheet_path = self.options.out / "masks.jpg"
        if given is None:
            return self.made_masks(capture, sheet_path, [])
        there = [name for name in capture.names if masks_step.mask_of(given, name)]
        says = f"those of {given}"
        if 0 < len(there) < len(capture.names):
            self.made_masks(capture, sheet_path, there)
            given = masks_step.replaced(self.steps.path("masks"), given, capture.names, self.steps.path("all-masks"))
            says = f"{len(there)} given, the others: {self.says['masks']}"
        self.says["masks"] = says
        self.say(f"masks: {says}")
        if capture.names:
            agreement = {name: value for name, value in self.agreement.items() if name not in there}
            masks_step.write_sheet(capture.photographs, capture.names, given, agreement, sheet_path)
        return ["--masks", given]

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
        folder = self.steps.path("masks")
        inputs = {"capture": self.capture_key(capture), "own": self.options.own_masks, "options": capture.options}
        result = self.steps.finished("masks", inputs) if sheet_path.exists() or not capture.names else None
        if result is None:
            with self.steps.recording("masks", inputs) as record:
                result = self.new_masks(capture, folder)
                record["result"], record["files"] = result, ["masks"]
                masks_step.write_sheet(capture.photographs, capture.names, folder, result["agreement"], sheet_path)
        self.cut_out, self.agreement = result["kind"] == "own", result["agreement"]
        if self.cut_out:
            used = masks_step.without(result, replaced)
            if not replaced or len(used["agreement"]) >= masks_step.FEWEST:
                for line in masks_step.check_agreement(used, sheet_path):
                    self.note(line)
            self.leave_out(capture, [name for name in result["without"] if name not in replaced])
            if result["up"] and "--up" not in self.options.mesh_options:
                capture.options = [*capture.options, "--up=" + ",".join(map(str, result["up"]))]
        self.says["masks"] = result["says"]
        self.say(f"masks: {result['says']}" + (f"; all in {sheet_path}" if capture.names else ""))
        return [] if result["kind"] == "alpha" else ["--masks", folder]

    def new_masks(self, capture: Capture, folder: Path) -> Dict[str, Any]:
        if not self.options.own_masks:
            kind = self.masks_of_p2mpp(capture, folder)
            if kind == "plain" and capture.model is not None and self.contradicted(capture, folder):
                self.note("masks: the background looks plain, but the masks of it contradict the cameras: they are not used")
                kind = None
            if kind is not None:
                says = "a plain background" if kind == "plain" else "the photographs' transparency"
                return {"kind": kind, "says": says, "agreement": {}}
            if capture.names and masks_step.has_rembg():
                failure = masks_step.rembg_masks(capture.names, capture.photographs, folder, self.say)
                if failure is None:
                    return {"kind": "rembg", "says": f"{len(capture.names)} by rembg", "agreement": {}}
                self.note(f"masks: rembg failed: {failure}")
        if capture.model is None:
            raise StepError("masks", f"{capture.path}: the background is not plain, and own masks need COLMAP's cameras; expected a "
                            "plain background, transparency, or a folder of masks (--masks FOLDER)")
        self.say("masks: cutting the object out")
        found = masks_step.own_masks(read_colmap(capture.model), capture.photographs, folder, self.options.threads, self.say,
                                  self.options.out / "photographs.jpg")
        return {"kind": "own", "says": f"{len(found['agreement'])} cut out", **found}

    def masks_of_p2mpp(self, capture: Capture, folder: Path) -> Optional[str]:
        """Where the photographs have transparency or a plain background, p2mpp's own. None if it refuses."""
        imported = self.steps.path("imported")
        shutil.rmtree(imported, ignore_errors=True)
        try:
            self.engine.run("masks", ["import", capture.path, *capture.options, "--out", imported], quiet=True)
        except StepError:
            shutil.rmtree(imported, ignore_errors=True)
            return None
        shutil.rmtree(folder, ignore_errors=True)
        (imported / "masks").rename(folder)
        kind = "plain" if any(folder.iterdir()) else "alpha"
        # Of transparent photographs p2mpp reads the transparency; if all are, these masks are for the sheet alone.
        transparent = [name for name in capture.names if not masks_step.mask_of(folder, name)]
        masks_step.write_alpha(capture.photographs, transparent, folder)
        shutil.rmtree(imported, ignore_errors=True)
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
        import pycolmap

        model = pycolmap.Reconstruction(capture.model)
        for number in list(model.reg_image_ids()):
            if model.images[number].name in without:
                model.deregister_frame(model.images[number].frame_id)
        capture.path, capture.options = self.named(capture.model), ["--photographs", capture.photographs]
        model.write(capture.path)
        self.note(f"masks: without one, and not used: {masks_step.listed(without)}")

    def capture_key(self, capture: Capture) -> Any:
        for step in ("cameras", "photographs"):
            if step in self.steps.records:
                return self.steps.key_of(step)
        files = [path for path in sorted(capture.path.rglob("*")) if path.is_file()] if capture.path.is_dir() else [capture.path]
        return files_key(files)

    def check(self, capture: Capture, mask_options: List[Any]) -> None:
        inputs = self.mesh_inputs(capture, mask_options)
        result = self.steps.finished("check", inputs)
        if result is None:
            with self.steps.recording("check", inputs) as record:
                result = self.engine.json("check", ["check", capture.path, *capture.options, *mask_options, "--no-network"])
                record["result"] = result = {"warnings": result.get("warnings", [])}
        for line in result["warnings"]:
            self.notes.append(f"check: {line['message']}")
            if line["code"] == CONTRADICTION and self.cut_out:
                raise StepError("check", f"{line['message']}; if the object was moved, leave one part of the photographs out, else "
                                "give masks (--masks FOLDER)", self.options.out / "masks.jpg")
        self.says["check"] = f"{len(result['warnings'])} warnings" if result["warnings"] else "nothing suspicious"
        self.say(f"check: {self.says['check']}")

    def mesh_inputs(self, capture: Capture, mask_options: List[Any]) -> Dict[str, Any]:
        masks = [] if not mask_options else sorted(path for path in Path(mask_options[1]).iterdir() if path.is_file())
        return {"capture": self.capture_key(capture), "options": [*capture.options, *self.options.mesh_options],
                "masks": files_key(masks), "name": self.options.name}

    def mesh(self, capture: Capture, mask_options: List[Any]) -> Dict[str, Any]:
        """Surface, texture, overlay and view: {"files": ..., "sample": what p2mpp says of it}."""
        inputs = self.mesh_inputs(capture, mask_options)
        name, folder = self.options.name, self.steps.path("mesh")
        result = self.steps.finished("mesh", inputs)
        if result is None:
            with self.steps.recording("mesh", inputs) as record:
                shutil.rmtree(folder, ignore_errors=True)
                document = self.engine.json("mesh", ["predict", capture.path, *capture.options, *mask_options, "--out", folder,
                                                     "--format", "glb", "--overlay", "--view", "--threads", self.options.threads,
                                                     *self.options.mesh_options])
                sample = document["samples"][0]
                self.engine.run("mesh", ["render", sample["glb"], "--turntable", TURNS, "--size", 384, "--out", folder / "turns"],
                                quiet=True)
                record["result"] = result = {"sample": sample}
                record["files"] = sorted(str(path.relative_to(self.steps.folder)) for path in folder.rglob("*") if path.is_file())
        produced = {"glb": "*_predict.glb", "view": "*_view.html", "overlay": "*_overlay.png"}
        endings = {"glb": f"{name}.glb", "view": f"{name}_view.html", "overlay": f"{name}_overlay.png"}
        files = {}
        for kind, pattern in produced.items():
            for path in folder.glob(pattern):
                files[kind] = self.options.out / endings[kind]
                write_atomically(files[kind], path.read_bytes())
        sample = result["sample"]
        self.says["mesh"] = f"{sample['vertices']} vertices, {sample['faces']} faces"
        self.say(f"mesh: {self.says['mesh']}")
        return {"files": files, "sample": sample}

    def report(self, mesh: Dict[str, Any]) -> Dict[str, Any]:
        self.steps.current = "report"
        out, files = self.options.out, mesh["files"]
        steps = [{"step": step, "seconds": record["seconds"], "reused": record.get("reused", False),
                  "says": self.says.get(step, "")} for step, record in self.steps.records.items()]
        document = {"name": self.options.name, "files": [str(files[kind]) for kind in ("glb", "view") if kind in files],
                    "report": str(out / "report.html"), "steps": steps, "notes": self.notes, "sample": mesh["sample"]}
        pictures = [("The mesh from around", "", sorted(self.steps.path("mesh", "turns").glob("*.png"))),
                    ("Over its views", "A shifted outline means wrong cameras or masks.",
                     [files["overlay"]] if "overlay" in files else []),
                    ("Masks", "What is dimmed does not belong to the object.", [out / "masks.jpg"]),
                    ("Photographs", "", [out / "photographs.jpg"])]
        write_report(out / "report.html", document, pictures)
        write_atomically(out / "photos.json", (json.dumps(document, indent=2) + "\n").encode())
        return document
