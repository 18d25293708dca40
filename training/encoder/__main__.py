"""`python -m training.encoder`: see `trainer.py`."""

from openmeva.training.encoder.trainer import main

if __name__ == "__main__":
    main()
