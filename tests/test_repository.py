"""The rules of the repository as a whole."""

import os
import subprocess
from pathlib import Path

from openmeva.training.paths import ROOT

FOLDERS = {".ci", "datasets", "metrics", "spaces", "tests", "training"}
MEGABYTE = 1_000_000


def tracked_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name]


def test_top_level_folders() -> None:
    assert {p.relative_to(ROOT).parts[0] for p in tracked_files() if p.parent != ROOT} <= FOLDERS


def test_datasets_does_not_shadow_the_library() -> None:
    assert not (ROOT / "datasets" / "__init__.py").exists()
    assert not list((ROOT / "datasets").glob("*/*.py"))


def test_weights_are_safetensors_and_small() -> None:
    sizes = {p: os.path.getsize(p) for p in tracked_files() if p.exists() and not p.is_symlink()}
    assert not [p.name for p in sizes if p.suffix in {".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt"}]
    assert max(sizes.values()) < 40 * MEGABYTE
    weights = sum(size for p, size in sizes.items() if "weights" in p.parts or "taggers" in p.parts)
    assert 0 < weights < 120 * MEGABYTE


def test_make_test_hides_gpus() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = makefile.partition("\ntest: ")[2].partition("\n\n")[0]
    assert " $(ON_PROCESSOR) CUDA_VISIBLE_DEVICES= $(BIN)/python -m pytest " in recipe
    assert "\nON_PROCESSOR := OMP_NUM_THREADS=1 OPENMEVA_DEVICE=cpu\n" in makefile


HOMES = ("/home/", "/root/", "/Users/")


def test_no_file_contains_local_paths() -> None:
    this_file = Path(__file__).name
    assert len(tracked_files()) > 1000
    for path in tracked_files():
        if (
            path.suffix in {".py", ".md", ".yaml", ".toml", ".json", ""}
            and path.is_file()
            and path.name != this_file
        ):
            text = path.read_text(encoding="utf-8", errors="replace")
            local_paths = (
                f"{ROOT}/",
                *(HOMES if "taggers" not in path.parts else ()),
            )  # features of taggers are such words
            found = [local_path for local_path in local_paths if local_path in text]
            assert not found, f"{path}: {found}"
