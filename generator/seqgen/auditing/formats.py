"""Decks as text: what is no content is blanked, so that every place stays where it was.

Each reader returns a text as long as the file's, in which markup, addresses and generated numbers are blanks. Lines and
columns of what is found are then those of the file.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from seqgen.auditing.context import Context
from seqgen.auditing.marks import end_of_environment, stretches
from seqgen.decks.latex import scan as scan_latex
from seqgen.decks.markdown import scan as scan_markdown
from seqgen.decks.marks import DeckText, Marks, resolve
from seqgen.errors import Source, SpecError

NESTED = r"(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*"  # what braces hold, with braces in it
ADDRESS = re.compile(r"(?:https?|ftp)://[^\s<>\"')\]}]+|\bdoi:\S+|\barxiv:\S+", re.IGNORECASE)
UNSEEN = re.compile(rf"\\[hv]?phantom(?![A-Za-z])\s*(?:\{{{NESTED}\}}|\\[A-Za-z]+|\S)")
COMMENT = re.compile(r"<!--"), r"-->"
TEX_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
IGNORED = "seqgen-ignore"  # in a comment on a line whose numbers are somebody else's
DRAWING = re.compile(r"\\begin\{(?P<name>tikzpicture|pgfpicture|axis)\}"), end_of_environment
NO_WORDS = re.compile(r"<(?P<name>script|style|svg|head)\b", re.IGNORECASE), lambda m: rf"</{m['name']}\s*>"
LENGTHS = re.compile(
    r"\\(?:includegraphics|vspace|hspace|setlength|addtolength|vskip|hskip|kern|rule|raisebox|scalebox|resizebox|fontsize|"
    r"definecolor|setcounter|documentclass|usepackage|usetheme|label|ref|eqref|cite\w*|input|include|url|href|pause|only|"
    r"uncover|visible|onslide|alert|textcolor|color|colorbox|begin\{(?:column|columns|minipage|figure|table|tabular\*?)\})"
    r"\*?(?:<[^<>\n]*>|\[[^\[\]\n]*\])*(?P<braced>\{[^{}\n]*\})?"
)
# Languages whose code is no result of the page; what it prints in its comments is.
PROGRAMS = frozenset((
    "python", "py", "python3", "pycon", "r", "julia", "jl", "matlab", "octave", "c", "cpp", "c++", "java", "js",
    "javascript", "ts", "typescript", "rust", "go", "bash", "sh", "shell", "zsh", "yaml", "yml", "json", "toml", "ini",
    "css", "html", "xml", "latex", "tex", "sql", "makefile", "dockerfile", "diff",
))  # fmt: skip
# Only these are tags: in mathematics, a letter may follow "is less than".
ELEMENTS = (
    "a|abbr|article|aside|b|blockquote|body|br|button|caption|center|code|col|colgroup|dd|del|details|div|dl|dt|em|"
    "figcaption|figure|font|footer|h[1-6]|header|hr|html|i|img|input|kbd|label|li|link|main|mark|math|meta|nav|ol|p|pre|"
    "q|s|samp|section|small|source|span|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|title|tr|tt|u|ul|var|video|"
    "annotation|semantics|mrow|mi|mo|mn|mfrac|msub|msup|mtable|mtr|mtd|iframe|canvas"
)
KEEPS_CONTENT = re.compile(r"\\(?:only|uncover|visible|onslide|alert|pause)\b")


def blank(text: str) -> str:
    """Return blanks in the place of ``text``; lines end where they did."""
    return re.sub(r"[^\n]", " ", text)


def _blanked(pattern: re.Pattern[str] | str, text: str, flags: int = 0) -> str:
    return re.sub(pattern, lambda m: blank(m[0]), text, flags=flags)


def _without(
    opening: re.Pattern[str],
    closing: Callable[[re.Match[str]], str] | str,
    text: str,
    instead: Callable[[str], str] = blank,
) -> str:
    """Return ``text`` with something else ``instead`` of each stretch from ``opening`` to ``closing``."""
    parts, place = [], 0
    for begin, end in stretches(text, opening, closing):
        parts += [text[place : begin.start()], instead(text[begin.start() : end.end()])]
        place = end.end()
    return "".join(parts) + text[place:]


@lru_cache(maxsize=4)
def scanned(text: str, suffix: str) -> Marks:
    """Return what the scanner of a format finds in a deck; a page and a notebook have the comments of Markdown."""
    scanner = scan_latex if suffix == ".tex" else scan_markdown
    return scanner(DeckText(Source(name=f"deck{suffix}", text=text)))


def _page(text: str, marks: Marks) -> str:
    """Return ``text`` with blanks for what the scanner found to be no text of the page, or written by the build."""
    stretches: list[tuple[int, int, Callable[[str], str]]] = [
        (region.start, region.end, blank) for region in marks.regions if region.kind != "code"
    ]
    stretches += [(block.start, block.end, blank) for block in marks.blocks]
    stretches += [(mark.start, mark.end, blank) for mark in marks.citations]
    stretches += [(r.start, r.end, _remarks) for r in marks.regions if r.kind == "code" and r.language in PROGRAMS]
    parts, at = [], 0
    for start, end, instead in sorted(stretches, key=lambda stretch: stretch[:2]):
        if end > at:
            begin = max(at, start)
            parts += [text[at:begin], instead(text[begin:end])]
            at = end
    return "".join([*parts, text[at:]])


def _remarks(code: str) -> str:
    """Return the comments of a program, and what it prints where it is shown with prompts."""
    if re.search(r"^\s*>>> ", code, re.MULTILINE):
        return _blanked(r"^\s*(?:>>>|\.\.\.)[^#\n]*", code, re.MULTILINE)
    return "\n".join(
        blank(line[: line.find("#")]) + line[line.find("#") :] if "#" in line else blank(line)
        for line in code.split("\n")
    )


def plain(text: str) -> str:
    """Return a plain text without addresses."""
    return _blanked(ADDRESS, _blanked(UNSEEN, text))


def latex(text: str) -> str:
    """Return a LaTeX source without comments, blocks, lengths, drawings and generated numbers."""
    text = _page(text, scanned(text, ".tex"))
    text = _without(*DRAWING, text, instead=_drawing)
    text = _blanked(r"\\\\\[[^\[\]\n]*\]", text)
    text = LENGTHS.sub(_length, text)
    text = re.sub(r"\\(?:item|frame|begin\{frame\})\s*(?:<[^>\n]*>|\[<[^>\n]*>\])", lambda m: blank(m[0]), text)
    return plain(text)


def _length(match: re.Match[str]) -> str:
    braced = match["braced"] or ""
    begin = re.match(r"\\begin\{[a-z*]+\}", match[0])  # the table itself stays one
    if begin:
        return begin[0] + blank(match[0][begin.end() :])
    if braced and KEEPS_CONTENT.match(match[0]):
        return blank(match[0][: len(match[0]) - len(braced)]) + braced
    return blank(match[0])


def _drawing(text: str) -> str:
    """Return a drawing's words: what stands in the braces of its nodes."""
    out, depth = [], 0
    for place, character in enumerate(text):
        depth -= character == "}"
        keeps = depth > 0 and re.search(r"node[^;{]*(?:\{[^{}]*\}[^;{]*)*\{[^;]*\Z", text[max(0, place - 300) : place])
        out.append(character if keeps or character == "\n" else " ")
        depth += character == "{"
    return "".join(out)


