"""Tables of Markdown, as all measurements write them."""

from typing import Any, Iterable, Sequence


def line(cells: Iterable[Any]) -> str:
    """One row. A cell that is None has nothing between its bars, not even blanks."""
    return "|" + "".join(" |" if cell is None else f" {cell} |" for cell in cells)


def table(header: Sequence[Any], rows: Iterable[Iterable[Any]], text_columns: int = 1,
          dense: bool = False) -> str:
    """All but the first columns, which hold text, are set to the right. Dense: the line below the
    header has no blanks."""
    dashes = ["---"] * text_columns + ["---:"] * (len(header) - text_columns)
    rule = f"|{'|'.join(dashes)}|" if dense else line(dashes)
    return "\n".join([line(header), rule, *map(line, rows)]) + "\n"
