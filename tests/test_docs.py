"""What the documents say can be typed, opened and found."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENGLISH, CHINESE = ROOT / "README.md", ROOT / "README.zh.md"
DOCUMENTS = [ENGLISH, CHINESE, *sorted((ROOT / "docs").glob("*.md"))]
PATH = re.compile(r"\.?[\w-]+(?:/[\w.-]+)+|[\w-]+\.(?:py|md|toml|txt)")
MADE_LATER = ".venv/"  # by the commands themselves
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))


def read(path: Path) -> str:
    """Return the text of a file."""
    return path.read_text(encoding="utf-8")


def blocks(text: str) -> list[str]:
    """Return the fenced blocks in order."""
    return re.findall(r"^```\w+\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[str]:
    """Return the lines of the fenced blocks, each a command."""
    return [line for block in blocks(text) for line in block.splitlines()]


def links(text: str) -> list[str]:
    """Return the targets of links and images that lie in this repository."""
    return [target for target in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in target]


def named_paths(text: str) -> list[str]:
    """Return what is set as code in the prose and looks like a file or a folder."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    codes = re.findall(r"`([^`]+)`", prose)
    return [code for code in codes if PATH.fullmatch(code) and not code.startswith(MADE_LATER)]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document: Path) -> None:
    """Each link and each image of a document is a file of this repository."""
    assert [target for target in links(read(document)) if not (document.parent / target).is_file()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_named_path_exists(document: Path) -> None:
    """Each file or folder that a document names is there."""
    names = named_paths(read(document))
    assert names != []
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_both_languages_give_the_same_commands() -> None:
    """The two READMEs have the same blocks of commands in the same order."""
    assert blocks(read(CHINESE)) == blocks(read(ENGLISH))


def test_both_languages_have_the_same_shape() -> None:
    """The two READMEs agree in headings and paragraphs that begin in bold, table rows and the paths that they name."""
    shapes = [
        (re.findall(r"^(?:#+ |\*\*)", text, flags=re.MULTILINE), text.count("\n|"), named_paths(text))
        for text in (read(ENGLISH), read(CHINESE))
    ]
    assert shapes[1] == shapes[0]


def test_the_tests_are_run_as_readme_says() -> None:
    """The README's commands for the tests, the long tests and the types are lines of .ci/run."""
    lines = [line.strip() for line in read(ROOT / ".ci" / "run").splitlines()]
    tests = [command for command in commands(read(ENGLISH)) if "pytest" in command and "Scripts" not in command]
    assert len(tests) == 2
    assert [command for command in tests if not any(line.startswith(command) for line in lines)] == []
    checks = next(command for command in commands(read(ENGLISH)) if "mypy" in command).split(" && ")
    assert [check for check in checks if not any(line.endswith(check) for line in lines)] == []


def test_the_browser_tests_start_the_app_as_readme_says() -> None:
    """The README's command for the start ends in what the fixture for the browser tests runs."""
    start = next(command for command in commands(read(ENGLISH)) if "streamlit" in command)
    assert start.endswith(" -m streamlit run app.py")
    assert '"-m", "streamlit", "run", "app.py"' in read(ROOT / "tests" / "conftest.py")


def test_windows_does_the_same() -> None:
    """Each command for PowerShell is the one before it for bash, in the other shell's words."""
    lines = commands(read(ENGLISH))
    windows = [index for index, line in enumerate(lines) if "Scripts" in line]
    assert len(windows) == 2
    for index in windows:
        bash = lines[index].replace("py -m venv", "python3 -m venv").replace("; ", " && ")
        assert bash.replace(".venv\\Scripts\\python", ".venv/bin/python") == lines[index - 1]


def test_readme_names_the_torch_that_is_installed() -> None:
    """The CPU build in the README is the version that requirements.txt asks for."""
    pinned = re.findall(r"^torch==\S+", read(ROOT / "requirements.txt"), flags=re.MULTILINE)
    assert re.findall(r"torch==\S+", read(ENGLISH)) == pinned


def test_the_command_line_knows_the_options_of_readme() -> None:
    """Each option of `radixviz` in the README is one that its help explains."""
    options = set(re.findall(r"--[\w-]+", "\n".join(line for line in commands(read(ENGLISH)) if "radixviz" in line)))
    command = [sys.executable, "-m", "radixviz", "play", "--help"]
    usage = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True).stdout
    assert options == {"--json", "--no-times", "--page-size", "--pool-pages"}
    assert options | {"--lang"} <= set(re.findall(r"--[\w-]+", usage))


def test_the_page_of_the_models_is_what_its_script_writes() -> None:
    """What stands around the rows of its table, so that making the page anew loses nothing."""
    script = ast.parse(read(ROOT / "docs" / "make_families.py"))
    texts = {
        ast.unparse(step.targets[0]): step.value.value
        for step in script.body
        if isinstance(step, ast.Assign) and isinstance(step.value, ast.Constant)
    }
    page = read(ROOT / "docs" / "models.md")
    parts = [part for name in ("HEAD", "TAIL") for part in re.split(r"{\w+}", str(texts[name]))]
    assert len(parts) == 4
    assert [part for part in parts if part not in page] == []
    assert (page.startswith(parts[0]), page.endswith(parts[-1])) == (True, True)


@pytest.mark.parametrize("path", TESTS, ids=lambda path: str(path.relative_to(ROOT / "tests")))
def test_every_test_says_what_it_shows(path: Path) -> None:
    """Each test has a docstring."""
    functions = [node for node in ast.walk(ast.parse(read(path))) if isinstance(node, ast.FunctionDef)]
    tests = [node for node in functions if node.name.startswith("test_")]
    assert [node.name for node in tests if not ast.get_docstring(node)] == []
