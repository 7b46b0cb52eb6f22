# SPDX-License-Identifier: MIT
"""Serves a desk to this machine's own browser.

Every address contains a secret token. The name in Host must be ours, so that no foreign name can be
made to lead here, and a form must come from a page of ours. Nothing is served from the disk.
"""

import hmac
import re
import secrets
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl

from lockstep_grader.model.errors import LockstepError
from lockstep_grader.pages.review.desk import Desk, NotFoundError, RefusedError

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
        try:
            self._answer(HTTPStatus.OK, _HTML, self.server.desk.page(address))
        except NotFoundError:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
        except LockstepError as error:
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))

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
        try:
            self._redirect(self.server.desk.change(address, fields))
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
