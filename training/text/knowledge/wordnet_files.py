"""Fetch WordNet: with NLTK's downloader if there is internet access, else from the packages of a Debian system."""

import hashlib
import http.client
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import nltk.data

DEBIAN_PACKAGES = ("wordnet-base", "wordnet-sense-index")
NLTK_INDEX = "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/index.xml"
PROBE_SECONDS = 5
DOWNLOAD_SECONDS = 300
REQUIRED_FILES = (
    *(f"{kind}.{part}" for kind in ("data", "index") for part in ("noun", "verb", "adj", "adv")),
    *(f"{part}.exc" for part in ("noun", "verb", "adj", "adv")),
    "index.sense",
    "cntlist.rev",
    "lexnames",
)

# The lexicographer files of WordNet 3.0 in order of their numbers, with the part of speech (1 noun, 2 verb,
# 3 adjective, 4 adverb); lexnames(5WN) documents them. Debian's packages lack the file, but NLTK reads it.
_NOUN_FILES = (
    "Tops act animal artifact attribute body cognition communication event feeling food group location motive"
    " object person phenomenon plant possession process quantity relation shape state substance time"
)
_VERB_FILES = (
    "body change cognition communication competition consumption contact creation emotion motion perception"
    " possession social stative weather"
)
LEXICOGRAPHER_FILES = (
    ("adj.all", 3),
    ("adj.pert", 3),
    ("adv.all", 4),
    *((f"noun.{name}", 1) for name in _NOUN_FILES.split()),
    *((f"verb.{name}", 2) for name in _VERB_FILES.split()),
    ("adj.ppl", 3),
)


class FetchError(RuntimeError):
    """A source failed; the message says why."""


def wordnet_path(nltk_data: Path) -> Path | None:
    """Path of WordNet's files below a folder of NLTK data, or None.

    It is a folder with all files, or the downloader's complete zip file. NLTK reads both, if no other user than the
    current one and root owns them or may write to them.
    """
    return next(
        (path for path in _wordnet_candidates(nltk_data) if _is_readable_by_nltk(nltk_data, path)), None
    )


def permission_advice(nltk_data: Path) -> str | None:
    """Advice if WordNet's files are below a folder of NLTK data but NLTK refuses to read them, else None."""
    if wordnet_path(nltk_data) or not any(_wordnet_candidates(nltk_data)):
        return None
    return (
        f"{nltk_data}: WordNet is there, but NLTK reads no data that others own or may write: run"
        f" `chmod -R go-w {nltk_data}`, or set NLTK_DATA to your own copy"
    )


def _wordnet_candidates(nltk_data: Path) -> Iterator[Path]:
    folder, archive = nltk_data / "corpora" / "wordnet", nltk_data / "corpora" / "wordnet.zip"
    if all((folder / name).is_file() for name in REQUIRED_FILES):
        yield folder
    if zipfile.is_zipfile(archive):
        yield archive


def _is_readable_by_nltk(nltk_data: Path, path: Path) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # verbose warnings about refused files
        try:
            nltk.data.find(f"corpora/{path.name}", [str(nltk_data)])
        except LookupError as error:
            # NLTK does not open an archive whose folder is not yet in `nltk.data.path`; that is not a refusal
            return path.suffix == ".zip" and not getattr(error, "_nltk_refused_writable", ())
    return True


def wordnet_checksum(path: Path) -> str:
    """A SHA-256, in hexadecimal, of WordNet's files in the order of `REQUIRED_FILES`, equal for folder and zip file.

    Args:
        path: a path from `wordnet_path`.
    """
    files: Path | zipfile.Path = path if path.is_dir() else zipfile.Path(path, "wordnet/")
    digest = hashlib.sha256()
    for name in REQUIRED_FILES:
        digest.update((files / name).read_bytes())
    return digest.hexdigest()


def fetch_wordnet(nltk_data: Path, sources: tuple[Callable[[Path], None], ...] | None = None) -> Path:
    """Install WordNet in `nltk_data/corpora/wordnet` from the first source that works.

    Args:
        nltk_data: a folder of NLTK data, created if missing.
        sources: functions that fill a given empty folder; by default the downloader, then Debian.

    Returns:
        The folder with the files, or a zip file that was there before. Existing files are kept.

    Raises:
        FetchError: no source worked (the message gives the reason for each, and the manual steps), or NLTK refuses to
            read that folder.
    """
    present = _readable_path(nltk_data)
    if present:
        return present
    reasons = []
    for source in sources if sources is not None else (from_nltk, from_debian):
        _make_private(nltk_data / "corpora")
        staging = Path(tempfile.mkdtemp(prefix=".wordnet-", dir=nltk_data / "corpora"))
        try:
            source(staging)
            missing = [name for name in REQUIRED_FILES if not (staging / name).is_file()]
            if missing:
                raise FetchError(f"{source.__name__} left out {', '.join(missing)}")
            installed = _install(staging, nltk_data / "corpora" / "wordnet")
        except FetchError as error:
            reasons.append(f"  {source.__name__}: {error}")
        else:
            return _readable_path(nltk_data) or installed
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    raise FetchError(
        "WordNet could not be fetched:\n" + "\n".join(reasons) + "\nWhat to do: with internet access, run"
        f" `python -m nltk.downloader -d {nltk_data} wordnet`; on Debian or Ubuntu, run `apt-get update` as"
        " root and then the same command again; or copy a folder `wordnet` of WordNet 3.0 database files"
        f" (with `lexnames`) from another machine to {nltk_data / 'corpora' / 'wordnet'}, as your own and so that nobody"
        f" else may write to it (`chmod -R go-w {nltk_data}`)."
    )


