"""Starting Python without the library that this environment has installed."""

import os
import subprocess
import sys
from pathlib import Path

# What an editable installation has put in the way: finders of the library, and their entries of the path.
_HIDE = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if "__editable__" not in getattr(f, "__module__", "")]
sys.path[:] = [p for p in sys.path if "__editable__" not in p]
sys.path.insert(0, ".")
"""


def run_alone(code: str, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Runs Python code in a folder, where the library is only if it lies in that folder."""
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
