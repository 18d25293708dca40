"""What may go wrong between here and the Hub, and whether what came from it came whole."""

import hashlib
from pathlib import Path

from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

# Of the Hub, and of the HTTP library under its client, which lets some through: connections that end within a file.
HUB_ERRORS: tuple[type[Exception], ...] = (
    *HfHubHTTPError.__bases__,
    HFValidationError,
    LocalEntryNotFoundError,
    OSError,
)


def arrived(folder: Path) -> Path:
    """A snapshot fresh from the network, its files held against the checksums that the cache names them by.

    Raises:
        ValueError: a file that came with other bytes; it is taken out of the cache.
    """
    for path in folder.rglob("*"):
        blob = path.resolve()
        if not path.is_symlink() or len(blob.name) not in (40, 64):  # a cache without links has no checksums
            continue
        content = blob.read_bytes()
        git = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()  # small files go by git's names
        if blob.name not in (git, hashlib.sha256(content).hexdigest()):
            path.unlink()
            blob.unlink()
            raise ValueError(f"{path}: came damaged from the Hub and was removed; please load it again")
    return folder
