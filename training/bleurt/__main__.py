"""`python -m training.bleurt`: see `trainer.py`."""

from openmeva.training.bleurt.trainer import main

if __name__ == "__main__":
    main()
