"""The folder of the papers' data, which are not in the repository; tests marked `data` read them."""

import os
from pathlib import Path

from openmeva.training.paths import ROOT

DATA = Path(os.environ.get("OPENMEVA_DATA", ROOT.parent / "shared" / "data"))
