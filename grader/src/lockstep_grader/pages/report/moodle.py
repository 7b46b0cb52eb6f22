# SPDX-License-Identifier: MIT
"""Students' pages as the zip that Moodle takes by "Upload multiple feedback files in a zip".

Moodle splits a file's name at its first four underscores: full name, participant, plugin type,
plugin, and the name that the student sees (mod/assign/feedback/file/importziplib.php).
"""

from collections.abc import Sequence
from pathlib import Path

from lockstep_grader.machine.archive import Packed, zipped
from lockstep_grader.pages.report.slugs import page_name
from lockstep_grader.results.export.words import LeftOut
from lockstep_grader.results.graded import Entry

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
