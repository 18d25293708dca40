"""A wheel, installed in a clean environment in another folder: the command works without the checkout."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from openmeva.metrics.core.version import __version__
from openmeva.training.common.cards import split_card

ROOT = Path(__file__).resolve().parents[1]
STORY = "Ben was late. He ran because it rained. Nora laughed."
# Run in one process, which imports the libraries once.
COMMANDS = """
import json, sys
from openmeva.training.cli.app import main
from openmeva.training.paths import IN_CHECKOUT, ROOT
print(ROOT, IN_CHECKOUT)
out = sys.stdout
for index, arguments in enumerate(json.loads(sys.argv[1])):
    sys.argv = ["openmeva", *arguments]
    with open("given.txt") as sys.stdin, open(f"output-{index}.txt", "w") as sys.stdout:
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise
sys.stdout = out
"""


def run_checked(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built only from tracked files: other files in the checkout must not be included."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    listed = run_checked(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT)
    for name in filter(None, listed.stdout.split("\0")):
        if not name.startswith("tests/") and (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    run_checked([*pip, "--disable-pip-version-check", "--wheel-dir", str(out), str(source)])
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Programs of an environment that has the wheel and the dependencies, and variables to run them with."""
    folder = tmp_path_factory.mktemp("environment")
    run_checked([sys.executable, "-m", "venv", "--without-pip", str(folder)])
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    # The dependencies' folder by its path, so that the link in it to the checkout is not followed.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python)]
    run_checked([*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel)])
    kept = {name: os.environ[name] for name in ("PATH", "NLTK_DATA", "LANG") if name in os.environ}
    home = tmp_path_factory.mktemp("home")
    offline = {"HF_EVALUATE_OFFLINE": "1", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    return folder / "bin", {**kept, **offline, "HOME": str(home), "HF_HOME": str(home / "hf")}


def test_wheel_contains_one_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == {
        "openmeva",
        f"openmeva-{__version__}.dist-info",
    }
    assert not [name for name in names if "__pycache__" in name or name.startswith("openmeva/tests")]
    tracked = run_checked(["git", "ls-files", "-z", "metrics", "training", "spaces"], cwd=ROOT).stdout.split(
        "\0"
    )
    not_included = {
        name for name in tracked if name and (ROOT / name).is_file() and f"openmeva/{name}" not in names
    }
    assert {Path(name).suffix for name in not_included} <= {".png"}
    data = {name for name in names if name.startswith("openmeva/datasets/")}
    ours = run_checked(["git", "ls-files", "-z", "datasets"], cwd=ROOT).stdout.split("\0")
    assert data == {
        f"openmeva/{name}"
        for name in ours
        if name and (ROOT / name).is_file() and not name.endswith(".gitignore")
    }
    assert "openmeva/datasets/stories/mini.jsonl" in data


def test_wheel_contains_py_typed_markers(wheel: Path) -> None:
    """In each of its folders: `openmeva` itself is a namespace, which has no files."""
    names = zipfile.ZipFile(wheel).namelist()
    folders = {name.split("/")[1] for name in names if name.startswith("openmeva/") and name.endswith(".py")}
    assert {name for name in names if name.endswith("py.typed")} == {
        f"openmeva/{folder}/py.typed" for folder in folders
    }


def test_wheel_metadata_names_all_licences(wheel: Path) -> None:
    """For a data set with unknown terms it contains only the card."""
    archive = zipfile.ZipFile(wheel)
    information = f"openmeva-{__version__}.dist-info"
    metadata = archive.read(f"{information}/METADATA").decode().splitlines()
    (expression,) = (line.partition(": ")[2] for line in metadata if line.startswith("License-Expression: "))
    named = {"unknown", *expression.lower().split(" and ")}
    cards = [archive.read(name).decode() for name in archive.namelist() if name.endswith("/README.md")]
    for front, body in (split_card(card) for card in cards if card.startswith("---\n")):
        given = front.get("license", "unknown")
        licences = given if isinstance(given, list) else [given]
        assert set(licences) <= named
        assert "cc-by-sa-4.0" not in licences or "https://creativecommons.org/licenses/by-sa/4.0/" in body
    for name in ("LICENSE", "NOTICE", "metrics/weights/encoder/NAMES.md"):
        assert archive.read(f"{information}/licenses/{name}") == (ROOT / name).read_bytes()


def test_licence_files_are_found_without_the_checkout(
    environment: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    programs, variables = environment
    code = (
        "from openmeva.training.hub.terms import licence_files\nfrom openmeva.training.paths import ENCODER, ROOT\n"
        "print(*(path for _, path in licence_files(ENCODER / 'README.md', ROOT)))"
    )
    found = run_checked([str(programs / "python"), "-c", code], cwd=tmp_path, env=variables).stdout.split()
    assert [Path(path).read_bytes() for path in found] == [
        (ROOT / name).read_bytes() for name in ("LICENSE", "NOTICE")
    ]


def test_commands_run_without_the_checkout(environment: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    programs, variables = environment

    def run(program: str, *arguments: str) -> str:
        return run_checked([str(programs / program), *arguments], cwd=tmp_path, env=variables).stdout

    def files() -> list[Path]:
        return sorted(path for path in programs.parent.rglob("*") if "__pycache__" not in path.parts)

    before = files()
    assert run("openmeva", "--version") == f"openmeva {__version__}\n"
    (tmp_path / "given.txt").write_text(f"{STORY}\n", encoding="utf-8")
    judged = [
        {"story": f"Ben was late. He ran {n} miles. Nora laughed." * (1 + n % 3), "ratings": [n % 5, 3]}
        for n in range(12)
    ]
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in judged))
    sets = ("--judged", "mine.jsonl", "--datasets", "autos_mini_discrimination", "--autos-stories", "12")
    commands = (
        ("score", "-"),
        ("perturb", "-", "cases.csv", "--aspect", "typo"),
        ("benchmark", *sets, "--metrics", "sentavg", "--draws", "100"),
    )
    printed = run("python", "-c", COMMANDS, json.dumps(commands)).split()
    assert Path(printed[0]).is_relative_to(programs.parent)
    assert printed[1:] == ["False"]
    scored, _, report = ((tmp_path / f"output-{n}.txt").read_text(encoding="utf-8") for n in range(3))
    (row,) = (json.loads(line) for line in scored.splitlines())
    assert row["story"] == STORY
    assert 0 < row["score"] < 1
    assert (tmp_path / "cases.csv").read_text(encoding="utf-8").count("\n") == 2
    assert "mine.jsonl: 12 stories" in report
    results = json.loads((tmp_path / "benchmark" / "results.json").read_text(encoding="utf-8"))
    assert results["judged"]["judged_mine"]["rows"]["SentAvg"]["kind"] == "ours"
    assert "SentAvg" in results["autos"]["autos_mini_discrimination"]["rows"]
    assert before == files()
