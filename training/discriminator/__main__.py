"""`python -m training.discriminator`: see `trainer.py`."""

from openmeva.training.discriminator.trainer import main

if __name__ == "__main__":
    main()
