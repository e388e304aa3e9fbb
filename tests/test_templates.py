"""Templates that ask for too much: each is refused soon, in little memory, in a process with limits of the system."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from seqgen.build import build
from seqgen.pages.sandbox import FILTERS, FUNCTIONS, MOST_STEPS, TESTS
from seqgen.writers import latex, markdown

SECONDS = 12.0
CHILD = """
import json, resource, sys, tempfile, time
from pathlib import Path
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
from seqgen.errors import SeqgenError
from seqgen.project import Project
from seqgen.writers import markdown
root = Path(tempfile.mkdtemp())
folder = root / "templates/markdown"
folder.mkdir(parents=True)
for text in json.load(sys.stdin):
    for name in ("t", "u"):
        (folder / f"{name}.md.j2").write_text(text)
    engine = markdown.MEDIUM.templates(Project(root))
    start = time.process_time()
    try:
        engine.render("t", rows=[{"a": "x", "b": 2}] * 3, text="ab|c", value=7)
        message = ""
    except SeqgenError as problem:
        message = problem.message
    except BaseException as problem:
        message = "TRACEBACK " + repr(problem)
    print(json.dumps([message, time.process_time() - start]), flush=True)
"""

GROW = "{% set n = namespace(s='ab', k=['ab'], i=99) %}{% for i in range(99999) %}{% set STEP %}{% endfor %}"
NEST = "{% for i in range(9999) %}{% for j in range(9999) %}STEP{% endfor %}{% endfor %}"
STEPS = f"more than {MOST_STEPS:,} steps"
BOMBS = {
    # Texts that repeat
    "ljust": ("{{ 'x'.ljust(999999999) }}", "unsafe"),
    "rjust": ("{{ 'x'.rjust(999999999) }}", "unsafe"),
    "center": ("{{ 'x'.center(999999999) }}", "unsafe"),
    "zfill": ("{{ '1'.zfill(999999999) }}", "unsafe"),
    "by item": ("{{ 'x'['ljust'](999999999) }}", "unsafe"),
    "expandtabs": ("{{ '\\t'.expandtabs(999999999) }}", "unsafe"),
    "format": ("{{ '{:>999999999}'.format(1) }}", "unsafe"),
    "format_map": ("{{ '{a:>999999999}'.format_map({'a': 1}) }}", "unsafe"),
    "a pattern's width": ("{{ '%999999999d' % 1 }}", "'%' is not for templates"),
    "translate": ("{{ 'x'.translate({120: 'yy'}) }}", "unsafe"),
    "replace, the method": ("{{ 'x'.replace('x', 'yy') }}", "unsafe"),
    "join, the method": ("{{ 'x'.join(range(9)) }}", "unsafe"),
    "filter center": ("{{ 'x' | center(999999999) }}", "No filter"),
    "filter format": ("{{ '%999999999d' | format(1) }}", "No filter"),
    "filter indent": ("{{ 'x\\ny' | indent(999999999) }}", "No filter"),
    "filter wordwrap": ("{{ 'x y' | wordwrap(1, wrapstring='z') }}", "No filter"),
    "filter batch": ("{{ [1] | batch(999999999, 'x') | list }}", "No filter"),
    "filter slice": ("{{ [1] | slice(999999999, 'x') | list }}", "No filter"),
    "filter replace": ("{% set a = 'x' * 1 %}", "'*' is not for templates"),
    "replace over and over": (GROW.replace("STEP", "n.s = n.s | replace('a', 'aaaaaaaa')"), STEPS),
    "replace by itself": (GROW.replace("STEP", "n.s = n.s | replace('', n.s)"), STEPS),
    "join over and over": (GROW.replace("STEP", "n.s = [n.s, n.s] | join(n.s)"), STEPS),
    "join of characters": (GROW.replace("STEP", "n.s = n.s | join('abc')"), STEPS),
    "concatenation": (GROW.replace("STEP", "n.s = n.s ~ n.s"), STEPS),
    "sum of texts": (GROW.replace("STEP", "n.s = n.s + n.s"), STEPS),
    "a block that is set": (GROW.replace("set STEP %}", "set n.s %}{{ n.s }}{{ n.s }}{% endset %}"), STEPS),
    "a block with a filter": (GROW.replace("STEP %}", "n.s | upper %}{{ n.s }}{{ n.s }}{% endset %}"), STEPS),
    "escapes": (GROW.replace("STEP", "n.s = ('|' ~ n.s) | text"), STEPS),
    "a long text by turns": (NEST.replace("STEP", "x" * 5000), STEPS),
    "a long constant by turns": (NEST.replace("STEP", "{{ '" + "x" * 5000 + "' }}"), STEPS),
    "slices of a long text": (
        "{% set n = namespace(s='" + "x" * 500_000 + "') %}{% for i in range(99999) %}{% set n.s = n.s[1:] %}{% endfor %}",
        STEPS,
    ),
    "comparisons of long texts": (
        "{% set s = '" + "x" * 400_000 + "' %}{% set u = s ~ '' %}{% for i in range(99999) %}{% if s == u %}{% endif %}{% endfor %}",
        STEPS,
    ),
    "searches in a long text": (
        "{% set s = '" + "x" * 400_000 + "' %}{% for i in range(99999) %}{% if 'y' in s %}{% endif %}{% endfor %}",
        STEPS,
    ),
    "methods of a long text": (
        "{% set s = '" + "x" * 400_000 + "' %}{% for i in range(99999) %}{% if s.upper() %}{% endif %}{% endfor %}",
        STEPS,
    ),
    # Lists
    "a list by a number": ("{{ ([1] * 999999999) | length }}", "'*' is not for templates"),
    "a list that doubles": (GROW.replace("STEP", "n.k = n.k + n.k"), STEPS),
    "a list in a list": (GROW.replace("STEP", "n.k = [n.k, n.k]") + "{{ n.k == [n.k[0], n.k[1]] }}", "a raw list"),
    "a list in a list, as a text": (
        "{% set n = namespace(k=[]) %}{% for i in range(60) %}{% set n.k = [n.k, n.k] %}{% endfor %}{{ n.k ~ '' }}",
        "a raw list",
    ),
    "a list in a list, in capitals": (
        "{% set n = namespace(k=[]) %}{% for i in range(60) %}{% set n.k = [n.k, n.k] %}{% endfor %}{{ n.k | upper }}",
        "a raw list",
    ),
    "a list in a list, joined": (
        "{% set n = namespace(k=[]) %}{% for i in range(60) %}{% set n.k = [n.k, n.k] %}{% endfor %}{{ [n.k] | join }}",
        "a raw list",
    ),
    "a list in a list, printed": (
        "{% set n = namespace(k=[]) %}{% for i in range(60) %}{% set n.k = [n.k, n.k] %}{% endfor %}{{ n.k }}",
        "a raw list",
    ),
    "a pair of pairs as a key": (
        "{% set n = namespace(k=(1,)) %}{% for i in range(60) %}{% set n.k = (n.k, n.k) %}{% endfor %}{{ {n.k: 1} | length }}",
        "a raw tuple",
    ),
    "a pair of pairs as an item": (
        "{% set n = namespace(k=(1,)) %}{% for i in range(60) %}{% set n.k = (n.k, n.k) %}{% endfor %}{{ {}[n.k] }}",
        "a raw tuple",
    ),
    "a pair of pairs that is looked up": (
        "{% set n = namespace(k=(1,)) %}{% for i in range(60) %}{% set n.k = (n.k, n.k) %}{% endfor %}{{ {}.get(n.k) }}",
        "a raw tuple",
    ),
    "a pair of pairs in a loop's change": (
        "{% set n = namespace(k=(1,)) %}{% for i in range(60) %}{% set n.k = (n.k, n.k) %}{{ loop.changed(n.k) }}{% endfor %}",
        "a raw tuple",
    ),
    "ranges that are listed": ("{% for i in range(9999) %}{% set k = range(99999) | list %}{% endfor %}", STEPS),
    "ranges that are looked through": (
        "{% for i in range(9999) %}{% set k = range(99999) | select('none') | list %}{% endfor %}",
        STEPS,
    ),
    "a loop's length": ("{% for i in range(9999) %}{% for j in range(9999) %}{{ loop.length }}{% endfor %}{% endfor %}", STEPS),
    "a long range": ("{% for i in range(999999999) %}{% endfor %}", "Range too big"),
    # Numbers
    "powers": ("{{ 9 ** 9 ** 9 }}", "'**' is not for templates"),
    "squares of squares": (GROW.replace("STEP", "n.i = n.i * n.i"), "too large"),
    "sums of sums": (GROW.replace("STEP", "n.i = n.i + n.i"), "too large"),
    "a long number": ("{{ " + "9" * 3000 + " }}", "too large"),
    # Calls and files
    "nested loops": (NEST.replace("STEP", ""), STEPS),
    "a macro that calls itself": ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "recursion"),
    "a macro that calls itself twice": (
        "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
        STEPS,
    ),
    "a file that includes itself": ("{% include 'u.md.j2' %}", "recursion"),
    "a file that imports itself": ("{% import 'u.md.j2' as u %}", "recursion"),
    "a file that extends itself": ("{% extends 'u.md.j2' %}", "recursion"),
    "a file that includes nothing, often": (NEST.replace("STEP", "{% include 'none' ignore missing %}"), STEPS),
    "a block that is called often": (
        "{% block b %}x{% endblock %}{% for i in range(99999) %}{{ self.b() }}{{ self.b() }}{% for j in range(99) %}{{ self.b() }}{% endfor %}{% endfor %}",
        STEPS,
    ),
    "a loop that calls itself": ("{% for i in [[1]] recursive %}{{ loop(i) }}{% endfor %}", "'recursive'"),
    "escapes by Jinja": ("{% autoescape true %}{{ 'x' }}{% endautoescape %}", "'autoescape'"),
    "a long template": ("x" * 1_000_001, "more than 1,000,000 characters"),
    "nested brackets": ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "recursion"),
    # Numbers with decimals
    **{
        f"a float: {code}": ("{{ " + code + " }}", message)
        for code, message in {
            "1.5": "a raw float", "1e3 | string": "a raw float", "7 / 2": "'/'", "7 | float": "No filter", "'%.2f' | format(7)": "No filter",
            "'{:.2f}'.format(7)": "unsafe", "value.__format__('.2f')": "unsafe", "value | round(2)": "No filter", "value.real": "unsafe",
            "value.as_integer_ratio()": "unsafe", "[value] | sum(start=0.5)": "a raw float", "[1.5] | tojson": "a raw float",
            "[value] | tojson": "No filter", "[value] | pprint": "No filter", "[value] | map('float') | first": "No filter", "value | urlencode": "No filter",
            "'1.5' | int": "No filter", "value | filesizeformat": "No filter", "value | abs": "No filter", "2 ** -1": "'**'",
            "range(9) | random": "No filter", "value.bit_length()": "unsafe", "value.to_bytes(4)": "unsafe", "[value] | attr('real')": "No filter",
        }.items()
    },
}  # fmt: skip


@pytest.fixture(scope="session")
def verdicts() -> dict[str, Any]:
    """Return what became of each template, in one process with 1 GiB."""
    task = json.dumps([text for text, _ in BOMBS.values()])
    done = subprocess.run([sys.executable, "-c", CHILD], input=task, capture_output=True, text=True, check=True)
    return dict(zip(BOMBS, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("title", BOMBS)
def test_a_template_that_asks_too_much_is_refused_soon(verdicts: dict[str, Any], title: str) -> None:
    """With its reason, within a few seconds and 1 GiB."""
    message, seconds = verdicts[title]
    assert BOMBS[title][1] in message, message
    assert seconds < SECONDS


USES = {
    "{{ rows | map(attribute='a') | join(', ') }}": "x, x, x",
    "{{ rows | selectattr('b', 'gt', 1) | list | length }}": "3",
    "{{ rows | rejectattr('b', 'eq', 2) | list | length }}": "0",
    "{{ rows | join('-', attribute='b') }} {{ [1, 2] | join }}": "2-2-2 12",
    "{{ [3, 4, 5] | select('odd') | join('-') }}": "3-5",
    "{{ [3, 4, 5] | reject('odd') | first }} {{ [1, 2] | last }} {{ [1, 2] | reverse | join }}": "4 2 21",
    "{{ text | text }} {{ text | code }} {{ '$x|$ |' | words }}": r"ab\|c `ab¦c` $x\vert $ \|",
    "{{ 'a b' | title }} {{ 'a' | upper }} {{ ' a ' | trim }} {{ 'abab' | replace('a', 'c') }}": "A B A a cbcb",
    "{{ none | default('d', true) }} {{ missing | default('e') }} {{ 7 // 2 }} {{ 7 % 2 }} {{ 2 * 3 - 1 }}": "d e 3 1 5",
    "{% for k, v in {'a': 1}.items() %}{{ loop.index }}{{ k }}{{ v }}{{ loop.last }}{% endfor %}": "1a1True",
    "{% for r in rows %}{% for k, v in r.items() %}{{ k.upper() }}{{ k.startswith('a') }}{% endfor %}{% endfor %}": "ATrueBFalse"
    * 3,
    "{% for x in 'aab' %}{{ loop.changed(x) }}{% endfor %}": "TrueFalseTrue",
    "{% for x in 'abc' %}{{ loop.cycle('p', 'q') }}{{ x }}{% endfor %}": "paqbpc",
    "{{ 'abc'[1:] }} {{ 'abc'[0] }} {{ [1, 2, 3][:2] | join }} {{ 'b' in 'abc' }} {{ 2 in [1, 2] }}": "bc a 12 True True",
    "{% set j = joiner(';') %}{% for i in range(3) %}{{ j() }}{{ i }}{% endfor %}": "0;1;2",
    "{% macro m(a) %}<{{ a }}{{ caller() }}>{% endmacro %}{% call m(1) %}x{% endcall %}": "<1x>",
    "{% block b %}x{% endblock %}{{ self.b() }}{% filter upper %}a{% endfilter %}": "xxA",
    "{{ 'abc'.startswith('a') }} {{ 'abc'.removesuffix('c') }} {{ 1 if value > 6 and value != 8 else 2 }}": "True ab 1",
}


@pytest.mark.parametrize("template", USES)
def test_what_a_page_needs_can_be_done(project: Any, template: str) -> None:
    """Filters, tests, loops, macros and comparisons do what Jinja's documentation says."""
    made = project("title: t\n")
    own = made.root / "templates/markdown/own.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text(template)
    rows = [{"a": "x", "b": 2}] * 3
    assert markdown.MEDIUM.templates(made).render("own", rows=rows, text="ab|c", value=7) == USES[template]


def test_nothing_is_offered_that_is_not_listed(project: Any) -> None:
    """Filters, tests and functions: the lists, and what this project adds."""
    environment = latex.MEDIUM.templates(project("title: t\n"))._environment
    assert set(environment.filters) == {*FILTERS, "join", "replace", "d", "count", "text", "words", "code"}
    assert set(environment.tests) == set(TESTS)
    assert set(environment.globals) == set(FUNCTIONS)


def test_a_page_is_given_no_more_of_a_spec_than_its_words(project: Any) -> None:
    """What a spec draws at random has parameters that are floats; a template can't reach them."""
    made = project("title: t\nseed: 1\ngiven: {a: {shape: [2], draw: {normal: {mean: 0.5}}}}\n")
    own = made.root / "templates/markdown/values.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text("{{ spec.given }}")
    (problem,) = build(made).errors
    assert "has no attribute 'given'" in problem.message
