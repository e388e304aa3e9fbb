"""References: what is written is read again, and every key of a shipped ledger is one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqgen.reference import Bracket, Expression, Gradient, Name, Reference, Stretch

LEDGERS = Path(__file__).parent.parent / "ledgers"

NAMES = st.sampled_from(["h", "W_x", "L", "O1", "λ", "h_tilde"])
POSITIONS = st.integers(-1, 12)
STRETCHES = st.builds(Stretch, st.one_of(st.none(), st.integers(1, 5)), st.one_of(st.none(), st.integers(0, 9)))
ROWS = st.lists(st.integers(0, 5), min_size=1, max_size=3).map(tuple)
PARTS: st.SearchStrategy[Bracket] = st.one_of(
    st.tuples(POSITIONS), st.tuples(STRETCHES), st.tuples(ROWS), st.tuples(STRETCHES, POSITIONS), st.just(("t - 1",))
)
PATHS = st.lists(PARTS, max_size=3).map(tuple)
SCOPES = st.sampled_from(["", "O1", "h[1]", "h[1].X", "B[0][1].O"])
NAMED = st.builds(Name, NAMES, SCOPES)
LOOSE = st.sampled_from(["1 - h[1]**2", "Q[1] @ K.T", "-x", "(a + b) * c"]).map(Expression)
TIGHT = st.sampled_from(["norm(x)", "sum(A, axis=1)", "[v[0], v[1]]", "x.T"]).map(lambda text: Expression(text, True))
PLAIN = st.builds(Reference, NAMED, PATHS)
GRADIENTS = st.one_of(
    st.builds(Gradient, PLAIN, PLAIN),
    st.builds(Gradient, PLAIN, PLAIN, PLAIN, st.integers(1, 3)),
)
REFERENCES = st.builds(Reference, st.one_of(NAMED, LOOSE, TIGHT, GRADIENTS), PATHS)


@given(reference=REFERENCES)
def test_a_reference_is_read_as_it_was_written(reference: Reference) -> None:
    """There is one text for a reference."""
    assert Reference.parse(reference.write()) == reference


@given(text=st.one_of(st.text(max_size=20), st.text("hA01[]():,. -+*=gradviuse", max_size=30)))
def test_writing_is_canonical_for_any_text(text: str) -> None:
    """Whatever stands in a reference's place, its text is read as the same again."""
    reference = Reference.parse(text)
    assert Reference.parse(reference.write()) == reference


@pytest.mark.parametrize("path", sorted(LEDGERS.rglob("*.json")), ids=lambda p: p.relative_to(LEDGERS).as_posix())
def test_every_key_of_a_shipped_ledger_is_written_as_it_stands(path: Path) -> None:
    """Keys, contributions, expressions and citations of ledgers are canonical texts."""
    ledger = json.loads(path.read_text(encoding="utf-8"))
    keys = [*ledger["entries"], *ledger["derived"], *(row["reference"] for row in ledger["cited"])]
    keys += [f"{key[:-1]}, via={via})" for key, one in ledger["entries"].items() for via in one.get("via", ())]
    assert [Reference.parse(key).write() for key in keys] == keys


READ = {
    "h[1]": Reference(Name("h"), ((1,),)),
    "h[-1]": Reference(Name("h"), ((-1,),)),
    "A[1, 0]": Reference(Name("A"), ((1,), (0,))),
    "A[1:3, 0]": Reference(Name("A"), ((Stretch(1, 3), 0),)),
    "A[:3]": Reference(Name("A"), ((Stretch(None, 3),),)),
    "A[0:0]": Reference(Name("A"), ((Stretch(None, 0),),)),
    "O1.S[0]": Reference(Name("S", "O1"), ((0,),)),
    "h[1].X.mu": Reference(Name("mu", "h[1].X")),
    "h[ t-1 ]": Reference(Name("h"), (("t-1",),)),
    "x[[2, 0, 1]][1]": Reference(Name("x"), (((2, 0, 1),), (1,))),
    "x.T": Reference(Expression("x.T", True)),
    "(a + b)[0]": Reference(Expression("a + b"), ((0,),)),
    "grad(L, W)[0]": Reference(Gradient(Reference(Name("L")), Reference(Name("W"))), ((0,),)),
    "grad(L, W, via=y, use=2)": Reference(
        Gradient(Reference(Name("L")), Reference(Name("W")), Reference(Name("y")), 2)
    ),
    "grad(L, W, use=2)": Reference(Expression("grad(L, W, use=2)", True)),
}


@pytest.mark.parametrize(("text", "reference"), READ.items(), ids=READ)
def test_a_text_is_read_as_a_reference(text: str, reference: Reference) -> None:
    """Base and path of each form of the grammar."""
    assert Reference.parse(text) == reference
