"""Measures textures of a capture: `p2mpp texture` from all photographs but one, drawn into that one, and compared inside
its mask. Beside it: colours of vertices, and the texture of nothing but a neighbouring photograph. The mesh is that of
`p2mpp predict`, or a file (--mesh, in the capture's coordinates). Seams: how much colours differ across the edges of
charts, two texels apart, as a share of the same inside charts. Existing results are kept."""

import argparse
import json
import subprocess
from pathlib import Path
from typing import Dict, List

import numpy as np
import trimesh
from shared import add_tool_options, table, tools_of

COLUMNS = ["photographs", "tested", "texels", "dB", "SSIM", "dB, vertices", "SSIM", "dB, one photograph", "SSIM", "unseen",
           "charts", "seams", "ms a texture"]


def run(command: List) -> Dict:
    done = subprocess.run([str(part) for part in command], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(str(part) for part in command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def kept(path: Path, make) -> Dict:
    """The document of a file, which is made if it is missing."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(make()))
    return json.loads(path.read_text())


def bilinear(picture: np.ndarray, at: np.ndarray) -> np.ndarray:
    """[H, W, 3] at [N, 2], in texels from the upper left."""
    at = np.clip(at - 0.5, 0, np.array(picture.shape[1::-1]) - 1.001)
    column, row = at.astype(int).T
    s, t = (at - at.astype(int)).T[..., None]
    upper = (1 - s) * picture[row, column] + s * picture[row, column + 1]
    return (1 - t) * upper + t * ((1 - s) * picture[row + 1, column] + s * picture[row + 1, column + 1])


def seam_ratio(glb: Path) -> float:
    """Mean difference of colours across edges between charts, a texel on each side, over that across edges inside charts."""
    mesh = trimesh.load(glb, force="mesh", process=False)
    picture = np.asarray(mesh.visual.material.baseColorTexture.convert("RGB"), float)
    texels = np.asarray(mesh.visual.uv) * [1, -1] * picture.shape[1::-1] + [0, picture.shape[0]]
    place = np.unique(mesh.vertices, axis=0, return_inverse=True)[1].ravel()
    begin, end = mesh.faces.ravel(), np.roll(mesh.faces, -1, axis=1).ravel()
    swapped = (place[begin] > place[end])[:, None]
    ends = np.where(swapped, np.stack([end, begin], 1), np.stack([begin, end], 1))  # of half-edges
    edge = np.unique(place[ends], axis=0, return_inverse=True)[1].ravel()
    order = np.argsort(edge, kind="stable")
    pairs = np.flatnonzero((edge[order][:-1] == edge[order][1:]) & (np.diff(edge[order], prepend=-1)[:-1] > 0))
    first, second = order[pairs], order[pairs + 1]
    middle = texels[ends].mean(1)
    inward = texels[mesh.faces].mean(1).repeat(3, axis=0) - middle
    colours = bilinear(picture, middle + inward / np.maximum(np.linalg.norm(inward, axis=1, keepdims=True), 1e-9))
    difference = np.abs(colours[first] - colours[second]).mean(1)
    is_seam = np.abs(texels[ends[first]] - texels[ends[second]]).max((1, 2)) > 1e-3
    return difference[is_seam].mean() / difference[~is_seam].mean()


def predicted_mesh(tools, capture: Path, out: Path, capture_options: List[str]) -> Path:
    """In the capture's coordinates."""
    kept(out / "predict.json", lambda: run([tools.program, "predict", capture, "--model", tools.model, "--out", out, "--format",
                                            "ply", "--frame", "source", "--texture", "none", "--json", "--quiet",
                                            *capture_options]))
    return next(out.glob("*_predict.ply"))


class Measured:
    """The means over the photographs that were left out."""

    def __init__(self):
        self.sums: Dict[str, List[float]] = {}
        self.last: Dict = {}

    def add(self, kind: str, document: Dict) -> None:
        first = document["left_out"][0]
        sums = self.sums.setdefault(kind, [0, 0, 0])
        for i, value in enumerate((first["psnr"], first["ssim"], 1)):
            sums[i] += value
        if kind == "texture":
            self.last = document["texture"]

    def means(self, kind: str) -> List[str]:
        psnr, ssim, count = self.sums[kind]
        return [f"{psnr / count:.2f}", f"{ssim / count:.3f}"]


def row(tools, capture: Path, options: argparse.Namespace) -> List[str]:
    out = tools.out / (options.name or capture.name)
    mesh = options.mesh or predicted_mesh(tools, capture, out, options.capture_options)
    base = [tools.program, "texture", mesh, capture, "--json", "--quiet", *options.capture_options]
    count = 1 + kept(out / "all.json", lambda: run([*base, "--leave-out", "0", "--out", out / "all.glb"]))["texture"]["photographs"]
    tested = list(range(0, count, max(1, count // options.photographs)))
    measured = Measured()
    for left in tested:
        neighbour = left + 1 if left + 1 < count else left - 1
        others = [str(i) for i in range(count) if i not in (left, neighbour)]
        for kind, more in {"texture": ["--leave-out", str(left)],
                           "vertices": ["--leave-out", str(left), "--texture", "vertex"],
                           "one": ["--leave-out", ",".join([str(left), *others])]}.items():
            command = [*base, *more, "--out", out / f"{kind}.glb"]
            measured.add(kind, kept(out / f"{kind}-{left}.json", lambda command=command: run(command)))
    return [options.name or capture.name, str(count), str(len(tested)), str(measured.last["size"]), *measured.means("texture"),
            *measured.means("vertices"), *measured.means("one"), f"{100 * measured.last['unseen']:.1f}%",
            str(measured.last["charts"]), f"{seam_ratio(out / 'all.glb'):.2f}", f"{measured.last['milliseconds']:.0f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_tool_options(parser)
    parser.add_argument("--out", type=Path, required=True, help="folder for meshes and results")
    parser.add_argument("capture", type=Path, help="as for `p2mpp predict`")
    parser.add_argument("--mesh", type=Path, help="instead of predict's, in the capture's coordinates")
    parser.add_argument("--name", help="of the row (default: the capture's)")
    parser.add_argument("--photographs", type=int, default=6, metavar="N", help="that are left out, one at a time (default 6)")
    parser.add_argument("--capture-options", nargs=argparse.REMAINDER, default=[],
                        help="the last option: what follows goes to p2mpp, such as --masks FOLDER")
    options = parser.parse_args()
    tools = tools_of(options)
    print(table(["capture", *COLUMNS], [row(tools, options.capture, options)]))


if __name__ == "__main__":
    main()
