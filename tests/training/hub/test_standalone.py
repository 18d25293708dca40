"""A published module: flat, relative, and with an import of every sibling in its main file."""

import re
from pathlib import Path

import pytest

from openmeva.metrics.core.description import read_metrics
from openmeva.training.hub.requirements import pin_versions, requirements
from openmeva.training.hub.standalone import standalone_files

ROOT = Path(__file__).resolve().parents[3]
FILES = {
    "metrics/core/__init__.py": "",
    "metrics/core/words.py": "import re\nfrom openmeva.metrics.core.letters import (\n    LETTERS,\n)\n",
    "metrics/core/letters.py": "LETTERS = 26\n",
    "metrics/core/unused.py": "",
    "metrics/small/small.py": (
        '"""from openmeva.metrics.core.words import x"""\nimport evaluate\n\n'
        "from openmeva.metrics.small.scoring import score\n\nNAME = 1\n"
    ),
    "metrics/small/scoring.py": (
        "def score():\n    from openmeva.metrics.core.words import LETTERS\n\n    return LETTERS\n"
    ),
    "metrics/other/other.py": "",
    "training/tool.py": "",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_published_module_contains_its_import_closure(root: Path) -> None:
    files = standalone_files("small", root)
    assert set(files) == {"small.py", "scoring.py", "core_words.py", "core_letters.py"}
    assert files["core_words.py"] == "import re\nfrom .core_letters import (\n    LETTERS,\n)\n"
    assert "    from .core_words import LETTERS\n" in files["scoring.py"]
    assert files["small.py"] == (
        '"""from openmeva.metrics.core.words import x"""\nimport evaluate\n\n'
        "from .scoring import score\n\n"
        "# evaluate copies only the sibling files that this file imports.\n"
        "from .core_letters import __name__ as _core_letters\n"
        "from .core_words import __name__ as _core_words\n"
        "\nNAME = 1\n"
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "from openmeva.training.tool import x\n",
            "expected imports only from metrics/small and metrics/core",
        ),
        ("from openmeva.metrics.other.other import x\n", "metrics/core, got metrics/other/other.py"),
        ("import openmeva.metrics.core.words\n", r"line 1: expected `from openmeva\.metrics\.core\."),
        ("from openmeva.metrics.core import words\n", r"line 1: expected `from openmeva\.metrics\.core\."),
    ],
)
def test_unsupported_imports_are_rejected(root: Path, line: str, message: str) -> None:
    (root / "metrics/small/scoring.py").write_text(line)
    with pytest.raises(ValueError, match=message):
        standalone_files("small", root)


@pytest.mark.parametrize("name", read_metrics())
def test_every_metric_is_self_contained(name: str) -> None:
    files = standalone_files(name, ROOT)
    for file, text in files.items():
        assert not re.search(r"^\s*(from|import) openmeva\b", text, re.MULTILINE), file
        for sibling in re.findall(r"^\s*from \.(\w+) import", text, re.MULTILINE):
            assert f"{sibling}.py" in files, file
    imported = re.findall(r"^from \.(\w+) import", files[f"{name}.py"], re.MULTILINE)
    assert {f"{sibling}.py" for sibling in imported} == set(files) - {f"{name}.py"}
    assert len(set(imported)) == len(imported)


def test_requirements_list_the_imported_packages(tmp_path: Path) -> None:
    for name, text in standalone_files("overlap", ROOT).items():
        (tmp_path / name).write_text(text)
    lines = requirements(tmp_path, ROOT).splitlines()
    packages = [line.partition(">=")[0] for line in lines]
    assert packages == ["datasets", "evaluate", "nltk", "rouge-score", "sacrebleu"]
    assert all(re.fullmatch(r"[\w-]+>=[\d.]+", line) for line in lines)
    assert requirements(tmp_path, tmp_path).splitlines() == lines, (
        "without a checkout, as the installed package declares"
    )


def test_published_requirements_have_the_locked_versions(tmp_path: Path) -> None:
    bounds = "gradio>=6.30\nhuggingface_hub>=2.0\nPyYAML>=6.0\ntorch>=2.13\n"
    first, *lines = pin_versions(bounds, ROOT).splitlines()
    assert first == "--extra-index-url https://download.pytorch.org/whl/cpu"
    assert [line.partition("==")[0] for line in lines] == ["gradio", "huggingface_hub", "PyYAML", "torch"]
    locks = "".join((ROOT / name).read_text() for name in ("requirements.lock", "requirements-cpu.lock"))
    assert f"{lines[0]} " in locks
    assert f"{lines[3]}+cpu " in locks
    assert pin_versions("gradio>=6.30\n", ROOT) == f"{lines[0]}\n"
    assert pin_versions(bounds, tmp_path) == f"{first}\n{bounds}", "without lock files the bounds are kept"
