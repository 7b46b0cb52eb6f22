# SPDX-License-Identifier: MIT
"""comments.toml: comments are kept whole, find their line again, and reach their student alone."""

import subprocess
import sys
from pathlib import Path

import pytest

from lockstep_grader.model.compat import tomllib
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.policy import Comment
from lockstep_grader.results.comments import (
    FILE,
    MAX_CHARS,
    add_comment,
    read_comments,
    remove_comment,
)

from conftest import LAB, SOURCE_FOLDER, Checkout

SAID = 'one "barrier"\\ is enough:\n\tcount them \x7f\x01 \u2028 é'
CODE = "__syncthreads();"


def comment(text: str = SAID, **changes: object) -> Comment:
    return Comment(**{"student": "ann", "text": text, **changes})  # type: ignore[arg-type]


def test_a_comment_comes_back_as_it_was_written(tmp_path: Path) -> None:
    said = comment(lab=LAB, rung="01_first", line=3, code=CODE)
    add_comment(tmp_path, said)
    add_comment(tmp_path, comment("well done"))
    assert [each.comment for each in read_comments(tmp_path)] == [said, comment("well done")]
    assert tomllib.loads((tmp_path / FILE).read_text())["comment"][1] == {
        "student": "ann",
        "text": "well done",
    }


def test_a_comment_is_removed_unless_it_was_edited_meanwhile(tmp_path: Path) -> None:
    add_comment(tmp_path, comment("one"))
    add_comment(tmp_path, comment("two"))
    first, _ = read_comments(tmp_path)
    file = tmp_path / FILE
    file.write_text(file.read_text().replace('"one"', '"one more"'))
    assert not remove_comment(tmp_path, first.digest)
    edited, _ = read_comments(tmp_path)
    assert remove_comment(tmp_path, edited.digest)
    assert [each.text for each in read_comments(tmp_path)] == ["two"]
    assert not remove_comment(tmp_path, edited.digest)


def test_reviewers_at_once_lose_no_comment(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from lockstep_grader.model.policy import Comment\n"
        "from lockstep_grader.results.comments import add_comment\n"
        "for number in range(25): add_comment(Path(sys.argv[1]), Comment(sys.argv[2], f'{number}'))"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    env = {"PYTHONPATH": str(SOURCE_FOLDER)}
    both = [subprocess.Popen([*command, name], env=env) for name in ("ann", "bob")]
    assert [each.wait(60) for each in both] == [0, 0]
    kept = read_comments(tmp_path)
    for name in ("ann", "bob"):
        assert [each.text for each in kept if each.student == name] == [f"{n}" for n in range(25)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[comment]\n", "not TOML"),
        ('[[comment]]\nstudent = "ann"\n', "comments.toml:1: comment[0].text: is missing"),
        (
            '[[comment]]\nstudent = "ann"\ntext = "x"\nlien = 3\n',
            "toml:4: comment[0].lien: there is no",
        ),
        (
            '[[comment]]\nstudent = "ann"\ntext = "x"\nline = -1\n',
            "toml:4: comment[0].line: is less than",
        ),
        (
            f'[[comment]]\nstudent = "a"\ntext = "{"x" * (MAX_CHARS + 1)}"\n',
            "more than 10000 characters",
        ),
        ("\xff", "comments.toml:1: not UTF-8"),
    ],
)
def test_a_damaged_file_is_one_line_and_is_not_overwritten(
    tmp_path: Path, text: str, says: str
) -> None:
    file = tmp_path / FILE
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"comments\.toml") as refused:
        add_comment(tmp_path, comment())
    assert says in str(refused.value)
    assert file.read_bytes() == text.encode("latin-1")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FaultError, match="cannot write to"):
        add_comment(tmp_path / "none", comment())


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (f"a\nb\n{CODE}\n", 3),
        (f"new\na\nb\n  {CODE}\n", 4),  # moved, and indented
        (f"{CODE}\na\nb\nc\n{CODE}\n", 5),  # the nearest to line 4
        ("a\nb\nc\n", 0),
    ],
)
def test_a_comment_follows_its_line_into_a_later_attempt(source: str, line: int) -> None:
    at = 4 if line == 5 else 3
    settled = comment("why?", lab=LAB, rung="01_first", line=at, code=CODE).settled(source)
    assert settled.line == line
    assert ("about an earlier version: __syncthreads();" in settled.text) == (line == 0)


def test_a_comment_without_the_lines_text_or_a_kept_source_stays_where_it_is() -> None:
    assert comment(line=3).settled("a\n").line == 3
    assert comment(line=3, code=CODE).settled("").line == 3


@pytest.fixture
def results(checkout: Checkout) -> Path:
    folder = checkout.work / "results"
    path = checkout.submission("class/ann", {"01_first": "// one\n// two\n"}).parent
    checkout.submission("class/bob", {})
    checkout.lab("grade", path, "--results", folder)
    add_comment(folder, comment("name <b>it</b>", lab=LAB, rung="01_first", line=1, code="// two"))
    add_comment(folder, comment("well done"))
    return folder


def test_comments_travel_with_pages_and_exports(checkout: Checkout, results: Path) -> None:
    ran = checkout.lab("report", results)
    assert ran.status == 0, ran.err
    pages = {page.name[:3]: page.read_text() for page in (results / "report/students").iterdir()}
    place = f'<span class="file">{LAB}/01_first.cu:2</span>: name &lt;b&gt;it'
    assert place in pages["ann"]
    assert '<span class="note comment">name &lt;b&gt;it&lt;/b&gt;</span>' in pages["ann"]
    assert "well done" in pages["ann"]
    assert "well done" not in pages["bob"]
    said = f"{LAB}/01_first.cu:2: name <b>it</b>"
    gradescope = checkout.lab("export", results, "--format", "gradescope", "--student", "ann")
    assert said in gradescope.out
    explained = checkout.lab("explain", results, "ann", "01")
    assert "comment on line 2:" in explained.out
    other = checkout.lab("explain", results, "ann", "02")
    assert "well done" in other.out
    assert "name" not in other.out.replace("ann", "")


def test_a_comment_on_a_hidden_rung_stays_with_the_instructors(
    checkout: Checkout, results: Path
) -> None:
    rules = checkout.write("course.toml", f'[[lab]]\nid = "{LAB}"\nhidden = ["01_first"]\n')
    assert checkout.lab("report", results, "--course", rules).status == 0
    (page,) = (results / "report/students").glob("ann-*.html")
    assert "01_first" not in page.read_text()
    assert "well done" in page.read_text()
    assert "name" in checkout.lab("explain", results, "ann", "01", "--course", rules).out


def test_a_comment_for_nobody_here_is_reported(checkout: Checkout, results: Path) -> None:
    add_comment(results, comment("hello", student="zoe"))
    for verb in (("report", results), ("export", results, "--format", "csv")):
        ran = checkout.lab(*verb)
        assert ran.status == 0
        assert "comments.toml: no student here is 'zoe'" in ran.err
