"""Find how large the inputs of a model's deformation reasoning blocks get on samples, which FP8
takes its scales from, and write it into the folder's model.json ("fp8_largest_inputs")."""

import argparse
import sys
from pathlib import Path

from p2mpp.network.command_line import Parser
from p2mpp.network.errors import InputError
from p2mpp.network.fp8 import find_largest_inputs, write_largest_inputs
from p2mpp.network.loaded_model import LoadedModel
from p2mpp.project_files import project_file
from p2mpp.training.samples import network_input, read_list, rendering_folder

EXIT_BAD_INPUT = 3
BUNDLED_SAMPLES = project_file("data")

EXAMPLES = """\
examples:
  p2mpp-calibrate models/mine
  p2mpp-calibrate models/mine --data SHAPES --list some.txt

exit codes: 0 done, 2 usage, 3 bad input
"""


def parse(arguments=None) -> argparse.Namespace:
    parser = Parser(prog="p2mpp-calibrate", description=__doc__, epilog=EXAMPLES,
                    allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, metavar="models/NAME", help="folder to calibrate")
    parser.add_argument("--data", type=Path, metavar="DIR", default=BUNDLED_SAMPLES,
                        help="samples, renderings and cameras (default: the bundled ones)")
    parser.add_argument("--list", type=Path, metavar="FILE",
                        default=BUNDLED_SAMPLES / "test_list.txt",
                        help="their ids (default: the bundled samples')")
    return parser.parse_args(arguments)


def calibrate(options: argparse.Namespace) -> None:
    """Throws InputError."""
    model, names = LoadedModel(options.model), read_list(options.list)
    largest = find_largest_inputs(
        model, (network_input(rendering_folder(options.data, name), model.view_indices,
                              model.semantics, model.image_channels) for name in names))
    write_largest_inputs(options.model, largest)
    for block, layers in enumerate(largest):
        print(f"block {block}: largest input of each layer "
              f"{' '.join(f'{value:.4g}' for value in layers)}")
    print(f"{options.model / 'model.json'}: calibrated for FP8 on {len(names)} samples")


def main(arguments=None) -> int:
    options = parse(arguments)
    try:
        calibrate(options)
    except InputError as error:
        print(f"p2mpp-calibrate: error: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT
    return 0


if __name__ == "__main__":
    sys.exit(main())
