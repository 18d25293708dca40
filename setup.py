"""The packages of `openmeva`: the folders of the checkout, under one import name."""

from setuptools import find_namespace_packages, setup

FOLDERS = ("metrics", "spaces", "training")

setup(
    packages=[
        f"openmeva.{name}"
        for name in find_namespace_packages(include=[f"{folder}*" for folder in FOLDERS])
        if name.partition(".")[0] in FOLDERS
    ],
    package_dir={f"openmeva.{folder}": folder for folder in FOLDERS},
)
