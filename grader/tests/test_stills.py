# SPDX-License-Identifier: MIT
"""The stills of handouts: each lab has some, its handout shows them, and they are up to date."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from lockstep_grader.cli.verbs_trace import key_ideas_of, record_key_ideas, still_of
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Lab
from lockstep_grader.pages.site.build import Links
from lockstep_grader.student.trace.model import read_recording
from lockstep_grader.student.trace.page import cells_of
from lockstep_grader.student.trace.record import KeyIdea, read_key_ideas
from lockstep_grader.student.trace.still import draw_still

from recordings import SOURCE, shift
from repository import REPOSITORY, WORKSPACE, each_lab


def drawn(moment: Literal["read", "finding"], *arrays: str) -> str:
    recording = read_recording(shift())
    idea = KeyIdea(
        name="shift", rung="01_first", size=64, alt="a <label>", moment=moment, arrays=arrays,
        array="tile" if moment == "read" else "",
    )  # fmt: skip
    return draw_still(recording, cells_of(recording, [SOURCE], {}), idea)


def words_of(picture: str) -> list[str]:
    root = ET.fromstring(picture)
    return [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]


def test_a_still_says_what_happens_and_shows_the_values() -> None:
    said = words_of(drawn("read"))
    assert said[0] == "shift_kernel, step 10 of 17"
    assert said[1] == "Block 0, warp 0: 32 lanes read tile; 1 wavefront, no bank conflict."
    assert said.count("R") == 32
    assert said.count("31") == 1


def test_a_still_of_a_race_names_both_accesses_and_marks_the_cell() -> None:
    picture = drawn("finding", "tile")
    expected = "A race in block 0: thread 31 reads tile[32], and then thread 32 writes it."
    assert expected in words_of(picture)
    assert picture.count('class="k"') == 1


def test_a_still_has_colours_for_light_and_dark_pages() -> None:
    picture = drawn("read")
    assert "prefers-color-scheme:dark" in picture
    assert 'aria-label="a &lt;label&gt;"' in picture


LISTED = """\
[[trace]]
name = "shift"
rung = "01_first"
size = 64
moment = "write"
array = "tile"
nth = {nth}
alt = "words"
"""


@pytest.mark.parametrize(("nth", "moment"), [("1", 3), ("2", 7), ("-1", 13)])
def test_a_moment_is_found_by_its_array_and_number(tmp_path: Path, nth: str, moment: int) -> None:
    file = tmp_path / "01-demo" / "figures" / "traces.toml"
    file.parent.mkdir(parents=True)
    file.write_text(LISTED.format(nth=nth))
    (idea,) = read_key_ideas(file)
    recording = read_recording(shift())
    names = [array.name for array in recording.arrays]
    assert idea.moment_in(recording, names) == moment
    file.write_text(LISTED.format(nth="99"))
    (idea,) = read_key_ideas(file)
    with pytest.raises(FaultError, match="has 4 such moments, not 99"):
        idea.moment_in(recording, names)


@pytest.mark.parametrize("wrong", ['colour = "red"', 'moment = "sunrise"'])
def test_a_wrong_key_is_named(tmp_path: Path, wrong: str) -> None:
    file = tmp_path / "01-demo" / "figures" / "traces.toml"
    file.parent.mkdir(parents=True)
    name = wrong.split()[0]
    kept = [line for line in LISTED.format(nth=1).splitlines() if not line.startswith(name)]
    file.write_text("\n".join([*kept, wrong]))
    with pytest.raises(FaultError, match=name):
        read_key_ideas(file)


@each_lab
def test_each_handout_shows_its_stills_and_says_how_to_replay_them(lab: Lab) -> None:
    ideas = key_ideas_of(WORKSPACE, lab)
    pages = sorted((REPOSITORY / "labs" / lab.id).glob("*.md"))
    handout = "".join(page.read_text("utf-8") for page in pages)
    shown = re.findall(r"\(figures/(trace_\w+\.svg)\)", handout)
    assert sorted(shown) == sorted(idea.still for idea in ideas)
    for idea in ideas:
        assert idea.mutant or f"`{idea.command}`" in handout
        assert idea.rung in {rung.id for rung in lab.rungs}


def test_a_still_of_the_site_leads_to_its_trace() -> None:
    traces = frozenset({"labs/01-demo/figures/trace_shift.html"})
    links = Links(REPOSITORY, frozenset(), "", traces)
    made = links.fitted("labs/01-demo/README.md", "![a](figures/trace_shift.svg)\n")
    assert made.startswith("[![a](figures/trace_shift.svg)](figures/trace_shift.html)\n")
    assert "step by step](figures/trace_shift.html)" in made
    without = Links(REPOSITORY, frozenset(), "").fitted("labs/01-demo/README.md", made[:5])
    assert without == made[:5]


@pytest.mark.e2e
@pytest.mark.skipif(not WORKSPACE.solutions.is_dir(), reason="a students' copy has no solutions")
@each_lab
def test_no_still_is_out_of_date(lab: Lab) -> None:
    workspace = replace(Workspace.from_environment(), toolchain_file=None)
    for idea, trace in record_key_ideas(workspace, [lab]):
        still = REPOSITORY / "labs" / lab.id / "figures" / idea.still
        advice = f"{idea.still}: docs/bench/measure stills {lab.id} draws it again"
        assert still_of(idea, trace) == still.read_text("utf-8"), advice
