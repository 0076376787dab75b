"""Compares surfaces of objects seen from many sides: the network's mesh fitted to all masks, the hull, and the surface of a
volume, from good masks and bad ones. Existing results are kept."""

import argparse
import json
import subprocess
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple, Tuple

import numpy as np
from PIL import Image, ImageDraw, ImageFilter
from shared import add_options, copy_samples, draw_samples, generated, names_in, run_measured, table, tools_of, write_tables

COLUMNS = ["F1@tau", "F1@2tau", "CD x1000", "normals", "IoU", "self-intersecting faces", "CPU seconds a sample", "MB"]
DIGITS = (1, 1, 3, 3, 3, 0, 1, 0)
KINDS = {
    "fitted ellipsoid": ["--surface", "template"],
    "hull of 10,000 vertices": ["--initial", "hull", "--no-stage-2", "--fit-steps", "0", "--target-vertices", "10000",
                                "--surface", "template"],
    "volume, masks alone": ["--surface", "volume", "--no-photo-consistency"],
    "volume": ["--surface", "volume"],
}
FEWER_VIEWS = 8
TURNED = 10  # the view whose camera is wrong, by this many degrees


class Predictions(NamedTuple):
    """What `p2mpp predict` wrote into a folder, with its processor seconds a sample and its largest memory."""

    folder: Path
    seconds: float
    megabytes: float


def predict(tools, data: Path, out: Path, views: str, options: List[str]) -> Predictions:
    """All samples of a folder, unless they are there."""
    document = out / "predict.json"
    samples = [data / name.split("_")[0] / name.split("_")[1] for name in names_in(data)]
    if not document.exists():
        out.mkdir(parents=True, exist_ok=True)
        used = run_measured([tools.program, "predict", *samples, "--model", tools.model, "--out", out, "--format", "obj",
                             "--fit-views", views, "--quiet", *options])
        document.write_text(json.dumps({"seconds": (used.ru_utime + used.ru_stime) / len(samples),
                                        "megabytes": used.ru_maxrss / 1024}))
    return Predictions(out, **json.loads(document.read_text()))


def mesh_in(folder: Path, name: str) -> Path:
    """What `p2mpp predict` wrote of a sample."""
    category, model, _ = name.split("_")
    mesh = folder / f"{model}_predict.obj"
    return mesh if mesh.exists() else folder / f"{category}_{model}_predict.obj"  # if two categories have a model of that name


