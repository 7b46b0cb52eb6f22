# SPDX-License-Identifier: MIT
"""`./lab review`: its pages and forms over HTTP, and what it refuses."""

import http.client
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

from lockstep_grader.machine.files import write_whole
from lockstep_grader.pages.review import Desk, ReviewServer
from lockstep_grader.results.comments import FILE, MAX_CHARS, read_comments
from lockstep_grader.results.graded import read_results

from conftest import Checkout
from reports import EVIL, demo_lab, full, submission, todo, write_class, write_results

RUNG = ("01-demo", "01_first")


class Client:
    def __init__(self, server: ReviewServer) -> None:
        self.server, self.root = server, f"/{server.token}/"

    def ask(
        self, method: str, path: str, body: str = "", **headers: str
    ) -> tuple[int, str, http.client.HTTPMessage]:
        """One request to `path`, as a browser on this very page sends it."""
        connection = http.client.HTTPConnection(self.server.host, timeout=20)
        sent = {"Origin": f"http://{self.server.host}", **headers}
        kept = {name.replace("_", "-"): value for name, value in sent.items() if value}
        connection.request(method, path, body or None, kept)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text, answer.headers

    def get(self, address: str) -> str:
        status, text, _ = self.ask("GET", self.root + address)
        assert status == 200, text
        return text

    def post(self, address: str, **fields: str | int) -> tuple[int, str]:
        status, text, headers = self.ask("POST", self.root + address, urlencode(fields))
        return status, headers["Location"] if status == 303 else text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_class(tmp_path / "results")


@pytest.fixture
def client(folder: Path) -> Iterator[Client]:
    with serving(folder) as client:
        yield client


@contextmanager
def serving(folder: Path, *, anonymous: bool = False) -> Iterator[Client]:
    lab = demo_lab(folder.parent / "labs")
    desk = Desk(read_results(folder), [lab], anonymous=anonymous)
    with ReviewServer(desk) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.02])
        thread.start()
        yield Client(server)
        server.shutdown()
        thread.join()


def address(client: Client, student: str) -> str:
    """Of the student's first rung."""
    start = client.server.desk.start
    for _ in range(9):
        if start.startswith(student):
            return start
        start = client.server.desk.sheet(start).after
    raise LookupError(student)


def test_the_first_page_leads_through_all_students_and_rungs(client: Client) -> None:
    status, _, headers = client.ask("GET", client.root)
    assert (status, headers["Location"]) == (303, client.root + client.server.desk.start)
    sheet = client.server.desk.sheet(client.server.desk.start)
    names, rungs = [], []
    while True:
        names.append(sheet.name)
        if not sheet.after:
            break
        sheet = client.server.desk.sheet(sheet.after)
    assert names == ["A. Adams", "B. Brown", EVIL, "clark", "davis", "evans"]
    while True:
        rungs.append(sheet.rung)
        if not sheet.rung_after:
            break
        sheet = client.server.desk.sheet(sheet.rung_after)
    assert rungs == ["01_first", "02_second", "03_third"]


def test_a_page_has_source_findings_and_measures(client: Client) -> None:
    page = client.get(address(client, "brown"))
    assert page.count('<span class="number">') == 41
    assert "bank_conflicts: most of it arises here (300)" in page
    assert "extra passes over shared memory" in page
    assert EVIL not in client.get(client.server.desk.sheet(address(client, "brown")).after)
    assert "Nothing was graded here" in client.get(address(client, "evans"))


