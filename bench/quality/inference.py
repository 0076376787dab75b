"""Measures changes of stage 2 that need no training, each alone and together: stage 2 again with hypotheses of half the
radius, the fit to the same masks between the stages, pooling in which views that do not see a vertex weigh less, and
scores averaged with those of the mirrored pictures. The objects are held-out shards of p2mpp-shards."""

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import torch
from PIL import Image
from shared import ROOT, Tools, add_options, table, tools_of, write_tables

sys.path.insert(0, str(ROOT / "python"))
from p2mpp.network.camera import pixels_from_views, views_from_network  # noqa: E402
from p2mpp.network.dat_template import read_template  # noqa: E402
from p2mpp.network.sampling import sample_bilinear  # noqa: E402
from p2mpp.network.loaded_model import LoadedModel  # noqa: E402
from p2mpp.shapes.rasterizer import rasterize  # noqa: E402
from p2mpp.training import network, shards  # noqa: E402
from p2mpp.training.batches import Batch  # noqa: E402
from p2mpp.training.hierarchy import Hierarchy, make_hierarchy  # noqa: E402
from p2mpp.training.metrics import measure, normal_consistency  # noqa: E402
from p2mpp.training.run import keep_freed_memory  # noqa: E402

GROUPS = ("people", "other", "procedural")
PANEL = 512  # vertices
HIDDEN_WEIGHT = 0.25  # of a view that does not see a vertex
DEPTH_MARGIN = 0.01  # in the object's unit: nearer surface hides a vertex
SIDE = 224
PRECISION = torch.bfloat16


class Change(NamedTuple):
    """What differs from the published order."""

    again: bool = False
    fit_between: bool = False
    seen: bool = False
    mirrored: bool = False

    def name(self) -> str:
        parts = [text for on, text in zip(self, ("twice", "fit between", "views that see it", "mirrored")) if on]
        return " + ".join(parts) or "as it is"


CHANGES = (Change(), Change(again=True), Change(fit_between=True), Change(seen=True), Change(mirrored=True),
           Change(again=True, fit_between=True), Change(again=True, mirrored=True), Change(True, True, True, True))


class Subject(NamedTuple):
    """A held-out object: what the network reads, and a folder with pictures and cameras.txt for the engine."""

    batch: Batch
    folder: Path


class Network(NamedTuple):
    """Both stages and the template's levels."""

    stage1: torch.nn.Module
    stage2: torch.nn.Module
    hierarchy: Hierarchy


def subject_of(record: np.void, views: int, folder: Path) -> Subject:
    """The first `views` of a record, drawn at distances within the network's range."""
    folder.mkdir(parents=True, exist_ok=True)
    for view, picture in enumerate(record["pictures"][:views]):
        Image.fromarray(picture, "RGBA").save(folder / f"{view:02d}.png")
    rows = [f"{azimuth:.8f} {elevation:.8f} 0 {distance:.8f} 25" for azimuth, elevation, distance
            in record["cameras"][:views].tolist()]
    (folder / "cameras.txt").write_text("\n".join(rows) + "\n")
    return Subject(shards.plain_draw(record, slice(views)).to(torch.device("cpu")), folder)


def seen_weights(vertices: torch.Tensor, faces: np.ndarray, cameras: torch.Tensor) -> torch.Tensor:
    """Weights [V,N] of the views for each vertex of [N,3]: 1 where the mesh does not hide it."""
    places = views_from_network(vertices[None], cameras)
    row, column = (each[0].double().numpy() for each in pixels_from_views(places, cameras))
    depth = -places[0, ..., 2].numpy()
    corners = vertices.double().numpy()[faces]
    volume = (corners[:, 0] * np.cross(corners[:, 1], corners[:, 2])).sum()
    outward = faces if volume > 0 else faces[:, ::-1]
    found = np.full(row.shape, HIDDEN_WEIGHT, np.float32)
    for view in range(len(row)):
        hits = rasterize(np.stack([column[view], row[view]], 1), 1 / depth[view], outward, SIDE)
        nearest = np.full(SIDE * SIDE, np.inf)
        nearest[hits.index] = 1 / hits.inverse_depth
        at = np.clip(row[view].astype(int), 0, SIDE - 1) * SIDE + np.clip(column[view].astype(int), 0, SIDE - 1)
        found[view, depth[view] < nearest[at] + DEPTH_MARGIN] = 1.0
    return torch.from_numpy(found)


