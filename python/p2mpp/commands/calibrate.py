"""Find how large the inputs of a model's deformation reasoning blocks get on samples, which FP8
takes its scales from, and write it into the folder's model.json ("fp8_largest_inputs")."""

import argparse
import sys
from pathlib import Path

from p2mpp.commands import run_calibrate
from p2mpp.errors import InputError
from p2mpp.network.command_line import Parser, print_error
from p2mpp.project_files import project_file

EXIT_BAD_INPUT = 3
SOURCE_SAMPLES = project_file("data")  # of a source tree; an installed package has none
LIST = "test_list.txt"

EXAMPLES = """\
examples:
  p2mpp-calibrate models/mine
  p2mpp-calibrate models/mine --data SHAPES              # installed: p2mpp-generate makes SHAPES
  p2mpp-calibrate models/mine --data SHAPES --list some.txt

exit codes: 0 done, 2 usage, 3 bad input
"""


def parse(arguments=None) -> argparse.Namespace:
    parser = Parser(prog="p2mpp-calibrate", description=__doc__, epilog=EXAMPLES,
                    allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, metavar="models/NAME", help="folder to calibrate")
    parser.add_argument("--data", type=Path, metavar="DIR",
                        help="samples, renderings and cameras (default: those of the source tree)")
    parser.add_argument("--list", type=Path, metavar="FILE",
                        help=f"their ids (default: {LIST} in --data)")
    options = parser.parse_args(arguments)
    if options.data is None:
        if not (SOURCE_SAMPLES / LIST).is_file():
            parser.error("expected --data DIR, because only the source tree has samples of its own; "
                         "p2mpp-generate makes some")
        options.data = SOURCE_SAMPLES
    if options.list is None:
        options.list = options.data / LIST
    return options


def calibrate(options: argparse.Namespace) -> None:
    """Throws InputError."""
    from p2mpp.network.fp8 import KEY, find_largest_inputs
    from p2mpp.network.loaded_model import LoadedModel
    from p2mpp.network.model_folder import change_description
    from p2mpp.training.samples import network_input, read_list, rendering_folder

    model, names = LoadedModel(options.model), read_list(options.list)
    largest = find_largest_inputs(
        model, (network_input(rendering_folder(options.data, name), model.view_indices,
                              model.semantics, model.image_channels) for name in names))
    change_description(options.model, {KEY: largest})
    for block, layers in enumerate(largest):
        print(f"block {block}: largest input of each layer "
              f"{' '.join(f'{value:.4g}' for value in layers)}")
    print(f"{options.model / 'model.json'}: calibrated for FP8 on {len(names)} samples")


def main(arguments=None) -> int:
    options = parse(arguments)
    try:
        calibrate(options)
    except InputError as error:
        print_error("p2mpp-calibrate", error)
        return EXIT_BAD_INPUT
    return 0


if __name__ == "__main__":
    sys.exit(run_calibrate())
