# SPDX-License-Identifier: MIT
"""Helps the scripts that draw figures, here and in labs/*/figures.

Each script writes its figures into its own folder, or into the folder that its command line names.
"""

import sys
from pathlib import Path

Attribute = float | str | None


def tag(name: str, content: object = None, **attributes: Attribute) -> str:
    """One element. `class_` is class, `text_anchor` is text-anchor, and None leaves out."""
    words = [name]
    for key, value in attributes.items():
        if value is not None:
            written = value if isinstance(value, str) else f"{value:g}"
            words.append(f'{key.rstrip("_").replace("_", "-")}="{written}"')
    opening = " ".join(words)
    return f"<{opening}/>" if content is None else f"<{opening}>{content}</{name}>"


def text(x: float, y: float, words: object, style: str = "", anchor: str | None = "middle") -> str:
    return tag("text", words, x=x, y=y, text_anchor=anchor, class_=style or None)


def box(x: float, y: float, width: float, height: float, style: str) -> str:
    return tag("rect", x=x, y=y, width=width, height=height, class_=style)


def path(steps: str, style: str) -> str:
    return tag("path", d=steps, class_=style)


def svg(
    width: int, height: int, label: str, style: str, shapes: list[str], made: str = "Made"
) -> str:
    """A whole picture; `style` also gives the colours for readers who prefer dark pages."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{label}">'
    )
    note = f"<!-- SPDX-License-Identifier: MIT. {made} by {Path(sys.argv[0]).name}. -->"
    return "\n".join([head, note, f"<style>\n{style}\n</style>", *shapes, "</svg>", ""])


def target(name: str) -> Path:
    """Where the running script writes the file of this name."""
    return (Path(sys.argv[1]) if sys.argv[1:] else Path(sys.argv[0]).parent) / name


def save(name: str, drawn: str) -> None:
    try:
        target(name).write_text(drawn, "utf-8")
    except OSError as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {error}")


class Drawing:
    """A picture in the making. Each text names its class, even an empty one."""

    def __init__(
        self, width: int, height: int, label: str, style: str, anchor: str | None = None
    ) -> None:
        self._head = width, height, label, style
        self._anchor = anchor
        self._shapes: list[str] = []

    def text(
        self, x: float, y: float, words: object, style: str = "", anchor: str | None = None
    ) -> None:
        anchor = anchor or self._anchor
        self._shapes.append(tag("text", words, x=x, y=y, text_anchor=anchor, class_=style))

    def box(self, x: float, y: float, width: float, height: float, style: str) -> None:
        self._shapes.append(box(x, y, width, height, style))

    def save(self, name: str) -> None:
        save(name, svg(*self._head, self._shapes))
