"""From a folder of photographs of one object to a textured mesh: cameras, masks, surface, texture and a report."""

import argparse
import errno
import json
import os
import shlex
import signal
import sys
from pathlib import Path
from typing import List, Optional

from p2mpp.commands import run_photos
from p2mpp.errors import Error, InputError, UsageError
from p2mpp.network.command_line import Parser, natural, print_error, printable
from p2mpp.photos.lengths import millimetres
from p2mpp.program import check_program, installed_program

PROGRAM = "p2mpp-photos"
EXIT_FAILED, EXIT_USAGE, EXIT_BAD_INPUT, EXIT_POOR, EXIT_INTERRUPTED = 1, 2, 3, 4, 130

EXAMPLES = """\
examples:
  20 to 40 photographs from around the object, which stands on something with a pattern:
    p2mpp-photos chair --out out
  a video, and the masks of another program:
    p2mpp-photos --video chair.mp4 --frames 80 --masks chair/masks --out out
  in its true size, on a printed mat (docs/photos.md), whose bar measures 98.5 mm on paper:
    p2mpp-photos mat --out mat.pdf
    p2mpp-photos chair --out out --printed-bar 98.5mm
  an object on a turntable in front of a plain background:
    p2mpp-photos turns --turntable --elevation 25 --out out
  a finer surface; options behind -- go to `p2mpp predict`:
    p2mpp-photos chair --out out -- --resolution 384

Writes OUT/NAME.glb, OUT/NAME_view.html, OUT/report.html, OUT/photos.json, and pictures of all photographs and masks. OUT/work has
the result of each step: after Ctrl-C, an error or another option, the same command goes on with what is there. OUT/p2mpp-photos.json
lists what the command wrote; it replaces nothing else.
Exit codes: 0 done, 1 failed, 2 usage, 3 the photographs or masks do not suffice, the mat's markers or known distances contradict each
other, or OUT has files of others in the way, 4 the mesh is written but poor, 130 stopped.
"""


class Options(argparse.Namespace):
    """The command line."""


def length(text: str) -> float:
    """Millimetres, for argparse."""
    try:
        return millimetres(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def mat(arguments: List[str]) -> int:
    """`p2mpp-photos mat`: writes the mat to print."""
    parser = Parser(prog=f"{PROGRAM} mat", description="A mat to print: the object stands on it, and the mesh gets its true size.",
                    epilog="Print it at 100% (actual size), measure its bar, and lay it flat. docs/photos.md has the way to a mesh.")
    parser.add_argument("--out", "-o", type=Path, required=True, metavar="FILE", help="mat.pdf or mat.svg")
    parser.add_argument("--paper", choices=("A4", "A3", "Letter"), default="A4", help="default: A4")
    options = parser.parse_args(arguments)
    if options.out.suffix.lower() not in (".pdf", ".svg"):
        parser.error(f"--out: {options.out}: expected a name that ends with .pdf or .svg")
    from p2mpp.photos.mat import mat_of
    from p2mpp.photos.mat_file import write_mat

    write_mat(mat_of(options.paper), options.out)
    print(options.out)
    return 0


def parse(arguments: List[str]) -> Options:
    parser = Parser(prog=PROGRAM, description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter,
                    usage="%(prog)s FOLDER --out OUT [...] [-- PREDICT_OPTION ...]\n"
                    "       %(prog)s mat --out mat.pdf [--paper A4|A3|Letter]")
    parser.add_argument("folder", type=Path, nargs="?", help="photographs (JPEG, PNG, WebP, HEIC), or a capture that has cameras")
    parser.add_argument("--out", "-o", type=Path, required=True, help="folder for the results")
    parser.add_argument("--name", metavar="NAME", help="of the result's files (default: the folder's or the video's)")
    parser.add_argument("--video", type=Path, metavar="FILE", help="a video instead of photographs")
    parser.add_argument("--frames", type=natural, default=60, metavar="N",
                        help="of the video, the sharpest of each interval (default: 60)")
    parser.add_argument("--masks", type=Path, metavar="FOLDER", help="masks of photographs, of their names "
                        "(default: masks/ in the folder). Photographs without get one from their transparency, a plain "
                        "background, rembg if it is installed, or our own")
    parser.add_argument("--own-masks", action="store_true", help="cut the object out, whatever masks there are")
    parser.add_argument("--turntable", action="store_true", help="equal angles around the object, in the order of the names")
    parser.add_argument("--elevation", metavar="DEGREES", help="with --turntable: the camera's angle above the table")
    parser.add_argument("--clockwise", action="store_true", help="with --turntable: the table turns clockwise, seen from above")
    parser.add_argument("--fov", metavar="DEGREES", help="with --turntable: the angle of view along the longer side")
    parser.add_argument("--printed-bar", type=length, metavar="LENGTH", help="of the mat's bar as it was printed, such as 98.5mm "
                        "(default: 100mm)")
    parser.add_argument("--no-mat", action="store_true", help="do not look for a mat in the photographs")
    parser.add_argument("--known-distance", nargs=5, action="append", default=[], metavar=("A:x,y", "A2:x,y", "B:x,y", "B2:x,y", "LENGTH"),
                        help="a length of the object: its first end in two photographs (pixels from the upper left corner), then its other "
                        "end in two, such as a.jpg:812,406 c.jpg:640,512 a.jpg:1210,402 c.jpg:1105,530 120mm. May be given several times")
    parser.add_argument("--threads", type=natural, default=0, metavar="N", help="default: one per core")
    parser.add_argument("--p2mpp", type=Path, default=installed_program(), metavar="FILE", help="the program "
                        "(default: the source tree's build/p2mpp, else the package's, else the one on PATH)")
    parser.add_argument("--json", action="store_true", help="print one JSON document on stdout")
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:end], namespace=Options())
    options.mesh_options = arguments[end + 1:]
    if (options.folder is None) == (options.video is None):
        parser.error("expected a folder of photographs or --video FILE")
    if options.name is not None and (not options.name.strip(".") or "/" in options.name or not options.name.isprintable()):
        parser.error("--name: expected a plain name such as chair")
    if options.frames < 1:
        parser.error("--frames: expected a positive number")
    if options.known_distance:
        from p2mpp.photos.known_distance import parse as parsed
        try:
            options.known_distance = [parsed(words) for words in options.known_distance]
        except ValueError as error:
            parser.error(f"--known-distance: {error}")
    if options.turntable and (options.known_distance or options.printed_bar):
        parser.error("--turntable has no size; expected no --known-distance and no --printed-bar")
    if options.no_mat and options.printed_bar:
        parser.error("--printed-bar is of the mat, which --no-mat leaves out")
    if options.turntable != (options.elevation is not None):
        parser.error("--turntable and --elevation DEGREES belong together")
    if (options.clockwise or options.fov is not None) and not options.turntable:
        parser.error("--clockwise and --fov need --turntable")
    return options


