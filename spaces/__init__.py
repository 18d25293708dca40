"""The project's Spaces, and what they share.

Gradio imports a package of this name, the Hub's own, and on the Hub hands it every function, to be wrapped for its
shared accelerators. In a Space of this project it finds this one instead, so that this one answers: nothing to wrap.
"""

from collections.abc import Callable
from typing import Any


def gradio_auto_wrap(task: Callable[..., Any]) -> Callable[..., Any]:
    """The function as it is, which is the Hub's own answer on processors."""
    return task
