# SPDX-License-Identifier: MIT
"""Makes the README's picture: what `./lab check` says of a rung without its barrier.

.venv/bin/python docs/figures/check_figure.py [FOLDER]

The words are the command's own output for a fixed seed; nothing is written by hand.
"""

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[2]
LAB, RUNG = "01-reduction", "02_interleaved"
BARRIER = "    __syncthreads();  // tile[2 * t + stride] was written by another thread\n"
COMMAND = ["./lab", "check", f"{LAB}/{RUNG}"]
WIDTH = 100  # columns
SHOWN_LINES = 11  # the first finding; the whole output is four times as long
SHORT_OF_FULL_MARKS = 1  # the exit status that a wrong rung must get

# rich's own format loads a font from the network, which a page may not; this one does not.
FORMAT = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<!-- SPDX-License-Identifier: MIT. Made by check_figure.py. -->
<title>./lab check names the race, its line and both threads</title>
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font: bold 18px sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def without_barrier(source: str) -> str:
    """The solution with the mistake that the picture shows."""
    if source.count(BARRIER) != 1:
        raise SystemExit(f"{RUNG}.cu has another barrier than this script removes")
    return source.replace(BARRIER, "")


def checked() -> str:
    """The output of the check, with its colours."""
    solution = (ROOT / "solutions" / LAB / f"{RUNG}.cu").read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        wrong = Path(folder) / LAB / f"{RUNG}.cu"
        wrong.parent.mkdir()
        wrong.write_text(without_barrier(solution), "utf-8")
        done = subprocess.run(
            [*COMMAND, "--from", folder, "--seed", "7", "--backend", "cpu"],
            cwd=ROOT,
            env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "LC_ALL": "C.UTF-8"},
            stdout=subprocess.PIPE,
            text=True,
        )
    if done.returncode != SHORT_OF_FULL_MARKS:
        raise SystemExit(f"the check ended with status {done.returncode}")
    return done.stdout


def draw(output: str) -> str:
    console = Console(record=True, width=WIDTH, file=io.StringIO(), highlight=False)
    console.print(Text.assemble(("$ ", "bold green"), " ".join(COMMAND)))
    for line in output.splitlines()[:SHOWN_LINES]:
        console.print(Text.from_ansi(line.rstrip()))
    console.print(Text("    ...", "dim"))
    svg = console.export_svg(title="", code_format=FORMAT, unique_id="check")
    return "".join(f"{line.rstrip()}\n" for line in svg.splitlines() if line.strip())


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent
    (folder / "check.svg").write_text(draw(checked()), "utf-8")