def turntable_options(options: Options) -> List[str]:
    if not options.turntable:
        return []
    return ["--turntable", "--elevation", options.elevation, *(["--clockwise"] if options.clockwise else []),
            *(["--fov", options.fov] if options.fov is not None else [])]


def say(line: str) -> None:
    print(printable(f"{PROGRAM}: {line}" if not line.startswith("p2mpp: ") else line), file=sys.stderr, flush=True)


def how_to_go_on(arguments: List[str]) -> str:
    return f"then go on with: {PROGRAM} {shlex.join(arguments)}"


def described(error: BaseException, step: str, out: Path) -> str:
    """An error in one line, with its step."""
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return f"{step}: no space left on the disk of {out}; expected at least 1 GB"
    return f"{step}: {error}" if isinstance(error, OSError) else str(error)


def run(options: Options, arguments: List[str]) -> int:
    from p2mpp.photos.engine import Engine
    from p2mpp.photos.options import Options as RunOptions
    from p2mpp.photos.run import Run

    check_program(options.p2mpp)
    threads = options.threads or len(os.sched_getaffinity(0))
    work = Run(RunOptions(options.folder, options.out, options.video, options.frames, options.masks, options.own_masks,
                          turntable_options(options), threads, options.mesh_options, options.name, not options.no_mat,
                          options.printed_bar, options.known_distance), Engine(options.p2mpp.resolve(), say), say)
    try:
        document = work.everything()
    except KeyboardInterrupt:
        say(f"stopped in the step {work.steps.current}; nothing that is done is lost; {how_to_go_on(arguments)}")
        return EXIT_INTERRUPTED
    except (Error, OSError) as error:
        print_error(PROGRAM, f"{described(error, work.steps.current, options.out)}; {how_to_go_on(arguments)}")
        return EXIT_BAD_INPUT if isinstance(error, InputError) else EXIT_FAILED
    for path in [*document["files"], document["report"]]:
        if not options.json:
            print(path)
    if options.json:
        print(json.dumps(document, indent=2))
    return EXIT_POOR if document["grade"]["grade"] == "poor" else 0


def main(arguments: Optional[List[str]] = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["mat"]:
        try:
            return mat(arguments[1:])
        except OSError as error:
            print_error(PROGRAM, error)
            return EXIT_FAILED
    options = parse(arguments)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small products: threads would wait for each other
    import cv2  # noqa: F401: what is missing is said before any work
    import PIL  # noqa: F401
    import pycolmap  # noqa: F401

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return run(options, arguments)
    except UsageError as error:
        print_error(PROGRAM, error)
        return EXIT_USAGE
    except (Error, OSError) as error:
        print_error(PROGRAM, error)
        return EXIT_BAD_INPUT if isinstance(error, InputError) else EXIT_FAILED


if __name__ == "__main__":
    sys.exit(run_photos())
