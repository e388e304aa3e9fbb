"""What an author reads of a mistake: the place, the words, the way out; and the catalogue of all codes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import seqgen
from seqgen.build.artifacts import make
from seqgen.cli import main
from seqgen.errors import MOST_ERRORS, Collector, SeqgenError, Source, Span, SpecError, placed
from seqgen.graph.node import CONSTANTS
from seqgen.language.idioms import FUNCTIONS
from seqgen.microscope import Microscope
from seqgen.project import Project
from seqgen.readings import ball
from seqgen.readings.evaluate import evaluate
from seqgen.reports.catalogue import entries
from seqgen.spec.names import normal
from seqgen.spec.schema import check_kinds

Opened = Callable[..., Microscope]
Made = Callable[..., Project]


def refusal(action: Callable[[], object]) -> SeqgenError:
    """Return the error that an action ends with."""
    with pytest.raises(SeqgenError) as caught:
        action()
    return caught.value


def told(project: Project) -> str:
    """Return what is told of a spec: its mistakes, or its checks that do not hold."""
    try:
        artifacts = make(project, "example")
    except SeqgenError as problem:
        return problem.render()
    return "\n".join(f"{outcome.span}: {outcome.said}" for outcome in artifacts.outcomes if not outcome.passed)


# The catalogue of mistakes: small wrong specs, and what is said of each, word for word


def mistakes() -> Iterator[Any]:
    """Yield each wrong spec of tests/mistakes with its message; a title begins with '===', a message follows '---'."""
    for path in sorted(Path(__file__).with_name("mistakes").glob("*.txt")):
        for part in re.split(r"(?m)^=== ", path.read_text(encoding="utf-8"))[1:]:
            title, _, body = part.partition("\n")
            spec, _, message = body.partition("\n---\n")
            yield pytest.param(f"{spec}\n", message.strip("\n"), id=f"{path.stem}: {title}")


@pytest.mark.parametrize(("spec", "message"), list(mistakes()))
def test_a_mistake_is_told_word_for_word(project: Made, spec: str, message: str) -> None:
    """Place, line, caret, what was expected and the hint are what the author needs, and all mistakes come at once."""
    assert told(project(spec)) == message


def test_the_catalogue_holds_many_different_mistakes() -> None:
    """No two messages begin with the same words at the same kind of place."""
    heads = {re.sub(r"'[^']*'|\d+", "…", case.values[1].splitlines()[0].partition("error")[2]) for case in mistakes()}
    assert len(heads) >= 100


# What each message advises, written down as it says: the wrong part of the spec, and what comes in its place
MENDED = {
    "yaml: a title with a colon": ("Attention: the scores", "'Attention: the scores'"),
    "yaml: an indexed name inside braces": ("h[-1]", '"h[-1]"'),
    "yaml: a tab as indentation": ("\t", "  "),
    "yaml: a key without a space": ("steps:|", "steps: |"),
    "yaml: steps without a bar": ("steps:", "steps: |"),
    "yaml: an open quote": ("Bahdanau's attention", "Bahdanau''s attention'"),
    "yaml: a percent sign first": ("%3 of all rows", "'%3 of all rows'"),
    "yaml: a line without a colon": ("given\n", "given:\n"),
    "yaml: lines of steps that stand too far left": ("    y = x", "  y = x"),
    "form: a size as a decimal": ("3.0", "3"),
    "form: digits as a decimal": ("4.0", "4"),
    "form: train steps a decimal": ("10.0", "10"),
    "form: an unknown key of an array": ("values", "value"),
    "form: an unknown section": ("givens", "given"),
    "form: a section under another": ("  steps: |\n    y", "steps: |\n  y"),
    "form: a check in a mapping": ("  equal", "  - equal"),
    "form: two checks in one item": ("    shape", "  - shape"),
    "form: a check without a tolerance": ("by: [x]", "by: [x], tolerance: 1e-9"),
    "form: a given that is no mapping": ("[1, 2]", "{value: [1, 2]}"),
    "form: worked as text": ("one: x", "one: [x]"),
    "form: a comma in a heading": ("value, unit", "'value, unit'"),
    "form: draw without a seed": ("title: t", "title: t\nseed: 7"),
    "given: a number with an underscore": ("1_000", "1000"),
    "given: yes where a number belongs": ("[yes, no]", "[1, 0]"),
    "given: a name with a hyphen": ("W-x", "W_x"),
    "given: a given with an index of two numbers": ("h[0, 1]", "h[0][1]"),
    "given: a name that is Python's": ("lambda", "lambda_"),
    "syntax: for without a colon": ("range(2)", "range(2):"),
    "syntax: a body that is not indented": ("  y[t] =", "      y[t] ="),
    "syntax: an implicit product": ("2x", "2 * x"),
    "syntax: a caret as power": ("^", "**"),
    "syntax: a comparison as assignment": ("==", "="),
    "syntax: two equals signs in one line": ("y = z = x", "z = x\n  y = z"),
    "syntax: and": ("x > 0 and x < 2", "(x > 0) * (x < 2)"),
    "syntax: a chain of comparisons": ("0 < x < 2", "(0 < x) * (x < 2)"),
    "syntax: a multiplication sign from a paper": ("×", "*"),
    "syntax: a typographic minus in a value": ("−", "-"),
    "syntax: a number that begins with zero": ("07", "7"),
    "syntax: a matrix without commas": ("[[1 2], [3 4]]", "[[1, 2], [3, 4]]"),
    "syntax: a slice with a step": ("0:3:2", "[0, 2]"),
    "syntax: a list comprehension with if": ("range(3) if t > 0", "range(1, 3)"),
    "syntax: a bitwise not": ("~x", "1 - x"),
    "steps: np dot tanh": ("np.tanh", "tanh"),
    "steps: a method": ("x.sum()", "sum(x)"),
    "steps: an attribute": ("x.shape[0]", "size(x, 0)"),
    "steps: dot of transposes": ("x.t", "x.T"),
    "steps: iterating over len": ("len(x)", "size(x, 0)"),
    "steps: dim as an axis keyword": ("dim=", "axis="),
    "steps: an unknown name": ("W_H", "W_h"),
    "steps: an unknown function": ("softmx", "softmax"),
    "steps: a name set twice in a loop": ("      y =", "      y[t] ="),
    "steps: a state without a first": ("given: {", 'given: {"h[-1]": {value: 0}, '),
    "steps: a family as a value": ("sum(h)", "sum([h[t] for t in range(2)])"),
    "steps: a library function inside an expression": ("y = 2 * f(x)", "r = f(x)\n  y = 2 * r"),
    "steps: a function sees no names outside": ("f(a):\n      return a * W\n  y = f(x)", "f(a, W):\n      return a * W\n  y = f(x, W)"),
    "steps: a def that returns nothing": ("b = a + 1", "return a + 1"),
    "steps: a value called": ("x(0)", "x[0]"),
    "steps: a draw of an unknown size": ("title: t", "title: t\ndims: {H: 3}"),
    "steps: a loop over a number": ("in 3", "in range(3)"),
    "steps: a cell whose position is not set": ("{columns", "{rows: t = 0..T-1, columns"),
    "steps: rows to an unknown end": ("title: t", "title: t\ndims: {S: 2}"),
    "shapes: a product that does not fit": ("x @ W", "x @ W.T"),
    "shapes: a position that is computed": ("x[k]", "one_hot(k, size=2) @ x"),
    "shapes: a negative index": ("x[-1]", "x[1]"),
    "gradients: gradient of a vector": ("gradients: {y", "  L = sum(y)\ngradients: {L"),
    "gradients: grad by an expression": ("L = sum(x ** 2)\n  g = grad(L, x + 1)", "a = x + 1\n  L = sum(a ** 2)\n  g = grad(L, a)"),
    "gradients: gradient by something not named": ("2*x", "x"),
    "gradients: gradient by what the scalar does not use": ("[y]", "[x]"),
    "gradients: gradient through training": ("trained.w", "stop_gradient(trained.w)"),
    "gradients: train by a computed value": ("by: [v]", "by: [w]"),
    "form: a draw and a value": (", draw: {normal: {mean: 0}}", ""),
    "yaml: an alias of nothing": ("x: {", "s: {value: &start 1}\n  x: {"),
    "checks: an erratum that is none": ('checks:\n  - erratum: {of: x, printed: "0.425", right: "0.425", cause: c}', ""),
    "gradients: train without a parameter": ("of: L,", "of: L, by: [w],"),
    "tables: rows that can't be read": ("t in range(2)", "t = 0..1"),
}  # fmt: skip


@pytest.mark.parametrize(("title", "change"), MENDED.items(), ids=MENDED.keys())
def test_what_a_message_advises_mends_the_spec(project: Made, title: str, change: tuple[str, str]) -> None:
    """An author who does what the message says, and nothing else, has a spec without mistakes."""
    spec = next(str(case.values[0]) for case in mistakes() if case.id == title)
    assert change[0] in spec
    assert told(project(spec.replace(*change))) == ""


# What is read as it was meant


MEANT = {
    "a number in scientific notation": ("1e-5", "1/100000"),
    "a number that begins with a point": (".5", "1/2"),
    "a number that ends in a point": ("5.", "5"),
    "a hexadecimal number": ("0x10", "16"),
    "an octal number": ("0o17", "15"),
    "a leading zero": ("007", "7"),
    "a sign in front": ("+2", "2"),
    "an expression": ("1/3", "1/3"),
    "an expression in quotes": ("'2**-3'", "1/8"),
    "pi over pi": ("pi/pi", "1"),
}


@pytest.mark.parametrize(("text", "value"), MEANT.values(), ids=MEANT.keys())
def test_a_number_is_read_as_it_was_meant(microscope: Opened, text: str, value: str) -> None:
    """What YAML 1.2 and the language call a number has its exact value."""
    opened = microscope(f"title: t\ngiven: {{x: {{value: {text}}}}}\nsteps: |\n  y = x - ({value})\n")
    assert opened.prover.reals(opened.node_of("y")).values[()] == 0.0


WORDS = ["no", "yes", "on", "off", "true", "null", "1_000", "1:30", "0x10", "2026-01-31", "~"]


def test_words_of_yaml_are_words_where_labels_stand(microscope: Opened) -> None:
    """A token of a text is what the author typed."""
    opened = microscope(f"title: t\ngiven: {{w: {{role: label, value: [{', '.join(WORDS)}]}}}}\n")
    assert list(getattr(opened.graph.bindings["w"], "words")) == WORDS  # noqa: B009


def test_an_escape_that_is_meant_is_read(microscope: Opened) -> None:
    """A line break in double quotes is one; a letter by its number is that letter."""
    assert microscope('title: "\\u03bb"\nabout: "one\\ntwo"\n').spec.about == "one\ntwo"


@pytest.mark.parametrize("command", ["theta", "nu", "alpha", "beta", "frac", "rho", "vec", "times", "nabla", "eta"])
def test_latex_in_double_quotes_is_told(microscope: Opened, command: str) -> None:
    """YAML reads a tab, a line break or a bell, and the page would show what is left."""
    text = f'title: t\ngiven: {{x: {{value: 1}}}}\ntables: {{one: {{columns: {{"$\\{command} x$": x}}}}}}\n'
    found = refusal(lambda: microscope(text))
    assert (found.code, str(found.span)) == ("yaml-syntax", "specs/example.yaml:3:26")


GREEK = "title: t\ngiven: {{{0}: {{value: 2}}, {1}: {{value: 3}}}}\nsteps: |\n  {2} = {0} * {1}\n"
COMPOSED, DECOMPOSED = "\u00e9", "e\u0301"


def test_names_may_have_letters_of_any_alphabet(microscope: Opened) -> None:
    """Greek letters are names as they stand in papers."""
    opened = microscope(GREEK.format("α", "θ_1", "λ"))
    assert opened.prover.reals(opened.node_of("λ")).values[()] == 6.0


@pytest.mark.parametrize(("given", "used"), [(COMPOSED, DECOMPOSED), (DECOMPOSED, COMPOSED), ("\u00b5", "\u03bc")])
def test_a_letter_is_one_name_in_every_spelling(microscope: Opened, given: str, used: str) -> None:
    """Python reads names in the form NFKC (PEP 3131); so do given arrays, dims and pages."""
    text = f"title: t\ngiven: {{{given}: {{shape: [{given}{given}], value: [2, 3]}}}}\n"
    text += f"steps: |\n  y = sum({used}[i] for i in range({used}{used}))\n"
    text += f"digits: {{{used}: 2}}\ntex: {{{given}: 'e'}}\n"
    text += f"tables: {{a: {{rows: {given}_ = 0..{used}{used}-1, columns: {{x: '{used}[{used}_]'}}}}}}\n"
    opened = microscope(text)
    assert opened.prover.reals(opened.node_of("y")).values[()] == 5.0


def test_two_spellings_of_a_name_are_one_key_given_twice(microscope: Opened) -> None:
    """They would be one entry of the ledger."""
    text = f"title: t\ngiven:\n  {COMPOSED}: {{value: 1}}\n  {DECOMPOSED}: {{value: 2}}\n"
    found = refusal(lambda: microscope(text))
    assert (found.code, str(found.span), str(found.related[0][0])) == (
        "duplicate-key",
        "specs/example.yaml:4:3",
        "specs/example.yaml:3:3",
    )


def test_normal_form_is_pythons() -> None:
    """What `ast` makes of a name is what we make of it."""
    for text in ("\u00b5", "\ufb01x", DECOMPOSED, "\u210c", "x"):
        (name,) = (node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name))
        assert normal(text) == name


def test_a_tab_inside_a_line_of_steps_is_a_space(microscope: Opened) -> None:
    """A tab as space between words means nothing else."""
    assert microscope("title: t\nsteps: |\n  y\t=\t1\t# one\n").graph.entries["y"].about == "one"


def test_old_line_breaks_of_a_mac_are_line_breaks(microscope: Opened) -> None:
    """CR alone ends a line in YAML (section 5.4 of the specification), hence in our positions."""
    found = refusal(lambda: microscope(b"title: t\rsteps: |\r  y = 1\r  z = w\r"))
    assert str(found.span) == "specs/example.yaml:4:7"


SHARED = """title: t
given:
  x: &x {role: input, shape: [D], value: &v [1, 2]}
  y: {<<: *x, role: target}
  z: {value: *v}
