"""`python -m training.sentavg`: see `trainer.py`."""

from openmeva.training.sentavg.trainer import main

if __name__ == "__main__":
    main()
