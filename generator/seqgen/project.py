"""The project: its root, its folders, and names that stay inside it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from seqgen.errors import Source, Span, SpecError, nearest
from seqgen.files import Tree

if TYPE_CHECKING:
    from seqgen.configuration import Configuration

NAME = re.compile(r"[\w-]+(/[\w-]+)*\Z")
LIBRARY = "library"
SETTINGS = "pyproject.toml"


class Project:
    """A folder with ``specs/``; all paths that seqgen reads or writes lie inside it.

    ``texts`` holds specs, by name, that are on no disk.
    """

    def __init__(self, root: Path, texts: Mapping[str, str] | None = None) -> None:
        self.root = root
        self._texts = texts or {}

    @cached_property
    def configuration(self) -> Configuration:
        """The configuration in force.

        Raises:
            SpecError: where ``[tool.seqgen]`` has an unknown key or a value of a wrong kind.
        """
        from seqgen.configuration import read

        return read(self._settings)

    @property
    def _settings(self) -> Source:
        path = self.root / SETTINGS
        text = path.read_bytes().decode("utf-8", errors="replace") if path.is_file() else ""
        return Source(name=SETTINGS, text=text)

    def setting(self, key: str) -> Span | None:
        """Return the place of ``key`` in the configuration."""
        from seqgen.configuration import place

        return place(self._settings, key)

    @cached_property
    def tree(self) -> Tree:
        """The project's files, to be written and removed."""
        return Tree(self.root)

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

    def read_spec(self, name: str, *, span: Span | None = None) -> tuple[Path, bytes]:
        """Return the file of spec ``name`` and its content.

        Raises:
            SpecError: where the name leaves the project, or there is no such spec.
        """
        if name in self._texts:
            return self.specs / f"{name}.yaml", self._texts[name].encode()
        path = self.spec_path(name, span=span)
        return path, path.read_bytes()

    def spec_path(self, name: str, *, span: Span | None = None) -> Path:
        """Return the file of spec ``name``, from the project or, for a library, from the package.

        Raises:
            SpecError: where the name leaves the project, or there is no such spec.
        """
        check_name(name, span)
        path = self.specs / f"{name}.yaml"
        if path.is_file():
            if not path.resolve().is_relative_to(self.root.resolve()):
                raise SpecError(f"'{name}' leads outside the project", code="path", span=span)
            return path
        shipped = package_folder(LIBRARY, "specs/library") / f"{name.removeprefix(LIBRARY + '/')}.yaml"
        if name.startswith(f"{LIBRARY}/") and shipped.is_file():
            return shipped
        raise SpecError(
            f"there is no spec '{name}'", code="no-such-spec", span=span, hint=self._instead_of(name, self._all_names())
        )

    def _all_names(self) -> list[str]:
        """Return the names of all specs and libraries, the shipped ones too."""
        own = self.specs / LIBRARY
        folders = [own, package_folder(LIBRARY, "specs/library")]
        libraries = {f"{LIBRARY}/{path.stem}" for folder in folders for path in folder.glob("*.yaml")}
        return [*(self.spec_names() if self.specs.is_dir() else []), *sorted(libraries)]

    def _instead_of(self, name: str, known: list[str]) -> str:
        """Return what a name that no spec has may mean."""
        if (self.specs / f"{name.removesuffix('.yml')}.yml").is_file():
            name = name.removesuffix(".yml")
            return f"a spec ends in .yaml: rename specs/{name}.yml to specs/{name}.yaml"
        inside = [one for one in known if one.rpartition("/")[2] == name.rpartition("/")[2]]
        return f"did you mean {' or '.join(inside[:3])}?" if inside else nearest(name, known)

    def select(self, wanted: tuple[str, ...]) -> list[str]:
        """Return the specs that the command line names: by name, by file, or by folder; all for nothing.

        Raises:
            SpecError: where a name matches no spec, or a file in specs/ has an ending that is not read.
        """
        names = self.spec_names()
        if not wanted:
            self._refuse_endings()
            return names
        chosen: list[str] = []
        for word in wanted:
            name = self._named(word)
            matches = [n for n in names if n == name or n.startswith(f"{name}/") or not name]
            if not matches:
                raise SpecError(f"there is no spec '{word}'", code="no-such-spec", hint=self._instead_of(name, names))
            chosen += [n for n in matches if n not in chosen]
        return chosen

    def _named(self, word: str) -> str:
        """Return the name that a word of the command line stands for; nothing for all specs."""
        path = Path(word).resolve()
        if path.exists() and path.is_relative_to(self.specs.resolve()):  # a file or a folder, from wherever one stands
            name = path.relative_to(self.specs.resolve()).as_posix().removesuffix(".yaml")
            return "" if name == "." else name
        return bare_name(word)

    def _refuse_endings(self) -> None:
        """Make sure that no spec is left out for its ending.

        Raises:
            SpecError: at the first file that ends in ``.yml``.
        """
        for path in sorted(self.specs.rglob("*.yml")):
            name = self.relative(path)
            if not any(part.startswith(".") for part in path.relative_to(self.specs).parts):
                hint = f"rename it to {name.removesuffix('.yml')}.yaml"
                raise SpecError(f"'{name}' is not read: a spec ends in .yaml", code="no-such-spec", hint=hint)


def bare_name(word: str) -> str:
    """Return the name of a spec that is called by its file or its folder below the root, or by the name itself."""
    return word.removesuffix("/").removesuffix(".yaml").removeprefix("./").removeprefix("specs/")


def check_name(name: str, span: Span | None = None) -> None:
    """Refuse what can't be a spec's name.

    Raises:
        SpecError: where ``name`` is not a path inside ``specs/``.
    """
    if not NAME.match(name):
        raise SpecError(
            f"'{name}' is not a spec's name",
            code="path",
            span=span,
            expected="a path inside specs/ without its ending, such as week06/rnn-trace",
        )


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
        hint="seqgen init begins a course; or put a spec into a folder 'specs', such as specs/week01/example.yaml",
    )
