"""An audit as one page: the deck's text, its numbers coloured by verdict, with what the ledger holds on hover."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from seqgen.auditing.report import VERDICTS, summary, value
from seqgen.auditing.verdicts import Audit, Finding

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
body { color: #1b1f24; background: #fff; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.6 ui-monospace, monospace; counter-reset: line; }
.line::before { counter-increment: line; content: counter(line); display: inline-block; width: 3.5em; }
.line::before { color: #6e7781; user-select: none; }
mark { border-radius: 3px; padding: 0 2px; color: inherit; }
mark.backed { background: #c8f0d0; } mark.given { background: #d7e7fb; }
mark.near-miss, mark.stale, mark.contradiction { background: #ffc9c2; outline: 2px solid #c62828; }
mark.unbacked { background: #fff0b3; outline: 1px dashed #8a6d00; }
""".strip()


def page(audits: Sequence[Audit]) -> str:
    """Return a page of its own: no address is fetched, no script runs, and every word of a deck is escaped."""
    title = ", ".join(audit.deck for audit in audits)
    legend = " ".join(f'<mark class="{_name(v)}">{v}</mark>' for v in VERDICTS)
    body = "\n".join(part for audit in audits for part in _deck(audit))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>Audit of {escape(title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n"
        f"<h1>Typed numbers</h1>\n<p>{legend}</p>\n{body}\n</body>\n</html>\n"
    )


def _deck(audit: Audit) -> Iterator[str]:
    yield f"<h2>{escape(audit.deck)}</h2>\n<p>{escape(summary(audit))}</p>"
    text, place, parts = audit.text, 0, []
    for finding in audit.findings:
        parts += [escape(text[place : finding.start]), _mark(finding, text[finding.start : finding.end])]
        place = finding.end
    lines = ("".join(parts) + escape(text[place:])).split("\n")
    yield "<pre>" + "\n".join(f'<span class="line">{line}</span>' for line in lines) + "</pre>"


def _mark(finding: Finding, text: str) -> str:
    said = [finding.verdict]
    if finding.reference:
        said.append(f"{finding.spec}: {finding.reference} = {value(finding)}")
    if finding.reason:
        said.append(finding.reason)
    return f'<mark class="{_name(finding.verdict)}" title="{escape("; ".join(said))}">{escape(text)}</mark>'


def _name(verdict: str) -> str:
    return verdict.replace(" ", "-")