def pooled(samples: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """[max, mean, std] of samples [V,P,C] over the views, weighted by [V,P]."""
    weights = torch.where(weights.amax(0) < 1, 1.0, weights).unsqueeze(-1)  # none sees it: as it is
    total = weights.sum(0)
    mean = (weights * samples).sum(0) / total
    variance = (weights * (samples - mean).square()).sum(0) / total
    most = samples.masked_fill(weights < 1, -torch.inf).amax(0)
    return torch.cat([most, mean, (variance + 1e-6).sqrt()], -1)


def ordered(parts: List[torch.Tensor]) -> torch.Tensor:
    """Each map's [max, mean, std] -> all maxima, then all means, then all deviations."""
    return torch.cat([torch.cat([part.chunk(3, -1)[kind] for part in parts], -1) for kind in range(3)], -1)


def scores_of(net: Network, block: int, maps: List[torch.Tensor], cameras: torch.Tensor, coords: torch.Tensor,
              hypotheses: torch.Tensor, weights: Optional[torch.Tensor]) -> torch.Tensor:
    """Scores [N,S] of the hypotheses around coords [N,3]."""
    found = []
    for start in range(0, len(coords), PANEL):
        some = coords[start:start + PANEL]
        points = some.unsqueeze(1) + hypotheses
        if weights is None:
            features = network.look_up(maps, cameras, points.flatten(0, 1)[None])
        else:
            row, column = pixels_from_views(views_from_network(points.flatten(0, 1)[None], cameras), cameras)
            each = weights[:, start:start + PANEL].repeat_interleave(len(hypotheses), 1)
            parts = [pooled(sample_bilinear(one.float(), row, column)[0], each) for one in maps]
            features = ordered(parts).to(PRECISION)
        found.append(network.hypothesis_scores(net.stage2.drb[block], features.view(len(some), len(hypotheses), -1),
                                               points, net.hierarchy.local_support))
    return torch.cat(found)


def mirrored_batch(batch: Batch) -> Batch:
    """Left and right exchanged: x becomes -x in the network's frame and in each camera's."""
    flip = torch.diag(torch.tensor([-1.0, 1, 1], dtype=torch.float64))
    cameras = batch.cameras.clone()
    cameras[..., :9] = (flip @ cameras[..., :9].unflatten(-1, [3, 3]) @ flip).flatten(-2)
    cameras[..., 9:12] = cameras[..., 9:12] @ flip
    cameras[..., 14] = SIDE - 1 - cameras[..., 14]
    return batch._replace(images=batch.images.flip(-1), cameras=cameras)


def mirror_of(hypotheses: torch.Tensor) -> torch.Tensor:
    """Indices of the hypotheses' mirror images; the set is symmetric."""
    distance, index = torch.cdist(hypotheses * hypotheses.new_tensor([-1.0, 1, 1]), hypotheses).min(1)
    assert distance.max() < 1e-6, "the hypotheses are not symmetric"
    return index


def refine(net: Network, batch: Batch, coords: torch.Tensor, change: Change, radius: float) -> torch.Tensor:
    """Vertices [N,3] after both deformation reasoning blocks; `radius` as a share of the published one."""
    hypotheses = net.hierarchy.hypotheses * radius
    sides = [(batch, coords.new_tensor([1.0, 1, 1]), torch.arange(len(hypotheses)))]
    if change.mirrored:
        sides.append((mirrored_batch(batch), coords.new_tensor([-1.0, 1, 1]), mirror_of(hypotheses)))
    maps = [network.image_maps(net.stage2, side.images, PRECISION) for side, *_ in sides]
    faces = net.hierarchy.levels[-1].faces.numpy()
    for block in range(len(net.stage2.drb)):
        weights = seen_weights(coords, faces, batch.cameras) if change.seen else None
        scores = torch.stack([scores_of(net, block, each, side.cameras, coords * flip, hypotheses, weights)[:, order]
                              for each, (side, flip, order) in zip(maps, sides)]).mean(0)
        coords = coords + scores.softmax(-1) @ hypotheses
    return coords


def fitted(tools: Tools, subject: Subject, vertices: torch.Tensor, faces: np.ndarray) -> torch.Tensor:
    """Vertices [N,3] after the engine's fit to the subject's masks."""
    start, out = subject.folder / "start.obj", subject.folder / "fitted"
    start.write_text("".join(f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in vertices.tolist())
                     + "".join(f"f {a} {b} {c}\n" for a, b, c in (faces + 1).tolist()))
    done = subprocess.run([tools.program, "predict", "--images", *sorted(subject.folder.glob("*.png")), "--cameras",
                           subject.folder / "cameras.txt", "--model", tools.model, "--initial", start, "--no-stage-2",
                           "--fit-views", "same", "--surface", "template", "--threads", "1", "--id", "mesh", "--format",
                           "obj", "--out", out, "--quiet"], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{subject.folder}: {done.stderr.strip()}")
    lines = (out / "mesh_predict.obj").read_text().splitlines()
    return torch.tensor([[float(number) for number in line.split()[1:4]] for line in lines if line.startswith("v ")])


@torch.no_grad()
def scores(tools: Tools, net: Network, subject: Subject) -> Dict[Tuple[str, bool], Tuple[float, float, float]]:
    """F1@tau, CD and normals by change, before and after the last fit."""
    batch, faces = subject.batch, net.hierarchy.levels[-1].faces
    coarse = network.coarse_levels(net.stage1, batch.images, batch.cameras, net.hierarchy, PRECISION)[-1].vertices[0]
    between = fitted(tools, subject, coarse, faces.numpy())
    found = {}

    def add(name: str, vertices: torch.Tensor) -> None:
        for when, mesh in ((False, vertices), (True, fitted(tools, subject, vertices, faces.numpy()))):
            metrics = measure(mesh, batch.points[0])
            found[name, when] = (metrics.f1_tau, 1000 * metrics.cd,
                                 normal_consistency(mesh, faces, batch.points[0], batch.normals[0]))

    add("stage 1 alone", coarse)
    for change in CHANGES:
        mesh = refine(net, batch, between if change.fit_between else coarse, change, 1.0)
        if change.again:
            mesh = refine(net, batch, fitted(tools, subject, mesh, faces.numpy()) if change.fit_between else mesh,
                          change, 0.5)
        add(change.name(), mesh)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--validate", type=Path, required=True, help="held-out shards")
    parser.add_argument("--objects", type=int, default=16, metavar="N", help="of each kind (default 16)")
    parser.add_argument("--views", type=int, nargs="+", default=[3, 5], metavar="N", help="(default 3 5)")
    parser.add_argument("--out", type=Path, required=True, help="gets samples, meshes and scores; existing ones are kept")
    add_options(parser)
    options = parser.parse_args()
    tools = tools_of(options)
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    keep_freed_memory()
    template, model = read_template(str(tools.model / "template.obj")), LoadedModel(tools.model)
    net = Network(model.stage1, model.stage2, make_hierarchy(template.mesh, template.local_graph, torch.device("cpu")))
    held_out = shards.HeldOutShards(options.validate, options.objects)
    records = [record for group in GROUPS for record in held_out.groups[group][-1]]
    parts = [table_of(tools, net, views, records) for views in options.views]
    print("\n".join(parts))
    write_tables(options.document, "inference", "\n".join(parts))


def table_of(tools: Tools, net: Network, views: int, records: List[np.void]) -> str:
    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(partial(one, tools, net, views), records))
    means = {key: np.mean([each[key] for each in found], 0) for key in found[0]}
    rows = [[name, *(f"{means[name, when][kind]:.{digits}f}" for when in (False, True)
                     for kind, digits in ((0, 2), (1, 3), (2, 3)))] for name, when in means if not when]
    heads = [f"{views} views{fit}: {kind}" for fit in ("", ", fitted") for kind in ("F1@tau", "CD x1000", "normals")]
    return table([f"{len(records)} objects", *heads], rows)


def one(tools: Tools, net: Network, views: int, record: np.void) -> Dict:
    """The scores of one record, from its folder if they are there."""
    folder = tools.out / f"{views}-{record['name'].decode().replace('/', '-')}"
    if not (folder / "scores.json").exists():
        found = scores(tools, net, subject_of(record, views, folder))
        (folder / "scores.json").write_text(json.dumps([[*key, values] for key, values in found.items()]))
    return {(name, when): values for name, when, values in json.loads((folder / "scores.json").read_text())}


if __name__ == "__main__":
    main()
