# SPDX-License-Identifier: MIT
"""Makes up a class: submissions out of solutions, starters and mutants of three labs.

python3 docs/figures/example_class.py FOLDER
"""

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "grader" / "src"))

from lockstep_grader.author.mutants import read_mutants, without_fields  # noqa: E402
from lockstep_grader.intake.catalog import find_lab, read_labs  # noqa: E402
from lockstep_grader.machine.workspace import Workspace  # noqa: E402

LABS = ("00-threads", "01-reduction", "05-summed-area-table")

# What is not a solution: rungs left as starters, and wrong files by lab.
STUDENTS: dict[str, tuple[tuple[str, ...], dict[str, tuple[str, ...]]]] = {
    "student-01": ((), {}),
    "student-02": (
        (),
        {"01-reduction": ("barrier_missing",), "05-summed-area-table": ("rounded_down",)},
    ),
    "student-03": (
        ("01-reduction/06", "01-reduction/07", "05-summed-area-table/04"),
        {"00-threads": ("leak",), "05-summed-area-table": ("focus_ignored", "strided_rows")},
    ),
    "student-04": (
        ("01-reduction/06", "05-summed-area-table"),
        {
            "00-threads": ("bounds_unchecked",),
            "01-reduction": ("tail_items_dropped", "min_swallows_nan"),
        },
    ),
    "student-05": (
        ("01-reduction/05", "01-reduction/06", "01-reduction/07", "05-summed-area-table"),
        {"00-threads": ("x_and_y_swapped",), "01-reduction": ("barrier_missing", "strided_loads")},
    ),
    "student-06": (
        ("01-reduction", "05-summed-area-table"),
        {"00-threads": ("error_unchecked", "leak")},
    ),
    "student-07": (
        ("05-summed-area-table/04", "05-summed-area-table/06"),
        {"01-reduction": ("half_warp_shuffle",), "05-summed-area-table": ("tail_rows_dropped",)},
    ),
    "student-08": (LABS, {}),
}


def make_class(folder: Path) -> None:
    workspace = Workspace(ROOT, ROOT / "build")
    labs = read_labs(workspace)
    mutants = {
        lab: {each.name: each for each in read_mutants(workspace, find_lab(labs, lab))}
        for lab in LABS
    }
    for student, (unwritten, wrong) in STUDENTS.items():
        for lab in LABS:
            target = folder / student / lab
            target.mkdir(parents=True, exist_ok=True)
            for solution in sorted((ROOT / "solutions" / lab).glob("*.cu")):
                is_open = any(f"{lab}/{solution.stem}".startswith(left) for left in unwritten)
                source = ROOT / "labs" / lab / solution.name if is_open else solution
                shutil.copyfile(source, target / solution.name)
            for name in wrong.get(lab, ()):
                mutant = mutants[lab][name]
                (target / mutant.rung.file_name).write_text(without_fields(mutant.text))


if __name__ == "__main__":
    make_class(Path(sys.argv[1]))
