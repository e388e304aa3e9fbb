"""The templates' environments: sandboxed, strict about names, and closed to raw numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import jinja2
from jinja2.bccache import Bucket
from jinja2.sandbox import ImmutableSandboxedEnvironment

from seqgen.errors import Source, Span, SpecError
from seqgen.files import ABSENT, sha256
from seqgen.project import Project, package_folder
from seqgen.spec.load import without_bars

# The largest of the shipped pages takes 26,000 of them; all together take a second or two.
MOST_STEPS = 10_000_000
MATH = re.compile(r"(\$[^$]*\$)")
TEX_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
}  # fmt: skip


def escape_tex(text: str) -> str:
    """Return ``text`` with everything that TeX reads as a command made a plain character."""
    return "".join(TEX_SPECIAL.get(c, c) for c in text)


def escape_markdown(text: str) -> str:
    """Return ``text`` with what Markdown, its tables and HTML read as marks made plain characters."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|#$~])", r"\\\1", text)


def outside_math(escape: Callable[[str], str]) -> Callable[[str], str]:
    """Return ``escape`` applied to what stands outside ``$…$``."""

    def apply(text: str) -> str:
        parts = MATH.split(text)
        return "".join(without_bars(p) if MATH.fullmatch(p) else escape(p) for p in parts)

    return apply


def code_tex(text: str) -> str:
    """Return ``text`` in typewriter type."""
    return rf"\texttt{{{escape_tex(text)}}}"


def code_markdown(text: str) -> str:
    """Return ``text`` as inline code; a bar would end a table's cell."""
    return "`" + text.replace("`", "'").replace("|", "¦") + "`"


MEDIA: dict[str, dict[str, Any]] = {
    "latex": {
        "suffix": "tex",
        "comment": ("% ", ""),
        "escape": escape_tex,
        "code": code_tex,
        "delimiters": {
            "variable_start_string": "<<", "variable_end_string": ">>",
            "block_start_string": "<%", "block_end_string": "%>",
            "comment_start_string": "<#", "comment_end_string": "#>",
        },
    },
    "markdown": {
        "suffix": "md",
        "comment": ("<!-- ", " -->"),
        "escape": escape_markdown,
        "code": code_markdown,
        "delimiters": {},
    },
}  # fmt: skip


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


class _Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, in which no number with decimals arises, nothing is left to chance, and all ends soon.

    A page prints proven digits, by whatever way they are put together: a template can neither write a decimal, nor
    divide, round, format or draw one. Powers and repetitions are not needed either. A turn of a loop, a call of a
    macro, and a character that is printed or joined to others, cost one of `MOST_STEPS` a page.
    """

    intercepted_binops = frozenset({"**", "/", "%", "*", "+"})

    def __init__(self, **options: Any) -> None:
        super().__init__(finalize=self._printable, **options)
        for name in ("float", "int", "round", "random", "filesizeformat", "format", "center"):
            del self.filters[name]
        del self.globals["lipsum"]
        self.left = MOST_STEPS
        self._safe: dict[tuple[type, str], bool] = {}

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Whether a template may read an attribute: as Jinja decides by the kind of the object, asked once for each."""
        key = type(obj), attr
        if key not in self._safe:
            self._safe[key] = super().is_safe_attribute(obj, attr, value)
        return self._safe[key]

    def _spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise jinja2.TemplateRuntimeError(f"this takes more than {MOST_STEPS:,} steps of loops and characters")

    def _printable(self, value: Any) -> Any:
        """Return what a template prints: texts, and whole numbers such as sizes; nothing else has a form of its own."""
        if not isinstance(value, (str, int, jinja2.Undefined)):
            kind = f"raw {type(value).__name__}"
            raise jinja2.TemplateRuntimeError(f"a {kind} ({value!r}) would reach the page; print it through its entry")
        self._spend(len(value) if isinstance(value, str) else 1)
        return value

    def counted(self, items: Iterable[Any]) -> Iterator[Any]:
        """Yield the items that a loop runs over."""
        for item in items:
            self._spend(1)
            yield item

    def turn(self) -> None:
        """Count a call of a macro."""
        self._spend(1)

    def joined(self, *parts: Any) -> str:
        """Return parts as one text, as ``~`` does."""
        text = "".join(map(str, parts))
        self._spend(len(text))
        return text

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Return a sum, a product or a rest; a text is neither repeated nor a pattern for numbers."""
        whole = isinstance(left, int) and isinstance(right, int)
        if operator in ("**", "/") or (operator in ("*", "%") and not whole):
            raise jinja2.TemplateRuntimeError(f"'{operator}' is not for templates; compute in the spec")
        result = super().call_binop(context, operator, left, right)
        self._spend(len(result) if isinstance(result, (str, list, tuple)) else 1)
        return result

    def _parse(self, source: str, name: str | None, filename: str | None) -> jinja2.nodes.Template:
        tree = super()._parse(source, name, filename)
        for node in list(tree.find_all(jinja2.nodes.Node)):
            match node:
                case jinja2.nodes.Const(value=float() as value):
                    message = f"a raw float ({value!r}) would reach the page; print it through its entry"
                    raise jinja2.TemplateSyntaxError(message, node.lineno, name, filename)
                case jinja2.nodes.For():
                    node.iter = _own("counted", [node.iter], node.lineno)
                case jinja2.nodes.Macro() | jinja2.nodes.CallBlock():
                    node.body.insert(0, jinja2.nodes.ExprStmt(_own("turn", [], node.lineno), lineno=node.lineno))
                case jinja2.nodes.Concat():
                    node.nodes = [_own("joined", node.nodes, node.lineno)]
        tree.set_environment(self)
        return tree


def _own(name: str, arguments: list[Any], line: int) -> jinja2.nodes.Call:
    """Return a call of one of the environment's own functions."""
    function = jinja2.nodes.EnvironmentAttribute(name, lineno=line)
    return jinja2.nodes.Call(function, arguments, [], None, None, lineno=line)


class Templates:
    """Renders templates of one medium; a course's own come first, the shipped ones after.

    ``used`` holds the hashes of the files that were looked for, found or not, so that a build knows what it depends on.
    """

    def __init__(self, project: Project, medium: str) -> None:
        self._project = project
        self._folders = [project.root / "templates" / medium, package_folder("templates", "templates") / medium]
        settings = MEDIA[medium]
        self.suffix: str = settings["suffix"]
        self.used: dict[str, str] = {}
        self._environment = _Sandbox(
            loader=jinja2.FunctionLoader(self._load),
            undefined=jinja2.StrictUndefined,
            autoescape=False,
            keep_trailing_newline=True,
            trim_blocks=True,
            lstrip_blocks=True,
            bytecode_cache=COMPILED,
            **settings["delimiters"],
        )
        self._environment.filters.update(
            text=settings["escape"], words=outside_math(settings["escape"]), code=settings["code"]
        )

    def _load(self, name: str) -> tuple[str, str, Callable[[], bool]] | None:
        for folder in self._folders:
            path = folder / name
            content = path.read_bytes() if path.is_file() else None
            self.used.setdefault(self._project.relative(path), ABSENT if content is None else sha256(content))
            if content is not None and path.resolve().is_relative_to(self._home(folder)):
                return content.decode("utf-8"), str(path), lambda: True
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
        file = f"{name}.{self.suffix}.j2"
        self._environment.left = MOST_STEPS
        try:
            return self._environment.get_template(file).render(**content)
        except jinja2.TemplateNotFound as problem:
            raise SpecError(
                f"there is no template '{problem.name}'",
                code="template",
                hint="the shipped ones are table, worked, values and ledger",
            ) from None
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
