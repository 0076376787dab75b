"""Measures the fit to masks: `p2mpp eval --fit-views` on the bundled shapes, rendered again with 24 views by
p2mpp-generate, for more and more masks; the same of objects that people made, if there are libraries; then with
masks that have grown or were eaten and with wrong poses. The network always has the views 0, 6 and 7. Existing results
are kept; another model needs other runs (delete OUT/runs, keep the data)."""

import argparse
from functools import partial
from pathlib import Path
from typing import Callable, Dict, List, Optional

import numpy as np
from PIL import Image, ImageFilter

from shared import (NETWORK_VIEWS, Tools, add_options, add_people_options, copy_samples, each_category_in_turn, evaluate,
                    groups_of, names_in, results_of, table, tools_of, write_tables)

MASKS = [2, 3, 5, 8, 12, 24]
FEWER_MASKS = [3, 24]  # of the degraded rows
COLUMNS = ["F1@tau", "F1@2tau", "CD x1000", "normals", "IoU", "self-intersecting faces", "ms a fit"]


def views_of(masks: int) -> List[int]:
    """Those of the network first."""
    return [*NETWORK_VIEWS, *(view for view in range(24) if view not in NETWORK_VIEWS)][:masks]


def write_grown(source: Path, target: Path, pixels: int) -> None:
    """The picture with a mask that is wider by some pixels, which show a white background, or narrower if negative."""
    image = Image.open(source).convert("RGBA")
    for _ in range(abs(pixels)):
        alpha = image.getchannel("A")
        wider = alpha.filter(ImageFilter.MaxFilter(3) if pixels > 0 else ImageFilter.MinFilter(3))
        colours = Image.new("RGB", image.size, "white")
        colours.paste(image.convert("RGB"), mask=alpha)
        image = colours.convert("RGBA")
        image.putalpha(wider)
    image.save(target)


def turned(degrees: float, rows: List[str], seed: int) -> List[str]:
    """Turns every camera but the first, whose frame the truth is in, by `degrees`."""
    chance = np.random.default_rng(seed)
    found = rows[:1]
    for row in rows[1:]:
        azimuth, elevation, *rest = row.split()
        angle = chance.uniform(0, 2 * np.pi)
        height = float(elevation) + degrees * np.sin(angle)
        turn = float(azimuth) + degrees * np.cos(angle) / np.cos(np.radians(height))
        found.append(" ".join([f"{turn:.6f}", f"{height:.6f}", *rest]))
    return found


def evaluated(tools: Tools, data: Path, run: str, masks: Optional[int]) -> List[Dict]:
    """The results of a list; masks: None for the network alone."""
    fit = ["--fit-views", ",".join(map(str, views_of(masks)))] if masks else ["--no-fit"]
    return results_of(evaluate(tools, data, data / "test_list.txt", tools.out / "runs" / f"{run}_{masks or 'network'}", *fit))


def figures(results: List[Dict], fitted: bool) -> List[float]:
    """In the order of COLUMNS; of the network's meshes, those of the fit are not known."""
    def mean(of: Callable[[Dict], float]) -> float:
        return float(np.mean([of(result) for result in results]))

    scores = [mean(lambda result, name=name: result["scores"]["vertices"][name])
              for name in ("f1_tau", "f1_2tau", "chamfer_distance", "normal_consistency")]
    scores[2] *= 1000
    if not fitted:
        return scores
    return scores + [mean(lambda result, name=name: result["fit"][name])
                     for name in ("iou_after", "intersecting_after", "milliseconds")]


def row(name: str, values: List[float]) -> List[str]:
    cells = [f"{value:.{digits}f}" for value, digits in zip(values, (2, 2, 3, 3, 3, 0, 0))]
    return [name, *cells, *["-"] * (len(COLUMNS) - len(cells))]


def rows_of(tools: Tools, data: Path, run: str, masks: List[int]) -> List[List[str]]:
    fits = {number: evaluated(tools, data, run, number) for number in masks}
    network = figures(evaluated(tools, data, run, None), False)
    before = [fit["fit"] for fit in fits[masks[-1]]]
    network += [float(np.mean([fit["iou_before"] for fit in before])),
                float(np.mean([fit["intersecting_before"] for fit in before]))]
    return [row("network", network)] + [row(f"fit, {number} masks", figures(fits[number], True)) for number in masks]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="gets data, runs and degraded data")
    parser.add_argument("--degraded", type=int, default=10, help="shapes with degraded masks and poses; 0: none")
    add_options(parser)
    add_people_options(parser)
    options = parser.parse_args()
    tools = tools_of(options)
    text = ""
    groups = groups_of(options)
    for group, data in groups.items():
        names = names_in(data)
        part = table([f"{len(names)} shapes{group and ' ' + group}, vertices", *COLUMNS],
                     rows_of(tools, data, f"exact{group.replace(' ', '_')}", MASKS))
        print(part, flush=True)
        text += ("\n" if text else "") + part
    data = groups[""]
    names = names_in(data)
    kinds = {f"masks {'grown' if pixels > 0 else 'eaten'} by {abs(pixels)} pixels": (pixels, 0)
             for pixels in (3, -3, 1, -1, 2, -2)}
    kinds.update({f"poses off by {degrees} degrees": (0, degrees) for degrees in (3, 1)})
    chosen = each_category_in_turn(names, options.degraded)
    for title, (pixels, degrees) in kinds.items() if chosen else ():
        run = title.replace(" ", "_")
        folder = tools.out / "degraded" / run
        copy_samples(data, folder, chosen, picture=partial(write_grown, pixels=pixels), rows=partial(turned, degrees))
        part = table([f"{len(chosen)} shapes, {title}", *COLUMNS],
                     rows_of(tools, folder, run, FEWER_MASKS))
        print(part, flush=True)
        text += "\n" + part
    write_tables(options.document, "fit", text)


if __name__ == "__main__":
    main()
