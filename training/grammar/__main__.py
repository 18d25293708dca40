"""`python -m training.grammar`: see `trainer.py`."""

import sys

from openmeva.training.grammar.trainer import main

if __name__ == "__main__":
    sys.exit(main())
