"""The packages of `openmeva`: the folders of the checkout, under one import name, with the data that they read."""

import shutil
from pathlib import Path

from setuptools import find_namespace_packages, setup

# what an earlier build left there would go into this one, modules that are gone since included
shutil.rmtree(Path(__file__).resolve().parent / "build" / "lib", ignore_errors=True)

FOLDERS = ("metrics", "spaces", "training")
FILES = [
    f"*.{ending}"
    for ending in ("json", "jsonl", "safetensors", "txt", "tsv", "yaml", "md", "css", "html", "js")
]
# the data sets that belong to the project, and cards; what else lies in datasets/ a user has built of corpora of theirs
DATA = {
    "datasets.stories": ["README.md", "*.json", "*.jsonl"],
    "datasets.autos": ["README.md"],
    "datasets.autos.mini": ["*.parquet"],
    "datasets.mans": ["README.md"],
}

PACKAGES = [
    name
    for name in find_namespace_packages(include=[f"{folder}*" for folder in FOLDERS])
    if name.partition(".")[0] in FOLDERS and not name.endswith(("__pycache__", ".screenshots"))
]

setup(
    packages=[f"openmeva.{name}" for name in (*PACKAGES, *DATA)],
    package_dir={
        **{f"openmeva.{folder}": folder for folder in FOLDERS},
        **{f"openmeva.{name}": name.replace(".", "/") for name in DATA},
    },
    package_data={
        **{f"openmeva.{name}": [*FILES, "py.typed"] for name in PACKAGES},
        **{f"openmeva.{name}": files for name, files in DATA.items()},
    },
    include_package_data=False,
)
