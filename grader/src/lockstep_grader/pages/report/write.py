# SPDX-License-Identifier: MIT
"""Writes all pages of a report, deletes those that are out of date, and packs them for Moodle.

Moodle takes a zip by "Upload multiple feedback files in a zip". It splits a file's name at its
first four underscores: full name, participant, plugin type, plugin, and the name that the student
sees (mod/assign/feedback/file/importziplib.php).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from lockstep_grader.machine.files import Packed, write_json, write_whole, zipped
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Lab
from lockstep_grader.pages.report.analysis import analyse, analysis_page
from lockstep_grader.pages.report.class_page import (
    Similarity,
    class_page,
    leaderboard_page,
    pair_page,
    student_page,
)
from lockstep_grader.pages.report.render import GENERATOR, Renderer
from lockstep_grader.pages.report.words import page_name, pseudonyms
from lockstep_grader.results.export.words import LeftOut
from lockstep_grader.results.graded import Entry, Results

CLASS, LEADERBOARD = "index.html", "leaderboard.html"
ANALYSIS, ANALYSIS_JSON = "analysis.html", "analysis.json"
STUDENTS, SIMILARITY = "students", "similarity"
_MARK = f'<meta name="generator" content="{GENERATOR}">'.encode()
_HEAD_BYTES = 512  # in which the mark stands


def write_report(
    results: Results,
    labs: Sequence[Lab],
    output: Path,
    *,
    anonymous: bool,
    similarity: Similarity | None,
) -> Path:
    """Writes the pages under `output`; returns the class's. Raises InputError or FaultError."""
    if output.exists() and not output.is_dir():
        raise InputError(f"{output} is not a folder")
    renderer = Renderer()
    names: Mapping[str, str] = {entry.id: entry.name for entry in results.entries}
    if anonymous:
        names = pseudonyms(names, results.folder)
    analysis = analyse(results, labs)
    pages = {
        CLASS: class_page(
            renderer, results, labs, similarity=similarity, board=LEADERBOARD, analysis=ANALYSIS
        ),
        ANALYSIS: analysis_page(renderer, results, labs, analysis, CLASS),
        LEADERBOARD: leaderboard_page(renderer, results, names),
    }
    for pair in similarity.pairs if similarity else ():
        pages[f"{SIMILARITY}/{pair.page}"] = pair_page(renderer, results, pair)
    for name, page in pages.items():
        write_whole(output / name, page.encode())
    write_json(output / ANALYSIS_JSON, analysis)
    for entry in results.entries:  # one at a time: their pictures take room
        name = f"{STUDENTS}/{page_name(entry.id)}"
        pseudonym = names[entry.id] if anonymous else ""
        page = student_page(renderer, results, entry, labs=labs, pseudonym=pseudonym)
        write_whole(output / name, page.encode())
        pages[name] = ""
    _remove_others(output, set(pages))
    return output / CLASS


def _remove_others(output: Path, names: set[str]) -> None:
    """Deletes pages of an earlier report: their scores no longer hold."""
    for folder in (STUDENTS, SIMILARITY):
        for file in sorted((output / folder).glob("*.html")):
            if f"{folder}/{file.name}" not in names and _is_ours(file):
                file.unlink()


def _is_ours(file: Path) -> bool:
    with file.open("rb") as stream:
        return _MARK in stream.read(_HEAD_BYTES)


_PLUGIN = "assignfeedback_file"


def feedback_zip(entries: Sequence[Entry], pages: Path) -> tuple[bytes, tuple[LeftOut, ...]]:
    """The zip, and the students that it leaves out, with the reason.

    `pages` is the folder of the students' pages. Without a participant's number Moodle would not
    know whose a page is.
    """
    files = {}
    left_out = []
    for entry in entries:
        if entry.dispute:
            left_out.append(LeftOut(entry.id, entry.dispute))
        elif not entry.student.participant.isdecimal():
            left_out.append(LeftOut(entry.id, "no participant's number is known; use a roster"))
        else:
            name = f"{_plain(entry.name)}_{entry.student.participant}_{_PLUGIN}_feedback.html"
            files[name] = Packed((pages / page_name(entry.id)).read_bytes())
    return zipped(files), tuple(left_out)


def _plain(name: str) -> str:
    """A name without what ends it for Moodle, or leads out of a zip."""
    return "".join(" " if char in "_/\\" else char for char in name).lstrip(". ~") or "Student"
