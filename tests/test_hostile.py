"""Specs that ask for too much, or for what must not be: each is refused, or computed, soon and in little memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# Small limits, so that all that reaches one does so soon; the defaults differ in nothing else.
CONFIGURATION = "size_limit = 20000\nprecision_limit = 1024"
SECONDS = 20.0
SURDS = "(sqrt(2)+sqrt(3)+sqrt(5)+sqrt(7)+sqrt(11))"


def spec(*steps: str, given: str = "a: {value: [1, 2]}", more: str = "") -> str:
    """Return a spec of some steps."""
    lines = "".join(f"  {line}\n" for line in steps)
    return f"title: t\ngiven:\n  {given}\nsteps: |\n{lines}{more}"


# What the spec asks for, and the codes of the mistakes that are told; none where it is computed.
HOSTILE: dict[str, tuple[str, set[str]]] = {
    # Numbers
    "an exponent of a thousand million": (spec("b = 2**(10**9)"), {"undefined"}),
    "a float to the millionth": (spec("b = 10.0**(10**6)"), {"overflow"}),
    "a float to minus the millionth": (spec("b = 10.0**(-10**6)"), set()),
    "a tower of powers": (spec("b = 9**9**9**9"), {"undefined"}),
    "a literal of 5000 digits": (spec(f"b = {'9' * 5000}"), {"too-large"}),
    "a literal of 200,000 digits": (spec(f"b = {'9' * 200_000}"), {"too-large"}),
    "a hexadecimal literal of 100,000 digits": (spec(f"b = 0x{'f' * 100_000}"), {"too-large"}),
    "a literal exponent of eight digits": (spec("b = 1e99999999"), {"too-large"}),
    "a negative literal exponent of eight digits": (spec("b = 1e-99999999"), {"too-large"}),
    "a given number with a large exponent": (spec("b = a", given="a: {value: 1e9999}"), {"too-large"}),
    "a given number past a float64": (spec("b = a", given="a: {value: 1e400}"), {"overflow"}),
    "a given number below a float64": (spec("b = a", given="a: {value: 1e-400}"), set()),
    "exp past a float64": (spec("b = exp(1000)"), {"overflow"}),
    "exp below a float64": (spec("b = exp(-1000)"), set()),
    "exp of exp of exp": (spec("b = exp(exp(exp(10)))"), {"overflow"}),
    "exp six times": (spec("b = exp(exp(exp(exp(exp(exp(a))))))"), {"overflow"}),
    "a quotient of two huge numbers": (spec("b = exp(exp(20)) / exp(exp(20))"), set()),
    "one over a huge number, beside a half": (spec("b = exp(-exp(exp(exp(3)))) + 0.00005"), set()),
    "a mask of minus a thousand million": (spec("b = softmax([0, -1000000000])"), set()),
    "a number that squares itself": (
        spec("x0 = sqrt(2)", *(f"x{i + 1} = x{i}*x{i} + x{i}" for i in range(60))),
        {"overflow"},
    ),
    "a rational that squares itself": (
        spec("x0 = 3/7", *(f"x{i + 1} = x{i}*x{i} + x{i}/3" for i in range(40))),
        set(),
    ),
    "a logistic map": (spec("s[0] = 1/3", "for t in range(1, 400):", "    s[t] = 39/10*s[t-1]*(1-s[t-1])"), set()),
    "the sine of 10**300": (spec("b = sin(10**300)"), set()),
    "the sine of exp(5000)": (spec("b = sin(exp(5000))"), set()),
    "positions that multiply": (spec(f"b = a[{'*'.join(['999999999**64'] * 20)}]"), {"too-large"}),
    "a position of thirty digits": (spec("b = a[10**30]"), {"not-static"}),
    "infinity less infinity": (spec("b = inf - inf"), {"undefined"}),
    # Closed forms
    "a sum of surds to the hundredth": (spec(f"b = {SURDS}**100"), set()),
    "a comparison of two expansions": (
        spec(f"b = {SURDS}**64 >= ({SURDS}*1.0)**64", "c = (sqrt(2)+sqrt(3))**100 - (5+2*sqrt(6))**50 + 0.00005"),
        set(),
    ),
    "a sum of many fractions": (
        spec("b = " + " + ".join(f"1/(exp({i}/7)+sqrt({i}))" for i in range(2, 12)), "c = b - b*1.0 + 0.00005"),
        set(),
    ),
    "a limit of closed forms past all bounds": (spec("b = a", more="exact_limit: 100000\n"), {"out-of-range"}),
    # Loops and calls
    "a loop of a thousand million rounds": (spec("for t in range(10**9):", "    b[t] = t"), {"too-large"}),
    "a loop in a loop": (
        spec("for t in range(99999):", "    for u in range(99999):", "        b[t, u] = t"),
        {"too-large"},
    ),
    "sums of sums of sums": (
        spec("b = sum(sum(sum(1 for k in range(1000)) for i in range(1000)) for j in range(1000))"),
        {"too-large"},
    ),
    "lists of lists": (spec("b = [[1 for k in range(10000)] for i in range(10000)]"), {"too-large"}),
    "loops around nothing": (
        spec(
            "for t in range(99999):", "    for u in range(99999):", "        for v in range(0):", "            c[t] = 1"
        ),
        {"too-large"},
    ),
    "a function that calls itself": (spec("def f(x):", "    y = f(x)", "    return y", "b = f(a)"), {"too-large"}),
    "a function that calls itself twice": (
        spec("def f(x):", "    y = f(x)", "    z = f(x)", "    return y + z", "b = f(a)"),
        {"too-large"},
    ),
    "functions that call each other twice": (
        spec(
            "def f0(x):",
            "    return x + 1",
            *(
                line
                for i in range(30)
                for line in (f"def f{i + 1}(x):", f"    y = f{i}(x)", f"    z = f{i}(x)", "    return y + z")
            ),
            "b = f30(a)",
        ),
        {"too-large"},
    ),
    "an argument that squares itself": (
        spec("def f(x):", "    y = f(x * x)", "    return y", "b = f(999999)"),
        {"too-large"},
    ),
    # Sizes
    "an array past all memory": (spec("b = zeros(10**9)"), {"too-large"}),
    "an array of ten million": (spec("b = sum(ones(1000, 10000))"), {"too-large"}),
    "a product of vectors": (spec("x = arange(1000)", "b = outer(x, x)"), {"too-large"}),
    "a product of matrices": (spec("x = ones(100, 100)", "b = x @ x @ x @ x"), {"too-large"}),
    "a broadcast": (spec("x = arange(1000)", "b = reshape(x, [1000, 1]) + x"), {"too-large"}),
    "a hot place in a huge row": (spec("b = one_hot(1, size=10**8)"), {"too-large"}),
    "an array that doubles": (
        spec("x0 = a", *(f"x{i + 1} = concat(x{i}, x{i})" for i in range(30))),
        {"too-large"},
    ),
    "a million random numbers": (
        spec("b = r", given="r: {shape: [1000, 1000], draw: {normal: {mean: 0}}}", more="seed: 1\n"),
        {"too-large"},
    ),
    "random numbers past a float64": (
        spec("b = r", given="r: {shape: [2], draw: {normal: {mean: 1e999}}}", more="seed: 1\n"),
        {"out-of-range"},
    ),
    "random numbers between nothing": (
        spec("b = r", given="r: {shape: [2], draw: {uniform: {low: 1, high: -1}}}", more="seed: 1\n"),
        {"out-of-range"},
    ),
    "gradients by the thousand": (
        spec(
            "x0 = sum(a)",
            *(f"x{i + 1} = sin(x{i})" for i in range(300)),
            *(f"g{i} = grad(x{i}, a)" for i in range(300)),
        ),
        {"too-large"},
    ),
    "a table of a thousand million rows": (
        spec("b = a", more="tables: {t: {rows: t = 0..10**9, columns: {a: t}}}\n"),
        {"too-large"},
    ),
    "a table of many cells": (
        spec(
            "b = a",
            more="tables: {t: {rows: t = 0..9999, columns: {" + ", ".join(f'c{i}: "t*{i}"' for i in range(9)) + "}}}\n",
        ),
        {"too-large"},
    ),
    "rows with a long gap": (
        spec("b = a", more=f'tables: {{t: {{rows: "t = 0{" " * 20_000}", columns: {{a: t}}}}}}\n'),
        {"rows"},
    ),
    "training for ever": (
        spec("L = sum((a-3)**2)", more="train: {of: L, by: [a], steps: 100000, rate: 0.1}\n"),
        {"too-large"},
    ),
    "training that runs away": (
        spec("L = sum(sin(a*3)**2)", more="train: {of: L, by: [a], steps: 5000, rate: 3}\n"),
        set(),
    ),
    "differences by many scalars": (
        "title: t\nsteps: |\n  x = ones(40, 60)\n  L = sum(x)\n  y = x + L\n  M = sum(y + y + y + y)\n"
        "checks:\n  - finite_difference: {of: M, by: [y, x], tolerance: 1e-9}\n",
        {"too-large"},
    ),
    # Nesting and length
    "a hundred lists in lists": (spec(f"b = {'[' * 90}a{']' * 90}"), {"too-large"}),
    "three thousand signs": (spec(f"b = {'-' * 3000}a"), {"too-large"}),
    "three thousand terms": (spec(f"b = {'+'.join(['a'] * 3000)}"), {"too-large"}),
    "a name of five thousand letters": (spec(f"{'x' * 5000} = 1"), set()),
    "a thousand unknown names": (spec(*(f"x{i} = y{i}" for i in range(1000))), {"unknown-name"}),
    "a comment of 100,000 letters": (spec(f"b = a  # {'x' * 100_000}"), set()),
    "aliases of aliases": (
        "title: t\ngiven:\n"
        + "".join(f"  a{i}: {{value: &a{i} [{', '.join([f'*a{i - 1}'] * 9) if i else '1, 2'}]}}\n" for i in range(12)),
        {"too-large"},
    ),
    "an alias of itself": ("title: t\ngiven:\n  a: {value: &a [1, *a]}\n", {"yaml-syntax"}),
    "sixty-five levels of YAML": (f"title: t\ngiven:\n  a: {{value: {'[' * 65}1{']' * 65}}}\n", {"too-large"}),
    # Python that is not the language
    "an attribute of an object": (spec("b = a.__class__"), {"unknown-name"}),
    "an attribute of an expression": (spec("b = ().__class__"), {"unsupported-syntax"}),
    "an import by call": (spec("b = __import__('os')"), {"unsupported-syntax"}),
    "a lambda": (spec("b = (lambda: a)()"), {"unsupported-syntax"}),
    "a starred target": (spec("b, *c = a"), {"unsupported-syntax"}),
    "text": (spec("b = 'os'"), {"unsupported-syntax"}),
    # Ways out of the project
    "a library above the project": (spec("b = a", more="use: [../../etc/passwd]\n"), {"path"}),
    "a parent at an absolute path": (spec("b = a", more="extends: /etc/passwd\n"), {"path"}),
    "a parent that is the spec itself": (spec("b = a", more="extends: example\n"), {"circular-extends"}),
    "a tag that makes an object": ("title: !!python/object/apply:os.system [ls]\n", {"yaml-tag"}),
    # Checks
    "a printed number with a huge exponent": (
        spec("b = a", more='checks:\n  - expect: {b: ["1e999999999", "2"]}\n'),
        {"too-large"},
    ),
    "an equality of huge numbers": (
        spec("b = a", more='checks:\n  - equal: {left: "exp(exp(exp(10)))", right: "1"}\n'),
        set(),
    ),
}


@pytest.fixture(scope="session")
def verdicts() -> dict[str, Any]:
    """Return what became of each spec, in one process with 2 GiB."""
    task = {"specs": [text for text, _ in HOSTILE.values()], "configuration": CONFIGURATION, "seconds": SECONDS}
    child = [sys.executable, str(Path(__file__).with_name("confined.py"))]
    done = subprocess.run(child, input=json.dumps(task), capture_output=True, text=True, check=True)
    return dict(zip(HOSTILE, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("title", HOSTILE)
def test_what_asks_too_much_is_told_so_soon(verdicts: dict[str, Any], title: str) -> None:
    """No traceback, no endless computation, no more than 2 GiB: a message with the expected code, or a result."""
    found = verdicts[title]
    assert set(found["codes"]) == HOSTILE[title][1], found["report"]


def test_a_report_of_a_long_line_is_short(verdicts: dict[str, Any]) -> None:
    """Of a line of 200,000 characters only the part with the mistake is shown."""
    report = verdicts["a literal of 200,000 digits"]["report"]
    assert max(map(len, report.splitlines())) < 200


def test_at_most_a_hundred_mistakes_are_told(verdicts: dict[str, Any]) -> None:
    """Nobody reads a thousand."""
    assert verdicts["a thousand unknown names"]["report"].count("error[") == 100
