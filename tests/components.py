"""Real programs and libraries that some tests need: present, or a loud skip; in CI their absence is a failure."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

import pytest

KATEX = Path(__file__).parent / "katex"


def _need(present: bool, name: str, cure: str) -> None:
    if present:
        return
    message = f"{name} is not installed; {cure}"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def need_torch() -> None:
    """Skip without PyTorch."""
    _need(importlib.util.find_spec("torch") is not None, "PyTorch", "pip install torch")


def need_pdflatex() -> None:
    """Skip without pdflatex."""
    _need(shutil.which("pdflatex") is not None, "pdflatex", "install TeX Live's basic LaTeX")


def need_beamer() -> None:
    """Skip without pdflatex, or without Beamer and the drawing package that it loads."""
    need_pdflatex()
    found = subprocess.run(["kpsewhich", "beamer.cls", "pgfcore.sty"], capture_output=True, text=True, check=False)
    _need(len(found.stdout.splitlines()) == 2, "Beamer", "install TeX Live's recommended LaTeX and pictures")


def need_katex() -> None:
    """Skip without Node.js and KaTeX."""
    ready = shutil.which("node") is not None and (KATEX / "node_modules" / "katex").is_dir()
    _need(ready, "KaTeX", "npm ci --prefix tests/katex")


def need_calc() -> None:
    """Skip without LibreOffice Calc."""
    _need(shutil.which("soffice") is not None, "LibreOffice", "apt-get install libreoffice-calc")
