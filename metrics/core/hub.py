"""What may go wrong between here and the Hub, and whether what came from it came whole."""

import errno
import hashlib
import os
from pathlib import Path

from huggingface_hub.constants import HF_HOME
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from openmeva.metrics.core.files import checksum

# Of the Hub, and of the HTTP library under its client, which lets some through: connections that end within a file.
HUB_ERRORS: tuple[type[Exception], ...] = (
    *HfHubHTTPError.__bases__,
    HFValidationError,
    LocalEntryNotFoundError,
    OSError,
)
# The last is of hf_xet, through which large files come.
DOWNLOAD_ERRORS: tuple[type[Exception], ...] = (*HUB_ERRORS, RuntimeError)
_OF_THIS_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS)


def hub_home() -> Path:
    """The folder that `HF_HOME` names, else the one that the library takes."""
    return Path(os.environ.get("HF_HOME", HF_HOME)).expanduser()


def why(failed: BaseException) -> str:
    """A download's failure in a line, for the message of another error.

    Raises:
        OSError: the failure itself where it lies in this machine's disk, which tells it best.
    """
    if isinstance(failed, OSError) and failed.errno in _OF_THIS_MACHINE:
        raise failed
    return f"{type(failed).__name__}: {str(failed).strip().partition(chr(10))[0]}"


def arrived(folder: Path) -> Path:
    """A snapshot fresh from the network, its files held against the checksums that the cache names them by.

    Raises:
        ValueError: a file that came with other bytes; it is taken out of the cache.
    """
    for path in folder.rglob("*"):
        blob = path.resolve()
        if not path.is_symlink() or len(blob.name) not in (40, 64):  # a cache without links has no checksums
            continue
        if blob.name != (blob_id(blob) if len(blob.name) == 40 else file_digest(blob)):
            path.unlink()
            blob.unlink()
            raise ValueError(f"{path}: came damaged from the Hub and was removed; please load it again")
    return folder


def blob_id(file: Path) -> str:
    """The name that git has for a file, as the Hub gives small ones."""
    content = file.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def file_digest(path: Path) -> str:
    """The checksum of a file of weights; a ValueError where it is missing or damaged."""
    try:
        return checksum(path)
    except OSError as error:
        raise ValueError(f"{path}: missing or damaged ({error})") from error
