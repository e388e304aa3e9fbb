"""Merging two edits of a spec with git, as docs/checking.md sets it up: the ledger is rebuilt, never merged."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from seqgen.build import build
from seqgen.project import Project
from seqgen.rules.review import review

ROOT = Path(__file__).parent.parent
SPEC = """\
title: t
given:
  a: {value: [0.1, 0.25]}
  space: {value: 0}

  more: {value: 0}
  c: {value: [0.3, 0.5]}
steps: |
  b = a * c
"""


def git(folder: Path, *arguments: str, fails: bool = False) -> str:
    """Run git as somebody, with no settings of the machine, and return what it says."""
    nobody = {"HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"]}
    names = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
    run = subprocess.run(
        ["git", *names, *arguments], cwd=folder, env=nobody, capture_output=True, text=True, check=False
    )
    assert (run.returncode != 0) == fails, run.stdout + run.stderr
    return run.stdout


@pytest.fixture
def two_edits(tmp_path: Path) -> Project:
    """Return a repository on a branch where one number was edited; on ``other`` another was."""
    made = Project(tmp_path)
    (tmp_path / "specs").mkdir()
    (tmp_path / ".gitattributes").write_text("ledgers/** text eol=lf linguist-generated merge=seqgen\n")
    (tmp_path / ".gitignore").write_text("build/\n")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    for branch, text in [("main", SPEC), ("other", SPEC.replace("0.25", "0.75")), ("main", SPEC.replace("0.3", "0.7"))]:
        git(
            tmp_path,
            *(
                ["checkout", "--quiet", branch]
                if git(tmp_path, "branch", "--list", branch)
                else ["checkout", "--quiet", "-B", branch]
            ),
        )
        (tmp_path / "specs/example.yaml").write_text(text)
        build(made)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "--quiet", "--message", branch)
    return made


def test_without_the_driver_the_ledger_conflicts_and_check_says_what_to_do(two_edits: Project) -> None:
    """The spec merges by itself; the ledger's rows do not."""
    git(two_edits.root, "merge", "other", fails=True)
    (finding,) = [finding for finding in review(two_edits).failures if finding.file.startswith("ledgers/")]
    assert finding.rule == "conflict"
    assert finding.cure == "resolve the spec, then seqgen build example"


def test_with_the_driver_and_the_hook_the_ledger_is_rebuilt(two_edits: Project) -> None:
    """After the merge it is committed as the merged spec gives it: 0.7 · 0.1 and 0.5 · 0.75."""
    root = two_edits.root
    settings, hook = documented()
    for line in settings.splitlines():
        git(root, *shlex.split(line)[1:])
    seqgen = f"PYTHONPATH={shlex.quote(str(ROOT / 'generator'))} {shlex.quote(sys.executable)} -m seqgen"
    path = root / ".git/hooks/post-merge"
    git(root, "config", "user.name", "n")
    git(root, "config", "user.email", "n@example.org")
    path.write_text(hook.replace("seqgen build", f"{seqgen} build"))
    path.chmod(0o755)
    git(root, "merge", "--no-edit", "other")
    assert '"value": [0.07, 0.375]' in git(root, "show", "HEAD:ledgers/example.json")
    assert git(root, "status", "--porcelain") == ""
    assert review(two_edits).failures == []


def documented() -> list[str]:
    """Return the blocks that set merging up: settings of git, and the hook."""
    text = (ROOT / "docs/checking.md").read_text().split("## Merging", 1)[1]
    return re.findall(r"```sh\n(.*?)```", text, re.DOTALL)


def test_the_attributes_that_the_documentation_gives_are_those_of_this_repository() -> None:
    """Its own ledgers are merged so."""
    line = "ledgers/** text eol=lf linguist-generated merge=seqgen"
    assert line in (ROOT / ".gitattributes").read_text()
    assert line in (ROOT / "docs/checking.md").read_text()


def test_the_hooks_and_the_action_call_commands_that_there_are() -> None:
    """Each entry is a command with options that it has; a hook of pre-commit has the keys that it needs."""
    from click.testing import CliRunner

    from seqgen.cli import main

    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    assert [hook["id"] for hook in hooks] == ["seqgen-check", "seqgen-build"]
    entries = [hook["entry"] for hook in hooks]
    entries.append(f"seqgen check {action['inputs']['arguments']['default']} --output-format sarif --output-file f --")
    for entry in entries:
        name, *arguments = shlex.split(entry)
        assert name == "seqgen"
        result = CliRunner().invoke(main, [*arguments[:1], "--help"])
        assert all(
            argument in result.output for argument in arguments if argument.startswith("--") and argument != "--"
        )
    assert all(
        {"id", "name", "entry", "language", "files"} <= set(hook) and hook["pass_filenames"] is False for hook in hooks
    )
    assert action["runs"]["using"] == "composite"
    assert all("shell" in step for step in action["runs"]["steps"] if "run" in step)


def test_the_action_runs_the_check_with_its_inputs(tmp_path: Path) -> None:
    """Its script, run by bash as the runner does: a spec that is in order but for pages ends with 0, and SARIF is written."""
    made = Project(tmp_path)
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/example.yaml").write_text(SPEC)
    build(made)
    import shutil

    shutil.rmtree(tmp_path / "build")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "seqgen").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m seqgen "$@"\n')
    (programs / "seqgen").chmod(0o755)
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    script = action["runs"]["steps"][-1]["run"]
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "generator"),
        "SPECS": "example",
        "ARGUMENTS": action["inputs"]["arguments"]["default"],
        "SARIF": "seqgen.sarif",
        "GITHUB_ACTIONS": "true",
    }
    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "1 spec, 5 entries" in run.stdout
    assert '"version": "2.1.0"' in (tmp_path / "seqgen.sarif").read_text()
