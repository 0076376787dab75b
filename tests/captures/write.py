#!/usr/bin/env python3
"""Writes captures of a bundled shape as COLMAP, NeRF, instant-ngp and nerfstudio do, and the truth in their frames.

Examples:
  tests/captures/write.py --out OUT                                  all kinds, of one shape
  tests/captures/write.py --out OUT --shape 03001627_p2mpp0002 --kinds colmap_bin,nerfstudio --views 12
  tests/captures/write.py --out OUT --kinds turntable
  tests/captures/write.py --out OUT --kinds programs           camera files of all other programs, without pictures
  tests/captures/write.py --out tests/data/captures --kinds bop          those of one
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from p2mpp_captures import programs, turntable  # noqa: E402
from p2mpp_captures.capture import KINDS, draw_capture, with_views, write_capture, write_truth  # noqa: E402
from p2mpp_captures.shapes import names, subject  # noqa: E402

TURNTABLE_ELEVATION = 27.0


def write(out: Path, name: str, kind: str, views: int, seed: int, workers: int) -> Path:
    """OUT/KIND and, beside it, OUT/KIND_truth.json: source_from_world; OUT/KIND_truth.xyz: points in the source."""
    folder, shown = out / kind, subject(name)
    if kind == "turntable":
        turntable.write(shown, folder, views or 12, TURNTABLE_ELEVATION)
        return folder
    options = with_views(KINDS[kind], views) if views else KINDS[kind]
    capture = draw_capture(shown, options, seed)
    folder.mkdir(parents=True, exist_ok=True)
    write_capture(capture, options, folder, seed, workers)
    write_truth(capture, folder)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--shape", default=names()[0], help="CATEGORY_MODEL of data/test_list.txt")
    parser.add_argument("--kinds", default=",".join([*KINDS, "turntable"]))
    parser.add_argument("--views", type=int, default=0, help="pictures (default: the kind's own number)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    if kinds == ["programs"]:
        return programs.write_programs(options.out)
    if set(kinds) <= {program.__name__ for program in programs.PROGRAMS}:
        return programs.write_programs(options.out, kinds)
    for kind in kinds:
        print(write(options.out, options.shape, kind, options.views, options.seed, options.workers))


if __name__ == "__main__":
    main()