def _readable_path(nltk_data: Path) -> Path | None:
    refused = permission_advice(nltk_data)
    if refused:
        raise FetchError(refused)
    return wordnet_path(nltk_data)


def from_nltk(folder: Path) -> None:
    """WordNet 3.0 by `nltk.download`, in a separate process with a timeout."""
    try:
        with urllib.request.urlopen(NLTK_INDEX, timeout=PROBE_SECONDS) as answer:
            answer.read(1)
    except (OSError, http.client.HTTPException) as error:
        raise FetchError(f"no answer from {NLTK_INDEX} ({error})") from error
    with tempfile.TemporaryDirectory(prefix=".nltk-", dir=folder.parent) as data:
        command = [sys.executable, "-m", "nltk.downloader", "-q", "-d", data, "wordnet"]
        _run(command, Path(data), timeout=DOWNLOAD_SECONDS)
        corpora = Path(data) / "corpora"
        if not (corpora / "wordnet").is_dir():
            if not (corpora / "wordnet.zip").is_file():
                raise FetchError("the downloader ended without writing corpora/wordnet")
            try:
                shutil.unpack_archive(corpora / "wordnet.zip", corpora)
            except (zipfile.BadZipFile, zlib.error, EOFError, shutil.ReadError) as error:
                raise FetchError(f"the downloader's wordnet.zip is damaged ({error})") from error
            if not (corpora / "wordnet").is_dir():
                raise FetchError("the downloader's wordnet.zip holds no folder wordnet")
        _copy_files(corpora / "wordnet", folder)


def from_debian(folder: Path) -> None:
    """WordNet 3.0 from Debian's packages, unpacked without installation and without root rights."""
    for tool in ("apt-get", "dpkg"):
        if shutil.which(tool) is None:
            raise FetchError(f"this is no Debian system: there is no {tool}")
    with tempfile.TemporaryDirectory(prefix="wordnet-debian-") as name:
        work = Path(name)
        os.chmod(work, 0o755)
        download = ["apt-get", "download", *DEBIAN_PACKAGES]
        try:
            _run(download, work, timeout=DOWNLOAD_SECONDS)
        except FetchError as error:
            if os.geteuid() != 0:
                raise FetchError(
                    f"{error} (are the package lists empty? run `apt-get update` as root)"
                ) from error
            _run(["apt-get", "update"], work, timeout=DOWNLOAD_SECONDS)
            _run(download, work, timeout=DOWNLOAD_SECONDS)
        for package in sorted(work.glob("*.deb")):
            _run(["dpkg", "-x", str(package), "unpacked"], work, timeout=DOWNLOAD_SECONDS)
        files = work / "unpacked" / "usr" / "share" / "wordnet"
        if not files.is_dir():
            raise FetchError(f"the packages {', '.join(DEBIAN_PACKAGES)} hold no usr/share/wordnet")
        _copy_files(files, folder)
        licence = work / "unpacked" / "usr" / "share" / "doc" / DEBIAN_PACKAGES[0] / "copyright"
        if licence.is_file():
            shutil.copyfile(licence, folder / "LICENSE")
    (folder / "lexnames").write_text(lexnames(), encoding="ascii")


def lexnames() -> str:
    """Text of WordNet's `lexnames`: number, name and part of speech of each lexicographer file, separated by tabs."""
    return "".join(f"{n:02d}\t{name}\t{part}\n" for n, (name, part) in enumerate(LEXICOGRAPHER_FILES))


def _run(command: list[str], folder: Path, timeout: float) -> None:
    try:
        process = subprocess.run(
            command, cwd=folder, timeout=timeout, capture_output=True, text=True, check=False
        )
    except (subprocess.TimeoutExpired, OSError) as error:
        raise FetchError(f"`{' '.join(command)}`: {error}") from error
    if process.returncode != 0:
        output = (process.stderr or process.stdout).strip().splitlines()
        raise FetchError(
            f"`{' '.join(command)}` ended with {process.returncode}: {output[-1] if output else 'no output'}"
        )


def _copy_files(source: Path, target: Path) -> None:
    for file in sorted(source.iterdir()):
        if file.is_file():
            shutil.copyfile(file, target / file.name)


def _make_private(folder: Path) -> None:
    """Create folders without group write permission, since NLTK reads no data from group-writable folders."""
    for part in [*reversed(folder.parents), folder]:
        if not part.exists():
            part.mkdir(exist_ok=True)
            part.chmod(0o755)


def _install(staging: Path, target: Path) -> Path:
    for file in staging.iterdir():
        file.chmod(0o644)
    staging.chmod(0o755)
    if target.exists():  # an incomplete copy
        shutil.rmtree(target)
    os.replace(staging, target)
    return target
