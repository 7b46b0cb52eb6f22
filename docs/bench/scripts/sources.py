# SPDX-License-Identifier: MIT
"""Finds figures older than the code they describe, and writes files and tables. `docs/bench/measure older` runs it; by hand:

    python3 docs/bench/scripts/sources.py record FIGURES [SOURCE...]  # after measuring; FIGURES lies in docs/bench
    python3 docs/bench/scripts/sources.py older                       # writes the table into docs/measured.md

docs/bench/sources.json holds, for each file of figures, the key of each solution as it was when it was measured. A key
is a hash of the solution's code. Comments, texts, layout and headers do not count. Runs without any package.
"""

import hashlib
import json
import re
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
BENCH = ROOT / "docs" / "bench"
sys.path.insert(0, str(ROOT / "grader" / "src"))
SOURCES = BENCH / "sources.json"
PAGE = ROOT / "docs" / "measured.md"
TEXT_OR_SPACE = re.compile(
    r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|\s+', re.DOTALL
)  # what no kernel is made of


def as_records(report: dict[str, Any]) -> str:
    from lockstep_grader.machine import files

    return files.as_records(report)


def write_table(page: Path, name: str, table: str) -> None:
    """Replaces what stands between the page's markers `name`:begin and `name`:end."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    before, opened, rest = page.read_text("utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not (opened and closed):
        raise SystemExit(f"{page.name}: no {begin} with its end")
    page.write_text(f"{before}{begin}\n\n{table}\n\n{end}{after}", "utf-8")


def code(text: str) -> str:
    """Without comments, texts and white space."""
    return TEXT_OR_SPACE.sub("", text)


def key(text: str) -> str:
    return hashlib.sha256(code(text).encode()).hexdigest()[:16]


def key_of(path: str) -> str | None:
    """The key of the file at `path` from the top level; None if it no longer exists."""
    file = ROOT / path
    return key(file.read_text("utf-8")) if file.is_file() else None


def recorded() -> dict[str, dict[str, str]]:
    keys: dict[str, dict[str, str]] = json.loads(SOURCES.read_text("utf-8"))
    return keys


def record(figures: str, sources: list[str], labs: Collection[str] = ()) -> None:
    """The keys of `sources`, and of those that the figures already describe and that still exist.

    With `labs`, the sources of other labs keep their keys."""
    keys = recorded()
    known = [path for path in keys.get(figures, {}) if (ROOT / path).is_file()]
    sources = sorted({*known, *sources})
    page = figures.partition("#")[0]  # the rest names a section of it
    missing = [path for path in (f"docs/bench/{page}", *sources) if not (ROOT / path).is_file()]
    if missing:
        sys.exit(f"sources.py: no such file: {', '.join(missing)}")
    old = keys.get(figures, {})
    is_new = {path: not labs or path not in old or path.split("/")[1] in labs for path in sources}
    keys[figures] = {path: key_of(path) if is_new[path] else old[path] for path in sources}
    ordered = {name: dict(sorted(keys[name].items())) for name in sorted(keys)}
    SOURCES.write_text(as_records(ordered) + "\n", "utf-8")


def changed(figures: str) -> list[str]:
    """The solutions that have changed since these figures were measured."""
    keys = recorded().get(figures, {})
    return [path for path, old in sorted(keys.items()) if key_of(path) != old]


def older() -> str:
    """A table of the figures whose solutions have changed since."""
    lines = ["| figures | of solutions that changed since |", "|---|---|"]
    for figures in sorted(recorded()):
        if paths := changed(figures):
            names = ", ".join(
                f"`{path.removeprefix('solutions/').removesuffix('.cu')}`" for path in paths
            )
            lines.append(f"| [{figures}](bench/{figures}) | {names} |")
    return "\n".join(lines) if len(lines) > 2 else "There are none."


def write_older() -> None:
    """Writes the table of `older` into docs/measured.md."""
    write_table(PAGE, "older", older())


def main() -> None:
    match sys.argv[1:]:
        case ["record", figures, *sources]:
            record(figures, sources)
        case ["older"]:
            write_older()
        case _:
            sys.exit("sources.py: record FIGURES [SOURCE...], or older; see the head of this file")


if __name__ == "__main__":
    main()