@pytest.mark.parametrize(
    ("fields", "place", "kept"),
    [
        ({"about": "line", "line": 12}, "#01-demo-01_first-L12", (*RUNG, 12)),
        ({"about": "rung", "line": 12}, "", (*RUNG, 0)),
        ({"about": "student", "line": "x"}, "", ("", "", 0)),
    ],
)
def test_a_comment_is_saved_and_shown_at_its_place(
    client: Client, folder: Path, fields: dict[str, str], place: str, kept: tuple[str, str, int]
) -> None:
    at = address(client, "brown")
    said = "<i>pad</i> the tile\r\nand say why"
    assert client.post(at, text=said, **fields) == (303, client.root + at + place)
    (comment,) = read_comments(folder)
    assert (comment.lab, comment.rung, comment.line) == kept
    assert (comment.student, comment.text) == ("brown", "<i>pad</i> the tile\nand say why")
    assert comment.code == ("d_out[12] = d_in[12] * 12;  // line 12" if kept[2] else "")
    page = client.get(at)
    assert "&lt;i&gt;pad&lt;/i&gt; the tile\nand say why" in page
    assert client.server.desk.sheet(at).snippets == ("<i>pad</i> the tile\nand say why",)
    assert not client.server.desk.sheet(address(client, "adams")).remarks


def test_a_comment_is_removed_once(client: Client, folder: Path) -> None:
    at = address(client, "adams")
    client.post(at, about="line", line=1, text="two\nlines")
    (digest,) = re.findall(r'name="remove" value="(\w+)"', client.get(at))
    assert client.post(at, remove=digest)[0] == 303
    assert read_comments(folder) == ()
    status, text = client.post(at, remove=digest)
    assert status == 409
    assert "has changed or removed this comment" in text


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"about": "line", "line": "42", "text": "x"}, "the source has lines 1 to 41"),
        ({"about": "line", "line": "0", "text": "x"}, "the source has lines 1 to 41"),
        ({"about": "line", "line": "-1", "text": "x"}, "the source has lines 1 to 41"),
        ({"about": "line", "line": "9" * 5000, "text": "x"}, "the source has lines 1 to 41"),
        ({"about": "rung", "text": " \n "}, "has 1 to 10000 characters"),
        ({"about": "rung", "text": "x" * (MAX_CHARS + 1)}, "has 1 to 10000 characters"),
        ({"about": "all", "text": "x"}, "about a line, a rung or the student"),
        ({"about": "rung", "text": "x", "points": "many"}, "points are a number from -1000"),
        ({"about": "rung", "text": "x", "points": "nan"}, "points are a number from -1000"),
        ({"about": "student", "text": "x", "points": "1"}, "points are for a line or a rung"),
        ({}, "has 1 to 10000 characters"),
    ],
)
def test_a_form_that_says_too_little_or_too_much_changes_nothing(
    client: Client, folder: Path, fields: dict[str, str], says: str
) -> None:
    status, text = client.post(address(client, "adams"), **fields)
    assert (status, says in text) == (409, True)
    assert not (folder / FILE).exists()


def test_only_a_page_of_its_own_may_send_a_form(client: Client, folder: Path) -> None:
    at, body = client.root + address(client, "adams"), urlencode({"about": "rung", "text": "x"})
    for origin in ("", "null", "http://evil.example", f"https://{client.server.host}"):
        assert client.ask("POST", at, body, Origin=origin)[0] == 403
    assert not (folder / FILE).exists()
    assert client.ask("POST", at, body)[0] == 303


def test_another_host_name_or_token_shows_nothing(client: Client) -> None:
    port = urlsplit(client.server.url).port
    for host in (f"evil.example:{port}", f"localhost:{port}", client.server.host + "0"):
        status, text, _ = client.ask("GET", client.root, Host=host)
        assert (status, "use the address that ./lab review printed" in text) == (403, True)
    for path in ("/", "/x/", f"/{client.server.token[:-1]}/", "//", f"/{client.server.token}x/"):
        assert client.ask("GET", path)[0] == 403


@pytest.mark.parametrize(
    "path", ["x", "x/01-demo/01_first", "../grade.json", "%2e%2e/grade.json", ".lock"]
)
def test_no_address_leads_to_a_file(client: Client, path: str) -> None:
    assert client.ask("GET", client.root + path)[0] == 404
    assert client.ask("POST", client.root + path, "about=rung&text=x")[0] == 404
    at = address(client, "adams").rpartition("/")[0]
    assert client.ask("GET", f"{client.root}{at}/{path}")[0] == 404


