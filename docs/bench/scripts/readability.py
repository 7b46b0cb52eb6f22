# SPDX-License-Identifier: MIT
"""How hard each page is to read, in its first commit and now.

Flesch's reading ease is 206.8 - 1.015 (words per sentence) - 84.6 (syllables per word): 100 is a children's book, 60 plain
English, 30 a paper. Only running text counts: paragraphs and list items, but no headings, tables, code or quoted output. A
piece of code within a sentence counts as one short word, because its letters say nothing of the prose.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from measurements import ROOT, MeasurementError, measurement, output, provenance, write

PAGES = (
    "labs/*/*.md",
    "docs/*.md",
    "docs/teaching/*.md",
    "README.md",
    "CONTRIBUTING.md",
)
LONG = 25  # words; CONTRIBUTING.md's limit for a sentence
FEWEST = 30  # words; a page with fewer is a list of links
IN_PLACE_OF_CODE = "this"
SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\b[A-Z]\.)\s+(?=[A-Z0-9\"(])")  # an initial ends none
SKIPPED = ("blockquote", "heading", "table")
INSTALL = (
    "textstat is missing: pip install -r grader/requirements-readability.txt, then PYTHON=python3"
)


@dataclass(frozen=True)
class Figures:
    words: int
    ease: float
    per_sentence: float
    long_share: float  # of the sentences


@dataclass(frozen=True)
class Row:
    page: str
    commit: str
    before: Figures
    after: Figures


def running_text(markdown: str) -> list[str]:
    """The text of each paragraph and list item, without its marks."""
    parser = MarkdownIt("commonmark").enable("table")
    paragraphs, skipped = [], 0
    for token in parser.parse(markdown):
        if token.type.startswith(SKIPPED):
            skipped += token.nesting
        elif token.type == "inline" and skipped == 0:
            paragraphs.append(" ".join("".join(pieces(token.children or [])).split()))
    return [paragraph for paragraph in paragraphs if " " in paragraph]


def pieces(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "code_inline":
            yield IN_PLACE_OF_CODE
        elif token.type in ("softbreak", "hardbreak"):
            yield " "
        elif token.type == "text":
            yield token.content


def sentences_of(paragraph: str) -> list[str]:
    """Without those of one word, such as "(1)"; the rest of a paragraph is a sentence, too."""
    return [text for text in SENTENCE_END.split(paragraph) if " " in text]


def figures(markdown: str, textstat: Any) -> Figures:
    sentences = [
        sentence for paragraph in running_text(markdown) for sentence in sentences_of(paragraph)
    ]
    lengths = [len(sentence.split()) for sentence in sentences]
    if not lengths:
        return Figures(0, 0, 0, 0)
    words, per_sentence = sum(lengths), sum(lengths) / len(lengths)
    syllables = sum(textstat.syllable_count(sentence) for sentence in sentences)
    return Figures(
        words,
        206.835 - 1.015 * per_sentence - 84.6 * syllables / words,
        per_sentence,
        sum(length > LONG for length in lengths) / len(lengths),
    )


def first_version(page: str) -> tuple[str, str]:
    """The commit that made the page, and its path there."""
    which = ["--follow", "--name-only", "-m", "--first-parent", "--format=%x01%h"]
    log = output(["git", "log", *which, "--", page])
    commit, _, names = log.strip("\n").split("\x01")[-1].partition("\n")
    return commit.strip(), names.strip().splitlines()[-1]


def rows(textstat: Any) -> Iterator[Row]:
    for page in sorted({file for pattern in PAGES for file in ROOT.glob(pattern)}):
        name = page.relative_to(ROOT).as_posix()
        after = figures(page.read_text("utf-8"), textstat)
        if after.words < FEWEST:
            continue
        commit, path = first_version(name)
        yield Row(
            name,
            commit,
            figures(output(["git", "show", f"{commit}:{path}"]), textstat),
            after,
        )


def table_row(row: Row) -> str:
    def cells(each: Figures) -> str:
        return f"{each.words} | {each.ease:.0f} | {each.per_sentence:.1f} | {100 * each.long_share:.0f}"

    link = f"[{row.page}](../../{row.page})"
    return f"| {link} | {row.commit} | {cells(row.before)} | {cells(row.after)} |\n"


def mean(values: Iterable[tuple[int, float]]) -> float:
    """Of a figure, each page by its words."""
    weighted = list(values)
    return sum(words * value for words, value in weighted) / sum(words for words, _ in weighted)


def page(all_rows: "list[Row]", version: str) -> str:
    made = provenance()
    total = {
        when: [
            mean((each.words, pick(each)) for each in chosen)
            for pick in (
                lambda f: f.ease,
                lambda f: f.per_sentence,
                lambda f: 100 * f.long_share,
            )
        ]
        for when, chosen in (
            ("before", [row.before for row in all_rows]),
            ("after", [row.after for row in all_rows]),
        )
    }
    before, after = (
        f"**{ease:.0f}** | **{length:.1f}** | **{share:.0f}**"
        for ease, length, share in total.values()
    )
    return f"""# How hard the pages are to read

`{made["command"]}` wrote this page on {made["date"]}, with textstat {version}. Each page has two groups of columns: as the commit that
made the page has it, and today.

- **words**: of running text. Headings, tables and code do not count.
- **ease**: Flesch's reading ease. More is easier: 60 is plain English, 30 a paper.
- **length**: words per sentence, on average.
- **long**: sentences of more than {LONG} words, in percent.

| page | first commit | words | ease | length | long | words | ease | length | long |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|
{"".join(map(table_row, all_rows))}| all, by words | | {sum(row.before.words for row in all_rows)} | {before} | {sum(row.after.words for row in all_rows)} | {after} |
"""


@measurement("readability", needs="textstat", writes=["readability.md"])
def readability() -> None:
    """Compare how hard each page is to read, in its first commit and now."""
    try:
        textstat = import_module("textstat")
    except ModuleNotFoundError as error:
        raise MeasurementError(INSTALL) from error
    version = ".".join(str(part) for part in textstat.__version__)
    write("readability.md", page(list(rows(textstat)), version))
