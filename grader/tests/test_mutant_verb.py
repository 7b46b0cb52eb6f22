# SPDX-License-Identifier: MIT
"""`mutant`: a wrong submission shown whole, as a difference, and written back from an editor."""

import sys
import textwrap
from pathlib import Path

import pytest

from lockstep_grader.author.mutant_edit import draft_of, stored
from lockstep_grader.author.mutants import WHOLE, Mutant, read_fields, read_mutants, solution_of
from lockstep_grader.intake.catalog import read_labs

from conftest import LAB, LAB_TOML, Checkout
from repository import REPOSITORY, WORKSPACE

SOLUTION = "// SPDX-License-Identifier: MIT\n" + "".join(f"line {i};\n" for i in range(1, 21))
HEADER = """\
// SPDX-License-Identifier: MIT
// mutant of: 01_first
// mistake: 4, the tail is dropped
// expect: failed wrong_result
"""
EDIT = HEADER + "@@\n-line 7;\n+line 8;\n"
FOLDER = f"solutions/{LAB}/mutants"
FILE = f"{FOLDER}/tail.edit"


@pytest.fixture
def author(checkout: Checkout) -> Checkout:
    checkout.submission("solutions", {"01_first": SOLUTION})
    checkout.write(FILE, EDIT)
    return checkout


@pytest.fixture
def editor(author: Checkout, monkeypatch: pytest.MonkeyPatch) -> "Editor":
    return Editor(author, monkeypatch)


class Editor:
    """An editor that runs Python on `text`, and keeps what it was shown."""

    def __init__(self, checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
        self._script = checkout.root / "editor.py"
        self._seen = checkout.root / "seen.txt"
        monkeypatch.setenv("VISUAL", f"{sys.executable} {self._script}")
        self.does("")

    def does(self, code: str) -> None:
        self._script.write_text(
            "import sys\nfrom pathlib import Path\nfile = Path(sys.argv[1])\n"
            f"text = file.read_text()\nPath({str(self._seen)!r}).write_text(text)\n"
            f"{code}\nfile.write_text(text)\n"
        )

    @property
    def seen(self) -> str:
        return self._seen.read_text()


def text(checkout: Checkout, file: str = FILE) -> str:
    return (checkout.root / file).read_text()


def test_show_prints_the_whole_submission(author: Checkout) -> None:
    for name in ("tail", f"{LAB}/tail", "01/tail", FILE):
        ran = author.lab("mutant", "show", name)
        assert (ran.status, ran.out) == (0, SOLUTION.replace("line 7;", "line 8;"))


def test_diff_is_unified_and_names_both_files(author: Checkout) -> None:
    ran = author.lab("mutant", "diff", "tail")
    lines = ran.out.splitlines()
    assert lines[:2] == [f"--- solutions/{LAB}/01_first.cu", f"+++ {FILE}"]
    assert [line for line in lines[3:] if line[0] in "+-"] == ["-line 7;", "+line 8;"]


def test_a_whole_file_is_shown_and_compared_too(author: Checkout) -> None:
    author.write(f"{FOLDER}/other.cu", f"{HEADER}other;\n")
    assert author.lab("mutant", "show", "other").out == f"{HEADER}other;\n"
    assert "mistake" not in author.lab("mutant", "diff", "other").out


def test_an_unknown_name_gets_the_nearest_ones(author: Checkout) -> None:
    said = author.refusal("mutant", "show", "tial")
    assert "there is no mutant called 'tial'; did you mean 01-demo/tail?" in said
    assert "./lab mutant edit tial --of LAB/RUNG makes a new one" in said
    assert "did you mean" not in author.lab("mutant", "show", "trap").complaint


def test_a_name_that_two_labs_have_must_say_the_lab(author: Checkout) -> None:
    author.write("labs/02-more/lab.toml", LAB_TOML.replace('"01-demo"', '"02-more"'))
    author.write("solutions/02-more/mutants/tail.edit", EDIT)
    assert "say 01-demo/tail or 02-more/tail" in author.refusal("mutant", "show", "tail")
    assert author.lab("mutant", "show", "01/tail").status == 0


def test_a_students_copy_has_no_mutants(author: Checkout) -> None:
    (author.root / "solutions").rename(author.root / "elsewhere")
    assert "students' copy" in author.refusal("mutant", "show", "tail")


def test_edit_shows_the_whole_text_and_writes_the_difference(
    author: Checkout, editor: Editor
) -> None:
    editor.does("text = text.replace('line 3;', 'line 33;').replace('tail is', 'end is')")
    ran = author.lab("mutant", "edit", "tail")
    assert (ran.status, ran.out) == (0, f"{FILE}\n")
    assert editor.seen == HEADER + SOLUTION.replace("line 7;", "line 8;").partition("\n")[2]
    changed = EDIT.replace("tail is", "end is").replace("@@", "@@\n-line 3;\n+line 33;\n@@", 1)
    assert text(author) == changed


def test_an_unchanged_text_writes_nothing(author: Checkout, editor: Editor) -> None:
    author.write(FILE, EDIT + "\n\n")
    ran = author.lab("mutant", "edit", "tail")
    assert (ran.status, ran.out) == (0, "tail: not changed, so nothing was written\n")
    assert text(author) == EDIT + "\n\n"


def test_a_new_mutant_begins_as_the_solution(author: Checkout, editor: Editor) -> None:
    editor.does(
        "text = text.replace('// mistake:', '// mistake: 6, past the end')"
        ".replace('line 20;', 'line 21;')"
    )
    ran = author.lab("mutant", "edit", "past_end", "--of", "01/01")
    assert ran.out == f"{FOLDER}/past_end.edit\n"
    assert "// mutant of: 01_first\n// mistake:\n// expect: failed wrong_result\n" in editor.seen
    written = text(author, f"{FOLDER}/past_end.edit")
    assert written.endswith(
        "// mistake: 6, past the end\n// expect: failed wrong_result\n@@\n-line 20;\n+line 21;\n"
    )


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("edit", "tail", "--of", "01/01"), "tail.edit is there already; leave out --of"),
        (("edit", "new", "--of", "01"), "say which rung, as in 01-demo/01_first"),
        (("edit", "../x y", "--of", "01/01"), "a mutant's name has small letters"),
        (("show", "new", "--of", "01/01"), "./lab mutant edit new --of 01/01"),
    ],
)
def test_what_cannot_be_made_is_refused(
    author: Checkout, words: tuple[str, ...], complaint: str
) -> None:
    assert complaint in author.refusal("mutant", *words)


