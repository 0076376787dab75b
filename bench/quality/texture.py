"""Measures textures of a capture: `p2mpp texture` from all photographs but one, drawn into that one, and compared inside
its mask. Beside it: colours of vertices, and the texture of nothing but a neighbouring photograph. The mesh is that of
`p2mpp predict`, or a file (--mesh, in the capture's coordinates). Existing results are kept."""

import argparse
import json
import subprocess
from pathlib import Path
from typing import Dict, List

from shared import add_tool_options, table, tools_of

COLUMNS = ["photographs", "tested", "texels", "dB", "SSIM", "dB, vertices", "SSIM", "dB, one photograph", "SSIM", "unseen",
           "ms a texture"]


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
            f"{measured.last['milliseconds']:.0f}"]


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
