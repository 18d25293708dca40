"""Errors that bad input causes, as one line for the user, and exit statuses; the same for all commands."""

import errno
import shutil

from safetensors import SafetensorError

BAD_INPUT = 2
INTERRUPTED = 130
TERMINATED = 143
INPUT_ERRORS = (OSError, ValueError, SafetensorError)


def message_of(error: Exception) -> str:
    """The line to print for one of `INPUT_ERRORS`: of an error of the file system, the file and what is wrong with it.

    >>> message_of(FileNotFoundError(2, "No such file or directory", "stories.txt"))
    'stories.txt: No such file or directory'
    """
    if isinstance(error, shutil.Error):  # of several files: a list of source, target and message
        _, target, message = error.args[0][0]
        return f"{target}: {message}"
    if isinstance(error, OSError) and error.strerror:
        # of a copy, the file that cannot be written
        target = error.filename2 if error.errno in (errno.ENOSPC, errno.EDQUOT) else None
        if (file := target or error.filename) is not None:
            return f"{file}: {error.strerror}"
    return str(error) or type(error).__name__
