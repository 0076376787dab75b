"""Makes procedural shapes with ShapeNet-style renderings and ground truth for `p2mpp eval`.

Examples:
  p2mpp-generate --out OUT --shapes 3
  p2mpp-generate --out OUT --shapes 2000 --seed 7 --list train_list.txt --format dat
  p2mpp-generate --out OUT --shapes 3 --views 8 --keep-views 0,6,7 --points 3000
"""

import argparse
import os
import sys
from pathlib import Path

from p2mpp.commands import run_generate
from p2mpp.errors import InputError
from p2mpp.network.command_line import Parser, print_error
from p2mpp.shapes.errors import ShapeError

# Samples are spread over processes; threads inside the linear algebra would only compete.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

EXIT_FAILED, EXIT_BAD_INPUT = 1, 3


def _positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number of 1 or more")
    return value


def _natural(text):
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number of 0 or more")
    return value


def _indices(text):
    return tuple(_natural(part) for part in text.split(","))


def _file_name(text):
    if Path(text).name != text:
        raise argparse.ArgumentTypeError(f"{text}: expected a file name without a folder")
    return text


def _parser():
    parser = Parser(prog="p2mpp-generate", description=__doc__,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--out", required=True, type=Path, help="folder that is made or continued")
    add("--shapes", type=_positive, default=1, help="shapes a category (default 1)")
    add("--categories", default="all", help="names or synset ids, comma-separated (default all)")
    add("--seed", type=_natural, default=1, help="other seeds give other shapes (default 1)")
    add("--first-index", type=_natural, default=1, help="number of the first model (default 1)")
    add("--views", type=_positive, default=24, help="rows of the metadata (default 24)")
    add("--keep-views", type=_indices, help="views to render, such as 0,6,7 (default all)")
    add("--points", type=_positive, default=8000, help="ground-truth points a shape (default 8000)")
    add(
        "--format",
        choices=("xyz", "dat"),
        default="xyz",
        help="ground truth as text or as the pickle of the published data (default xyz)",
    )
    add("--supersampling", type=_positive, default=3, help="samples a pixel, each way (default 3)")
    add(
        "--list",
        dest="list_name",
        type=_file_name,
        default="test_list.txt",
        help="name of the list file in OUT (default test_list.txt)",
    )
    add("--workers", type=_positive, help="processes (default: one a core)")
    add("--quiet", action="store_true", help="no progress")
    return parser


def _report(done, total):
    if done % 50 == 0 or done == total:
        print(f"{done}/{total} shapes", file=sys.stderr, flush=True)


def _options(args):
    from p2mpp.shapes import categories, dataset, sample

    chosen = categories.CATEGORIES
    if args.categories != "all":
        chosen = dataset.categories_named(args.categories.split(","))
    settings = sample.SampleOptions(
        args.seed, args.views, args.keep_views, args.points, args.format, args.supersampling
    )
    return dataset.DatasetOptions(
        settings,
        chosen,
        args.shapes,
        args.first_index,
        args.list_name,
        args.workers or dataset.default_workers(),
    )


def main(arguments=None):
    """Runs the command; returns its exit code."""
    parser = _parser()
    args = parser.parse_args(arguments)
    if args.keep_views and max(args.keep_views) >= args.views:
        parser.error(
            f"--keep-views {max(args.keep_views)}: expected views below --views {args.views}"
        )
    from p2mpp.shapes import dataset

    report = (lambda *_: None) if args.quiet else _report
    try:
        made, seconds = dataset.generate(args.out, _options(args), report)
    except InputError as error:
        print_error("p2mpp-generate", error)
        return EXIT_BAD_INPUT
    except (ShapeError, OSError) as error:
        print_error("p2mpp-generate", error)
        return EXIT_FAILED
    print(
        f"{made} shapes in {seconds:.1f} s ({made / max(seconds, 1e-9):.2f} shapes/s), "
        f"list {args.out / args.list_name}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(run_generate())
