"""The commands p2mpp-NAME: p2mpp.commands.NAME.main, also `python -m p2mpp.commands.NAME`.

Importing it keeps files apart from closed standard streams, before a command opens any. A command imports the packages
that it needs when it begins its work: --help works without them.
"""

from importlib import import_module
from typing import Callable

from p2mpp.standard_streams import open_missing

open_missing()


def _command(name: str, extra: str) -> Callable[[], int]:
    """Runs a command whose packages the extra of p2mpp installs; one line says if they are missing."""
    def run() -> int:
        try:
            return import_module(f"p2mpp.commands.{name}").main()
        except ModuleNotFoundError as error:
            if (error.name or "p2mpp").partition(".")[0] == "p2mpp":
                raise  # a mistake of ours
            from p2mpp.errors import how_to_install
            from p2mpp.network.command_line import print_error
            print_error("p2mpp-" + name.replace("_", "-"), f"{error}; expected {how_to_install(extra)}")
            return 1
    return run


run_calibrate = _command("calibrate", "torch")
run_eval_on_ray = _command("eval_on_ray", "ray")
run_export = _command("export", "torch")
run_generate = _command("generate", "data")
run_photos = _command("photos", "photos")
run_shards = _command("shards", "data")
run_train = _command("train", "train")
run_volume = _command("volume", "train")
