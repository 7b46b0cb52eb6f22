# SPDX-License-Identifier: MIT
"""Grades and comments to Canvas: a local stand-in checks each request as Canvas documents it."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from made_up_grades import demo, write_results

from conftest import LAB, Checkout

pytest.importorskip("canvasapi")
pytestmark = pytest.mark.filterwarnings("ignore:Canvas may respond unexpectedly")
TOKEN = "7~a-token"


class FakeCanvas(ThreadingHTTPServer):
    """Course 12 with the assignment 345; keeps every request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[tuple[str, str, dict[str, list[str]]]] = []
        self.refuses = False

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/courses/12/assignments/345"


class _Handler(BaseHTTPRequestHandler):
    server: FakeCanvas

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._answer(parse_qs(body))

    def _answer(self, form: dict[str, list[str]]) -> None:
        self.server.requests.append((self.command, self.path.partition("?")[0], form))
        known = {
            "/api/v1/courses/12": {"id": 12, "name": "A course"},
            "/api/v1/courses/12/assignments/345": {"id": 345, "course_id": 12, "name": LAB},
            "/api/v1/courses/12/assignments/345/submissions/update_grades": {
                "id": 1,
                "workflow_state": "queued",
                "url": "https://canvas.example.edu/api/v1/progress/1",
            },
        }
        found = known.get(self.path.partition("?")[0])
        is_known = self.headers["Authorization"] == f"Bearer {TOKEN}"
        status = 401 if self.server.refuses or not is_known else 200 if found else 404
        data = json.dumps(found if status == 200 else {"errors": [{"message": "no"}]}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def canvas() -> Iterator[FakeCanvas]:
    with FakeCanvas() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def results(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CANVAS_TOKEN", TOKEN)
    absent = {"problem": "nothing handed in", "missing": True}
    return write_results(
        checkout.work / "results",
        demo("leeann_100", student={"name": "Lee Ann", "lms_id": "100"}),
        demo("poe_101", 0, 0, student={"name": "Poe", "lms_id": "101"}),
        demo("Dee", 0, 0, student={"name": "Dee", "lms_id": "103"}, **absent),
    )


def test_nothing_is_sent_unless_that_is_asked_for(
    checkout: Checkout, results: Path, canvas: FakeCanvas
) -> None:
    ran = checkout.lab("export", results, "--format", "canvas", "--to", canvas.address)
    assert ran.status == 1  # of Dee there is nothing
    assert canvas.requests == []
    assert "leeann_100 (100): 10 points; 10 / 10 points" in ran.out
    assert "nothing was sent; --send does that" in ran.err
    assert "handed in nothing" in ran.err


def test_one_request_brings_all_grades_and_comments(
    checkout: Checkout, results: Path, canvas: FakeCanvas
) -> None:
    ran = checkout.lab("export", results, "--format", "canvas", "--to", canvas.address, "--send")
    assert "sent 2 grades with comments" in ran.err
    posted = [request for request in canvas.requests if request[0] == "POST"]
    ((_, path, form),) = posted
    assert path == "/api/v1/courses/12/assignments/345/submissions/update_grades"
    assert set(form) == {
        f"grade_data[{user}][{field}]"
        for user in (100, 101)
        for field in ("posted_grade", "text_comment")
    }
    assert form["grade_data[100][posted_grade]"] == ["10"]
    assert form["grade_data[101][posted_grade]"] == ["0"]
    assert "TODO: sum up" in form["grade_data[101][text_comment]"][0]
    assert TOKEN not in ran.out + ran.err


def test_what_counts_is_sent_and_a_hidden_rung_is_not_told(
    checkout: Checkout, results: Path, canvas: FakeCanvas
) -> None:
    course = checkout.write(
        "course.toml",
        f'[[lab]]\nid = "{LAB}"\nhidden = ["01_first"]\n'
        f'[[override]]\nstudent = "101"\nlab = "{LAB}"\npoints = 3\nreason = "shown in person"\n',
    )
    options = ("--to", canvas.address, "--send", "--course", course)
    checkout.lab("export", results, "--format", "canvas", *options)
    form = canvas.requests[-1][2]
    assert form["grade_data[101][posted_grade]"] == ["3"]
    comment = form["grade_data[101][text_comment]"][0]
    assert "shown in person" in comment
    assert f"{LAB}/02_second" in comment
    assert f"{LAB}/01_first" not in comment


def test_a_refusal_is_one_line(checkout: Checkout, results: Path, canvas: FakeCanvas) -> None:
    canvas.refuses = True
    assert "Canvas refuses" in checkout.refusal(
        "export", results, "--format", "canvas", "--to", canvas.address, "--send", status=3
    )
    nowhere = "http://127.0.0.1:1/courses/12/assignments/345"
    assert "cannot reach http://127.0.0.1:1" in checkout.refusal(
        "export", results, "--format", "canvas", "--to", nowhere, "--send", status=3
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ("--to", "https://x.edu/courses/12"),
            "is not the address of an assignment, as in https://",
        ),
        (("--to", "http://x.edu/courses/1/assignments/2"), "the token may only travel by https"),
        ((), "--format canvas needs --to: the assignment's address"),
    ],
)
def test_a_wrong_address_is_one_line(
    checkout: Checkout, results: Path, options: tuple[str, ...], says: str
) -> None:
    assert says in checkout.refusal("export", results, "--format", "canvas", *options)


def test_without_a_token_nothing_is_sent(
    checkout: Checkout, results: Path, canvas: FakeCanvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CANVAS_TOKEN")
    assert "set CANVAS_TOKEN" in checkout.refusal(
        "export", results, "--format", "canvas", "--to", canvas.address, "--send"
    )
    assert canvas.requests == []
