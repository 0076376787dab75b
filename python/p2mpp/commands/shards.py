"""Makes shards of training data: procedural objects, or objects of a furniture library.

Examples:
  apt-get download sweethome3d-furniture && dpkg -x sweethome3d-furniture_*.deb PACKAGE
  p2mpp-shards unpack --package PACKAGE --libraries LIBRARIES
  p2mpp-shards people --libraries LIBRARIES --out DATA/train
  p2mpp-shards people --libraries LIBRARIES --out DATA/validate --validate
  p2mpp-shards procedural --out DATA/train --objects 3000 --textures LIBRARIES
  p2mpp-shards samples --libraries LIBRARIES --out data/people
  p2mpp-shards samples --libraries LIBRARIES --out OUT --views 24 --library KatorLegaz --objects 20
"""

import argparse
import os
import sys
from pathlib import Path

from p2mpp.commands import run_shards
from p2mpp.errors import InputError
from p2mpp.network.command_line import Parser, print_error

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

EXIT_BAD_INPUT = 3


def parser() -> argparse.ArgumentParser:
    top = Parser(prog="p2mpp-shards", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = top.add_subparsers(dest="kind", required=True)
    for kind in ("unpack", "people", "procedural", "samples"):
        each = kinds.add_parser(kind)
        if kind == "unpack":
            each.add_argument("--package", type=Path, required=True)
        if kind != "procedural":
            each.add_argument("--libraries", type=Path, required=True)
        if kind != "unpack":
            each.add_argument("--out", type=Path, required=True)
            each.add_argument("--seed", type=int, default=1)
        if kind in ("people", "procedural"):
            each.add_argument("--workers", type=int, default=1)
            each.add_argument("--validate", action="store_true",
                              help="the validation library, or objects in their own materials")
        if kind == "samples":
            each.add_argument("--views", type=int, metavar="N",
                              help="render N views and 8,000 points (default: views 0, 6, 7 of eight, 3,000)")
            each.add_argument("--library", metavar="NAME",
                              help="objects of this library instead of those held back")
            each.add_argument("--objects", type=int, metavar="N", help="so many of the library's (default all)")
            each.add_argument("--outside", action="store_true",
                              help="the library's objects outside the ten categories instead of those of them")
        if kind == "procedural":
            each.add_argument("--objects", type=int, required=True)
            each.add_argument("--first", type=int, default=0, help="number of the first object")
            each.add_argument("--textures", type=Path, help="libraries whose textures are used")
    return top


def main(arguments=None) -> int:
    commands = parser()
    args = commands.parse_args(arguments)
    if args.kind == "samples" and not args.library and (args.objects is not None or args.outside):
        commands.error("argument --objects/--outside: there is no --library; expected one")
    from p2mpp.shapes import shard_making

    try:
        getattr(shard_making, args.kind)(args)
    except (InputError, OSError) as error:
        print_error("p2mpp-shards", error)
        return EXIT_BAD_INPUT
    return 0


if __name__ == "__main__":
    sys.exit(run_shards())
