"""The report as JUnit XML, which GitLab, Jenkins and others show: a suite a spec, a case a rule."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from seqgen.findings import Finding
from seqgen.reports import text
from seqgen.rules.review import Review

# XML 1.0 has no characters for these, not even escaped ones.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def report(review: Review) -> str:
    """Return the suites. Errors of a rule fail its case; warnings are told and fail nothing."""
    suites = []
    for spec, rules in review.asked.items():
        found = [finding for finding in review.findings if finding.spec == spec]
        suites.append(_suite(spec or "project", rules, found))
    cases = sum(len(rules) for rules in review.asked.values())
    body = "".join(suites)
    failed = body.count("<failure ")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="seqgen check" tests="{cases}" failures="{failed}">\n{body}</testsuites>\n'
    )


def _suite(name: str, rules: Iterable[str], findings: list[Finding]) -> str:
    cases = [_case(name, rule, [finding for finding in findings if finding.rule == rule]) for rule in rules]
    failed = sum("<failure " in case for case in cases)
    head = f'tests="{len(cases)}" failures="{failed}"'
    return f" <testsuite name={_attribute(name)} {head}>\n{''.join(cases)} </testsuite>\n"


def _case(spec: str, rule: str, findings: list[Finding]) -> str:
    head = f"  <testcase classname={_attribute(spec)} name={_attribute(rule)}"
    failures = [finding for finding in findings if not finding.warning]
    if findings and findings[0].line:
        head += f' file={_attribute(findings[0].file)} line="{findings[0].line}"'
    body = ""
    if failures:
        count = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
        body += f"   <failure message={_attribute(failures[0].message + count)}>{_told(failures)}</failure>\n"
    warnings = [finding for finding in findings if finding.warning]
    if warnings:
        body += f"   <system-out>{_told(warnings)}</system-out>\n"
    return f"{head}>\n{body}  </testcase>\n" if body else f"{head}/>\n"


def _told(findings: list[Finding]) -> str:
    return escape(_plain("\n".join(line for finding in findings for line in text.told(finding))))


def _attribute(value: str) -> str:
    return quoteattr(_plain(value))


def _plain(value: str) -> str:
    return FORBIDDEN.sub("\ufffd", value)