def silhouettes(tools, data: Path, name: str, mesh: Path) -> Dict:
    """Mean IoU with all good masks, and faces that intersect others: those of a fit without steps."""
    category, model, _ = name.split("_")
    done = subprocess.run([tools.program, "refine", mesh, data / category / model, "--model", tools.model, "--out",
                           mesh.parent / "refined", "--no-stage-2", "--fit-views", "all", "--fit-steps", "0", "--json",
                           "--quiet"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["samples"][0]["fit"]


def scores(tools, mesh: Path, truth: Path) -> Dict:
    """Of points of the surface."""
    done = subprocess.run([tools.program, "metrics", mesh, truth, "--json", "--quiet"], check=True, capture_output=True,
                          text=True)
    return json.loads(done.stdout)["surface"]


def row(tools, good: Path, title: str, made: Predictions) -> List[str]:
    """Means over the samples. good: the samples with good masks and the truth."""
    measured = []
    for name in names_in(good):
        mesh = mesh_in(made.folder, name)
        found = scores(tools, mesh, good / f"{name}_ground.xyz")
        seen = silhouettes(tools, good, name, mesh)
        measured.append([found["f1_tau"], found["f1_2tau"], 1000 * found["chamfer_distance"], found["normal_consistency"],
                         seen["iou_before"], seen["intersecting_before"], made.seconds, made.megabytes])
        print(title, name.split("_")[1], *(f"{value:.3f}" for value in measured[-1][:-2]), flush=True)
    return [title, *(f"{value:.{digits}f}" for value, digits in zip(np.mean(measured, axis=0), DIGITS))]


def with_mask(change: Callable[[Image.Image, str], Image.Image]) -> Callable[[Path, Path], object]:
    """A changed copy of a picture, for copy_samples(). change(mask, name of the view)."""

    def picture(source: Path, target: Path) -> None:
        image = Image.open(source).convert("RGBA")
        image.putalpha(change(image.getchannel("A"), f"{source.parents[1].name}/{source.stem}"))
        image.save(target)

    return picture


def wider(pixels: int) -> Callable[[Path, Path], object]:
    """Masks that are too wide, or too narrow if `pixels` is negative."""
    kind = ImageFilter.MaxFilter if pixels > 0 else ImageFilter.MinFilter
    return with_mask(lambda mask, _: mask.filter(kind(2 * abs(pixels) + 1)))


def bitten(mask: Image.Image, name: str) -> Image.Image:
    """A mask of which 2% are missing: a disc at its boundary."""
    covered = np.asarray(mask) > 127
    inside = np.asarray(mask.filter(ImageFilter.MinFilter(3))) > 127
    rows, columns = np.nonzero(covered & ~inside)
    if len(rows) == 0:
        return mask
    at = np.random.default_rng(list(name.encode())).integers(len(rows))
    radius = np.sqrt(2 * 0.02 * covered.sum() / np.pi)  # half of the disc is the object's
    ImageDraw.Draw(mask).ellipse([columns[at] - radius, rows[at] - radius, columns[at] + radius, rows[at] + radius], fill=0)
    return mask


def turned(rows: List[str], _: int) -> List[str]:
    """Camera rows of which one has a wrong azimuth."""
    azimuth, rest = rows[TURNED].split(maxsplit=1)
    return [*rows[:TURNED], f"{float(azimuth) + TURNED} {rest}", *rows[TURNED + 1:]]


def spoilt(tools, good: Path) -> List[Tuple[str, Path]]:
    """Copies of samples with bad masks or cameras."""
    changes = {
        "masks 1 pixel too wide": {"picture": wider(1)},
        "masks 2 pixels too wide": {"picture": wider(2)},
        "masks 1 pixel too narrow": {"picture": wider(-1)},
        "masks 2 pixels too narrow": {"picture": wider(-2)},
        "2% of each mask missing": {"picture": with_mask(bitten)},
        f"one camera turned by {TURNED} degrees": {"rows": turned},
    }
    copies = []
    for title, change in changes.items():
        folder = tools.out / title.replace(" ", "_").replace("%", "")
        copy_samples(good, folder, names_in(good), **change)
        copies.append((title, folder))
    return copies


def table_of(tools, good: Path, title: str, cases: List[Tuple[str, Path, str, List[str]]]) -> str:
    """cases: a row's title, data, views of the fit, options."""
    rows = [row(tools, good, name, predict(tools, data, tools.out / title / name.replace(" ", "_"), views, options))
            for name, data, views, options in cases]
    text = table([f"{len(names_in(good))} objects, {title}", *COLUMNS], rows)
    print(text, flush=True)
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libraries", type=Path, required=True, help="unpacked by p2mpp-shards")
    parser.add_argument("--objects", type=int, default=18, metavar="N", help="of the validation library (default 18)")
    parser.add_argument("--tables", nargs="+", choices=["views", "few", "bundled", "spoilt"], metavar="NAME",
                        default=["views", "few", "bundled", "spoilt"], help="which to measure (default all)")
    parser.add_argument("--out", type=Path, required=True, help="gets data and results")
    add_options(parser)
    options = parser.parse_args()
    tools = tools_of(options)
    data = tools.out / "data"
    if not (data / "test_list.txt").exists():
        draw_samples(options.libraries.resolve(), data, 24, "--library", "KatorLegaz", "--objects", str(options.objects))
    every_third = ",".join(str(view) for view in range(0, 24, 24 // FEWER_VIEWS))
    kinds = list(KINDS.items())
    tables = {
        "views": lambda: table_of(tools, data, "24 views", [(kind, data, "all", more) for kind, more in kinds]),
        "few": lambda: table_of(tools, data, f"{FEWER_VIEWS} views",
                                [(kind, data, every_third, more) for kind, more in kinds]),
        "bundled": lambda: bundled(tools),
        "spoilt": lambda: table_of(tools, data, "volumes of 24 views",
                                   [(name, copy, "all", KINDS["volume"]) for name, copy in spoilt(tools, data)]),
    }
    for name in options.tables:
        write_tables(options.document, f"surface {name}", tables[name]())


def bundled(tools) -> str:
    """Of the bundled shapes."""
    data = generated(tools.out / "bundled")
    return table_of(tools, data, "24 views, bundled", [(kind, data, "all", more) for kind, more in KINDS.items()])


if __name__ == "__main__":
    main()
