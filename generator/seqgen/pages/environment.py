"""The templates' environments: sandboxed, strict about names, and closed to raw numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jinja2
from jinja2.bccache import Bucket

from seqgen.errors import Source, Span, SpecError
from seqgen.files import ABSENT, decoded, sha256
from seqgen.pages.sandbox import FILE, Sandbox
from seqgen.project import Project, package_folder
from seqgen.spec.tex import Fault, parts


def one_line(text: str) -> str:
    """Return ``text`` without line breaks, which would end a table's row or a paragraph."""
    return re.sub(r"\s*[\n\r]\s*", " ", text)


def outside_math(escape: Callable[[str], str]) -> Callable[[str], str]:
    """Return a filter that keeps the math of a text, which is of the allowed commands only, and escapes its words."""

    def apply(text: str) -> str:
        try:
            found = parts(text)
        except Fault as fault:
            raise jinja2.TemplateRuntimeError(f"{fault.message}; {fault.hint}") from None
        return "".join(f"${one_line(part.text)}$" if part.math else escape(part.text) for part in found)

    return apply


class Compiled(jinja2.BytecodeCache):
    """Compiled templates of this process, by place and content; none is kept on disk, where one could be forged."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give the code of a template with this content, if there is one."""
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template."""
        self._codes[bucket.key, bucket.checksum] = bucket.code


COMPILED = Compiled()


class Templates:
    """Renders templates of one medium; a course's own come first, the shipped ones after.

    ``used`` holds the hashes of the files that were looked for, found or not, so that a build knows what it depends on.
    """

    def __init__(
        self,
        project: Project,
        medium: str,
        suffix: str,
        *,
        escape: Callable[[str], str],
        code: Callable[[str], str],
        delimiters: Mapping[str, str],
    ) -> None:
        self._project = project
        self._folders = [project.root / "templates" / medium, package_folder("templates", "templates") / medium]
        self._suffix = suffix
        self.used: dict[str, str] = {}
        self._environment = Sandbox(
            loader=jinja2.FunctionLoader(self._load),
            undefined=jinja2.StrictUndefined,
            autoescape=False,
            keep_trailing_newline=True,
            trim_blocks=True,
            lstrip_blocks=True,
            bytecode_cache=COMPILED,
            **delimiters,
        )
        self._environment.add_text_filters(text=escape, words=outside_math(escape), code=code)

    def _load(self, name: str) -> tuple[str, str, Callable[[], bool]] | None:
        self._environment.spend(FILE)
        for folder in self._folders:
            path = folder / name
            content = path.read_bytes() if path.is_file() else None
            self.used.setdefault(self._project.relative(path), ABSENT if content is None else sha256(content))
            if content is not None and path.resolve().is_relative_to(self._home(folder)):
                return decoded(content, self._project.relative(path)), str(path), lambda: True
        return None

    def _home(self, folder: Path) -> Path:
        """Return what a template must lie in, wherever links lead: the project, or the shipped folder."""
        root = self._project.root.resolve()
        return root if folder.is_relative_to(self._project.root) else folder.resolve()

    def render(self, name: str, **content: Any) -> str:
        """Return template ``name`` filled with ``content``.

        Raises:
            SpecError: where the template is missing or wrong, at its line.
        """
        file = f"{name}.{self._suffix}.j2"
        self._environment.begin()
        try:
            return self._environment.get_template(file).render(**content)
        except jinja2.TemplateNotFound as problem:
            raise SpecError(
                f"there is no template '{problem.name}'",
                code="template",
                hint="those of LaTeX and Markdown are table, worked, values and ledger",
            ) from None
        except SpecError:
            raise
        except jinja2.TemplateSyntaxError as problem:
            raise self._error(problem.filename or file, problem.lineno, problem.message or "") from None
        except Exception as problem:  # a template is a user's program: whatever it raises is its mistake
            path, line = _template_place(problem, file)
            raise self._error(path, line, str(problem)) from None

    def _error(self, path: str, line: int, message: str) -> SpecError:
        file = Path(path)
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        source = Source(name=self._project.relative(file), text=text)
        width = len(source.line(line)) or 1
        return SpecError(
            f"the template fails: {message}",
            code="template",
            span=Span(source=source, line=line, column=1, width=width),
        )


def _template_place(problem: BaseException, file: str) -> tuple[str, int]:
    place = (file, 1)
    trace = problem.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.endswith(".j2"):
            place = (name, trace.tb_lineno)
        trace = trace.tb_next
    return place