def markdown(text: str) -> str:
    """Return a Markdown source without its head, addresses, tags and attributes."""
    text = _page(text, scanned(text, ".md"))
    text = _blanked(r"!\[[^\]\n\[]*\]\([^)\n]*\)(?:\{[^}\n]*\})?", text)
    text = re.sub(
        r"(\[[^\]\n\[]*\])(\([^)(\s]*(?:\s+\"[^\"\n]*\")?\))",
        lambda m: m[1] + (m[2] if _is_tuple(m[2]) else blank(m[2])),
        text,
    )
    text = _blanked(r"^[ \t]*+\|?(?:[ \t]*+:?-{2,}+:?[ \t]*+\|)++[ \t]*+:?-*+:?[ \t]*+$", text, re.MULTILINE)
    text = _blanked(r"\{[.#][\w-][^{}\n]*\}|\{[^{}\n$\\]*(?:width|height|scale)=[^{}\n]*\}", text)
    return plain(_tags(text))


def _is_tuple(text: str) -> bool:
    return re.fullmatch(r"\([-−+.,;\d\s]+\)", text) is not None


def web(text: str) -> str:
    """Return a page's words: cells are parted by tabs, and lines end at rows, paragraphs and breaks."""
    text = _without(*NO_WORDS, _without(*COMMENT, text))
    return plain(_entities(_tags(text)))


