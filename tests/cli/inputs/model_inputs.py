"""A tiny model whose template is an icosahedron (12, 42, 162 vertices), and the same damaged in one way each."""

import hashlib
import json
import shutil
import sys
from pathlib import Path
from typing import Callable

import torch

PHI = (1 + 5**0.5) / 2
ICOSAHEDRON_VERTICES = [(-1, PHI, 0), (1, PHI, 0), (-1, -PHI, 0), (1, -PHI, 0), (0, -1, PHI), (0, 1, PHI),
                        (0, -1, -PHI), (0, 1, -PHI), (PHI, 0, -1), (PHI, 0, 1), (-PHI, 0, -1), (-PHI, 0, 1)]
ICOSAHEDRON_FACES = [(1, 12, 6), (1, 6, 2), (1, 2, 8), (1, 8, 11), (1, 11, 12), (2, 6, 10), (6, 12, 5), (12, 11, 3),
                     (11, 8, 7), (8, 2, 9), (4, 10, 5), (4, 5, 3), (4, 3, 7), (4, 7, 9), (4, 9, 10), (5, 10, 6),
                     (3, 5, 12), (7, 3, 11), (9, 7, 8), (10, 9, 2)]


def icosahedron_obj() -> str:
    lines = [f"v {0.1 * x:.9g} {0.1 * y:.9g} {0.1 * z - 0.8:.9g}" for x, y, z in ICOSAHEDRON_VERTICES]
    return "\n".join(lines + [f"f {a} {b} {c}" for a, b, c in ICOSAHEDRON_FACES]) + "\n"


def rehash(folder: Path) -> None:
    """Names the files' hashes as they are now."""
    path = folder / "model.json"
    model = json.loads(path.read_text())
    for name in model["files"]:
        if (folder / name).exists():
            model["files"][name]["sha256"] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    path.write_text(json.dumps(model))


def edit_json(folder: Path, **values) -> None:
    path = folder / "model.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def edit_sizes(folder: Path, **values) -> None:
    sizes = json.loads((folder / "model.json").read_text())["sizes"]
    edit_json(folder, sizes=sizes | values)


def swap_stages(folder: Path) -> None:
    (folder / "stage1.pt").rename(folder / "other")
    (folder / "stage2.pt").rename(folder / "stage1.pt")
    (folder / "other").rename(folder / "stage2.pt")


def fill_weights(folder: Path, value: float) -> None:
    """Saves stage 2 with every weight of the same value."""
    path = folder / "stage2.pt"
    module = torch.jit.load(str(path))
    with torch.no_grad():
        for parameter in module.state_dict().values():
            parameter.fill_(value)
    module.save(str(path))


def edit_template(folder: Path, edit: Callable[[str], str]) -> None:
    path = folder / "template.obj"
    path.write_text(edit(path.read_text()))


def damage(models: Path, name: str, change: Callable[[Path], object], hashes_right: bool = True) -> None:
    folder = models / name
    shutil.copytree(models / "tiny", folder)
    change(folder)
    if hashes_right:
        rehash(folder)


def make_damaged(models: Path) -> None:
    def cut(name: str, share: float) -> Callable[[Path], object]:
        return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:int(share * (folder / name).stat().st_size)])

    damage(models, "cut-stage1", cut("stage1.pt", 0.5))
    damage(models, "cut-stage1-old-hash", cut("stage1.pt", 0.5), hashes_right=False)
    damage(models, "no-stage2", lambda folder: (folder / "stage2.pt").unlink())
    damage(models, "swapped-stages", swap_stages)
    damage(models, "overflowing-weights", lambda folder: fill_weights(folder, 1e30))
    damage(models, "wrong-hash", lambda folder: edit_json(folder, files=WRONG_HASHES), hashes_right=False)
    damage(models, "cut-json", cut("model.json", 0.5), hashes_right=False)
    damage(models, "other-channels", lambda folder: edit_sizes(folder, image_channels=4))
    damage(models, "array-json", lambda folder: (folder / "model.json").write_text("[1, 2, 3]"), hashes_right=False)
    damage(models, "no-json", lambda folder: (folder / "model.json").unlink(), hashes_right=False)
    damage(models, "template-hole", lambda folder: edit_template(folder, lambda text: text.rstrip("\n").rsplit("\n", 1)[0] + "\n"))
    damage(models, "other-template", lambda folder: edit_template(folder, lambda _: TETRAHEDRON))


WRONG_HASHES = {name: {"sha256": 64 * "0"} for name in ("stage1.pt", "stage2.pt", "template.obj", "local_graph.json")}
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


def make_models(out: Path, packages: Path) -> None:
    models = out / "models"
    models.mkdir(parents=True)
    template = out / "icosahedron.obj"
    template.write_text(icosahedron_obj())
    sys.path.insert(0, str(packages))
    from p2mpp.commands.export import export, parse

    masked = ["--image-channels", "4"]
    for name, semantics, more in (("tiny", "clean", []), ("tiny-tf", "tf", []), ("tiny-design_b", "design_b", []),
                                  ("tiny-masked", "clean", masked)):
        export(parse(["--random", "1", "--hidden", "8", "--width", "0.125", "--semantics", semantics,
                      "--template", str(template), "--out", str(models / name), *more]))
    make_damaged(models)
