"""Runs Python without the library that is installed in this environment."""

import os
import subprocess
import sys
from pathlib import Path

# Removes the finders and path entries of an editable installation of the library.
_HIDE = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if "__editable__" not in getattr(f, "__module__", "")]
sys.path[:] = [p for p in sys.path if "__editable__" not in p]
sys.path.insert(0, ".")
"""


def run_alone(code: str, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Runs Python code in a folder; the library can only be imported if it is in that folder."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "PYTHON"))}
    flags = {"HF_EVALUATE_OFFLINE": "1", "HF_HUB_OFFLINE": "1", "GRADIO_ANALYTICS_ENABLED": "False"}
    return subprocess.run(
        [sys.executable, "-I", "-c", _HIDE + code],
        cwd=folder,
        env={**kept, **flags, "HF_HOME": str(folder / ".hf"), **settings},
        capture_output=True,
        text=True,
        check=False,
    )
