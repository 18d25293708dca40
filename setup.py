"""The packages of `openmeva`: the folders of the checkout, under one import name, with the data that they read."""

from setuptools import find_namespace_packages, setup

FOLDERS = ("metrics", "spaces", "training")
# the data sets that belong to the project; what else lies in datasets/ a user has built of corpora of theirs
DATA = ("datasets.stories", "datasets.autos.mini")
FILES = ("json", "jsonl", "parquet", "safetensors", "txt", "tsv", "yaml", "md", "css", "js")

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
    package_data={"": [f"*.{ending}" for ending in FILES]},
    include_package_data=False,
)