checks:
  - equal: {left: x, right: y}
  - equal: {left: x, right: z}
"""


def test_anchors_and_merges_share_what_is_equal(project: Made) -> None:
    """A body that two arrays share is written once; own keys come first."""
    assert told(project(SHARED)) == ""


def test_a_file_past_all_measure_is_refused(microscope: Opened) -> None:
    """Five million characters are more than any microscope has."""
    found = refusal(lambda: microscope("title: t\nabout: " + "x" * 5_000_000))
    assert (found.code, found.expected) == ("too-large", "at most 5,000,000 characters")


def test_a_second_document_is_refused(microscope: Opened) -> None:
    """A file is one spec."""
    found = refusal(lambda: microscope("title: t\n---\ntitle: u\n"))
    assert (found.code, str(found.span), found.expected) == (
        "yaml-syntax",
        "specs/example.yaml:2:1",
        "one document a file",
    )


# Mistakes leave the rest readable


SLIPS = """title: t
given:
  x: {shape: [T], value: [1, 2]}
  w: {shape: [K], value: [[1, 2], [3]]}
dims: {S: many}
steps: |
  a = (x + 1
  b = a * 2
  for t in range(T):
      c[t] = x[t] +
      d[t] = c[t] + b[t]
  def f(p):
      q = p +* 2
      return q
  e = f(x)
  g = zeros(K, S)
  if T == 2:
      h = x
  k = h + g + e + d[0]
  last = x + unknown
tables:
  one: {rows: s = 0..S-1, columns: {k: "k[s]", d: "d[1]"}}
"""


def test_what_follows_from_a_mistake_is_not_told(microscope: Opened) -> None:
    """Each line with a mistake is told once; names that it would have set, and dims, say nothing more."""
    found = refusal(lambda: microscope(SLIPS))
    lines = [one.span.line for one in getattr(found, "errors") if one.span]  # noqa: B009
    assert lines == [4, 5, 7, 10, 13, 17, 20]


@pytest.mark.parametrize(
    ("section", "rest"),
    [
        ("extends: nowhere", "steps: |\n  y = h[0] + f(x)\n"),
        ("use: [library/nowhere]", "steps: |\n  y = f(x)\n  z = y.a\n"),
        ("steps: [y = 1]", "worked: {a: [y]}\n"),
        ("given: [1, 2]", "steps: |\n  y = x\n"),
        ("train: {of: L}", "steps: |\n  L = 1\nafter: |\n  y = loss[0] + trained.w\n"),
        ("dims: [3]", "steps: |\n  y = zeros(T)\n"),
    ],
)
def test_a_part_that_is_left_out_is_one_mistake(microscope: Opened, section: str, rest: str) -> None:
    """What would come from it is not said to be unknown."""
    found = refusal(lambda: microscope(f"title: t\n{section}\n{rest}"))
    assert (hasattr(found, "errors"), found.span and found.span.line) == (False, 2)


def test_slips_in_a_library_are_told_at_their_place(microscope: Opened) -> None:
    """A library's file, line and column are shown, and the call says nothing more."""
    library = "title: l\nsteps: |\n  def f(a):\n      return a +\n"
    text = "title: t\nuse: [library/mine]\ngiven: {x: {value: 1}}\nsteps: |\n  y = f(x)\n"
    (found,) = [refusal(lambda: microscope_of(microscope, text, library))]
    assert str(found.span).startswith("specs/library/mine.yaml:4:")


def microscope_of(microscope: Opened, text: str, library: str) -> Microscope:
    """Return the microscope of a spec with a library ``library/mine``."""
    return microscope(text, others={"library/mine": library})


def test_parts_of_a_library_that_are_left_out_are_told(microscope: Opened) -> None:
    """'use' takes functions; given arrays, checks and values would be lost silently."""
    library = "title: l\ngiven: {c: {value: 1}}\nsteps: |\n  def f(a):\n      return a\n  b = 2\n"
    text = "title: t\nuse: [library/mine]\ngiven: {x: {value: 1}}\nsteps: |\n  y = f(x)\n"
    found = refusal(lambda: microscope_of(microscope, text, library))
    assert [(one.code, one.span.line) for one in getattr(found, "errors")] == [("library", 2), ("library", 6)]  # noqa: B009


def test_a_circle_of_parents_is_told_once(microscope: Opened) -> None:
    """The place is the last 'extends' of the circle."""
    found = refusal(lambda: microscope("title: t\nextends: other\n", others={"other": "title: o\nextends: example\n"}))
    assert (found.code, str(found.span)) == ("circular-extends", "specs/other.yaml:2:10")


# Gradients


def test_a_gradient_that_does_not_exist_is_told_at_the_step_that_is_differentiated(project: Made) -> None:
    """Not at the first line of the file."""
    text = "title: t\ngiven: {x: {value: [0, 0]}}\nsteps: |\n  s = norm(x)\n  L = 2 * s\n  g = grad(L, x)\n"
    found = refusal(lambda: make(project(text), "example"))
    assert (found.code, str(found.span)) == ("division-by-zero", "specs/example.yaml:4:7")
    assert "in the gradient" in found.message


def test_a_gradient_that_is_too_large_is_told_where_it_is_asked_for(microscope: Opened) -> None:
    """A derivative's nodes have no place of their own."""
    steps = "".join(f"  x{i + 1} = sin(x{i})\n" for i in range(200))
    text = f"title: t\ngiven: {{x0: {{value: 1}}}}\nsteps: |\n{steps}gradients: {{x200: [x0]}}\n"
    found = refusal(lambda: microscope(text, configuration="size_limit = 1500"))
    assert (found.code, str(found.span)) == ("too-large", "specs/example.yaml:204:20")


def test_a_mistake_without_a_place_gets_the_place_that_asked() -> None:
    """And keeps its own where it has one."""
    spans = [Span(source=Source(name="s", text="x"), line=1, column=i) for i in (1, 2)]
    for own, expected in ((None, spans[0]), (spans[1], spans[1])):
        with pytest.raises(SpecError) as caught, placed(spans[0]):
            raise SpecError("m", code="shape", span=own)
        assert caught.value.span is expected


@pytest.mark.parametrize("text", ["one_hot(3, size=3)", "one_hot(-1, size=3)", "one_hot([0, 1/2], size=3)"])
def test_one_hot_outside_is_an_error(microscope: Opened, text: str) -> None:
    """A row of zeros would look like a position."""
    opened = microscope("title: t\n")
    assert refusal(lambda: opened.prover.reals(opened.node_of(text))).code == "undefined"


def test_one_hot_at_both_ends_is_a_row(microscope: Opened) -> None:
    """The first and the last position are inside."""
    opened = microscope("title: t\n")
    rows = evaluate([node := opened.node_of("one_hot([0, 2], size=3)")], ball.Balls())[node]
    assert [[int(x) for x in row] for row in rows] == [[1, 0, 0], [0, 0, 1]]


# Long specs, and many mistakes


def seconds(action: Callable[[], object]) -> float:
    """Return the processor time that an action takes."""
    import time

    start = time.process_time()
    action()
    return time.process_time() - start


def test_gathering_mistakes_takes_no_longer_the_more_there_are() -> None:
    """The collector knows what it holds without looking through it."""
    source = Source(name="s", text="")
    spans = [Span(source=source, line=i, column=1) for i in range(MOST_ERRORS - 1)]

    def gather() -> None:
        errors = Collector()
        for _ in range(200):
            for span in spans:
                errors.add(SpecError("m", code="shape", span=span))

    assert seconds(gather) < 5


# One place for each thing


def test_checks_have_one_table() -> None:
    """The schema knows the kinds of checks and their references; each kind has a function."""
    from seqgen.assertions.declared import KINDS, REPLAYS

    assert set(check_kinds()) == {*KINDS, *REPLAYS}


def test_named_numbers_are_known_to_every_reading() -> None:
    """`pi` and `inf` are spelled once; each domain has their values."""
    from seqgen.readings.exact import Exact
    from seqgen.readings.float64 import Float64

    for name in CONSTANTS:
        for domain in (Float64(), ball.Balls(), Exact(10)):
            assert not isinstance(domain.scalar(name), str)


def test_what_is_advised_instead_of_a_habit_can_be_read(steps: Opened) -> None:
    """Every hint that says 'write …' holds an expression of the language."""
    given = {"x": "[[1, 2], [3, 4]]", "y": "[[5, 6], [7, 8]]", "c": "2", "n": "2"}
    opened = steps(given=given)
    for name, hint in FUNCTIONS.items():
        advised = re.fullmatch(r"write ([^,:]*\([^)]*\)|x [^ ]+ y|x \*\* 2|2\*\*x)(?:,.*)?", hint)
        if advised and "T" not in advised[1]:
            assert opened.node_of(advised[1]).size, name


# Codes


SOURCES = Path(seqgen.__file__).parent


def codes_of(path: Path) -> Iterator[str]:
    """Yield the codes that a module raises: what stands after ``code=``, or third in a call of ``fail``."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assigned = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        found = [k.value for k in call.keywords if k.arg == "code"]
        if isinstance(call.func, ast.Attribute) and call.func.attr == "fail" and len(call.args) > 2:
            found.append(call.args[2])
        for value in found:
            yield from constants(assigned.get(value.id, value) if isinstance(value, ast.Name) else value)


def constants(node: ast.AST) -> Iterator[str]:
    """Yield the texts that an expression may stand for."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*constants(node.body), *constants(node.orelse))


def test_every_code_that_is_raised_is_in_the_catalogue() -> None:
    """No code is without its page; `several` stands for the others, and `files` is the system's."""
    raised = {code for path in SOURCES.rglob("*.py") for code in codes_of(path)} - {"several"} | {"files"}
    assert raised - set(entries()) == set()


def test_every_code_of_the_catalogue_is_raised_somewhere() -> None:
    """A page for what can't happen would mislead."""
    text = "".join(path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py"))
    assert [code for code in entries() if f'"{code}"' not in text and f"error[{code}]" not in text] == []


@pytest.mark.parametrize("code", [code for code, entry in entries().items() if entry.files])
def test_an_example_shows_its_mistake(code: str) -> None:
    """On the page, which another test holds to what the commands print, each example's message has its code."""
    page = Path(__file__).parent.parent / "docs" / "errors.md"
    section = page.read_text(encoding="utf-8").split(f"\n## {code}\n")[1].split("\n## ")[0]
    assert f"[{code}]: " in section or f": {code}: " in section  # the second is how a check names it


@pytest.mark.parametrize("code", [code for code, entry in entries().items() if not entry.files])
def test_a_code_without_an_example_is_raised_by_a_test(code: str) -> None:
    """What no file shows by itself is brought about elsewhere."""
    others = (path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    assert any(f'code == "{code}"' in text or f'== ("{code}", ' in text or f"error[{code}]" in text for text in others)


def test_a_file_of_another_encoding_is_told_at_its_byte(microscope: Opened) -> None:
    """The line and the column are those of the first byte that is not UTF-8."""
    found = refusal(lambda: microscope(b"title: t\nabout: L\xf6sung\n"))
    assert (found.code, str(found.span)) == ("encoding", "specs/example.yaml:2:9")


def test_what_no_spec_may_meet_is_told_as_ours(project: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception of our own code ends in a message, not in a traceback."""

    def fails(*_: Any) -> None:
        raise KeyError("x")

    monkeypatch.setattr("seqgen.build.artifacts.open_microscope", fails)
    assert refusal(lambda: make(project("title: t\n"), "example")).code == "internal"


def test_readings_that_differ_stop_the_build(project: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where numpy is made to err, the enclosure tells."""
    monkeypatch.setattr("seqgen.readings.float64.Float64.tanh", staticmethod(lambda x: x), raising=False)
    text = "title: t\ngiven: {x: {value: 1}}\nsteps: |\n  y = tanh(x)\n"
    assert refusal(lambda: make(project(text), "example")).code == "readings-differ"


def test_a_value_of_which_no_digit_is_certain_is_told(project: Made) -> None:
    """A chaotic map outgrows the precision, and floating point, asked instead, finds no value either."""
    steps = "steps: |\n  s[0] = 1/3\n  for t in range(1, 150):\n      s[t] = 39/10*s[t-1]*(1-s[t-1])\n  y = log(s[149] - 2)\n"
    found = refusal(lambda: make(project(f"title: t\n{steps}", configuration="precision_limit = 64"), "example"))
    assert found.code == "undecided"


def test_arguments_that_torch_refuses_are_told(project: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the other library says is passed on at the check's place."""

    def refuses(*_: Any) -> None:
        raise ValueError("no such shape")

    monkeypatch.setattr("seqgen.assertions.declared.torch.is_installed", lambda: True)
    monkeypatch.setattr("seqgen.assertions.references.call", refuses)
    text = "title: t\ngiven: {x: {value: 1}}\nchecks:\n  - reference: {torch: gelu, arguments: [x], equals: x}\n"
    found = refusal(lambda: make(project(text), "example", replay=True))
    assert (found.code, str(found.span)) == ("reference", "specs/example.yaml:4:5")


def test_a_code_can_be_explained() -> None:
    """The command prints the catalogue's words; an unknown code has its nearest name."""
    told_, unknown = (CliRunner().invoke(main, ["explain", code]) for code in ("shape", "shap"))
    assert entries()["shape"].mend in told_.output
    assert (unknown.exit_code, "did you mean shape?" in unknown.output) == (2, True)


# Settings, and specs on the command line


SETTINGS = {
    "digit = 3": "[tool.seqgen] has no key 'digit'",
    "digits = 99": "'digits' is out of range",
    "digits = 4.0": "'digits' must be a whole number",
    "digits = true": "'digits' must be a whole number",
    'ties = "even"': "'ties' must name a rule",
    'decimal_comma = "yes"': "'decimal_comma' must be true or false",
    "size_limit = 0": "'size_limit' is out of range",
    "precision_limit = 8": "'precision_limit' is out of range",
    "exact_limit = 5000": "'exact_limit' is out of range",
    "digits = = 3": "pyproject.toml is not TOML: invalid value",
}


@pytest.mark.parametrize(("line", "message"), SETTINGS.items())
def test_a_wrong_setting_is_told_at_its_line(project: Made, line: str, message: str) -> None:
    """Each setting has a kind and a range."""
    found = refusal(lambda: project("title: t\n", configuration=line).configuration)
    assert (found.message, found.span and found.span.line) == (message, 2)


def test_a_setting_of_either_kind_is_read(project: Made) -> None:
    """True is a truth value and no number out of range."""
    assert project("title: t\n", configuration="decimal_comma = true\ndigits = 3").configuration.decimal_comma


def test_all_wrong_settings_are_told_at_once(project: Made) -> None:
    """As with specs."""
    found = refusal(lambda: project("title: t\n", configuration="digit = 3\nties = 1").configuration)
    assert len(getattr(found, "errors")) == 2  # noqa: B009


NAMED = ["week06/trace", "week06/trace.yaml", "specs/week06/trace.yaml", "./specs/week06/trace.yaml", "week06", "specs"]


@pytest.mark.parametrize("word", [*NAMED, "specs/", "week06/", "{root}/specs/week06/trace.yaml", "{root}/specs/week06"])
def test_a_spec_is_named_by_any_path_to_it(project: Made, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    """By its name, its file or its folder, absolute or not."""
    here = project("title: t\n", others={"week06/trace": "title: u\n"})
    monkeypatch.chdir(here.root)
    assert "week06/trace" in here.select((word.format(root=here.root),))


def test_a_spec_is_named_from_inside_its_folder(project: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path is one from where one stands."""
    here = project("title: t\n", others={"week06/trace": "title: u\n"})
    monkeypatch.chdir(here.specs / "week06")
    assert here.select(("trace.yaml",)) == ["week06/trace"]


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("trace", "did you mean week06/trace?"),
        ("week06/trase", "did you mean week06/trace?"),
        ("old", "a spec ends in .yaml: rename specs/old.yml to specs/old.yaml"),
        ("specs/old.yml", "a spec ends in .yaml: rename specs/old.yml to specs/old.yaml"),
    ],
)
def test_a_spec_that_is_not_there_has_a_hint(
    project: Made, monkeypatch: pytest.MonkeyPatch, word: str, hint: str
) -> None:
    """A bare name is looked for in all folders."""
    here = project("title: t\n", others={"week06/trace": "title: u\n"})
    (here.specs / "old.yml").write_text("title: v\n")
    monkeypatch.chdir(here.root)
    assert refusal(lambda: here.select((word,))).hint == hint


def test_a_file_that_ends_in_yml_is_not_left_out_silently(project: Made) -> None:
    """All specs are asked for, and one of them would be missing."""
    here = project("title: t\n")
    (here.specs / "old.yml").write_text("title: v\n")
    assert refusal(lambda: here.select(())).hint == "rename it to specs/old.yaml"
