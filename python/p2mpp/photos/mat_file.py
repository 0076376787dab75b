"""The mat as a file to print: PDF or SVG, in its true size."""

from pathlib import Path

from p2mpp.photos.mat import Mat, black, words

POINTS = 72 / 25.4  # of a PDF, in a millimetre


def write_mat(mat: Mat, path: Path) -> None:
    """By the name's ending."""
    made = {".pdf": pdf, ".svg": svg}[path.suffix.lower()](mat)
    path.write_bytes(made)


def svg(mat: Mat) -> bytes:
    """A path for all that is black, and text. Its unit is the millimetre; y points down."""
    width, height = mat.paper.width, mat.paper.height
    squares = "".join(f"M{x:.4f} {height - y - h:.4f}h{w:.4f}v{h:.4f}h{-w:.4f}z" for x, y, w, h in black(mat))
    text = "".join(f'<text x="{x:.3f}" y="{height - y:.3f}" font-size="{size}" font-family="Helvetica, Arial, sans-serif">{line}</text>\n'
                   for x, y, size, line in words(mat))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}mm" height="{height}mm" viewBox="0 0 {width} {height}">\n'
            f'<rect width="{width}" height="{height}" fill="#fff"/>\n'
            f'<path shape-rendering="crispEdges" d="{squares}"/>\n{text}</svg>\n').encode()


def pdf(mat: Mat) -> bytes:
    """One page, whose viewers are asked not to scale it when they print."""
    drawn = [f"{POINTS:.6f} 0 0 {POINTS:.6f} 0 0 cm"]  # millimetres
    drawn += [f"{x:.4f} {y:.4f} {w:.4f} {h:.4f} re" for x, y, w, h in black(mat)] + ["f"]
    for x, y, size, line in words(mat):
        escaped = line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        drawn.append(f"BT /F1 {size} Tf {x:.3f} {y:.3f} Td ({escaped}) Tj ET")
    content = "\n".join(drawn).encode("ascii")
    box = f"[0 0 {mat.paper.width * POINTS:.4f} {mat.paper.height * POINTS:.4f}]"
    objects = [b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
               b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
               f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".encode(),
               b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
               b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    made, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = "".join(f"{place:010d} 00000 n \n" for place in places).encode()
    return (made + b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table) +
            b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(made)))
