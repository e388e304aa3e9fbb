"""The project: its root, its folders, its configuration, and names that stay inside it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

from seqgen.errors import Source, Span, SpecError, nearest

NAME = re.compile(r"[\w-]+(/[\w-]+)*\Z")
LIBRARY = "library"
TIES = ("half-even", "half-away")
RANGES = {"digits": (0, 40), "exact_limit": (0, 1000), "precision_limit": (64, 65_536), "size_limit": (1, 100_000_000)}


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """``[tool.seqgen]`` of ``pyproject.toml``.

    digits: decimals of a printed number where a spec does not say.
    ties: how a value exactly between two printed ones is rounded.
    exact_limit: operations up to which a closed form is kept.
    precision_limit: bits up to which a proof is tried.
    size_limit: numbers that a spec's steps, gradients and tables may make in all.
    select: rules of ``seqgen check`` that fail it although they only warn by default.
    ignore: rules of ``seqgen check`` that are left out.
    decimal_comma: whether decks write 3,14 for 3.14.
    audit: decks whose typed numbers ``seqgen check`` compares with the ledgers: files, folders, patterns.
    """

    digits: int = 4
    ties: str = "half-even"
    exact_limit: int = 60
    precision_limit: int = 4096
    size_limit: int = 250_000
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    decimal_comma: bool = False
    audit: tuple[str, ...] = ("slides",)


@dataclass(frozen=True)
class Project:
    """A folder with ``specs/``; all paths that seqgen reads or writes lie inside it."""

    root: Path

    @cached_property
    def configuration(self) -> Configuration:
        """The configuration in force.

        Raises:
            SpecError: where ``[tool.seqgen]`` has an unknown key or a value of a wrong kind.
        """
        import tomllib

        path = self.root / "pyproject.toml"
        if not path.is_file():
            return Configuration()
        text = path.read_text(encoding="utf-8")
        try:
            table = tomllib.loads(text).get("tool", {}).get("seqgen", {})
        except tomllib.TOMLDecodeError as problem:
            raise SpecError(f"pyproject.toml is not TOML: {problem}", code="configuration") from None
        return _configure(table, Source(name="pyproject.toml", text=text))

    def setting(self, key: str) -> Span | None:
        """Return the place of ``key`` in the configuration."""
        path = self.root / "pyproject.toml"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        return _key_span(Source(name="pyproject.toml", text=text), key)

    @property
    def specs(self) -> Path:
        """The folder of specs."""
        return self.root / "specs"

    @property
    def ledgers(self) -> Path:
        """The folder of ledgers, which are committed."""
        return self.root / "ledgers"

    @property
    def pages(self) -> Path:
        """The folder of everything that is built and not committed."""
        return self.root / "build"

    def relative(self, path: Path) -> str:
        """Return ``path`` as messages and ledgers write it."""
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return path.as_posix()

    def spec_names(self) -> list[str]:
        """Return the names of all specs, sorted; libraries hold functions and are not among them."""
        found = []
        for folder, below, names in os.walk(self.specs):
            below[:] = [name for name in below if not name.startswith(".")]
            inside = Path(folder).relative_to(self.specs).as_posix()
            lead = "" if inside == "." else f"{inside}/"
            found += [lead + n.removesuffix(".yaml") for n in names if n.endswith(".yaml") and n[0] != "."]
        return sorted(name for name in found if not name.startswith(f"{LIBRARY}/"))

    def spec_path(self, name: str, *, span: Span | None = None) -> Path:
        """Return the file of spec ``name``, from the project or, for a library, from the package.

        Raises:
            SpecError: where the name leaves the project, or there is no such spec.
        """
        if not NAME.match(name):
            raise SpecError(
                f"'{name}' is not a spec's name",
                code="path",
                span=span,
                expected="a path inside specs/ without its ending, such as week06/rnn-trace",
            )
        path = self.specs / f"{name}.yaml"
        if path.is_file():
            if not path.resolve().is_relative_to(self.root.resolve()):
                raise SpecError(f"'{name}' leads outside the project", code="path", span=span)
            return path
        shipped = package_folder(LIBRARY, "specs/library") / f"{name.removeprefix(LIBRARY + '/')}.yaml"
        if name.startswith(f"{LIBRARY}/") and shipped.is_file():
            return shipped
        known = self.spec_names() if self.specs.is_dir() else []
        raise SpecError(f"there is no spec '{name}'", code="no-such-spec", span=span, hint=nearest(name, known))

    def select(self, wanted: tuple[str, ...]) -> list[str]:
        """Return the specs that the command line names: by name, by file, or by folder; all for nothing.

        Raises:
            SpecError: where a name matches no spec.
        """
        names = self.spec_names()
        if not wanted:
            return names
        chosen: list[str] = []
        for word in wanted:
            name = word.removesuffix("/").removesuffix(".yaml").removeprefix("./").removeprefix("specs/")
            matches = [n for n in names if n == name or n.startswith(f"{name}/")]
            if not matches:
                raise SpecError(f"there is no spec '{word}'", code="no-such-spec", hint=nearest(name, names))
            chosen += [n for n in matches if n not in chosen]
        return chosen


def _configure(table: dict[str, object], source: Source) -> Configuration:
    kinds = {field.name: type(field.default) for field in fields(Configuration)}
    for key, value in table.items():
        span = _key_span(source, key)
        if key not in kinds:
            raise SpecError(
                f"[tool.seqgen] has no key '{key}'", code="configuration", span=span, hint=nearest(key, kinds)
            )
        fits = _is_texts(value) if kinds[key] is tuple else type(value) is kinds[key]
        if not fits:
            raise SpecError(
                f"'{key}' must be of another kind",
                code="configuration",
                span=span,
                expected="a list of texts" if kinds[key] is tuple else kinds[key].__name__,
                got=repr(value),
            )
        low, high = RANGES.get(key, (0, 0))
        if isinstance(value, int) and not low <= value <= high:
            raise SpecError(
                f"'{key}' is out of range",
                code="configuration",
                span=span,
                expected=f"from {low:,} to {high:,}",
                got=str(value),
            )
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    settings = Configuration(**values)  # type: ignore[arg-type]
    if settings.ties not in TIES:
        raise SpecError(
            "'ties' must name a rule", code="configuration", span=_key_span(source, "ties"), expected=" or ".join(TIES)
        )
    return settings


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _key_span(source: Source, key: str) -> Span | None:
    for number, line in enumerate(source.text.split("\n"), start=1):
        if re.match(rf"\s*{re.escape(key)}\s*=", line):
            return Span(source=source, line=number, column=len(line) - len(line.lstrip()) + 1, width=len(key))
    return None


def package_folder(installed: str, checkout: str) -> Path:
    """Return a folder that ships with the package: from the wheel, or from the checkout's root."""
    package = Path(__file__).resolve().parent
    shipped = package / installed
    return shipped if shipped.is_dir() else package.parent.parent / checkout


def find_project(start: Path) -> Project:
    """Return the project that ``start`` lies in: the nearest folder above with ``specs/``.

    Raises:
        SpecError: where there is none.
    """
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / "specs").is_dir():
            return Project(folder)
    raise SpecError(
        "there is no 'specs' folder here or above",
        code="no-project",
        hint="make a folder 'specs' and put a spec into it, such as specs/week01/example.yaml",
    )
