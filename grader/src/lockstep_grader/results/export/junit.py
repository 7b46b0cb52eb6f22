# SPDX-License-Identifier: MIT
"""JUnit XML for any CI: a suite per rung, a case per test, and one case for the points.

There is no standard; this is what https://github.com/testmoapp/junitxml describes and readers
share. Points are in each suite's properties `score` and `max_score`.
"""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable

from lockstep_grader.model.grades import Outcome
from lockstep_grader.results.export.model import Gradebook, Rung, Test
from lockstep_grader.results.export.words import explanation, number, points, safe

# Not characters in XML 1.0, https://www.w3.org/TR/xml/#charsets ; `safe` spells out the others.
_NO_XML = re.compile("[\ufffe\uffff]")


def document(book: Gradebook) -> str:
    """The whole class as one document."""
    root = ElementTree.Element("testsuites", name="lockstep")
    for submission in book.submissions:
        for name, rung in submission.rungs:
            root.append(_suite(f"{submission.id} {name}", rung))
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, 0)) for suite in root)))
    root.set("time", f"{sum(float(suite.get('time', 0)) for suite in root):.3f}")
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _suite(name: str, rung: Rung) -> ElementTree.Element:
    cases = [_case(name, test) for test in rung.tests]
    cases.append(_points_case(name, rung))
    suite = ElementTree.Element(
        "testsuite",
        name=_xml(name),
        tests=str(len(cases)),
        failures=_count(cases, "failure"),
        errors=_count(cases, "error"),
        skipped=_count(cases, "skipped"),
        time=f"{rung.seconds:.3f}",
    )
    properties = ElementTree.SubElement(suite, "properties")
    if rung.score is not None:
        ElementTree.SubElement(properties, "property", name="score", value=number(rung.score))
    ElementTree.SubElement(properties, "property", name="max_score", value=number(rung.max_score))
    suite.extend(cases)
    return suite


def _case(suite: str, test: Test) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase", name=_xml(test.name), classname=_xml(suite), time=f"{test.seconds:.3f}"
    )
    tag = {Outcome.FAILED: "failure", Outcome.ERROR: "error", Outcome.SKIPPED: "skipped"}
    if test.outcome in tag:
        kind = test.findings[0].kind.value if test.findings else test.outcome.value
        element = ElementTree.SubElement(
            case, tag[test.outcome], type=kind, message=_xml(test.message.partition("\n")[0])
        )
        element.text = _xml(test.message)
    if test.output.strip():
        ElementTree.SubElement(case, "system-out").text = _xml(test.output)
    return case


def _points_case(suite: str, rung: Rung) -> ElementTree.Element:
    case = ElementTree.Element("testcase", name="points", classname=_xml(suite), time="0.000")
    if not rung.full:
        tag = "error" if rung.score is None else "failure"
        kind = rung.findings[0].kind.value if rung.findings else rung.outcome.value
        message = points(rung.score, rung.max_score)
        element = ElementTree.SubElement(case, tag, type=kind, message=message)
        element.text = _xml(explanation(rung))
    return case


def _count(cases: Iterable[ElementTree.Element], tag: str) -> str:
    return str(sum(case.find(tag) is not None for case in cases))


def _xml(text: str) -> str:
    return _NO_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", safe(text))