def test_a_request_that_is_too_large_or_no_form_is_refused(client: Client) -> None:
    at = client.root + address(client, "adams")
    assert client.ask("POST", at, "text=" + "x" * (1 << 18))[0] == 413
    assert client.ask("POST", at, "x", Content_Length="-1")[0] == 413
    assert client.ask("POST", at, "x", Content_Length="000000000999999")[0] == 413
    assert client.ask("POST", at, "&".join(f"a{n}=1" for n in range(9)))[0] == 400
    assert client.ask("PUT", at, "x")[0] == 501


def test_a_damaged_file_of_comments_is_said_and_kept(client: Client, folder: Path) -> None:
    write_whole(folder / FILE, b"[[comment]\n")
    at = client.root + client.server.desk.start
    for method, body in (("GET", ""), ("POST", "about=rung&text=x")):
        status, text, _ = client.ask(method, at, body)
        assert (status, "comments.toml: not TOML" in text) == (500, True)
    assert (folder / FILE).read_bytes() == b"[[comment]\n"


def test_answers_forbid_frames_caches_and_other_scripts(client: Client) -> None:
    _, page, headers = client.ask("GET", client.root + client.server.desk.start)
    assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert headers["Cache-Control"] == "no-store"
    policy = unescape(page)
    assert "default-src 'none'" in policy
    assert "form-action 'self'" in policy


def test_pseudonyms_hide_names_ids_and_their_order(folder: Path) -> None:
    pages = ""
    with serving(folder, anonymous=True) as client:
        at = client.server.desk.start
        client.post(at, about="student", text="good")
        while at:
            pages += client.get(at)
            at = client.server.desk.sheet(at).after
    for name in ("A. Adams", "B. Brown", "adams", "brown", "clark", "archive is damaged"):
        assert name not in pages
    assert read_comments(folder)[0].student in {"adams", "brown", EVIL, "clark", "davis", "evans"}


def test_the_verb_prints_an_address_serves_it_and_ends_by_ctrl_c(checkout: Checkout) -> None:
    folder = write_results(checkout.work / "made", full("ann"), submission("bob", todo("01_first")))
    process = checkout.start("review", folder)
    assert process.stdout is not None
    url = urlsplit(process.stdout.readline().strip())
    connection = http.client.HTTPConnection(url.netloc, timeout=20)
    connection.request("GET", url.path)
    assert connection.getresponse().status == 303
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 0
    assert f"comments go to {folder / FILE}" in said
    assert "Traceback" not in said


def test_results_without_a_rung_and_a_port_in_use_are_one_line(
    checkout: Checkout, client: Client
) -> None:
    empty = write_results(checkout.work / "empty")
    assert "nothing was graded" in checkout.refusal("review", empty)
    folder = write_results(checkout.work / "made", full("ann"))
    port = str(urlsplit(client.server.url).port)
    assert f"port {port} cannot be used" in checkout.refusal("review", folder, "--port", port)


def test_a_source_that_was_not_kept_has_no_line_to_comment_on(client: Client) -> None:
    status, text = client.post(address(client, "clark"), about="line", line=1, text="x")
    assert (status, "the source was not kept" in text) == (409, True)


def test_points_of_a_comment_count_everywhere(client: Client, folder: Path) -> None:
    before = {entry.id: entry.score for entry in read_results(folder).entries}
    client.post(address(client, "adams"), about="rung", text="style", points="-0.5")
    found = {entry.id: entry for entry in read_results(folder).entries}
    assert found["adams"].rules == ("01-demo: -0.5 points, for a comment on 01-demo/01_first",)
    after = {name: entry.score for name, entry in found.items()}
    assert after == {**before, "adams": (before["adams"] or 0) - 0.5}
    client.post(address(client, "adams"), about="rung", text="none of it", points="-1000")
    assert {entry.id: entry.score for entry in read_results(folder).entries}["adams"] == 0
