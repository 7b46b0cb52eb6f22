# SPDX-License-Identifier: MIT
"""`site`: every link leads somewhere, nothing is fetched, and students see no solution."""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InputError
from lockstep_grader.pages.site.build import Glossary, Links, build_site
from lockstep_grader.toolchain.system import BROWSER_REQUIREMENTS

from conftest import Checkout
from repository import REPOSITORY

pytest.importorskip("material", reason="MkDocs Material is not installed")
LOADED = frozenset({"script", "link", "img", "iframe", "source"})
PATIENCE = 300_000  # milliseconds; only a browser that hangs needs them


class Page(HTMLParser):
    """What a page links to, what it loads, and its anchors."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                (self.loads if tag in LOADED else self.links).append(value)


def text_of(file: Path) -> str:
    return re.sub(r"<[^>]+>", "", file.read_text("utf-8"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("site") / "pages"
    workspace = Workspace.from_environment({"LOCKSTEP_ROOT": str(REPOSITORY)})
    build_site(workspace, read_labs(workspace), output, with_solutions=False, repository="")
    return output


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {file: Page(file) for file in sorted(site.rglob("*.html")) if file.name != "404.html"}


def test_every_link_leads_to_a_page_and_a_heading(pages: dict[Path, Page]) -> None:
    dead = []
    for file, page in pages.items():
        for link in [*page.links, *page.loads]:
            path, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            there = (file.parent / unquote(path)).resolve() if path else file
            known = there.is_file() and (
                there not in pages or not anchor or anchor in pages[there].anchors
            )
            if not known and anchor != "__comments":
                dead.append(f"{file.name}: {link}")
    assert dead == []


def test_it_loads_nothing_from_another_host_nor_from_the_top_of_its_own(
    site: Path, pages: dict[Path, Page]
) -> None:
    assert [each for page in pages.values() for each in page.loads if "//" in each] == []
    own = [each for page in pages.values() for each in [*page.loads, *page.links]]
    assert [each for each in own if each.startswith("/")] == []
    styles = "".join(file.read_text("utf-8") for file in site.rglob("*.css"))
    assert re.findall(r"url\(\s*[\"']?(?:https?:)?//", styles) == []


def test_students_see_handouts_contracts_and_no_solution(site: Path) -> None:
    assert (site / "labs/01-reduction/index.html").is_file()
    assert "void reduce_sum" in text_of(site / "labs/01-reduction/reduction.cuh.html")
    assert not (site / "solutions").exists()


def test_a_term_is_explained_where_a_handout_first_uses_it(site: Path) -> None:
    handout = (site / "labs/01-reduction/index.html").read_text("utf-8")
    assert handout.count('href="../../docs/glossary.html#lane"') == 1


def test_the_search_finds_a_term(site: Path) -> None:
    index = json.loads((site / "search/search_index.json").read_text("utf-8"))
    found = [each["location"] for each in index["docs"] if each["title"] == "Bank conflict"]
    assert found == ["docs/glossary.html#bank-conflict"]


def test_it_is_written_again_but_never_over_other_files(site: Path, tmp_path: Path) -> None:
    workspace = Workspace.from_environment({"LOCKSTEP_ROOT": str(REPOSITORY)})
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(InputError, match="is not empty"):
        build_site(workspace, read_labs(workspace), tmp_path, with_solutions=False, repository="")
    assert (tmp_path / "mine.txt").read_text() == "precious"
    copy = shutil.copytree(site, tmp_path / "again")
    (copy / "old.html").touch()
    build_site(workspace, read_labs(workspace), copy, with_solutions=True, repository="")
    assert not (copy / "old.html").exists()
    assert (copy / "solutions/01-reduction/index.html").is_file()


def test_bad_options_are_one_line(checkout: Checkout) -> None:
    assert "begins with https://" in checkout.refusal("site", "--repo-url", "ftp://x")


def links(root: Path, repository: str = "") -> Links:
    for name in (
        "docs/a.md",
        "docs/b/README.md",
        "labs/x.cuh",
        "docs/p.svg",
        "lab",
        "solutions/s.cu",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    return Links(root, frozenset({"docs/a.md", "docs/b/README.md", "README.md"}), repository)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[a](a.md#x)", "[a](a.md#x)"),
        ("[b](b)", "[b](b/README.md)"),
        ("[b](b#here)", "[b](b/README.md#here)"),
        ("[x](../labs/x.cuh)", "[x](../labs/x.cuh.md)"),
        ("[the launcher](../lab)", "the launcher"),
        ("[solved](../solutions/s.cu)", "solved"),
        ("![p](p.svg)", "![p](p.svg)"),
        ("[![p](p.svg)](../lab)", "![p](p.svg)"),
        ("[w](https://x.org/a(b)", "[w](https://x.org/a(b)"),
        ("`[code](../lab)` and [lab](../lab)", "`[code](../lab)` and lab"),
        ("```\n[code](../lab)\n```\n", "```\n[code](../lab)\n```\n"),
        ("text\n\n    [code](../lab)\n", "text\n\n    [code](../lab)\n"),
    ],
)
def test_a_link_leads_to_what_the_site_has(tmp_path: Path, before: str, after: str) -> None:
    assert links(tmp_path).fitted("docs/c.md", before) == after


def test_other_files_are_shown_where_the_repository_is(tmp_path: Path) -> None:
    fitted = links(tmp_path, "https://h/g/n/blob/main/").fitted("docs/c.md", "[l](../lab)")
    assert fitted == "[l](https://h/g/n/blob/main/lab)"


def test_the_longest_term_is_linked_once_and_outside_code() -> None:
    glossary = Glossary("# G\n\n## Bank\nA.\n\n## Bank conflict\nB.\n")
    text = "# Banks\n\n`bank` [bank](x) Bank conflicts in a bank, a bank.\n"
    assert glossary.linked(text, "g.md") == (
        "# Banks\n\n`bank` [bank](x) [Bank conflicts](g.md#bank-conflict){.term} "
        "in a [bank](g.md#bank){.term}, a bank.\n"
    )


def test_search_works_in_a_page_that_is_opened_as_a_file(site: Path) -> None:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = BROWSER_REQUIREMENTS[0].found()
    if not chromium:
        pytest.skip("there is no chromium on this machine")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"], timeout=PATIENCE
        )
        page = browser.new_page(color_scheme="dark", viewport={"width": 360, "height": 740})
        page.set_default_timeout(PATIENCE)
        said: list[str] = []
        asked: list[str] = []
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "labs/01-reduction/index.html").as_uri())
        assert page.evaluate("document.body.dataset.mdColorScheme") == "slate"
        wide = "document.documentElement.scrollWidth > innerWidth"
        assert not page.evaluate(wide)
        still = "document.querySelector('img[src*=\"/trace_\"]').clientWidth > innerWidth"
        assert page.evaluate(still)  # its words can be read: it scrolls in its paragraph
        page.keyboard.press("/")
        page.keyboard.type("bank conflict")
        page.locator(".md-search-result__item").first.wait_for()
        assert "Bank conflict" in page.locator(".md-search-result__list").inner_text()
        assert said == []
        assert [url for url in asked if not url.startswith("file:")] == []
        browser.close()
