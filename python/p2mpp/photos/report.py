"""report.html: the mesh from all sides, the overlay, all masks, the steps with their times. One file, with its pictures."""

import base64
import html
import io
from pathlib import Path
from typing import Any, Dict, List, Tuple

from PIL import Image

WIDEST = 1600  # pixels of a picture in the page
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1100px; padding: 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
img { max-width: 100%; height: auto; background: #fff; border-radius: 4px; }
.turn { display: grid; grid-template-columns: repeat(auto-fill, minmax(160px, 1fr)); gap: .5rem; }
table { border-collapse: collapse; } td, th { text-align: left; padding: .15rem 1rem .15rem 0; vertical-align: top; }
p.good, p.doubtful, p.poor { border-left: .4rem solid; padding-left: .6rem; }
p.good { border-color: #2a9d4e; } p.doubtful { border-color: #d9a400; } p.poor { border-color: #c8322b; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
"""


def picture(path: Path, alternative: str) -> str:
    with Image.open(path) as image:
        image = image.convert("RGB")
        image.thumbnail((WIDEST, 100 * WIDEST))
        data = io.BytesIO()
        image.save(data, "JPEG", quality=85)
    return (f'<img alt="{html.escape(alternative)}" loading="lazy" '
            f'src="data:image/jpeg;base64,{base64.b64encode(data.getvalue()).decode()}">')


def section(title: str, body: str) -> str:
    return f"<h2>{html.escape(title)}</h2>\n{body}\n"


def graded(grade: Dict[str, Any]) -> str:
    return f"<p class={grade['grade']}><strong>{html.escape(grade['grade'].capitalize())}</strong>: {html.escape(grade['reason'])}</p>"


def steps_table(document: Dict[str, Any]) -> str:
    rows = [f"<tr><td>{html.escape(step['step'])}</td><td class=number>{step['seconds']:.1f} s</td>"
            f"<td>{html.escape(step['says'])}</td></tr>" for step in document["steps"]]
    return "<table><tr><th>step</th><th>time</th><th>result</th></tr>" + "".join(rows) + "</table>"


def size_table(size: Dict[str, Any]) -> str:
    """size: as photos.json has it."""
    errors = size["standard_errors"]
    rows = [("width, height, depth", " x ".join(f"{each:.1f}" for each in size["millimetres"]) + " mm")] if size["millimetres"] else []
    rows += [("a unit of the cameras", f"{size['millimetres_per_unit']:.6g} mm, by {size['by']}"),
             ("standard error of the scale", f"{errors['scale']:.2%}")]
    if "up_degrees" in errors:
        bar = "as measured" if size["bar_measured"] else "as designed, not measured"
        rows += [("standard error of up", f"{errors['up_degrees']:.2f} degrees"),
                 ("standard error of the ground", f"{errors['ground_millimetres']:.2f} mm"),
                 ("the mat's bar", f"{size['printed_bar']:g} mm, {bar}")]
    return facts_table(rows)


def facts_table(rows: List[Tuple[str, str]]) -> str:
    return "<table>" + "".join(f"<tr><td>{html.escape(name)}</td><td>{html.escape(text)}</td></tr>" for name, text in rows) + "</table>"


def solid_table(found: Dict[str, Any]) -> str:
    """found: as p2mpp finish --json has it."""
    crossing = found["intersecting_faces"]
    rows = [("closed", "yes" if found["closed"] else "no"), ("manifold", "yes" if found["manifold"] else "no"),
            ("wound outward", "yes" if found["oriented"] else "no"),
            ("faces through others", str(crossing) if crossing else "none"), ("faces", str(found["faces"])),
            ("bodies", str(found["bodies"]))]
    if found["unit"] and found["volume"] is not None:
        rows += [("area", f"{found['area'] / 100:.4g} cm2"), ("volume", f"{found['volume'] / 1000:.4g} cm3")]
        wall = found["thinnest_wall"]
        rows += [("thinnest wall", f"{wall['thickness']:.3g} mm")] if wall else []
    return facts_table(rows)


def write_report(path: Path, document: Dict[str, Any], pictures: List[Tuple[str, str, List[Path]]]) -> None:
    """document: as photos.json has it. pictures: (title, text, files)."""
    name = document["name"]
    files = [html.escape(Path(each).name) for each in document["files"]]
    links = " · ".join(f'<a href="{each}">{each}</a>' for each in files)
    parts = [f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
             f"<title>{html.escape(name)}</title><style>{STYLE}</style><h1>{html.escape(name)}</h1>{graded(document['grade'])}<p>{links}</p>"]
    for title, text, files in pictures:
        shown = [picture(each, f"{title}: {each.stem}") for each in files if each.is_file()]
        if shown:
            body = f"<div class=turn>{''.join(shown)}</div>" if len(shown) > 1 else shown[0]
            parts.append(section(title, (f"<p>{html.escape(text)}</p>" if text else "") + body))
    if document["size"]:
        parts.insert(1, section("Size", size_table(document["size"])))
    if document["certificate"]:
        parts.append(section("As a solid", solid_table(document["certificate"])))
    parts.append(section("Steps", steps_table(document)))
    if document["notes"]:
        parts.append(section("Notes", "<ul>" + "".join(f"<li>{html.escape(note)}</li>" for note in document["notes"]) + "</ul>"))
    path.write_text("\n".join(parts), encoding="utf-8", errors="replace")