def _tags(text: str) -> str:
    def replaced(match: re.Match[str]) -> str:
        name = match[1].lower()
        if name in ("/td", "/th"):
            return "\t" + blank(match[0][1:])
        if name in ("/tr", "br", "/p", "/li", "/div", "/section") or re.fullmatch(r"/h\d", name):
            return "\v" + blank(match[0][1:])
        return blank(match[0])

    return re.sub(rf"<(/?(?:{ELEMENTS}))(?:\s[^<>]*|/)?>", replaced, text, flags=re.IGNORECASE)


def _entities(text: str) -> str:
    def replaced(match: re.Match[str]) -> str:
        character = html.unescape(match[0])
        return character.rjust(len(match[0])) if len(character) == 1 else match[0]

    return re.sub(r"&(?:#\d+|#[xX][0-9a-fA-F]+|\w+);", replaced, text)


FIELD = re.compile(
    r'"cell_type"\s*:\s*"(?P<kind>\w+)"|"(?P<name>source|text|text/plain|text/markdown|text/latex)"\s*:\s*(?=\[|")'
)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
CODED = re.compile(r"\\u([0-9a-fA-F]{4})")


def notebook(text: str) -> str:
    """Return a notebook's cells and what they printed, read out of its JSON; images and settings are blanks."""
    out = list(blank(text))
    place = 0
    is_code = False
    while match := FIELD.search(text, place):
        place = match.end()
        if match["kind"]:
            is_code = match["kind"] == "code"
            continue
        closing = _end_of_value(text, place)
        for string in STRING.finditer(text, place, closing):
            start, end = string.start() + 1, string.end() - 1
            if is_code and match["name"] == "source":
                remark = text.find("#", start, end)
                start = remark if remark >= 0 else end
            _unescape(text, start, end, out)
        place = closing
    return markdown("".join(out))


def _end_of_value(text: str, place: int) -> int:
    if text[place] == '"':
        string = STRING.match(text, place)
        return string.end() if string else len(text)
    while place < len(text) and text[place] != "]":
        string = STRING.match(text, place)
        place = string.end() if string else place + 1
    return place


def _unescape(text: str, place: int, end: int, out: list[str]) -> None:
    """Write a JSON string's characters into ``out``, each where its spelling ends."""
    while place < end:
        if text[place] != "\\":
            out[place] = text[place]
            place += 1
            continue
        coded = CODED.match(text, place, end)
        width = 6 if coded else 2
        character = {"n": "\v", "t": "\t", '"': '"', "\\": "\\", "/": "/"}.get(text[place + 1], " ")
        if coded:
            character = chr(int(coded[1], 16))
        out[place + width - 1] = character
        place += width


READERS: dict[str, Callable[[str], str]] = {
    ".md": markdown,
    ".qmd": markdown,
    ".markdown": markdown,
    ".tex": latex,
    ".html": web,
    ".htm": web,
    ".txt": plain,
    ".ipynb": notebook,
}


def read(path: Path) -> tuple[str, str]:
    """Return a deck's text as it is, and as long, its content alone.

    Raises:
        SpecError: where its ending tells of no format that is read, or it is no UTF-8.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise SpecError(
            f"'{path.name}' is no deck that can be read",
            code="format",
            expected=f"a file that ends in {', '.join(READERS)}",
            got=path.suffix or "no ending",
        )
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise SpecError(f"'{path.name}' is not UTF-8", code="encoding") from None
    content = _without_ignored(text, reader(text), path.suffix.lower()).replace("\v", "\n")
    return text, content


def context(text: str, suffix: str) -> Context:
    """Return what a deck says of its specs: its pragmas, and the specs that it cites where."""
    marks = scanned(text, ".tex" if suffix == ".tex" else ".md")
    cited = [(mark.start, resolve(mark.body, marks.about(mark.start))) for mark in marks.citations]
    return Context(
        pragmas=tuple((pragma.start, pragma.names) for pragma in marks.pragmas),
        cited=tuple((start, found[0].text) for start, found in cited if found),
    )


def _without_ignored(text: str, content: str, suffix: str) -> str:
    """Return ``content`` with blanks for the lines that a comment in ``text`` asks to leave out."""
    if suffix == ".tex":
        comments = [comment.span() for comment in TEX_COMMENT.finditer(text)]
    else:
        comments = [(begin.start(), end.end()) for begin, end in stretches(text, *COMMENT)]
    places = [mark.start() for span in comments for mark in re.compile(IGNORED).finditer(text, *span)]
    parts, at = [], 0
    for place in places:
        if place >= at:
            start = text.rfind("\n", at, place) + 1
            stop = text.find("\n", place)
            stop = len(text) if stop < 0 else stop
            parts += [content[at:start], blank(content[start:stop])]
            at = stop
    return "".join(parts) + content[at:]
