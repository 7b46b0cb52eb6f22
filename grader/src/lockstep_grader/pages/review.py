# SPDX-License-Identifier: MIT
"""The page on which an instructor reads submissions and comments, served to this machine alone.

Every address contains a secret token. The name in Host must be ours, so that no foreign name can be
made to lead here, and a form must come from a page of ours. Nothing is served from the disk.
"""

import hmac
import math
import re
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qsl

from lockstep_grader.model.errors import LockstepError
from lockstep_grader.model.grades import Lab
from lockstep_grader.model.policy import Comment
from lockstep_grader.pages.report.render import Renderer
from lockstep_grader.pages.report.rung_view import RungView, bare, view_rung
from lockstep_grader.pages.report.words import page_name, pseudonyms
from lockstep_grader.results.comments import (
    MAX_CHARS,
    MAX_POINTS,
    Kept,
    add_comment,
    read_comments,
    remove_comment,
)
from lockstep_grader.results.graded import Entry, Results

_SNIPPETS = 9  # as many as there are keys from 1 to 9
_LINE_DIGITS = 9  # more are no line number


def _points(said: str) -> float:
    try:
        points = float(said or 0)
    except ValueError:
        points = math.nan
    if not abs(points) <= MAX_POINTS:
        raise RefusedError(f"points are a number from -{MAX_POINTS} to {MAX_POINTS}; go back")
    return points


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
    """One student's rung; addresses are relative to the desk's own, and empty where none is."""

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
        own = [each for each in kept if each.student in entry.names]
        students, here = list(self._entries), (lab, rung)
        at = students.index(slug)
        ways = [self._address(slug, *each) for each in self._rungs]
        before, after = _neighbours([self._address(each, *here) for each in students], at)
        rung_before, rung_after = _neighbours(ways, self._rungs.index(here))
        text = self._results.source(entry, lab, rung)
        return Sheet(
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
            rungs=tuple(zip(map("/".join, self._rungs), ways, strict=True)),
            before=before,
            after=after,
            rung_before=rung_before,
            rung_after=rung_after,
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
        points = _points(fields.get("points", ""))
        if points and fields.get("about") == "student":
            raise RefusedError("points are for a line or a rung; go back")
        place = ""
        match fields.get("about"):
            case "student":
                comment = Comment(entry.id, text)
            case "rung":
                comment = Comment(entry.id, text, lab, rung, points=points)
            case "line":
                line, code = self._line(entry, lab, rung, fields.get("line", ""))
                comment = Comment(entry.id, text, lab, rung, line, code, points)
                place = f"#{lab}-{rung}-L{line}"
            case _:
                raise RefusedError("a comment is about a line, a rung or the student; go back")
        add_comment(self._folder, comment)
        return address + place

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
                model = self._models.get(here) or bare(result)
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


def _neighbours(addresses: Sequence[str], at: int) -> tuple[str, str]:
    ends = ["", *addresses, ""]
    return ends[at], ends[at + 2]


def _snippets(kept: Iterable[Kept]) -> tuple[str, ...]:
    """Texts to use again, the most used first."""
    return tuple(text for text, _ in Counter(each.text for each in kept).most_common(_SNIPPETS))


ADDRESS = "127.0.0.1"
_MAX_BODY_BYTES = 1 << 17
_MAX_FIELDS = 8
_TIMEOUT_SECONDS = 30  # of a connection that says nothing
_HTML, _TEXT = "text/html; charset=utf-8", "text/plain; charset=utf-8"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class ReviewServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, desk: Desk, port: int = 0) -> None:
        """Listens at once; `port` 0 is any free one."""
        self.desk = desk
        self.token = secrets.token_urlsafe(24)
        super().__init__((ADDRESS, port), _Handler)
        self.host = f"{ADDRESS}:{self.server_address[1]}"

    @property
    def url(self) -> str:
        return f"http://{self.host}/{self.token}/"


class _Handler(BaseHTTPRequestHandler):
    server: ReviewServer
    timeout = _TIMEOUT_SECONDS
    server_version, sys_version = "Lockstep", ""

    def do_GET(self) -> None:
        address = self._allowed()
        if address is None:
            return
        if not address:
            self._redirect(self.server.desk.start)
            return
        self._do(lambda: self._answer(HTTPStatus.OK, _HTML, self.server.desk.page(address)))

    def do_POST(self) -> None:
        address = self._allowed()
        if address is None:
            return
        if self.headers.get("Origin") != f"http://{self.server.host}":
            self._refuse(HTTPStatus.FORBIDDEN, "this form is not of this page")
            return
        size = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"[0-9]{1,9}", size) or int(size) > _MAX_BODY_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "this comment is too long; go back")
            return
        try:
            body = self.rfile.read(int(size)).decode("ascii")
            fields = dict(parse_qsl(body, keep_blank_values=True, max_num_fields=_MAX_FIELDS))
        except ValueError:
            self._refuse(HTTPStatus.BAD_REQUEST, "this is not what the page's form sends")
            return
        self._do(lambda: self._redirect(self.server.desk.change(address, fields)))

    def _do(self, answer: Callable[[], None]) -> None:
        try:
            answer()
        except NotFoundError:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
        except RefusedError as error:
            self._refuse(HTTPStatus.CONFLICT, str(error))
        except LockstepError as error:
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))

    def _allowed(self) -> str | None:
        """The address after the token; None if the request was refused."""
        token, _, address = self.path.removeprefix("/").partition("/")
        known = hmac.compare_digest(token.encode("latin-1", "replace"), self.server.token.encode())
        if known and self.headers.get_all("Host") == [self.server.host]:
            return address.partition("?")[0]
        self._refuse(HTTPStatus.FORBIDDEN, "use the address that ./lab review printed")
        return None

    def _redirect(self, address: str) -> None:
        place = {"Location": f"/{self.server.token}/{address}"}
        self._answer(HTTPStatus.SEE_OTHER, _TEXT, "", place)

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self.close_connection = True
        self._answer(status, _TEXT, f"{why}\n")

    def _answer(
        self, status: HTTPStatus, kind: str, text: str, more: dict[str, str] | None = None
    ) -> None:
        data = text.encode()
        self.send_response(status)
        for name, value in {**_HEADERS, **(more or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Says nothing: addresses contain the token."""
