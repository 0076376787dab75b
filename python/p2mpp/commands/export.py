"""Turn weights and a template into a model folder that the p2mpp engine reads."""

import argparse
import sys

from p2mpp.commands import run_export
from p2mpp.errors import InputError, MissingPackageError
from p2mpp.network.command_line import Parser, natural, print_error
from p2mpp.network.layout import IMAGE_CHANNELS, PUBLISHED_HIDDEN, SMALLEST_WIDTH, STORED_TYPES
from p2mpp.network.semantics import SEMANTICS
from p2mpp.project_files import project_file

EXIT_FAILED, EXIT_BAD_INPUT = 1, 3
BUNDLED_TEMPLATE = project_file("models/p2mpp-shapes/template.obj")

EXAMPLES = """\
examples:
  the published TensorFlow checkpoints (meshnetmvp2m.ckpt-*, meshnet.ckpt-*) and their template:
    p2mpp-export --out models/published --tf results --template iccv_p2mpp.dat
  the PyTorch port's weights:
    p2mpp-export --out models/port --template iccv_p2mpp.dat \\
        --npz mvp2m_converted.npz meshnet_converted.npz
  an untrained network whose weights anyone can draw again:
    p2mpp-export --out models/random --random 1

exit codes: 0 done, 1 failed (a package is missing), 2 usage, 3 bad input
"""


def make_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="p2mpp-export", description=__doc__, epilog=EXAMPLES,
                    allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, metavar="models/NAME", help="folder to write")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--tf", metavar="DIR",
                        help="folder of the published TensorFlow checkpoints, in it or below")
    source.add_argument("--npz", nargs=2, metavar=("STAGE1", "STAGE2"),
                        help="the PyTorch port's converted weights")
    source.add_argument("--random", type=natural, metavar="SEED", help="drawn weights")
    source.add_argument("--state", metavar="FILE",
                        help="a state file of our own parameter names, written by torch.save")
    parser.add_argument("--template", metavar="FILE.obj|FILE.dat",
                        help="level-0 mesh, or the published template pickle (needed with --tf and "
                        "--npz; otherwise the bundled ellipsoid is the default)")
    parser.add_argument("--semantics", choices=SEMANTICS,
                        help="default: tf with --tf, design_b with --npz, otherwise clean")
    parser.add_argument("--hidden", type=natural, metavar="N",
                        help=f"with --random: hidden width (default {PUBLISHED_HIDDEN})")
    parser.add_argument("--width", type=float, metavar="FACTOR",
                        help="with --random: factor on the CNN's channels (default 1)")
    parser.add_argument("--image-channels", type=int, choices=IMAGE_CHANNELS,
                        help="with --random: 4 for images with a mask (default 3)")
    parser.add_argument("--mask-evidence", action="store_true",
                        help="with --image-channels 4: stage 2 also reads distances to the mask")
    parser.add_argument("--trained-views", metavar="FILE.json",
                        help='what views it was trained on: {"cameras": "published" or "pinhole", '
                        '"distance": [LOW, HIGH], "elevation_deg": [LOW, HIGH], "typical_iou": '
                        '[MEAN, DEVIATION]}, of which the last may be left out (default: what a '
                        "state file says, if it does)")
    parser.add_argument("--store", choices=STORED_TYPES, default="fp32",
                        help="type of the weights in the files: fp16 and bf16 halve them "
                        "(default fp32)")
    parser.add_argument("--force", action="store_true", help="replace an existing model folder")
    return parser


def parse(arguments=None) -> argparse.Namespace:
    parser = make_parser()
    options = parser.parse_args(arguments)
    drawn = (options.hidden, options.width, options.image_channels)
    if options.random is None and drawn != (None, None, None):
        parser.error("--hidden, --width and --image-channels go with --random")
    if options.mask_evidence and options.image_channels != IMAGE_CHANNELS[1]:
        parser.error(f"--mask-evidence goes with --image-channels {IMAGE_CHANNELS[1]}")
    if options.hidden is not None and options.hidden < SMALLEST_WIDTH:
        parser.error(f"argument --hidden: {options.hidden} is less than {SMALLEST_WIDTH}")
    if options.width is not None and not 0 < options.width <= 16:
        parser.error(f"argument --width: {options.width} is not between 0 and 16")
    if options.template is None and (options.tf is not None or options.npz is not None):
        parser.error("--tf and --npz need --template: the mesh that the weights were trained on")
    return options


def read_weights(options: argparse.Namespace):
    """((stage 1's source, stage 2's source), default semantics, training facts or None)."""
    from p2mpp.network.sources import from_npz, from_random, from_state, from_tensorflow

    if options.tf is not None:
        return from_tensorflow(options.tf), "tf", None
    if options.npz is not None:
        return from_npz(*options.npz), "design_b", None
    if options.state is not None:
        stages, training = from_state(options.state)
        return stages, "clean", training
    stages = from_random(options.random, options.hidden or PUBLISHED_HIDDEN, options.width or 1.0,
                         options.image_channels or IMAGE_CHANNELS[0], options.mask_evidence)
    return stages, "clean", None


def export(options: argparse.Namespace) -> None:
    """Throws InputError and MissingPackageError."""
    from p2mpp.network.dat_template import read_template
    from p2mpp.network.model_folder import Model, write_model
    from p2mpp.network.trained_views import read_trained_views, split_trained_views
    from p2mpp.network.weights import fit

    template = read_template(options.template or str(BUNDLED_TEMPLATE))
    stages, default_semantics, training = read_weights(options)
    training, trained_views = split_trained_views(training, options.state)
    if options.trained_views is not None:
        trained_views = read_trained_views(options.trained_views)
    semantics = options.semantics or default_semantics
    fitted = [fit(stage) for stage in stages]
    model = Model(
        semantics=SEMANTICS[semantics],
        stage1=fitted[0], stage2=fitted[1],
        template=template.mesh, local_graph=template.local_graph,
        weights_from=", ".join(dict.fromkeys(stage.origin for stage in stages)),
        unused_variables=[name for stage in stages for name in stage.unused],
        training=training,
        trained_views=trained_views,
        stored_as=options.store)
    write_model(model, options.out, options.force)
    for number, (stage, weights) in enumerate(zip(stages, fitted), 1):
        print(f"stage {number}: {stage.origin}: {len(weights.parameters)} weights used, "
              f"{len(stage.unused)} not read by the network")
        for name in stage.unused:
            print(f"  unused: {name}")
    for note in template.notes:
        print(f"template: {note}")
    print(f"{options.out}: semantics {model.semantics.name}, template of "
          f"{len(template.mesh.vertices)} vertices")


def main(arguments=None) -> int:
    options = parse(arguments)
    try:
        export(options)
    except InputError as error:
        print_error("p2mpp-export", error)
        return EXIT_BAD_INPUT
    except MissingPackageError as error:
        print_error("p2mpp-export", error)
        return EXIT_FAILED
    return 0


if __name__ == "__main__":
    sys.exit(run_export())
