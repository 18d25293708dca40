"""`python -m training.union`: see `trainer.py`."""

from openmeva.training.union.trainer import main

if __name__ == "__main__":
    main()