def test_another_design_is_stored_whole_and_back_again(author: Checkout, editor: Editor) -> None:
    editor.does("text = text.replace('line', 'word')")
    assert author.lab("mutant", "edit", "tail").out == f"{FOLDER}/tail.cu\n"
    assert not (author.root / FILE).exists()
    assert text(author, f"{FOLDER}/tail.cu").startswith(HEADER + "word 1;\n")
    editor.does("text = text.replace('word', 'line')")
    assert author.lab("mutant", "edit", "tail").out == f"{FILE}\n"
    assert text(author) == EDIT
    assert not (author.root / f"{FOLDER}/tail.cu").exists()


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("text = text.replace('line 8;\\nline 8;', 'line 7;\\nline 8;')", "nothing differs"),
        ("text = text.replace('01_first', '09_none')", "no rung of 01-demo called '09_none'"),
        ("text = text.replace('wrong_result', 'bad_luck')", "'bad_luck' is not a valid"),
        ("text = text.replace('// expect', '// line: line 99;\\n// expect')", "no line is"),
        ("sys.exit(3)", "ended with status 3, so nothing was written"),
    ],
)
def test_a_text_that_makes_no_mutant_is_kept_beside(
    author: Checkout, editor: Editor, code: str, problem: str
) -> None:
    editor.does(code)
    ran = author.lab("mutant", "edit", "tail")
    assert ran.status == 2
    assert problem in ran.complaint
    assert text(author) == EDIT
    if "exit" not in code:
        kept = Path(ran.complaint.rpartition("your text, which is kept in ")[2])
        assert "// mutant of:" in kept.read_text()


def test_without_an_editor_it_says_what_to_set(
    author: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", "/no/such/editor --wait")
    assert "set VISUAL or EDITOR" in author.lab("mutant", "edit", "tail").complaint


def test_after_the_solution_moved_edit_shows_what_no_longer_fits(
    author: Checkout, editor: Editor
) -> None:
    author.write(FILE, EDIT + "@@\n-line 12;\n+line 13;\n")
    author.submission("solutions", {"01_first": SOLUTION.replace("line 7;", "line seven;")})
    assert author.refusal("mutant", "show", "tail", status=3) == (
        f"lab: {FILE}: block 1 is not in solutions/{LAB}/01_first.cu: the solution moved; "
        f"run ./lab mutant edit {LAB}/tail"
    )
    editor.does("text = text.replace('line seven;', 'line eight;')")
    assert author.lab("mutant", "edit", "tail").status == 0
    assert "//! Block 1 is not in 01_first.cu. Make its change by hand" in editor.seen
    assert "//! -line 7;\n//! +line 8;\n" in editor.seen
    assert "line 11;\nline 13;\nline 13;\n" in editor.seen
    blocks = "@@\n-line seven;\n+line eight;\n@@\n-line 12;\n+line 13;\n"
    assert text(author) == HEADER + blocks


# ---- the mutants of this repository fit today's solutions; lint proves how each is caught


needs_solutions = pytest.mark.skipif(
    not WORKSPACE.solutions.is_dir(), reason="a students' copy has no mutants"
)


@pytest.fixture(scope="module")
def mutants() -> list[tuple[Path, Mutant]]:
    return [
        (solution_of(WORKSPACE, lab, mutant.rung), mutant)
        for lab in read_labs(WORKSPACE)
        for mutant in read_mutants(WORKSPACE, lab)
    ]


@needs_solutions
def test_every_mutant_fits_todays_solution(mutants: list[tuple[Path, Mutant]]) -> None:
    assert len(mutants) > 400
    assert [mutant.problem for _, mutant in mutants if mutant.problem] == []


@needs_solutions
def test_every_mutant_is_stored_as_edit_would_store_it(
    mutants: list[tuple[Path, Mutant]],
) -> None:
    """Blocks as short as can be; a whole file where a mutant is another design."""
    differing = []
    for solution, mutant in mutants:
        text = mutant.file.read_text("utf-8")
        is_whole = mutant.file.suffix == WHOLE
        draft = text if is_whole else draft_of(mutant.text, read_fields(text))
        suffix, again = stored(solution.read_text("utf-8"), draft)
        if (suffix, again) != (mutant.file.suffix, text):
            differing.append(WORKSPACE.shown(mutant.file))
    assert differing == []


@needs_solutions
def test_the_manual_shows_a_mutant_as_it_is() -> None:
    page = (REPOSITORY / "docs" / "authors.md").read_text("utf-8")
    file = WORKSPACE.solutions / "01-reduction" / "mutants" / "past_the_end.edit"
    assert textwrap.indent(file.read_text("utf-8"), "    ") in page
