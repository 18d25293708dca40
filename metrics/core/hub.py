"""Errors of downloads from the Hub, and the integrity check of downloaded files."""

import errno
import hashlib
import os
from pathlib import Path

from huggingface_hub.constants import HF_HOME
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from openmeva.metrics.core.files import checksum

# Of the Hub and of the HTTP library under its client, which does not catch some: connections that end within a file.
HUB_ERRORS: tuple[type[Exception], ...] = (
    *HfHubHTTPError.__bases__,
    HFValidationError,
    LocalEntryNotFoundError,
    OSError,
)
# The last is raised by hf_xet, which downloads large files.
DOWNLOAD_ERRORS: tuple[type[Exception], ...] = (*HUB_ERRORS, RuntimeError)
_DISK_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS)


def hub_home() -> Path:
    """The folder in the environment variable `HF_HOME`, or the default of huggingface_hub."""
    return Path(os.environ.get("HF_HOME", HF_HOME)).expanduser()


def download_failure_reason(failed: BaseException) -> str:
    """The cause of a failed download in one line, for the message of another error.

    Raises:
        OSError: the failure itself, if this machine's disk is the cause (full, or not writable).
    """
    if isinstance(failed, OSError) and failed.errno in _DISK_ERRNOS:
        raise failed
    return f"{type(failed).__name__}: {str(failed).strip().partition(chr(10))[0]}"


def verify_snapshot(folder: Path) -> Path:
    """A newly downloaded snapshot, after its files are verified against the checksums that the cache uses as names.

    Raises:
        ValueError: a file with another checksum; it is removed from the cache.
    """
    for path in folder.rglob("*"):
        blob = path.resolve()
        if not path.is_symlink() or len(blob.name) not in (40, 64):  # no symlinks: no checksums
            continue
        if blob.name != (blob_id(blob) if len(blob.name) == 40 else weights_checksum(blob)):
            path.unlink()
            blob.unlink()
            raise ValueError(f"{path}: came damaged from the Hub and was removed; please load it again")
    return folder


def blob_id(file: Path) -> str:
    """The git blob id (SHA-1) of a file, by which the Hub names small files."""
    content = file.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def weights_checksum(path: Path) -> str:
    """The SHA-256 of a weights file; raises a ValueError if it is missing or damaged."""
    try:
        return checksum(path)
    except OSError as error:
        raise ValueError(f"{path}: missing or damaged ({error})") from error
