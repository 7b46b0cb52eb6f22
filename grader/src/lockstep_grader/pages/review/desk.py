# SPDX-License-Identifier: MIT
"""What a reviewer sees and does: one rung of one student at a time, with its comments."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lockstep_grader.model.grades import Lab, Points, Rung
from lockstep_grader.model.policy import Comment
from lockstep_grader.pages.report.pseudonyms import pseudonyms
from lockstep_grader.pages.report.render import Renderer
from lockstep_grader.pages.report.rung_view import RungView, view_rung
from lockstep_grader.pages.report.slugs import page_name
from lockstep_grader.results.comments import (
    MAX_CHARS,
    Kept,
    add_comment,
    read_comments,
    remove_comment,
)
from lockstep_grader.results.graded import Entry, Results

_SNIPPETS = 9  # as many as there are keys from 1 to 9
_LINE_DIGITS = 9  # more are no line number


class NotFoundError(Exception):
    """No such student or rung."""


class RefusedError(Exception):
    """A change that cannot be made; the message says why."""


class Remark(NamedTuple):
    """A comment at its line of this very source, and what names it in the file."""

    comment: Comment
    digest: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """One student's rung; addresses are relative to the desk's own."""

    address: str
    name: str
    number: int  # of the student, from 1
    count: int
    lab: str
    rung: str
    view: RungView | None  # None: the student was not graded on it
    problem: str
    remarks: tuple[Remark, ...]
    snippets: tuple[str, ...]
    rungs: tuple[tuple[str, str], ...]  # each rung's name and address
    before: str
    after: str
    rung_before: str
    rung_after: str


class Desk:
    def __init__(self, results: Results, labs: Sequence[Lab], *, anonymous: bool) -> None:
        """Raises FaultError if pseudonyms cannot be kept."""
        self._results = results
        self._folder = results.folder
        names: Mapping[str, str] = {entry.id: entry.name for entry in results.entries}
        if anonymous:
            names = pseudonyms(names, results.folder)
        self._anonymous = anonymous
        self._names = names
        # The order of names would give away who is who.
        order = sorted(results.entries, key=lambda entry: names[entry.id]) if anonymous else None
        self._entries = {
            page_name(names[entry.id] if anonymous else entry.id).removesuffix(".html"): entry
            for entry in order or results.entries
        }
        graded = {(lab.id, rung.id) for entry in results.entries for lab, rung in entry.rungs}
        self._rungs = sorted(graded)
        self._models = {(lab.id, rung.id): rung for lab in labs for rung in lab.rungs}
        self._renderer = Renderer()

    @property
    def start(self) -> str:
        """The address of the first sheet; empty where nothing was graded."""
        if not self._entries or not self._rungs:
            return ""
        return self._address(next(iter(self._entries)), *self._rungs[0])

    def page(self, address: str) -> str:
        """The page at `address`. Raises NotFoundError, or InputError for a damaged file."""
        sheet = self.sheet(address)
        return self._renderer.page(
            "review.html.j2",
            script_file="review.js",
            forms=True,
            sheet=sheet,
            results=self._results,
            max_chars=MAX_CHARS,
        )

    def sheet(self, address: str) -> Sheet:
        slug, entry, (lab, rung) = self._at(address)
        kept = read_comments(self._folder)
        own = tuple(each for each in kept if each.student in entry.names)
        students, here = list(self._entries), (lab, rung)
        at, of = students.index(slug), self._rungs.index(here)
        text = self._results.source(entry, lab, rung)
        return Sheet(
            address=address,
            name=self._names[entry.id],
            number=at + 1,
            count=len(students),
            lab=lab,
            rung=rung,
            view=self._view(entry, [each.comment for each in own], here),
            problem="" if self._anonymous else entry.problem,
            remarks=tuple(
                Remark(each.comment.settled(text), each.digest)
                for each in own
                if (each.lab, each.rung) in (here, ("", ""))
            ),
            snippets=_snippets(kept),
            rungs=tuple(("/".join(each), self._address(slug, *each)) for each in self._rungs),
            before=self._address(students[at - 1], *here) if at else "",
            after=self._address(students[at + 1], *here) if at + 1 < len(students) else "",
            rung_before=self._address(slug, *self._rungs[of - 1]) if of else "",
            rung_after=(
                self._address(slug, *self._rungs[of + 1]) if of + 1 < len(self._rungs) else ""
            ),
        )

    def change(self, address: str, fields: Mapping[str, str]) -> str:
        """Does what the page's form asks for; returns the address to show then.

        Raises NotFoundError, RefusedError, InputError or FaultError.
        """
        _, entry, (lab, rung) = self._at(address)
        text = fields.get("text", "").replace("\r\n", "\n").strip()
        if fields.get("remove"):
            if not remove_comment(self._folder, fields["remove"]):
                raise RefusedError("another reviewer has changed or removed this comment; go back")
            return address
        if not text or len(text) > MAX_CHARS:
            raise RefusedError(f"a comment has 1 to {MAX_CHARS} characters; go back")
        about = fields.get("about")
        if about == "student":
            add_comment(self._folder, Comment(entry.id, text))
            return address
        if about == "rung":
            add_comment(self._folder, Comment(entry.id, text, lab, rung))
            return address
        if about == "line":
            line, code = self._line(entry, lab, rung, fields.get("line", ""))
            add_comment(self._folder, Comment(entry.id, text, lab, rung, line, code))
            return f"{address}#{lab}-{rung}-L{line}"
        raise RefusedError("a comment is about a line, a rung or the student; go back")

    def _line(self, entry: Entry, lab: str, rung: str, number: str) -> tuple[int, str]:
        """The number of a line of the source, and what the line says."""
        text = self._results.source(entry, lab, rung).removesuffix("\n")
        lines = text.split("\n") if text else []
        if number.isdecimal() and len(number) < _LINE_DIGITS and 0 < int(number) <= len(lines):
            return int(number), lines[int(number) - 1].strip()
        known = f"has lines 1 to {len(lines)}" if lines else "was not kept"
        raise RefusedError(f"the source {known}; go back")

    def _view(
        self, entry: Entry, comments: Iterable[Comment], here: tuple[str, str]
    ) -> RungView | None:
        seen = self._results.commented(comments)
        shown = next(each for each in seen.entries if each.id == entry.id)
        for lab, result in shown.rungs:
            if (lab.id, result.id) == here:
                bare = Rung(result.id, result.id, Points(0, 0, 0))
                model = self._models.get(here, bare)
                return view_rung(self._results, shown, lab.id, model, result, folded=False)
        return None

    def _at(self, address: str) -> tuple[str, Entry, tuple[str, str]]:
        slug, _, rest = address.partition("/")
        lab, _, rung = rest.partition("/")
        if slug not in self._entries or (lab, rung) not in self._rungs:
            raise NotFoundError(address)
        return slug, self._entries[slug], (lab, rung)

    @staticmethod
    def _address(slug: str, lab: str, rung: str) -> str:
        return f"{slug}/{lab}/{rung}"


def _snippets(kept: Iterable[Kept]) -> tuple[str, ...]:
    """Texts to use again, the most used first."""
    return tuple(text for text, _ in Counter(each.text for each in kept).most_common(_SNIPPETS))
